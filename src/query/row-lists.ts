/** Caches the ids and the total counts of lists until content changes. */
import type { SqlValue } from "../attributes/index.ts";
import { ColumnIndexes } from "../storage/column-indexes.ts";
import { perVersion } from "../storage/per-version.ts";
import { quote } from "../storage/quote.ts";
import { rowLimit } from "../storage/row-limit.ts";
import type { Storage } from "../storage/storage.ts";
import { tableSize } from "../storage/table-sizes.ts";

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
  /** Columns that the list is filtered or sorted by, and that may get an index. */
  readonly columns: Iterable<string>;
}

/** The first ids of a list. */
interface ListPrefix {
  readonly ids: readonly number[];
  /** These are all ids of the list. */
  readonly isComplete: boolean;
}

const EMPTY_PREFIX: ListPrefix = { ids: [], isComplete: false };

/** The cache for one version of the content. */
class ListCache {
  readonly counts = new Map<string, number>();
  /** Of lists that have been read before. */
  readonly prefixes = new Map<string, ListPrefix>();
  /** In numbers. */
  #size = 0;

  /** Reserves space for a key with this many numbers. */
  #reserve(key: string, numbers: number): void {
    const size = numbers + key.length / CHARACTERS;
    if (this.#size + size > MAX_NUMBERS) {
      this.counts.clear();
      this.prefixes.clear();
      this.#size = 0;
    }
    this.#size += size;
  }

  setCount(key: string, count: number): void {
    this.#reserve(key, 1);
    this.counts.set(key, count);
  }

  setPrefix(key: string, prefix: ListPrefix): void {
    this.#reserve(key, prefix.ids.length + 1);
    this.prefixes.set(key, prefix);
  }
}

const listCaches = perVersion(() => new ListCache());
const indexes = new WeakMap<Storage, ColumnIndexes>();

function indexesOf(storage: Storage): ColumnIndexes {
  return indexes.getOrInsertComputed(storage, () => new ColumnIndexes(storage));
}

const ensureIndexes = (storage: Storage, { table, columns }: ListQuery): void =>
  indexesOf(storage).ensure(table, columns, tableSize(storage, table));

/** See `ColumnIndexes`. */
export const lookupIndex = (storage: Storage, table: string, columns: readonly string[]): string | undefined =>
  indexesOf(storage).ensureLookup(table, columns, tableSize(storage, table));

/** JSON has no bigint. */
const keyOf = (parts: readonly unknown[]): string =>
  JSON.stringify(parts, (_, value: unknown) => (typeof value === "bigint" ? { integer: String(value) } : value));

const countKey = ({ table, where, whereParams }: ListQuery): string => keyOf([table, where, whereParams]);

/** How many ids to read from the start of the list; undefined: only those of the page. */
function prefetchLimit(
  tableRows: number,
  pageEnd: number,
  isFirstRead: boolean,
  isTotalNeeded: boolean,
): number | undefined {
  if (isTotalNeeded && tableRows <= MAX_COMPLETE_ROWS) return Number.POSITIVE_INFINITY;
  return isFirstRead || pageEnd > MAX_PREFETCH ? undefined : Math.min(PREFETCH_FACTOR * pageEnd, MAX_PREFETCH);
}

interface Part {
  readonly start: number;
  /** `Infinity`: to the end of the list. */
  readonly limit: number;
}

function fromSql({ table, index }: ListQuery): string {
  const hint = index === undefined ? "" : ` INDEXED BY ${quote(index)}`;
  return `${quote(table)} t${hint}`;
}

const countSql = (query: ListQuery): string => `SELECT count(*) FROM ${fromSql(query)} WHERE ${query.where}`;

/** `counted`: the total is read in the same statement, unless it is cached or follows from the rows. */
function readIds(storage: Storage, query: ListQuery, { start, limit }: Part, counted: boolean): number[] {
  const { where, whereParams, order, orderParams } = query;
  const cache = listCaches(storage);
  const toTheEnd = limit === Number.POSITIVE_INFINITY;
  // looks at each row of a large table: a page that is not full shows the total, so that it need not be done twice
  const isScan = query.isFiltered && tableSize(storage, query.table) > MAX_COMPLETE_ROWS;
  const selectsCount = counted && !toTheEnd && !isScan && !cache.counts.has(countKey(query));
  const columns = selectsCount ? `t.id, (${countSql(query)})` : "t.id";
  const part = toTheEnd ? "" : ` ${rowLimit()} OFFSET ?`;
  const rows = storage.all(`SELECT ${columns} FROM ${fromSql(query)} WHERE ${where} ORDER BY ${order}${part}`, [
    ...(selectsCount ? whereParams : []),
    ...whereParams,
    ...orderParams,
    ...(toTheEnd ? [] : [limit, start]),
  ]);
  const ids = rows.map(([id]) => Number(id));
  const isEnd = rows.length < limit && (rows.length > 0 || start === 0);
  const count = isEnd ? start + rows.length : rows[0]?.[1];
  if (count !== undefined) cache.setCount(countKey(query), Number(count));
  return ids;
}

/** The ids of a part of the list, in order. `counted`: the total is needed next. */
export function listPage(storage: Storage, query: ListQuery, page: Part, counted: boolean): readonly number[] {
  const { table, where, whereParams, order, orderParams } = query;
  ensureIndexes(storage, query);
  const cache = listCaches(storage);
  const key = keyOf([table, where, order, whereParams, orderParams]);
  const end = page.start + page.limit;
  const cached = cache.prefixes.get(key);
  if (cached && (cached.isComplete || end <= cached.ids.length)) return cached.ids.slice(page.start, end);
  const limit = prefetchLimit(tableSize(storage, table), end, !cached, counted && query.isFiltered);
  if (limit === undefined) {
    cache.setPrefix(key, cached ?? EMPTY_PREFIX);
    return readIds(storage, query, page, counted);
  }
  const ids = readIds(storage, query, { start: 0, limit }, counted);
  cache.setPrefix(key, { ids, isComplete: ids.length < limit });
  return ids.slice(page.start, end);
}

export function listLength(storage: Storage, query: ListQuery): number {
  const key = countKey(query);
  const cached = listCaches(storage).counts.get(key);
  if (cached !== undefined) return cached;
  ensureIndexes(storage, query);
  const count = Number(storage.first(countSql(query), query.whereParams)?.[0] ?? 0);
  listCaches(storage).setCount(key, count);
  return count;
}
