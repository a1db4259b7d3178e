/** Which rows a condition finds and how many they are: remembered until content changes. */
import type { SqlValue } from "../attributes/index.ts";
import { ColumnIndexes } from "../storage/column-indexes.ts";
import { perVersion } from "../storage/per-version.ts";
import { quote } from "../storage/quote.ts";
import type { Storage } from "../storage/storage.ts";
import { tableSize } from "../storage/table-sizes.ts";

/**
 * In a table of so many rows a list that conditions are looked at for is read whole when its length is asked for: its
 * length and its pages are known then. Without conditions an index counts it sooner than it can be read.
 */
const WHOLE_AT_ONCE_ROWS = 50_000;
/**
 * Pages are otherwise counted off from the list's start. When a list is asked for again, so many times the ids up to the
 * page's end are read, up to so many: all pages one after the other are a few reads, and one page is no long one.
 */
const GROWTH = 4;
const MOST_AHEAD = 200_000;
/** Ids and counts that are kept, with their keys; with more, all of them are forgotten. */
const MOST_NUMBERS = 400_000;
/** Characters of a key that take the room of a number. */
const CHARACTERS = 8;

/** A condition and an order apart, since lists with the same condition have the same length in any order. */
export interface ListQuery {
  readonly table: string;
  /** An index that tells all that the list is found and sorted by. */
  readonly index: string | undefined;
  readonly where: string;
  readonly whereParams: readonly SqlValue[];
  readonly order: string;
  readonly orderParams: readonly SqlValue[];
  /** There are conditions beside versions and locales. */
  readonly isFiltered: boolean;
  /** The columns that the list is found or sorted by, as far as they are to have indexes of their own. */
  readonly columns: Iterable<string>;
}

/** A list from its start. */
interface Beginning {
  readonly ids: readonly number[];
  readonly isWhole: boolean;
}

const NOTHING_YET: Beginning = { ids: [], isWhole: false };

/** What is known of the content as it is now. */
class Lists {
  readonly counts = new Map<string, number>();
  /** Of lists that were asked for before. */
  readonly beginnings = new Map<string, Beginning>();
  #kept = 0;

  /** Makes room for a key with so many numbers. */
  #reserve(key: string, numbers: number): void {
    const size = numbers + key.length / CHARACTERS;
    if (this.#kept + size > MOST_NUMBERS) {
      this.counts.clear();
      this.beginnings.clear();
      this.#kept = 0;
    }
    this.#kept += size;
  }

  keepLength(key: string, length: number): void {
    this.#reserve(key, 1);
    this.counts.set(key, length);
  }

  keepIds(key: string, beginning: Beginning): void {
    this.#reserve(key, beginning.ids.length + 1);
    this.beginnings.set(key, beginning);
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

/** `counted`: the list's length is read in the same statement, unless it is known, or is that of what is read. */
function readIds(storage: Storage, query: ListQuery, { start, limit }: Part, counted: boolean): number[] {
  const { where, whereParams, order, orderParams } = query;
  const lists = listsOf(storage);
  const toTheEnd = limit === Number.POSITIVE_INFINITY;
  const counts = counted && !toTheEnd && !lists.counts.has(countKey(query));
  const columns = counts ? `t.id, (${countSql(query)})` : "t.id";
  const part = toTheEnd ? "" : " LIMIT ? OFFSET ?";
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

/** The ids of a part of the list, in order. `counted`: its length is asked for next. */
export function listPage(storage: Storage, query: ListQuery, page: Part, counted: boolean): readonly number[] {
  const { table, where, whereParams, order, orderParams } = query;
  ensureIndexes(storage, query);
  const lists = listsOf(storage);
  const key = keyOf([table, where, order, whereParams, orderParams]);
  const end = page.start + page.limit;
  const known = lists.beginnings.get(key);
  if (known && (known.isWhole || end <= known.ids.length)) return known.ids.slice(page.start, end);
  const ahead = idsAhead(tableSize(storage, table), end, !known, counted && query.isFiltered);
  if (ahead === undefined) {
    lists.keepIds(key, known ?? NOTHING_YET);
    return readIds(storage, query, page, counted);
  }
  const ids = readIds(storage, query, { start: 0, limit: ahead }, counted);
  lists.keepIds(key, { ids, isWhole: ids.length < ahead });
  return ids.slice(page.start, end);
}

export function listLength(storage: Storage, query: ListQuery): number {
  const key = countKey(query);
  const known = listsOf(storage).counts.get(key);
  if (known !== undefined) return known;
  ensureIndexes(storage, query);
  const count = Number(storage.first(countSql(query), query.whereParams)?.[0] ?? 0);
  listsOf(storage).keepLength(key, count);
  return count;
}
