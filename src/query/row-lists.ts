/** Caches the ids and the lengths of lists until content changes. */
import type { SqlValue } from "../attributes/index.ts";
import { ColumnIndexes } from "../storage/column-indexes.ts";
import { perVersion } from "../storage/per-version.ts";
import { quote } from "../storage/quote.ts";
import { rowLimit } from "../storage/row-limit.ts";
import type { Storage } from "../storage/storage.ts";
import { tableSize } from "../storage/table-sizes.ts";

/**
 * In tables of up to this many rows, a filtered list is read as a whole when its length is needed: that gives the length
 * and every page. A list without conditions is counted faster by an index.
 */
const WHOLE_AT_ONCE_ROWS = 50_000;
/**
 * When a list is read again, more ids than those of the page are prefetched: `GROWTH` times as many as there are up to the
 * page's end, at most `MOST_AHEAD`. So reading all pages in turn takes a few statements.
 */
const GROWTH = 4;
const MOST_AHEAD = 200_000;
/** Size of the cache, in ids and counts; beyond it, the cache is cleared. */
const MOST_NUMBERS = 400_000;
/** Characters of a cache key that count as one number. */
const CHARACTERS = 8;

/** Condition and order are separate, since lists with the same condition have the same length in any order. */
export interface ListQuery {
  readonly table: string;
  /** An index that covers everything that the list is filtered and sorted by. */
  readonly index: string | undefined;
  readonly where: string;
  readonly whereParams: readonly SqlValue[];
  readonly order: string;
  readonly orderParams: readonly SqlValue[];
  /** There are conditions besides those of version and locale. */
  readonly isFiltered: boolean;
  /** Columns that the list is filtered or sorted by, and that may get an index. */
  readonly columns: Iterable<string>;
}

/** The first ids of a list. */
interface ListPrefix {
  readonly ids: readonly number[];
  readonly isWhole: boolean;
}

const EMPTY_PREFIX: ListPrefix = { ids: [], isWhole: false };

/** The cache for one version of the content. */
class Lists {
  readonly counts = new Map<string, number>();
  /** Of lists that have been read before. */
  readonly prefixes = new Map<string, ListPrefix>();
  #kept = 0;

  /** Reserves space for a key with this many numbers. */
  #reserve(key: string, numbers: number): void {
    const size = numbers + key.length / CHARACTERS;
    if (this.#kept + size > MOST_NUMBERS) {
      this.counts.clear();
      this.prefixes.clear();
      this.#kept = 0;
    }
    this.#kept += size;
  }

  keepLength(key: string, length: number): void {
    this.#reserve(key, 1);
    this.counts.set(key, length);
  }

  keepIds(key: string, prefix: ListPrefix): void {
    this.#reserve(key, prefix.ids.length + 1);
    this.prefixes.set(key, prefix);
  }
}

const listsOf = perVersion(() => new Lists());
const indexes = new WeakMap<Storage, ColumnIndexes>();

function indexesOf(storage: Storage): ColumnIndexes {
  let own = indexes.get(storage);
  if (!own) {
    own = new ColumnIndexes(storage);
    indexes.set(storage, own);
  }
  return own;
}

const ensureIndexes = (storage: Storage, { table, columns }: ListQuery): void =>
  indexesOf(storage).ensure(table, columns, tableSize(storage, table));

/** See `ColumnIndexes`. */
export const lookupIndex = (storage: Storage, table: string, columns: readonly string[]): string | undefined =>
  indexesOf(storage).ensureLookup(table, columns, tableSize(storage, table));

/** JSON has no numbers of 64 bits. */
const keyOf = (parts: readonly unknown[]): string =>
  JSON.stringify(parts, (_, value: unknown) => (typeof value === "bigint" ? { integer: String(value) } : value));

const countKey = ({ table, where, whereParams }: ListQuery): string => keyOf([table, where, whereParams]);

/** How many ids to read from the list's start; undefined to read none but the page's. */
function idsAhead(rows: number, end: number, isFirst: boolean, isWanted: boolean): number | undefined {
  if (isWanted && rows <= WHOLE_AT_ONCE_ROWS) return Number.POSITIVE_INFINITY;
  return isFirst || end > MOST_AHEAD ? undefined : Math.min(GROWTH * end, MOST_AHEAD);
}

interface Part {
  readonly start: number;
  /** Infinite: all to the end. */
  readonly limit: number;
}

function fromSql({ table, index }: ListQuery): string {
  const hint = index === undefined ? "" : ` INDEXED BY ${quote(index)}`;
  return `${quote(table)} t${hint}`;
}

const countSql = (query: ListQuery): string => `SELECT count(*) FROM ${fromSql(query)} WHERE ${query.where}`;

/** `counted`: the list's length is read in the same statement, unless it is cached or follows from the rows. */
function readIds(storage: Storage, query: ListQuery, { start, limit }: Part, counted: boolean): number[] {
  const { where, whereParams, order, orderParams } = query;
  const lists = listsOf(storage);
  const toTheEnd = limit === Number.POSITIVE_INFINITY;
  const counts = counted && !toTheEnd && !lists.counts.has(countKey(query));
  const columns = counts ? `t.id, (${countSql(query)})` : "t.id";
  const part = toTheEnd ? "" : ` ${rowLimit()} OFFSET ?`;
  const rows = storage.all(`SELECT ${columns} FROM ${fromSql(query)} WHERE ${where} ORDER BY ${order}${part}`, [
    ...(counts ? whereParams : []),
    ...whereParams,
    ...orderParams,
    ...(toTheEnd ? [] : [limit, start]),
  ]);
  const ids = rows.map(([id]) => Number(id));
  const isEnd = rows.length < limit && (rows.length > 0 || start === 0);
  const length = isEnd ? start + rows.length : rows[0]?.[1];
  if (length !== undefined) lists.keepLength(countKey(query), Number(length));
  return ids;
}

/** The ids of a part of the list, in order. `counted`: its length is needed next. */
export function listPage(storage: Storage, query: ListQuery, page: Part, counted: boolean): readonly number[] {
  const { table, where, whereParams, order, orderParams } = query;
  ensureIndexes(storage, query);
  const lists = listsOf(storage);
  const key = keyOf([table, where, order, whereParams, orderParams]);
  const end = page.start + page.limit;
  const cached = lists.prefixes.get(key);
  if (cached && (cached.isWhole || end <= cached.ids.length)) return cached.ids.slice(page.start, end);
  const ahead = idsAhead(tableSize(storage, table), end, !cached, counted && query.isFiltered);
  if (ahead === undefined) {
    lists.keepIds(key, cached ?? EMPTY_PREFIX);
    return readIds(storage, query, page, counted);
  }
  const ids = readIds(storage, query, { start: 0, limit: ahead }, counted);
  lists.keepIds(key, { ids, isWhole: ids.length < ahead });
  return ids.slice(page.start, end);
}

export function listLength(storage: Storage, query: ListQuery): number {
  const key = countKey(query);
  const cached = listsOf(storage).counts.get(key);
  if (cached !== undefined) return cached;
  ensureIndexes(storage, query);
  const count = Number(storage.first(countSql(query), query.whereParams)?.[0] ?? 0);
  listsOf(storage).keepLength(key, count);
  return count;
}
