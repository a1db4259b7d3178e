/** Which rows a condition finds and how many they are: remembered until content changes. */
import type { SqlValue } from "../attributes/index.ts";
import { ColumnIndexes } from "../storage/column-indexes.ts";
import { perVersion } from "../storage/per-version.ts";
import { quote } from "../storage/quote.ts";
import type { Storage } from "../storage/storage.ts";
import { tableSize } from "../storage/table-sizes.ts";

/** In a table of so many rows a list whose length is asked for is read whole: its length and its pages are known then. */
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
  readonly where: string;
  readonly whereParams: readonly SqlValue[];
  readonly order: string;
  readonly orderParams: readonly SqlValue[];
  /** The columns that the list is found or sorted by. */
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
  reserve(key: string, numbers: number): void {
    const size = numbers + key.length / CHARACTERS;
    if (this.#kept + size > MOST_NUMBERS) {
      this.counts.clear();
      this.beginnings.clear();
      this.#kept = 0;
    }
    this.#kept += size;
  }
}

const listsOf = perVersion(() => new Lists());
const indexes = new WeakMap<Storage, ColumnIndexes>();

function ensureIndexes(storage: Storage, table: string, columns: Iterable<string>): void {
  let own = indexes.get(storage);
  if (!own) {
    own = new ColumnIndexes(storage);
    indexes.set(storage, own);
  }
  own.ensure(table, columns, tableSize(storage, table));
}

/** JSON has no numbers of 64 bits. */
const keyOf = (parts: readonly unknown[]): string =>
  JSON.stringify(parts, (_, value: unknown) => (typeof value === "bigint" ? { integer: String(value) } : value));

const countKey = ({ table, where, whereParams }: ListQuery): string => keyOf([table, where, whereParams]);

const idsOf = (storage: Storage, sql: string, params: readonly SqlValue[]): readonly number[] =>
  storage.all(sql, params).map(([id]) => id as number);

/** How many ids to read from the list's start; undefined to read none but the page's. */
function idsAhead(rows: number, end: number, isFirst: boolean, counted: boolean): number | undefined {
  if (counted && rows <= WHOLE_AT_ONCE_ROWS) return Number.POSITIVE_INFINITY;
  return isFirst || end > MOST_AHEAD ? undefined : Math.min(GROWTH * end, MOST_AHEAD);
}

/** The ids of a part of the list, in order. `counted`: its length is wanted as well, so that all of it is read at once. */
export function listPage(
  storage: Storage,
  query: ListQuery,
  page: { readonly start: number; readonly limit: number },
  counted: boolean,
): readonly number[] {
  const { table, where, whereParams, order, orderParams, columns } = query;
  ensureIndexes(storage, table, columns);
  const lists = listsOf(storage);
  const sql = `SELECT t.id FROM ${quote(table)} t WHERE ${where} ORDER BY ${order}`;
  const params = [...whereParams, ...orderParams];
  const key = keyOf([sql, params]);
  const end = page.start + page.limit;
  const known = lists.beginnings.get(key);
  if (known && (known.isWhole || end <= known.ids.length)) return known.ids.slice(page.start, end);
  const ahead = idsAhead(tableSize(storage, table), end, !known, counted);
  if (ahead === undefined) {
    lists.reserve(key, 1);
    lists.beginnings.set(key, known ?? NOTHING_YET);
    return idsOf(storage, `${sql} LIMIT ? OFFSET ?`, [...params, page.limit, page.start]);
  }
  const isAll = ahead === Number.POSITIVE_INFINITY;
  const ids = isAll ? idsOf(storage, sql, params) : idsOf(storage, `${sql} LIMIT ?`, [...params, ahead]);
  const isWhole = ids.length < ahead;
  lists.reserve(key, ids.length + 1);
  lists.beginnings.set(key, { ids, isWhole });
  if (isWhole) lists.counts.set(countKey(query), ids.length);
  return ids.slice(page.start, end);
}

export function listLength(storage: Storage, query: ListQuery): number {
  const { table, where, whereParams, columns } = query;
  const key = countKey(query);
  const known = listsOf(storage).counts.get(key);
  if (known !== undefined) return known;
  ensureIndexes(storage, table, columns);
  const sql = `SELECT count(*) FROM ${quote(table)} t WHERE ${where}`;
  const count = Number(storage.first(sql, whereParams)?.[0] ?? 0);
  const lists = listsOf(storage);
  lists.reserve(key, 1);
  lists.counts.set(key, count);
  return count;
}
