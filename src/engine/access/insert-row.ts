/** Inserts published rows of built-in types directly, without the document service. */
import type { SqlValue } from "../attributes/index.ts";
import type { DocumentsContext } from "../documents/context.ts";
import { contentType } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";

/** `values`: by column. Returns the id of the row. */
export function insertRow(
  { storage, model, clock, ids }: DocumentsContext,
  uid: string,
  values: Readonly<Record<string, SqlValue>>,
): number {
  const now = clock.writeTime();
  const row = {
    document_id: ids.documentId(),
    status: "published",
    created_at: now,
    updated_at: now,
    published_at: now,
    ...values,
  };
  const columns = Object.keys(row);
  const sql = `INSERT INTO ${quote(contentType(model, uid).table)} (${columns.map(quote).join(", ")})
    VALUES (${columns.map(() => "?").join(", ")})`;
  return storage.run(sql, Object.values(row)).id;
}
