/** Copies the columns of rows, with those of removed attributes. Links and components are copied by `VersionCopier`. */

import type { Status } from "../query/reading.ts";
import type { ContentType, Schema } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import type { DocumentsContext } from "./context.ts";
import { findRemoved } from "./removed.ts";

/** Copies a document's row as its `status` version. Returns the new id, by default the table's next one. */
export function copyRow(
  context: DocumentsContext,
  type: ContentType,
  id: number,
  status: Status,
  newId: number | null = null,
): number {
  const { storage, clock } = context;
  const names = findRemoved(context).listColumns(type).all.map(quote).join(", ");
  const table = quote(type.table);
  const published = status === "published" ? clock.now() : null;
  const sql = `INSERT INTO ${table} (id, ${names}, status, published_at) SELECT ?, ${names}, ?, ? FROM ${table} WHERE id = ?`;
  return storage.run(sql, [newId, status, published, id]).id;
}

/** Copies a component's row. Returns the new id. */
export function copyComponentRow(context: DocumentsContext, schema: Schema, id: number): number {
  const { storage } = context;
  const columns = findRemoved(context).listColumns(schema).all.map(quote);
  const table = quote(schema.table);
  if (columns.length === 0) return storage.run(`INSERT INTO ${table} DEFAULT VALUES`).id;
  const names = columns.join(", ");
  return storage.run(`INSERT INTO ${table} (${names}) SELECT ${names} FROM ${table} WHERE id = ?`, [id]).id;
}
