/** Loads the selection below rows that the project's code returns. */
import { isRecord } from "../../../query/key-check.ts";
import type { ReadContext } from "../../../query/read-context.ts";
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
  // without one, relations lead to every version that they link to
  const loaded = new Map(
    readRows(
      field,
      rows.map(({ id }) => id),
      status,
      nodes,
    ).map((row) => [Number(row.id), row]),
  );
  // values from the resolver override loaded ones
  const complete = (row: unknown): unknown => (isRow(row) ? { ...loaded.get(row.id), ...row } : row);
  return Array.isArray(value) ? value.map(complete) : complete(value);
}
