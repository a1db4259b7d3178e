/** Lists as SQL, and their ids and total counts, which are cached until content changes. */
import type { SqlValue } from "../attributes/index.ts";
import type { Schema } from "../schema/model.ts";
import { indexesOf, tableSize } from "../storage/column-indexes.ts";
import { perVersion } from "../storage/connection.ts";
import type { Statement } from "../storage/long-reads.ts";
import { quote, rowLimit } from "../storage/sql.ts";
import type { Row, Storage } from "../storage/storage.ts";
import { compilerFor } from "./compile.ts";
import { comparisons } from "./operators.ts";
import type { BudgetedReadContext } from "./reading.ts";
import { type Condition, type Field, ID, type Query, type SortKey } from "./tree.ts";
import { isFoundByRelation, type Scope, whereSql } from "./where.ts";

/**
 * In tables of up to this many rows, a filtered list whose total is needed is read completely: one statement then gives the
 * total and every page. A list without conditions is counted faster by an index.
 */
const MAX_COMPLETE_ROWS = 50_000;
/**
 * When a list is read a second time, ids beyond the page are prefetched: `PREFETCH_FACTOR` times as many as there are up to
 * the page's end, at most `MAX_PREFETCH`. So reading all pages in turn takes a few statements.
 */
const PREFETCH_FACTOR = 4;
const MAX_PREFETCH = 200_000;
/** Pages beyond these are prefetched with so many ids: SQLite counts off all rows before a page each time. */
const FAR_PREFETCH = 20_000;
/** Size of the cache, in ids and counts; when it is full, it is cleared. */
const MAX_NUMBERS = 400_000;
/** Characters of a cache key that count as one number. */
const CHARACTERS = 8;

/** Condition and order are separate: lists with the same condition share a total, in any order. */
export interface ListQuery {
  readonly table: string;
  /** A covering index for all columns that the list is filtered and sorted by. */
  readonly index: string | undefined;
  readonly where: string;
  readonly whereParams: readonly SqlValue[];
  readonly order: string;
  readonly orderParams: readonly SqlValue[];
  /** There are conditions besides those on version and locale. */
  readonly isFiltered: boolean;
  /** Columns that the list is filtered or sorted by, and that may get an index, in the order of that. */
  readonly columns: readonly string[];
  /** Of its total and of its ids in the cache. */
  readonly countKey: string;
  readonly key: string;
}

/** Ids of a list, one after another: the first ones, or some that are far behind. */
interface ListPart {
  readonly start: number;
  readonly ids: readonly number[];
  /** The list has no others behind them. */
  readonly isEnd: boolean;
}

const EMPTY_PART: ListPart = { start: 0, ids: [], isEnd: false };

/** The cache for one version of the content. */
class ListCache {
  readonly counts = new Map<string, number>();
  /** Of lists that have been read before. */
  readonly parts = new Map<string, ListPart>();
  /** In numbers. */
  #size = 0;

  /** Reserves space for a key with this many numbers. */
  #reserve(key: string, numbers: number): void {
    const size = numbers + key.length / CHARACTERS;
    if (this.#size + size > MAX_NUMBERS) {
      this.counts.clear();
      this.parts.clear();
      this.#size = 0;
    }
    this.#size += size;
  }

  setCount(key: string, count: number): void {
    this.#reserve(key, 1);
    this.counts.set(key, count);
  }

  setPart(key: string, part: ListPart): void {
    this.#reserve(key, part.ids.length + 1);
    this.parts.set(key, part);
  }
}

const listCaches = perVersion(() => new ListCache());

/** JSON has no bigint, and takes longer with a function. */
export const buildKey = (sql: string, params: readonly SqlValue[]): string =>
  params.some((value) => typeof value === "bigint")
    ? `${sql} ${JSON.stringify(params, (_, value: unknown) => (typeof value === "bigint" ? { integer: String(value) } : value))}`
    : `${sql} ${JSON.stringify(params)}`;

export interface Part {
  readonly start: number;
  /** `Infinity`: to the end of the list. */
  readonly limit: number;
}

const endOf = ({ start, limit }: Part): number => start + limit;
const isFar = ({ start }: Part): boolean => start >= MAX_PREFETCH;
/** Of what the cache has around a page. */
const partKey = ({ key }: ListQuery, page: Part): string => (isFar(page) ? `${key} far` : key);

/** What to read for a page. */
function prefetch(tableRows: number, page: Part, isFirstRead: boolean, isTotalNeeded: boolean): Part {
  if (isTotalNeeded && tableRows <= MAX_COMPLETE_ROWS) return { start: 0, limit: Number.POSITIVE_INFINITY };
  if (isFirstRead) return page;
  if (isFar(page)) return { start: page.start, limit: Math.max(page.limit, FAR_PREFETCH) };
  return { start: 0, limit: Math.max(endOf(page), Math.min(PREFETCH_FACTOR * endOf(page), MAX_PREFETCH)) };
}

