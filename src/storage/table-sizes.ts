/** About how many rows tables have: it decides how they are read, never what is answered. */
import { quote } from "./quote.ts";
import type { Storage } from "./storage.ts";

const KNOWN_MS = 30_000;

const known = new WeakMap<Storage, Map<string, { readonly rows: number; readonly at: number }>>();

export function tableSize(storage: Storage, table: string): number {
  let sizes = known.get(storage);
  if (!sizes) {
    sizes = new Map();
    known.set(storage, sizes);
  }
  const size = sizes.get(table);
  const now = Date.now();
  if (size && now - size.at < KNOWN_MS) return size.rows;
  const rows = Number(storage.first(`SELECT count(*) FROM ${quote(table)}`)?.[0] ?? 0);
  sizes.set(table, { rows, at: now });
  return rows;
}
