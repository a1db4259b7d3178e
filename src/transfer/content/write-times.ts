/** The times of written documents: those that their files have. */
import { quote } from "../../engine/storage/sql.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import type { DocumentChange } from "./document-change.ts";
import type { LocaleState, VersionTimes } from "./version-states.ts";

/**
 * Sets the times of a locale, whatever the writes have made of them: a checkout is served as a fresh load would be. What is new and has none was
 * changed and published when it was created, as files say of what they leave out.
 */
export function setTimes(
  storage: Storage,
  { type, documentId }: DocumentChange,
  { locale, draftTimes, publishedTimes }: LocaleState,
  isNew: boolean,
): void {
  if (isNew && draftTimes.createdAt === undefined)
    storage.run(
      `UPDATE ${quote(type.table)} SET updated_at = created_at, published_at = iif(published_at IS NULL, NULL, created_at)
       WHERE document_id = ? AND locale IS ?`,
      [documentId, locale],
    );
  const set = (status: string, times: VersionTimes | undefined): void => {
    const columns = { created_at: times?.createdAt, updated_at: times?.updatedAt, published_at: times?.publishedAt };
    const stated = Object.entries(columns).filter((entry): entry is [string, string] => entry[1] !== undefined);
    if (stated.length === 0) return;
    const values = stated.map(([, time]) => time);
    // a row that has them is no change
    storage.run(
      `UPDATE ${quote(type.table)} SET ${stated.map(([column]) => `${column} = ?`).join(", ")}
       WHERE document_id = ? AND locale IS ? AND status = ? AND (${stated.map(([column]) => `${column} IS NOT ?`).join(" OR ")})`,
      [...values, documentId, locale, status, ...values],
    );
  };
  set(type.draftAndPublish ? "draft" : "published", draftTimes);
  set("published", publishedTimes);
}
