/** The SQL of a query's list of ids. */
import type { Schema } from "../schema/model.ts";
import { compilerFor } from "./compile.ts";
import type { BudgetedReadContext } from "./read-context.ts";
import { type ListQuery, lookupIndex } from "./row-lists.ts";
import type { Condition, Field, Query, SortKey } from "./tree.ts";
import { isFoundByRelation, type Scope, whereSql } from "./where.ts";

/** SQLite takes integers of 64 bits only. */
export const clamp = (number: number): number => Math.min(number, Number.MAX_SAFE_INTEGER);

/** Whether the query alone selects the rows. */
export const isList = ({ documentId, ids }: Scope): boolean => documentId === undefined && !ids;

export function listQuery(context: BudgetedReadContext, query: Query, scope: Scope): ListQuery {
  const { schema, where, sort } = query;
  const conditions = compilerFor(context, schema);
  const sorting = compilerFor(context, schema);
  const usedColumns = [...new Set([...comparedColumns(where), ...sort.flatMap(sortedColumn)])];
  const columns = isFoundByValue(schema, where) ? [] : usedColumns;
  const index = isFoundByRelation(context, query, scope)
    ? lookupIndex(context.storage, schema.table, columns)
    : undefined;
  return {
    table: schema.table,
    index,
    where: whereSql(conditions, context, query, scope, index !== undefined),
    whereParams: conditions.params,
    // the plus prevents the planner from scanning all rows by id instead of using the column's index
    order: sort.length === 0 && usedColumns.length > 0 ? "+t.id" : sorting.orderBy(sort, "t", schema.table),
    orderParams: sorting.params,
    isFiltered: where !== undefined || query.search !== undefined || context.publicationFilter !== undefined,
    columns: index === undefined ? columns : [],
  };
}

const isShort = ({ type }: Field): boolean => type !== undefined && !type.isLong;

/** Whether an index that every table has selects a few rows: that of document ids, or of a unique attribute. */
export function isFoundByValue(schema: Schema, where: Condition | undefined): boolean {
  if (where?.kind === "all") return where.of.some((condition) => isFoundByValue(schema, condition));
  if (where?.kind !== "compare" || where.operand === null) return false;
  const { field, operator } = where;
  if (operator !== "$eq" && operator !== "$in") return false;
  const attribute = schema.attributes.get(field.name);
  return field.column === "document_id" || (attribute?.kind === "scalar" && attribute.unique);
}

/** Columns of the row itself that all rows of the list are compared on. */
function comparedColumns(where: Condition | undefined): string[] {
  if (where?.kind === "all") return where.of.flatMap(comparedColumns);
  return where?.kind === "compare" && isShort(where.field) ? [where.field.column] : [];
}

const sortedColumn = ({ path, field }: SortKey): string[] =>
  path.length === 0 && field !== "status" && isShort(field) ? [field.column] : [];
