/** A type that gets drafts has only published rows: each needs the draft that it would have been published from. */
import { contentType } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { DocumentsContext } from "./context.ts";
import { VersionCopier } from "./versions.ts";

/**
 * Runs inside the migration's transaction. Drafts that were kept from an earlier time are left as they are; drafts of other
 * types link to them again.
 */
export function completeDrafts(context: DocumentsContext, uids: readonly string[]): void {
  for (const uid of uids) {
    const type = contentType(context.model, uid);
    const table = quote(type.table);
    const rows = context.storage.all(
      `SELECT p.id, p.document_id, p.locale, d.id FROM ${table} p LEFT JOIN ${table} d
       ON d.document_id = p.document_id AND d.locale IS p.locale AND d.status = 'draft' WHERE p.status = 'published'`,
    ) as [number, string, string | null, number | null][];
    const copier = new VersionCopier(context, type);
    for (const [id, documentId, locale, draft] of rows) {
      if (draft === null) copier.replace({ id, documentId, locale, status: "published" }, "draft");
      else copier.attach(id, draft, "draft");
    }
  }
}
