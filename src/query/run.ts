/** Runs a checked query: one statement for the rows, one for their number, one per populated attribute and level. */
import { quote } from "../storage/quote.ts";
import { rowLimit } from "../storage/row-limit.ts";
import { type Compiler, compilerFor } from "./compile.ts";
import { withSorted } from "./fields.ts";
import { answerOnce, rowLoader, valuesOf } from "./loaded-row.ts";
import { populate } from "./populate.ts";
import type { BudgetedReading, Reading } from "./reading.ts";
import { type ListQuery, listLength, listPage, lookupIndex } from "./row-lists.ts";
import { rowsInOrder } from "./rows-by-id.ts";
import { type Document, type LoadedRow, selectionOf } from "./select.ts";
import {
  type CheckedQuery,
  type Condition,
  emptyQuery,
  type Field,
  looksThrough,
  type Query,
  type SortKey,
} from "./tree.ts";
import { isFoundByRelation, type Scope, whereSql } from "./where.ts";

/** SQLite takes 64 bits; nobody has that many rows. */
const whole = (number: number): number => Math.min(number, Number.MAX_SAFE_INTEGER);

/** Pages of more rows are read in parts. */
export const MOST_AT_ONCE = 1000;

/** A read whose rows are known, or are yet to be looked for. */
interface Begun {
  readonly reading: BudgetedReading;
  readonly query: Query;
  /** Of the rows of a page; undefined: whatever the query finds. */
  readonly ids: readonly number[] | undefined;
}

/**
 * Finds the ids of a page first, so that no other row is read as a whole. `counted`: the length of the list is needed next.
 * Throws a ValidationError for a page that is too long to be answered.
 */
function begin(given: Reading, asked: CheckedQuery, scope: Scope, counted: boolean): Begun {
  const { schema, start, limit, budget } = asked;
  const reading: BudgetedReading = { ...given, budget };
  const query = looksThrough(asked.where) ? { ...asked, fields: withSorted(schema, asked.fields, asked.sort) } : asked;
  const isPage = limit !== undefined && limit + start > 1 && scope.documentId === undefined && !scope.ids;
  // one statement is of one moment by itself
  if (isPage || query.populate.length > 0) reading.storage.hold();
  if (!isPage) return { reading, query, ids: undefined };
  const ids = pageIds(reading, query, scope, { start, limit, counted });
  budget.expect("values", ids.length * valuesOf(query));
  return { reading, query, ids };
}

/** The ids in parts, each of which is read at once. */
function partsOf(ids: readonly number[]): (readonly number[])[] {
  const parts: (readonly number[])[] = [];
  for (let at = 0; at < ids.length; at += MOST_AT_ONCE) parts.push(ids.slice(at, at + MOST_AT_ONCE));
  return parts;
}

/** The documents of rows, with what is populated of them. Throws a ValidationError beyond the budget. */
function answer(
  reading: BudgetedReading,
  { schema, populate: populates }: Query,
  rows: readonly LoadedRow[],
): Document[] {
  reading.budget.checkTime();
  answerOnce(reading.budget, rows);
  populate(reading, schema, rows, populates);
  return rows.map(({ document }) => document);
}

/** Throws a ValidationError for more than the budget of the reading allows. */
export function findRows(given: Reading, asked: CheckedQuery, scope: Scope, counted = false): Document[] {
  const { reading, query, ids } = begin(given, asked, scope, counted);
  if (!ids) return answer(reading, query, allRows(reading, query, scope));
  if (ids.length <= MOST_AT_ONCE) return answer(reading, query, pageRows(reading, query, ids));
  return partsOf(ids).flatMap((part) => answer(reading, query, pageRows(reading, query, part)));
}

/** So often a page is read again because something was written between its parts; then it is read without a break. */
const TRIES = 2;

/** As `findRows`, but others are served between the parts of a large page. All parts are of one moment. */
export async function findRowsInSteps(
  reading: Reading,
  query: CheckedQuery,
  scope: Scope,
  counted = false,
): Promise<Document[]> {
  for (let tries = 0; tries < TRIES; tries++) {
    const attempt = query.budget.fork();
    const found = await readUnlessWritten(reading, { ...query, budget: attempt }, scope, counted);
    if (found) return found;
  }
  return findRows(reading, query, scope, counted);
}

