/** A quick look whether files have changed, for starts: nothing of synchronisation is loaded if not. */

import type { DocumentsContext } from "../../engine/documents/context.ts";
import { atOnce } from "../../lib/in-turns.ts";
import { MEDIA_FOLDER } from "../../transfer/content/file-paths.ts";
import { ContentFolder } from "./folder.ts";
import { hasSameAttributes } from "./new-attributes.ts";
import { isSameStamp, SyncState } from "./state.ts";

/** Whether the folder has exactly the files, with the same sizes and times, that were synchronised last, for the same attributes. */
export function isCurrent(path: string, { storage, model }: DocumentsContext): boolean {
  const state = new SyncState(storage);
  if (!state.hasFiles || !hasSameAttributes(state, model)) return false;
  const stamps = atOnce(state.stamps());
  const { documents, media } = new ContentFolder(path).list(model);
  if (documents.size + media.size !== stamps.size) return false;
  const isKnown = (path: string, stamp: Parameters<typeof isSameStamp>[0]): boolean => {
    const known = stamps.get(path);
    return known !== undefined && isSameStamp(known, stamp);
  };
  return (
    [...documents].every(([path, stamp]) => isKnown(path, stamp)) &&
    [...media].every(([path, stamp]) => isKnown(`${MEDIA_FOLDER}/${path}`, stamp))
  );
}
