/** Runs checked queries: reads rows, page by page or by their ids, and counts them; long lists are prepared in another process. */

import type { MaybePromise } from "../../lib/when-ready.ts";
import type { SqlValue } from "../attributes/index.ts";
import { tableSize } from "../storage/column-indexes.ts";
import type { Statement } from "../storage/long-reads.ts";
import { quote, rowLimit } from "../storage/sql.ts";
import { type Compiler, compilerFor } from "./compile.ts";
import { dependOnCount, dependOnPage } from "./dependencies.ts";
import { joinsManyLinks } from "./joined-links.ts";
import { withSortedFields } from "./list-params.ts";
import { prepare } from "./long-lists.ts";
import { populate } from "./populate.ts";
import { type BudgetedReadContext, finish, type ReadContext, type Reading, readAll, type Status } from "./reading.ts";
import { clamp, isCovered, isFoundByValue, isList, listLength, listPage, listQuery } from "./row-lists.ts";
import { rowsInOrder } from "./rows-by-id.ts";
import {
  chargeRepeated,
  chargeRows,
  countValues,
  createSelection,
  type Document,
  type LoadedRow,
  rowLoader,
  type Selection,
} from "./select.ts";
import { type CheckedQuery, emptyQuery, filtersByRelation, type Query } from "./tree.ts";
import { type Scope, whereSql } from "./where.ts";

/** Larger pages are read in batches of this size. */
const BATCH_ROWS = 1000;

/**
 * Reads the ids of a page first, so that wide rows are only read for that page; without ids, the rows are found by the query's
 * conditions. `counted`: the total is needed next. Throws a ValidationError for a page beyond the budget.
 */
function planRead(readContext: ReadContext, checkedQuery: CheckedQuery, scope: Scope, counted: boolean) {
  const { schema, where, fields, sort, start, limit, budget } = checkedQuery;
  const context: BudgetedReadContext = { ...readContext, budget };
  const query = filtersByRelation(where)
    ? { ...checkedQuery, fields: withSortedFields(schema, fields, sort) }
    : checkedQuery;
  const isPage = context.prepared !== undefined || (limit !== undefined && limit + start > 1 && isList(scope));
  // a single statement needs no snapshot: it is consistent by itself
  if (isPage || query.populate.length > 0) context.storage.hold();
  if (!isPage) return { context, query, ids: undefined };
  const ids = context.prepared?.ids ?? pageIds(context, query, scope, { start, limit: limit ?? 0, counted });
  budget.expect("values", ids.length * countValues(query));
  return { context, query, ids };
}

function splitBatches(ids: readonly number[]): (readonly number[])[] {
  const batches: (readonly number[])[] = [];
  for (let start = 0; start < ids.length; start += BATCH_ROWS) batches.push(ids.slice(start, start + BATCH_ROWS));
  return batches;
}

/** The documents of rows, populated. Throws a ValidationError beyond the budget. */
function* toDocuments(context: BudgetedReadContext, query: Query, rows: readonly LoadedRow[]): Reading<Document[]> {
  context.budget.checkTime();
  chargeRows(context.budget, rows);
  // GraphQL may have the same page under several aliases
  chargeRepeated(context.budget, query, rows, "page");
  const documents = rows.map(({ document }) => document);
  if (query.populate.length === 0) return documents;
  yield* populate(context, query.schema, rows, query.populate);
  if (!context.sharesRows) {
    const { ownDocuments } = require("./own-documents.ts") as typeof import("./own-documents.ts");
    ownDocuments(documents, query.populate);
  }
  return documents;
}

/** Throws a ValidationError for more than the budget allows. `counted`: the total is needed next. */
export function* readingRows(
  readContext: ReadContext,
  checkedQuery: CheckedQuery,
  scope: Scope,
  { counted = false } = {},
): Reading<Document[]> {
  const plan = planRead(readContext, checkedQuery, scope, counted);
  const documents = yield* planned(plan, scope);
  dependOnPage(plan.context, checkedQuery, scope, documents);
  return documents;
}

