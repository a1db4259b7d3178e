/** What can be done with an open document besides saving it. All of it throws the server's errors. */
import type { DocumentAction } from "./document-requests.ts";
import type { OpenDocument } from "./open-document.ts";

/** Unsaved changes stay, unless the draft's are discarded. */
export const performAction = (open: OpenDocument, action: DocumentAction): Promise<void> =>
  open.change(async (requests, basedOn) => {
    if (action !== "discard") open.storeUnsaved();
    await requests.act(action, basedOn);
    await (action === "discard" ? open.revert() : open.open());
  });

/** Writes a version of the history to the draft, and discards unsaved changes. */
export const restoreVersion = (open: OpenDocument, versionId: number): Promise<void> =>
  open.change(async (requests, basedOn) => {
    await requests.restore(versionId, basedOn);
    await open.revert();
  });

/** Removes this locale's versions. */
export const deleteDocument = (open: OpenDocument): Promise<void> =>
  open.change(async (requests, basedOn) => {
    await requests.delete(basedOn);
    open.abandon();
  });

/** A copy as a new draft; returns its id. */
export async function duplicate(open: OpenDocument): Promise<string> {
  let copy = "";
  await open.change(async (requests) => {
    copy = await requests.duplicate();
  });
  return copy;
}
