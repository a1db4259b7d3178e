/** A type that gets drafts has only published rows: each needs the draft that it would have been published from. */
import { contentType } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { DocumentsContext } from "./context.ts";
import { VersionCopier } from "./versions.ts";

/** Runs inside the migration's transaction. Drafts that were kept from an earlier time are left as they are. */
export function completeDrafts(context: DocumentsContext, uids: readonly string[]): void {
  for (const uid of uids) {
    const type = contentType(context.model, uid);
    const table = quote(type.table);
    const rows = context.storage.all(
      `SELECT id, document_id, locale FROM ${table} t WHERE status = 'published' AND NOT EXISTS
       (SELECT 1 FROM ${table} d WHERE d.document_id = t.document_id AND d.locale IS t.locale AND d.status = 'draft')`,
    ) as [number, string, string | null][];
    const copier = new VersionCopier(context, type);
    for (const [id, documentId, locale] of rows)
      copier.replace({ id, documentId, locale, status: "published" }, "draft");
  }
}
