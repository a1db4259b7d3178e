/** A type that gets drafts has only published rows: each needs the draft that it would have been published from. */
import { contentType } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { DocumentsContext } from "./context.ts";
import { VersionCopier } from "./versions.ts";

export interface CompleteDraftsOptions {
  /** Drafts of other types link again to drafts that were kept from an earlier time, as after a change of the schema. */
  readonly attachesKept: boolean;
}

/** Runs inside the caller's transaction. Drafts that are there already are left as they are. */
export function completeDrafts(
  context: DocumentsContext,
  uids: readonly string[],
  { attachesKept }: CompleteDraftsOptions,
): void {
  for (const uid of uids) {
    const type = contentType(context.model, uid);
    const table = quote(type.table);
    const rows = context.storage.all(
      `SELECT p.id, p.document_id, p.locale, d.id FROM ${table} p LEFT JOIN ${table} d
       ON d.document_id = p.document_id AND d.locale IS p.locale AND d.status = 'draft'
       WHERE p.status = 'published'${attachesKept ? "" : " AND d.id IS NULL"}`,
    ) as [number, string, string | null, number | null][];
    const copier = new VersionCopier(context, type);
    for (const [id, documentId, locale, draft] of rows) {
      if (draft === null) copier.replace({ id, documentId, locale, status: "published" }, "draft");
      else copier.attach(id, draft, "draft");
    }
  }
}
