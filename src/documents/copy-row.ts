/** Copies the columns of rows. Links and components are copied by `VersionCopier`. */
import type { Status } from "../query/read-context.ts";
import type { ContentType, Schema } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { DocumentsContext } from "./context.ts";

/** Copies a document's row as its `status` version. Returns the new id, by default the table's next one. */
export function copyRow(
  { storage, clock }: DocumentsContext,
  type: ContentType,
  id: number,
  status: Status,
  newId: number | null = null,
): number {
  const columns = [...type.attributes.values()].flatMap((attribute) => {
    if (attribute.kind === "relation") return attribute.column === undefined ? [] : [quote(attribute.column)];
    return attribute.kind === "scalar" && !attribute.system ? [quote(attribute.column)] : [];
  });
  const names = ["document_id", "locale", "created_at", "updated_at", ...columns].join(", ");
  const table = quote(type.table);
  const published = status === "published" ? clock.now() : null;
  const sql = `INSERT INTO ${table} (id, ${names}, status, published_at) SELECT ?, ${names}, ?, ? FROM ${table} WHERE id = ?`;
  return storage.run(sql, [newId, status, published, id]).id;
}

/** Copies a component's row. Returns the new id. */
export function copyComponentRow({ storage }: DocumentsContext, schema: Schema, id: number): number {
  const columns = [...schema.attributes.values()].flatMap((attribute) =>
    attribute.kind === "scalar" ? [quote(attribute.column)] : [],
  );
  const table = quote(schema.table);
  if (columns.length === 0) return storage.run(`INSERT INTO ${table} DEFAULT VALUES`).id;
  const names = columns.join(", ");
  return storage.run(`INSERT INTO ${table} (${names}) SELECT ${names} FROM ${table} WHERE id = ?`, [id]).id;
}
