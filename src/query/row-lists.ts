/** Which rows a condition finds and how many they are: remembered until content changes. */
import type { SqlValue } from "../attributes/index.ts";
import { ColumnIndexes } from "../storage/column-indexes.ts";
import { perVersion } from "../storage/per-version.ts";
import { quote } from "../storage/quote.ts";
import type { Storage } from "../storage/storage.ts";
import { tableSize } from "../storage/table-sizes.ts";

/**
 * A whole list is worth reading for its length and its pages, which would otherwise be counted off from the start: at
 * once in a table of so many rows, and after some requests for it in one of so many. In yet larger ones it never is.
 */
const WHOLE_AT_ONCE_ROWS = 50_000;
const WHOLE_LATER_ROWS = 400_000;
const LATER = 8;
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

/** What is known of the content as it is now. */
class Lists {
  readonly counts = new Map<string, number>();
  readonly ids = new Map<string, readonly number[]>();
  /** How often a part of a list was read. */
  readonly begun = new Map<string, number>();
  #kept = 0;

  /** Makes room for a key with so many numbers. */
  reserve(key: string, numbers: number): void {
    const size = numbers + key.length / CHARACTERS;
    if (this.#kept + size > MOST_NUMBERS) {
      this.counts.clear();
      this.ids.clear();
      this.begun.clear();
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

const isWorthReading = (rows: number, begun: number, counted: boolean): boolean =>
  rows <= WHOLE_AT_ONCE_ROWS ? counted || begun > 0 : rows <= WHOLE_LATER_ROWS && begun >= LATER;

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
  let list = lists.ids.get(key);
  const begun = lists.begun.get(key) ?? 0;
  if (!list && !isWorthReading(tableSize(storage, table), begun, counted)) {
    lists.reserve(key, 1);
    lists.begun.set(key, begun + 1);
    return idsOf(storage, `${sql} LIMIT ? OFFSET ?`, [...params, page.limit, page.start]);
  }
  if (!list) {
    list = idsOf(storage, sql, params);
    lists.reserve(key, list.length + 1);
    lists.ids.set(key, list);
    lists.counts.set(countKey(query), list.length);
  }
  return list.slice(page.start, page.start + page.limit);
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
