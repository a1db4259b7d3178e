/** Loads the selection below rows that extensions and intercepted reads return. */

import type { ReadContext } from "../../../engine/query/reading.ts";
import type { Document } from "../../../engine/query/select.ts";
import { isRecord } from "../../../lib/is-record.ts";
import { readRows } from "./read.ts";
import type { Nodes, RootField } from "./root-field.ts";

type Row = Readonly<Record<string, unknown>> & { readonly id: number };

const isRow = (value: unknown): value is Row => isRecord(value) && typeof value.id === "number";

/**
 * Rows are identified by their ids; other values, and unknown rows, are returned unchanged. `status`: of the query that
 * returned the rows, if any. `nodes`: the nodes with the selection; by default the root's.
 */
export function completeRows(field: RootField, value: unknown, status?: ReadContext["status"], nodes?: Nodes): unknown {
  const rows = (Array.isArray(value) ? value : [value]).filter(isRow);
  if (rows.length === 0) return value;
  // a type without drafts links to both versions of a document, and outside of queries both are returned
  const statusOfRow = (row: Row): ReadContext["status"] =>
    field.type.draftAndPublish && "publishedAt" in row ? (row.publishedAt ? "published" : "draft") : undefined;
  const loaded = new Map<number, Document>();
  for (const [ownStatus, sameStatus] of Map.groupBy(rows, statusOfRow)) {
    const ids = sameStatus.map(({ id }) => id);
    for (const row of readRows(field, ids, status ?? ownStatus, nodes)) loaded.set(Number(row.id), row);
  }
  // values from the resolver override loaded ones
  const complete = (row: unknown): unknown => (isRow(row) ? { ...loaded.get(row.id), ...row } : row);
  return Array.isArray(value) ? value.map(complete) : complete(value);
}
