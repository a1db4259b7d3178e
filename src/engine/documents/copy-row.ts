/** Copies the columns of rows, with those of removed attributes. Links and components are copied by `VersionCopier`. */

import type { Status } from "../query/reading.ts";
import type { ContentType, Schema } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import type { DocumentsContext } from "./context.ts";
import { findRemoved } from "./removed.ts";

/**
 * Copies a document's row as its `status` version. Returns the new id, by default the table's next one. `isOneWrite`: the row was written
 * by the same write, whose time is that of the publication, too.
 */
export function copyRow(
  context: DocumentsContext,
  type: ContentType,
  id: number,
  status: Status,
  newId: number | null = null,
  isOneWrite = false,
): number {
  const { storage, clock } = context;
  const names = findRemoved(context).listColumns(type).all.map(quote).join(", ");
  const table = quote(type.table);
  const published = status === "published" && !isOneWrite ? clock.now() : null;
  const sql = `INSERT INTO ${table} (id, ${names}, status, published_at)
    SELECT ?, ${names}, ?, ${isOneWrite ? "coalesce(?, updated_at)" : "?"} FROM ${table} WHERE id = ?`;
  return storage.run(sql, [newId, status, published, id]).id;
}

/** Copies rows of a component. Returns the new ids. */
export function copyComponentRows(context: DocumentsContext, schema: Schema, ids: readonly number[]): number[] {
  const { storage } = context;
  const columns = findRemoved(context).listColumns(schema).all.map(quote);
  const table = quote(schema.table);
  // a new id also for a row that is missing in a damaged database
  const from = `FROM json_each(?) e LEFT JOIN ${table} c ON c.id = e.value ORDER BY e.key`;
  const sql = `INSERT INTO ${table} (${["id", ...columns].join(", ")}) SELECT ${["NULL", ...columns.map((column) => `c.${column}`)].join(", ")} ${from}`;
  const { id: last } = storage.run(sql, [JSON.stringify(ids)]);
  return ids.map((_, index) => last - ids.length + 1 + index);
}
