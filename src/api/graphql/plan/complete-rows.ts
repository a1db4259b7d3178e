/** Loads what an operation selects below rows that a project's own code returns, as for any other rows. */
import { isRecord } from "../../../query/key-check.ts";
import type { ReadContext } from "../../../query/read-context.ts";
import type { Document } from "../../../query/select.ts";
import { readRows } from "./read.ts";
import type { Nodes, RootField } from "./root-field.ts";

type Row = Readonly<Record<string, unknown>> & { readonly id: number };

const isRow = (value: unknown): value is Row => isRecord(value) && typeof value.id === "number";

/**
 * Rows are known by their ids; values of another form, and rows that do not exist, stay as they are. `status`: that of the query
 * that the rows are of, if they are of one. `nodes`: below which the selection is, if not the root's own.
 */
export function completeRows(field: RootField, value: unknown, status?: ReadContext["status"], nodes?: Nodes): unknown {
  const rows = (Array.isArray(value) ? value : [value]).filter(isRow);
  if (rows.length === 0) return value;
  // links of a type without drafts lead to both versions of a document, and outside of queries none is left out
  const ownStatus = (row: Row) => (field.type.draftAndPublish ? (row.publishedAt ? "published" : "draft") : undefined);
  const loaded = new Map<number, Document>();
  for (const [own, alike] of Map.groupBy(rows, ownStatus)) {
    const ids = alike.map(({ id }) => id);
    for (const row of readRows(field, ids, status ?? own, nodes)) loaded.set(Number(row.id), row);
  }
  // what the resolver has put into a row counts
  const complete = (row: unknown): unknown => (isRow(row) ? { ...loaded.get(row.id), ...row } : row);
  return Array.isArray(value) ? value.map(complete) : complete(value);
}