function fromSql({ table, index }: ListQuery): string {
  const hint = index === undefined ? "" : ` INDEXED BY ${quote(index)}`;
  return `${quote(table)} t${hint}`;
}

export const countStatement = (query: ListQuery): Statement => ({
  sql: `SELECT count(*) FROM ${fromSql(query)} WHERE ${query.where}`,
  params: query.whereParams,
});

/** A statement for the ids of a page: of that page, or from the start of the list to beyond it. */
interface PageRead extends Statement {
  readonly part: Part;
}

/** `counted`: the total is read in the same statement, unless it is cached or follows from the rows. */
function createRead(storage: Storage, query: ListQuery, part: Part, counted: boolean): PageRead {
  const { where, whereParams, order, orderParams } = query;
  const toTheEnd = part.limit === Number.POSITIVE_INFINITY;
  // looks at each row of a large table: a page that is not full shows the total, so that it need not be done twice
  const isScan = query.isFiltered && tableSize(storage, query.table) > MAX_COMPLETE_ROWS;
  const selectsCount = counted && !toTheEnd && !isScan && cachedCount(storage, query) === undefined;
  const columns = selectsCount ? `t.id, (${countStatement(query).sql})` : "t.id";
  const limit = toTheEnd ? "" : ` ${rowLimit()} OFFSET ?`;
  const params = [
    ...(selectsCount ? whereParams : []),
    ...whereParams,
    ...orderParams,
    ...(toTheEnd ? [] : [part.limit, part.start]),
  ];
  const sql = `SELECT ${columns} FROM ${fromSql(query)} WHERE ${where} ORDER BY ${order}${limit}`;
  return { sql, params, part };
}

/** The ids of a page; undefined if they are not cached. */
export function cachedPage(storage: Storage, query: ListQuery, page: Part): readonly number[] | undefined {
  const { parts } = listCaches(storage);
  const cached = parts.get(partKey(query, page)) ?? parts.get(query.key);
  const first = page.start - (cached?.start ?? 0);
  if (!cached || first < 0) return undefined;
  const end = first + page.limit;
  return cached.isEnd || end <= cached.ids.length ? cached.ids.slice(first, end) : undefined;
}

/** The read for a page that is not cached. `counted`: the total is needed next. */
export function pageRead(storage: Storage, query: ListQuery, page: Part, counted: boolean): PageRead {
  const isFirstRead = !listCaches(storage).parts.has(partKey(query, page));
  const part = prefetch(tableSize(storage, query.table), page, isFirstRead, counted && query.isFiltered);
  return createRead(storage, query, part, counted);
}

/** The total, if the rows of a page show it. */
export function computeCount({ part: { start, limit } }: PageRead, rows: readonly Row[]): number | undefined {
  const isEnd = rows.length < limit && (rows.length > 0 || start === 0);
  const count = isEnd ? start + rows.length : rows[0]?.[1];
  return count === undefined ? undefined : Number(count);
}

/** The ids of the page among the rows that were read for it. */
export function idsOfPage({ part }: PageRead, rows: readonly Row[], page: Part): readonly number[] {
  const skipped = page.start - part.start;
  return rows.slice(skipped, skipped + page.limit).map(([id]) => Number(id));
}

/** Caches what was read from the current version of the content. */
export function cacheRead(storage: Storage, query: ListQuery, read: PageRead, rows: readonly Row[]): void {
  const cache = listCaches(storage);
  const key = partKey(query, read.part);
  const count = computeCount(read, rows);
  if (count !== undefined) cacheCount(storage, query, count);
  const { start, limit } = read.part;
  const cached = cache.parts.get(key) ?? EMPTY_PART;
  const isKept = isFar(read.part) || (start === 0 && rows.length >= cached.ids.length);
  const part = isKept ? { start, ids: rows.map(([id]) => Number(id)), isEnd: rows.length < limit } : cached;
  cache.setPart(key, part);
}

export const cachedCount = (storage: Storage, query: ListQuery): number | undefined =>
  listCaches(storage).counts.get(query.countKey);

export const cacheCount = (storage: Storage, query: ListQuery, count: number): void =>
  listCaches(storage).setCount(query.countKey, count);

/** The ids of a part of the list, in order. `counted`: the total is needed next. */
export function listPage(storage: Storage, query: ListQuery, page: Part, counted: boolean): readonly number[] {
  indexesOf(storage).ensure(query.table, query.columns);
  const cached = cachedPage(storage, query, page);
  if (cached) return cached;
  const read = pageRead(storage, query, page, counted);
  const rows = storage.all(read.sql, read.params);
  cacheRead(storage, query, read, rows);
  return idsOfPage(read, rows, page);
}

