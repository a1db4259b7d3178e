/** `firstPublishedAt`: when a version of a document was published for the first time. */
import type { ContentType } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import type { DocumentsContext } from "./context.ts";
import type { VersionRow } from "./row-store.ts";

const COLUMN = quote("firstPublishedAt");

/** Records it in drafts that are about to be published: their copies have it, too. */
export function recordFirstPublication(
  { storage, clock }: DocumentsContext,
  { table }: ContentType,
  drafts: readonly VersionRow[],
): void {
  const sql = `UPDATE ${quote(table)} SET ${COLUMN} = ? WHERE id = ? AND ${COLUMN} IS NULL`;
  for (const { id } of drafts) storage.run(sql, [clock.writeTime(), id]);
}

/** As in Strapi, what was published before the attribute existed has the time of its publication. */
export function fillFirstPublications({ storage, model }: DocumentsContext): void {
  for (const { table, recordsFirstPublication } of model.types.values()) {
    if (!recordsFirstPublication) continue;
    const rows = quote(table);
    const published = `(SELECT p.published_at FROM ${rows} p WHERE p.document_id = ${rows}.document_id AND p.locale IS ${rows}.locale AND p.status = 'published')`;
    storage.run(`UPDATE ${rows} SET ${COLUMN} = ${published} WHERE ${COLUMN} IS NULL`);
  }
}
