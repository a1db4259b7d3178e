/** The documents that have changed in the database since their changes were last in the files. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { changeLog, lastSequence } from "../../engine/storage/change-log/change-log.ts";
import { changesSince } from "../../engine/storage/change-log/changes-since.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import type { SyncState } from "./state.ts";

export interface ChangedDocuments {
  /** The last change of each document, by uid and document id. */
  readonly documents: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Uids of types of which any document may have changed, or be gone. */
  readonly types: ReadonlySet<string>;
  /** The last change among these. */
  readonly sequence: number;
}

/** The number of the database's last change. */
export const lastChange = (storage: Storage): number => (changeLog(storage) ? lastSequence(storage) : 0);

/** `since`: undefined for all documents. Without a change log, any may have changed. */
export function changedDocuments({ storage, model }: DocumentsContext, since: number | undefined): ChangedDocuments {
  const sequence = lastChange(storage);
  const all = { documents: new Map(), types: new Set(model.types.keys()), sequence };
  if (since === undefined) return all;
  const documents = new Map<string, Map<string, number>>();
  const types = new Set<string>();
  for (let sequence = since; ; ) {
    const changes = changesSince(storage, sequence);
    if (!changes) return all;
    for (const { type, documentId, sequence: last } of changes.documents)
      documents.getOrInsertComputed(type, () => new Map()).set(documentId, last);
    for (const type of changes.types) types.add(type);
    sequence = changes.sequence;
    if (!changes.hasMore) return { documents, types, sequence };
  }
}

/**
 * Lists the ids of a type's documents whose files may not say what they do. `all`: of those that there are; of a type of which any may have
 * changed, documents that are gone are listed, too.
 */
export function changedIds({ documents, types }: ChangedDocuments, state: SyncState) {
  const behind = Map.groupBy(state.behind().values(), ({ uid }) => uid);
  return (uid: string, all: () => readonly string[]): string[] => {
    const waiting = behind.get(uid)?.map(({ documentId }) => documentId) ?? [];
    const ids = [...(documents.get(uid)?.keys() ?? []), ...waiting];
    return [...new Set(types.has(uid) ? [...ids, ...all(), ...state.listDocuments(uid)] : ids)];
  };
}