export function listLength(storage: Storage, query: ListQuery): number {
  const cached = cachedCount(storage, query);
  if (cached !== undefined) return cached;
  indexesOf(storage).ensure(query.table, query.columns);
  const { sql, params } = countStatement(query);
  const count = Number(storage.first(sql, params)?.[0] ?? 0);
  cacheCount(storage, query, count);
  return count;
}

/** SQLite takes integers of 64 bits only. */
export const clamp = (number: number): number => Math.min(number, Number.MAX_SAFE_INTEGER);

/** Whether the query alone selects the rows. */
export const isList = ({ documentId, ids }: Scope): boolean => documentId === undefined && !ids;

/** Lists without conditions differ in their pages only. */
const plainLists = new WeakMap<Schema, Map<string, ListQuery>>();
/** A client may ask for any locale: of each type, so many are kept. */
const MAX_PLAIN_LISTS = 200;

const plainKey = ({ status }: BudgetedReadContext, { sort }: Query, { locales }: Scope): string => {
  const order = sort.map(({ field, descending }) => [typeof field === "string" ? [field] : field.column, descending]);
  return JSON.stringify([status, locales, order]);
};

const isPlain = ({ publicationFilter }: BudgetedReadContext, { where, search, sort }: Query, scope: Scope): boolean =>
  !where && search === undefined && !publicationFilter && isList(scope) && sort.every(({ path }) => path.length === 0);

export function listQuery(context: BudgetedReadContext, query: Query, scope: Scope): ListQuery {
  if (!isPlain(context, query, scope)) return createList(context, query, scope);
  const kept = plainLists.getOrInsertComputed(query.schema, () => new Map());
  if (kept.size > MAX_PLAIN_LISTS) kept.clear();
  return kept.getOrInsertComputed(plainKey(context, query, scope), () => createList(context, query, scope));
}

function createList(context: BudgetedReadContext, query: Query, scope: Scope): ListQuery {
  const { schema, where, sort } = query;
  const conditions = compilerFor(context, schema);
  const sorting = compilerFor(context, schema);
  const usedColumns = listedColumns(query);
  const columns = isFoundByValue(schema, where) ? [] : usedColumns;
  const index = isFoundByRelation(context, query, scope)
    ? indexesOf(context.storage).ensureLookup(schema.table, columns)
    : undefined;
  const condition = whereSql(conditions, context, query, scope, index !== undefined);
  // the plus prevents the planner from scanning all rows by id instead of using the column's index
  const order = sort.length === 0 && usedColumns.length > 0 ? "+t.id" : sorting.orderBy(query, "t");
  const countKey = buildKey(`${schema.table} ${condition}`, conditions.params);
  return {
    table: schema.table,
    index,
    where: condition,
    whereParams: conditions.params,
    order,
    orderParams: sorting.params,
    isFiltered: where !== undefined || query.search !== undefined || context.publicationFilter !== undefined,
    columns: index === undefined ? columns : [],
    countKey,
    key: buildKey(`${countKey} ${order}`, sorting.params),
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

const equals = ({ operator, operand }: Condition & { kind: "compare" }): boolean =>
  operator === "$eq" || (operator === "$null" && operand === true);

/** Columns of the row itself that all rows of the list are compared on: those that equal a value, or the others. */
function comparedColumns(where: Condition | undefined, areEqual: boolean): string[] {
  if (where?.kind === "all") return where.of.flatMap((condition) => comparedColumns(condition, areEqual));
  if (where?.kind !== "compare" || !isShort(where.field) || equals(where) !== areEqual) return [];
  return [where.field.column];
}

/** Columns of the row itself that the list needs: in this order, an index has the rows that equal the values one after another, sorted. */
function listedColumns({ where, sort }: Query): string[] {
  const sorted = sort.flatMap(sortedColumn);
  const all = new Set([...comparedColumns(where, true).sort(), ...sorted, ...comparedColumns(where, false)]);
  // an index has the ids anyway
  if (all.size > 1) all.delete(ID.column);
  return [...all];
}

/** Whether values of the row itself decide, which are compared without looking into texts. */
function isCompared(where: Condition | undefined): boolean {
  if (where?.kind === "all") return where.of.every(isCompared);
  if (where?.kind !== "compare") return where === undefined;
  return isShort(where.field) && comparisons[where.operator].takes !== "text";
}

/** Whether an index has all that the list is filtered and sorted by, so that rows are counted and skipped in it. */
export const isCovered = (storage: Storage, { where, search, sort }: Query, { table, columns }: ListQuery): boolean =>
  search === undefined &&
  isCompared(where) &&
  sort.every((key) => sortedColumn(key).length > 0) &&
  indexesOf(storage).ensure(table, columns);

const sortedColumn = ({ path, field }: SortKey): string[] =>
  path.length === 0 && typeof field !== "string" && isShort(field) ? [field.column] : [];
