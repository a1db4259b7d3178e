/** Approximate numbers of rows per table and of links per field, cached for a while. */
import { quote } from "./sql.ts";
import type { Storage } from "./storage.ts";

const CACHE_MS = 30_000;
/** More rows are not counted, since that takes too long. */
const COUNTED_ROWS = 1001;

/** More links are counted in another process, and until then there are only so many. */
const COUNTED_LINKS = 200_000;

const cache = new WeakMap<Storage, Map<string, { readonly rows: number; readonly at: number }>>();
const getSizes = (storage: Storage) => cache.getOrInsertComputed(storage, () => new Map());

function remember(storage: Storage, name: string, rows: number): number {
  getSizes(storage).set(name, { rows, at: Date.now() });
  return rows;
}

/** `before`: the last number, or 0. */
function cached(storage: Storage, name: string, count: (before: number) => number): number {
  const size = getSizes(storage).get(name);
  if (size && Date.now() - size.at < CACHE_MS) return size.rows;
  return remember(storage, name, count(size?.rows ?? 0));
}

/** The number of rows of a small table; for a large one the highest id, which is an upper bound. */
export const tableSize = (storage: Storage, table: string): number =>
  cached(storage, table, () => {
    const sql = `SELECT count(*), (SELECT max(id) FROM ${quote(table)}) FROM (SELECT 1 FROM ${quote(table)} LIMIT ${COUNTED_ROWS})`;
    const [counted, highest] = storage.first(sql) ?? [];
    return Number(counted) < COUNTED_ROWS ? Number(counted) : Number(highest);
  });

/** The number of links of a field. */
export const linkCount = (storage: Storage, field: string): number =>
  cached(storage, field, (before) => {
    const params = [storage.number(field)];
    const count = (rows: string): string => `SELECT count(*) FROM (SELECT 1 FROM galley_links WHERE field = ?${rows})`;
    const { longReads } = storage;
    if (!longReads) return Number(storage.first(count(""), params)?.[0]);
    const counted = Number(storage.first(count(` LIMIT ${COUNTED_LINKS}`), params)?.[0]);
    if (counted < COUNTED_LINKS) return counted;
    void longReads.read({ sql: count(""), params }).then(
      ([row]) => remember(storage, field, Number(row?.[0])),
      // it will be counted again
      () => undefined,
    );
    return Math.max(counted, before);
  });
