/** What has become of a version of a document, for a reader of an earlier state. */
import { quote } from "../sql.ts";
import type { Storage } from "../storage.ts";
import { buildKey, type ChangedVersion } from "./versions.ts";

/** `link`: no value of the document changed, but what it shows of others. */
export type ChangeKind = "create" | "update" | "publish" | "unpublish" | "delete" | "link";

/** The keys of all versions of documents that have a changed version. */
function findExisting(storage: Storage, versions: readonly ChangedVersion[]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const [type, changed] of Map.groupBy(versions, (version) => version.type)) {
    const sql = `SELECT document_id, locale, status FROM ${quote(type.name)} WHERE document_id IN (SELECT value FROM json_each(?))`;
    const ids = JSON.stringify([...new Set(changed.map(({ documentId }) => documentId))]);
    for (const version of storage.all(sql, [ids])) keys.add(buildKey(type, ...(version as string[])));
  }
  return keys;
}

/**
 * The kind of each change, for a reader who knows the state at sequence `since`. It depends on the versions that exist and on their own
 * writes, and not on when the log was compacted.
 */
export function changeKinds(
  storage: Storage,
  versions: readonly ChangedVersion[],
  since: number,
): ReadonlyMap<ChangedVersion, ChangeKind> {
  const written = versions.filter(({ own }) => own > since);
  const existing = findExisting(storage, written);
  const kindOf = ({ type, documentId, locale, status, born, inserted }: ChangedVersion): ChangeKind => {
    const isPublication = status === "published" && type.draftAndPublish;
    if (!existing.has(buildKey(type, documentId, locale, status)))
      return isPublication && existing.has(buildKey(type, documentId, locale, "draft")) ? "unpublish" : "delete";
    if (isPublication) return inserted > since ? "publish" : "update";
    return born > since ? "create" : "update";
  };
  const kinds = new Map<ChangedVersion, ChangeKind>(versions.map((version) => [version, "link"]));
  for (const version of written) kinds.set(version, kindOf(version));
  return kinds;
}
