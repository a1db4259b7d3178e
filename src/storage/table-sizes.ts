/** About how many rows tables have: it decides how they are read, never what is answered. */
import { quote } from "./quote.ts";
import type { Storage } from "./storage.ts";

const CACHE_MS = 30_000;
/** Counting more than so many takes longer than what the number is for. */
const COUNTED_ROWS = 1001;

const cache = new WeakMap<Storage, Map<string, { readonly rows: number; readonly at: number }>>();

/** The number of rows where they are few; otherwise the highest id, which may be more than there are rows. */
export function tableSize(storage: Storage, table: string): number {
  let sizes = cache.get(storage);
  if (!sizes) {
    sizes = new Map();
    cache.set(storage, sizes);
  }
  const size = sizes.get(table);
  const now = Date.now();
  if (size && now - size.at < CACHE_MS) return size.rows;
  const sql = `SELECT count(*), (SELECT max(id) FROM ${quote(table)}) FROM (SELECT 1 FROM ${quote(table)} LIMIT ${COUNTED_ROWS})`;
  const [counted, highest] = storage.first(sql) ?? [];
  const rows = Number(counted) < COUNTED_ROWS ? Number(counted) : Number(highest);
  sizes.set(table, { rows, at: now });
  return rows;
}
