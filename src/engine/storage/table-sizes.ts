/** Approximate numbers of rows per table and of links per field, cached for a while. */
import { quote } from "./quote.ts";
import type { Storage } from "./storage.ts";

const CACHE_MS = 30_000;
/** More rows are not counted, since that takes too long. */
const COUNTED_ROWS = 1001;

/** More links than any request may read. */
const COUNTED_LINKS = 10_000_000;

const cache = new WeakMap<Storage, Map<string, { readonly rows: number; readonly at: number }>>();

function cached(storage: Storage, name: string, count: () => number): number {
  const sizes = cache.getOrInsertComputed(storage, () => new Map());
  const size = sizes.get(name);
  const now = Date.now();
  if (size && now - size.at < CACHE_MS) return size.rows;
  const rows = count();
  sizes.set(name, { rows, at: now });
  return rows;
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
  cached(storage, field, () => {
    const sql = `SELECT count(*) FROM (SELECT 1 FROM galley_links WHERE field = ? LIMIT ${COUNTED_LINKS})`;
    return Number(storage.first(sql, [storage.number(field)])?.[0]);
  });
