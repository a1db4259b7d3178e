/** Creates the missing drafts of types that have draft & publish enabled for the first time: their rows are all published. */
import { contentType } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import type { DocumentsContext } from "./context.ts";
import { VersionCopier } from "./versions.ts";

export interface CompleteDraftsOptions {
  /** After a change of the schema: drafts that still exist from an earlier schema are linked by other drafts again. */
  readonly relinksExisting: boolean;
}

/** Runs inside the caller's transaction. Does not change existing drafts. */
export function completeDrafts(
  context: DocumentsContext,
  uids: readonly string[],
  { relinksExisting }: CompleteDraftsOptions,
): void {
  for (const uid of uids) {
    const type = contentType(context.model, uid);
    const table = quote(type.table);
    const rows = context.storage.all(
      `SELECT p.id, p.document_id, p.locale, d.id FROM ${table} p LEFT JOIN ${table} d
       ON d.document_id = p.document_id AND d.locale IS p.locale AND d.status = 'draft'
       WHERE p.status = 'published'${relinksExisting ? "" : " AND d.id IS NULL"} ORDER BY p.id`,
    ) as [number, string, string | null, number | null][];
    const copier = new VersionCopier(context, type);
    for (const [index, [id, documentId, locale, draft]] of rows.entries()) {
      context.storage.progress?.(`drafts of ${type.table}`, index + 1, rows.length);
      if (draft === null) copier.create({ id, documentId, locale, status: "published" }, "draft");
      else copier.attach(id, draft, "draft");
    }
  }
}
