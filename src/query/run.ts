/** Runs a checked query: one statement for the rows, one for their number, one per populated attribute and level. */
import { quote } from "../storage/quote.ts";
import { type Compiler, compilerFor } from "./compile.ts";
import { withSorted } from "./fields.ts";
import { emptyQuery } from "./parse.ts";
import { populate } from "./populate.ts";
import type { Reading } from "./reading.ts";
import { type ListQuery, listLength, listPage, lookupIndex } from "./row-lists.ts";
import { rowsById } from "./rows-by-id.ts";
import { type Document, selectionOf } from "./select.ts";
import { type Condition, type Field, looksThrough, type Query, type SortKey } from "./tree.ts";
import { isFoundByRelation, type Scope, whereSql } from "./where.ts";

/** SQLite takes 64 bits; nobody has that many rows. */
const whole = (number: number): number => Math.min(number, Number.MAX_SAFE_INTEGER);

/**
 * The rows of a page, or all of them. Which rows are on a page is found out first, by their ids, so that the others are
 * never looked at as a whole. `counted`: the length of the list is asked for next.
 */
export function findRows(reading: Reading, asked: Query, scope: Scope, counted = false): Document[] {
  const { schema, start, limit } = asked;
  const query = looksThrough(asked.where) ? { ...asked, fields: withSorted(schema, asked.fields, asked.sort) } : asked;
  const isPage = limit !== undefined && limit + start > 1 && scope.documentId === undefined && !scope.ids;
  // one statement is of one moment by itself
  if (isPage || query.populate.length > 0) reading.storage.hold();
  const documents = isPage
    ? pageRows(reading, query, scope, { start, limit, counted })
    : allRows(reading, query, scope);
  populate(reading, schema, documents, query.populate);
  return documents;
}

/** What the list of a query's rows is made of. */
function listQuery(reading: Reading, query: Query, scope: Scope): ListQuery {
  const { schema, where, sort } = query;
  const conditions = compilerFor(reading, schema);
  const sorting = compilerFor(reading, schema);
  const columns = [...new Set([...comparedColumns(where), ...sort.flatMap(sortedColumn)])];
  const index = isFoundByRelation(reading, query, scope)
    ? lookupIndex(reading.storage, schema.table, columns)
    : undefined;
  return {
    table: schema.table,
    index,
    where: whereSql(conditions, reading, query, scope, index !== undefined),
    whereParams: conditions.params,
    // the plus keeps the planner from reading every row in the order of ids instead of the column's index
    order: sort.length === 0 && columns.length > 0 ? "+t.id" : sorting.orderBy(sort, "t", schema.table),
    orderParams: sorting.params,
    isFiltered: where !== undefined || query.search !== undefined || reading.publicationFilter !== undefined,
    columns: index === undefined ? columns : [],
  };
}

const isShort = ({ type }: Field): boolean => type !== undefined && !type.long;

/** Columns of the row itself that every row of the list is compared by. */
function comparedColumns(where: Condition | undefined): string[] {
  if (where?.kind === "all") return where.of.flatMap(comparedColumns);
  return where?.kind === "compare" && isShort(where.field) ? [where.field.column] : [];
}

const sortedColumn = ({ path, field }: SortKey): string[] =>
  path.length === 0 && field !== "status" && isShort(field) ? [field.column] : [];

interface Page {
  readonly start: number;
  readonly limit: number;
  readonly counted: boolean;
}

function pageRows(reading: Reading, query: Query, scope: Scope, { start, limit, counted }: Page): Document[] {
  const { schema, fields } = query;
  const page = { start: whole(start), limit: whole(limit) };
  const ids = listPage(reading.storage, listQuery(reading, query, scope), page, counted);
  if (ids.length === 0) return [];
  // the list has looked at versions and conditions
  const rows: ReadonlyMap<number, Document> = rowsById(
    { ...reading, status: undefined },
    { ...emptyQuery(schema), fields },
    ids,
  );
  return ids.flatMap((id): Document[] => {
    const row = rows.get(id);
    return row ? [row] : [];
  });
}

function allRows(reading: Reading, query: Query, scope: Scope): Document[] {
  const compiler = compilerFor(reading, query.schema);
  const { schema } = query;
  const { columns, shape } = selectionOf(schema, query.fields);
  const where = whereSql(compiler, reading, query, scope);
  // ordering a single row takes longer than finding it
  const order = isOneRow(reading, query, scope) ? "" : ` ORDER BY ${compiler.orderBy(query.sort, "t", schema.table)}`;
  const limit = limitSql(compiler, query);
  const sql = `SELECT ${columns} FROM ${quote(schema.table)} t WHERE ${where}${order}${limit}`;
  return reading.storage.all(sql, compiler.params).map((row) => shape(row, 0));
}

/** SQLite is much faster with a limit that it knows beforehand: the usual one is spelled out. */
function limitSql(compiler: Compiler, { start, limit }: Query): string {
  if (limit === 1 && start === 0) return " LIMIT 1";
  if (limit === undefined && start === 0) return "";
  return ` LIMIT ${compiler.bind(whole(limit ?? -1))} OFFSET ${compiler.bind(whole(start))}`;
}

/** A document has one row at most for each version and locale. */
function isOneRow({ status }: Reading, { schema }: Query, { documentId, locales }: Scope): boolean {
  if (documentId === undefined || schema.modelType === "component") return false;
  return (status !== undefined || !schema.draftAndPublish) && (locales?.length === 1 || !schema.localized);
}

export function countRows(reading: Reading, query: Query, scope: Scope): number {
  return listLength(reading.storage, listQuery(reading, { ...query, sort: [] }, scope));
}

/** Ids of rows that match, in ascending order. */
export function findIds(reading: Reading, query: Query, scope: Scope): number[] {
  const compiler = compilerFor(reading, query.schema);
  const where = whereSql(compiler, reading, query, scope);
  const sql = `SELECT t.id FROM ${quote(query.schema.table)} t WHERE ${where} ORDER BY t.id`;
  return reading.storage.all(sql, compiler.params).map(([id]) => id as number);
}
