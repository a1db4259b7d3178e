/** Loads what an operation selects below rows that a project's own resolver returns, as for any other rows. */
import { isRecord } from "../../../query/key-check.ts";
import type { Document } from "../../../query/select.ts";
import { readRows } from "./read.ts";
import type { RootField } from "./root-field.ts";

type Row = Readonly<Record<string, unknown>> & { readonly id: number };

const isRow = (value: unknown): value is Row => isRecord(value) && typeof value.id === "number";

/** Rows are known by their ids; values of another form, and rows that do not exist, stay as they are. */
export function completeRows(field: RootField, value: unknown): unknown {
  const rows = (Array.isArray(value) ? value : [value]).filter(isRow);
  if (rows.length === 0) return value;
  // links of a type without drafts lead to both versions of a document, and outside of queries none is left out
  const statusOf = (row: Row) => (field.type.draftAndPublish ? (row.publishedAt ? "published" : "draft") : undefined);
  const loaded = new Map<number, Document>();
  for (const [status, alike] of Map.groupBy(rows, statusOf)) {
    const ids = alike.map(({ id }) => id);
    for (const row of readRows(field, ids, status)) loaded.set(Number(row.id), row);
  }
  // what the resolver has put into a row counts
  const complete = (row: unknown): unknown => (isRow(row) ? { ...loaded.get(row.id), ...row } : row);
  return Array.isArray(value) ? value.map(complete) : complete(value);
}