function* planned({ context, query, ids }: ReturnType<typeof planRead>, scope: Scope): Reading<Document[]> {
  if (!ids) return yield* toDocuments(context, query, yield* allRows(context, query, scope));
  if (ids.length <= BATCH_ROWS) return yield* toDocuments(context, query, yield* pageRows(context, query, ids));
  const documents: Document[] = [];
  for (const batch of splitBatches(ids)) {
    if (context.budget.isPauseDue) yield;
    documents.push(...(yield* toDocuments(context, query, yield* pageRows(context, query, batch))));
  }
  return documents;
}

/** As `readingRows`, without pauses. */
export const findRows = (
  readContext: ReadContext,
  query: CheckedQuery,
  scope: Scope,
  options?: { readonly counted?: boolean },
): Document[] => finish(readingRows(readContext, query, scope, options));

interface Page {
  readonly start: number;
  readonly limit: number;
  readonly counted: boolean;
}

function pageIds(
  context: BudgetedReadContext,
  query: Query,
  scope: Scope,
  { start, limit, counted }: Page,
): readonly number[] {
  const page = { start: clamp(start), limit: clamp(limit) };
  return listPage(context.storage, listQuery(context, query, scope), page, counted);
}

function* pageRows(
  context: BudgetedReadContext,
  { schema, fields, weight, populate }: Query,
  ids: readonly number[],
): Reading<LoadedRow[]> {
  if (ids.length === 0) return [];
  // the version and the conditions were applied when the ids were read
  const query = { ...emptyQuery(schema), fields, populate, ...(weight ? { weight } : {}) };
  return yield* rowsInOrder({ ...context, status: undefined }, query, ids);
}

/** A statement for the row of a document: text and first values are the same for all documents. */
interface RowStatement {
  readonly sql: string;
  readonly version: readonly SqlValue[];
}

const rowStatements = new WeakMap<Selection, Map<Status | undefined, RowStatement>>();

/** For a single row of a document without conditions; undefined for other rows. */
function rowStatement(context: BudgetedReadContext, query: Query, scope: Scope): Statement | undefined {
  const { schema, where, search, fields, limit, start } = query;
  const { documentId, locales, ids } = scope;
  if (where || search !== undefined || context.publicationFilter || ids || limit !== 1 || start !== 0) return undefined;
  if (documentId === undefined || !isOneRow(context, query, scope)) return undefined;
  // its locale is the only one
  const own = schema.modelType === "contentType" && schema.localized ? [locales![0]!, documentId] : [documentId];
  const selection = createSelection(schema, fields);
  const statements = rowStatements.getOrInsertComputed(selection, () => new Map());
  const known = statements.get(context.status);
  if (known) return { sql: known.sql, params: [...known.version, ...own] };
  const compiler = compilerFor(context, schema);
  const sql = `SELECT ${selection.columns} FROM ${quote(schema.table)} t WHERE ${whereSql(compiler, context, query, scope)} LIMIT 1`;
  statements.set(context.status, { sql, version: compiler.params.slice(0, -own.length) });
  return { sql, params: compiler.params };
}

function* allRows(context: BudgetedReadContext, query: Query, scope: Scope): Reading<LoadedRow[]> {
  const single = rowStatement(context, query, scope);
  if (single) {
    const load = rowLoader(query);
    return context.storage.all(single.sql, single.params).map((row) => load(row, 0));
  }
  const compiler = compilerFor(context, query.schema);
  const { schema } = query;
  const { columns } = createSelection(schema, query.fields);
  const where = whereSql(compiler, context, query, scope);
  // an ORDER BY costs more than finding a single row
  const order = isOneRow(context, query, scope) ? "" : ` ORDER BY ${compiler.orderBy(query, "t")}`;
  const limit = limitSql(compiler, context, query);
  const sql = `SELECT ${columns} FROM ${quote(schema.table)} t WHERE ${where}${order}${limit}`;
  const load = rowLoader(query);
  const { storage } = context;
  const isLong = storage.hasLongReads && joinsManyLinks(storage, query);
  const rows = yield* readAll(storage, { sql, params: compiler.params }, isLong);
  return rows.map((row) => load(row, 0));
}

/**
 * SQLite is much faster with a literal limit, so the most common one is written out. Otherwise one row more than the budget
 * allows is read, to notice that there are too many.
 */