/** Undefined when content has changed before all parts were read. */
async function readUnlessWritten(
  given: Reading,
  asked: CheckedQuery,
  scope: Scope,
  counted: boolean,
): Promise<Document[] | undefined> {
  const { storage } = given;
  const version = storage.version();
  const { reading, query, ids } = begin(given, asked, scope, counted);
  if (!ids) return answer(reading, query, allRows(reading, query, scope));
  const documents: Document[] = [];
  for (const part of partsOf(ids)) {
    if (documents.length > 0) {
      await asked.budget.pause();
      if (storage.version() !== version) return undefined;
      storage.hold();
    }
    documents.push(...answer(reading, query, pageRows(reading, query, part)));
  }
  return documents;
}

/** What the list of a query's rows is made of. */
function listQuery(reading: BudgetedReading, query: Query, scope: Scope): ListQuery {
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

function pageIds(
  reading: BudgetedReading,
  query: Query,
  scope: Scope,
  { start, limit, counted }: Page,
): readonly number[] {
  const page = { start: whole(start), limit: whole(limit) };
  return listPage(reading.storage, listQuery(reading, query, scope), page, counted);
}

function pageRows(
  reading: BudgetedReading,
  { schema, fields, weight, populate }: Query,
  ids: readonly number[],
): LoadedRow[] {
  if (ids.length === 0) return [];
  // versions and conditions were applied when the ids were read
  const query = { ...emptyQuery(schema), fields, populate, ...(weight ? { weight } : {}) };
  return rowsInOrder({ ...reading, status: undefined }, query, ids);
}

function allRows(reading: BudgetedReading, query: Query, scope: Scope): LoadedRow[] {
  const compiler = compilerFor(reading, query.schema);
  const { schema } = query;
  const { columns } = selectionOf(schema, query.fields);
  const where = whereSql(compiler, reading, query, scope);
  // ordering a single row takes longer than finding it
  const order = isOneRow(reading, query, scope) ? "" : ` ORDER BY ${compiler.orderBy(query.sort, "t", schema.table)}`;
  const limit = limitSql(compiler, reading, query);
  const sql = `SELECT ${columns} FROM ${quote(schema.table)} t WHERE ${where}${order}${limit}`;
  const load = rowLoader(query);
  return reading.storage.all(sql, compiler.params).map((row) => load(row, 0));
}

/**
 * SQLite is much faster with a limit that it knows beforehand: the usual one is spelled out. A row more than may be answered
 * shows that there are too many.
 */
function limitSql(compiler: Compiler, { budget }: BudgetedReading, query: Query): string {
  const { limit, start } = query;
  if (limit === 1 && start === 0) return " LIMIT 1";
  const most = Math.floor(budget.left("values") / valuesOf(query)) + 1;
  const least = Math.min(limit ?? most, most);
  if (least === Number.POSITIVE_INFINITY && start === 0) return "";
  return ` ${rowLimit(compiler.bind(whole(least)))} OFFSET ${compiler.bind(whole(start))}`;
}

/** A document has one row at most for each version and locale. */
function isOneRow({ status }: Reading, { schema }: Query, { documentId, locales }: Scope): boolean {
  if (documentId === undefined || schema.modelType === "component") return false;
  return (status !== undefined || !schema.draftAndPublish) && (locales?.length === 1 || !schema.localized);
}

export function countRows(reading: Reading, query: CheckedQuery, scope: Scope): number {
  return listLength(reading.storage, listQuery({ ...reading, budget: query.budget }, { ...query, sort: [] }, scope));
}

/** Ids of rows that match, in ascending order. */
export function findIds(reading: Reading, query: CheckedQuery, scope: Scope): number[] {
  const compiler = compilerFor({ ...reading, budget: query.budget }, query.schema);
  const where = whereSql(compiler, reading, query, scope);
  const sql = `SELECT t.id FROM ${quote(query.schema.table)} t WHERE ${where} ORDER BY t.id`;
  return reading.storage.all(sql, compiler.params).map(([id]) => id as number);
}