function limitSql(compiler: Compiler, { budget }: BudgetedReadContext, query: Query): string {
  const { limit, start } = query;
  if (limit === 1 && start === 0) return " LIMIT 1";
  const budgeted = Math.floor(budget.left("values") / countValues(query)) + 1;
  const rows = Math.min(limit ?? budgeted, budgeted);
  if (rows === Number.POSITIVE_INFINITY && start === 0) return "";
  return ` ${rowLimit(compiler.bind(clamp(rows)))} OFFSET ${compiler.bind(clamp(start))}`;
}

/** A document has at most one row per version and locale. */
function isOneRow({ status }: ReadContext, { schema }: Query, { documentId, locales }: Scope): boolean {
  if (documentId === undefined || schema.modelType === "component") return false;
  return (status !== undefined || !schema.draftAndPublish) && (locales?.length === 1 || !schema.localized);
}

/** The query for a total: with the columns that the list is sorted by, so that both have the same conditions and share the total. */
const forCount = (query: CheckedQuery): CheckedQuery => ({
  ...query,
  sort: query.sort.filter(({ path, field }) => path.length === 0 && typeof field !== "string"),
});

export function countRows(readContext: ReadContext, query: CheckedQuery, scope: Scope): number {
  dependOnCount({ ...readContext, budget: query.budget }, query, scope);
  return countListed(readContext, query, scope);
}

/** The total of a list, of which a page was read before: it depends on nothing else. */
export function countListed(readContext: ReadContext, query: CheckedQuery, scope: Scope): number {
  if (readContext.prepared?.count !== undefined) return readContext.prepared.count;
  const context: BudgetedReadContext = { ...readContext, budget: query.budget };
  return listLength(context.storage, listQuery(context, forCount(query), scope));
}

/** The ids of the matching rows, in ascending order. */
export function findIds(context: ReadContext, query: CheckedQuery, scope: Scope): number[] {
  const compiler = compilerFor({ ...context, budget: query.budget }, query.schema);
  const where = whereSql(compiler, context, query, scope);
  const sql = `SELECT t.id FROM ${quote(query.schema.table)} t WHERE ${where} ORDER BY t.locale, t.status, t.id`;
  return context.storage.all(sql, compiler.params).map(([id]) => id as number);
}

/**
 * Lists of larger tables take about 50 ms: if every row is read; if an index has all that is compared and sorted; and if rows are only
 * counted. They are long, as are lists with many links.
 */
const READ_ROWS = 50_000;
const COVERED_ROWS = 100_000;
const COUNTED_ROWS = 500_000;

function isLong(context: BudgetedReadContext, query: Query, scope: Scope): boolean {
  const { storage, publicationFilter } = context;
  if (!storage.hasLongReads) return false;
  if (joinsManyLinks(storage, query)) return true;
  const { schema, where, search, sort } = query;
  const rows = tableSize(storage, schema.table);
  if (rows <= READ_ROWS || isFoundByValue(schema, where)) return false;
  if (publicationFilter !== undefined) return true;
  if (where === undefined && search === undefined && sort.length === 0) return rows > COUNTED_ROWS;
  return rows > COVERED_ROWS || !isCovered(storage, query, listQuery(context, query, scope));
}

/**
 * Reads a long list in another process, while this one answers other requests; returns the context for reading its rows and its
 * total. A promise only for long lists of large tables. `counted`: the total is needed, too. Rejects with a
 * ServiceUnavailableError after a timeout.
 */
export function prepareRows(
  context: ReadContext,
  query: CheckedQuery,
  scope: Scope,
  counted: boolean,
): MaybePromise<ReadContext> {
  const { budget, start, limit } = query;
  const budgeted = { ...context, budget };
  if (limit === undefined || !isList(scope) || !isLong(budgeted, query, scope)) return context;
  const page = { start: clamp(start), limit: clamp(limit) };
  const list = () => listQuery(budgeted, query, scope);
  return prepare(context, { query: list, page, counted, budget }) ?? context;
}

/** As `prepareRows`, for a total alone. */
export function prepareCount(context: ReadContext, query: CheckedQuery, scope: Scope): MaybePromise<ReadContext> {
  const { budget } = query;
  const budgeted = { ...context, budget };
  const counted = forCount(query);
  if (!isLong(budgeted, counted, scope)) return context;
  const list = () => listQuery(budgeted, counted, scope);
  return prepare(context, { query: list, page: undefined, counted: true, budget }) ?? context;
}
