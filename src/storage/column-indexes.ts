/**
 * Indexes that a large table gets when content is first filtered or sorted by one of its columns. They begin with status
 * and locale, which every list restricts, so that a list is read from the index alone. Small tables need none, and every
 * index makes writes dearer: there are only as many as are asked for.
 */
import { setStatistics } from "./planner-statistics.ts";
import { quote } from "./quote.ts";
import type { Storage } from "./storage.ts";

/** A table with fewer rows is read faster than an index of it is made. */
const LARGE_ROWS = 1000;
const MOST_OF_A_TABLE = 12;

export const listIndexName = (table: string, column: string): string => `${table}_${column}_listed`;

export class ColumnIndexes {
  readonly #storage: Storage;
  /** By table: the columns that have an index. */
  readonly #settled = new Map<string, Set<string>>();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** `rows`: about how many the table has. */
  ensure(table: string, columns: Iterable<string>, rows: number): void {
    if (rows < LARGE_ROWS) return;
    for (const column of columns) {
      const settled = this.#of(table);
      if (settled.has(column) || settled.size >= MOST_OF_A_TABLE) continue;
      if (this.#create(table, column)) settled.add(column);
    }
  }

  #of(table: string): Set<string> {
    let settled = this.#settled.get(table);
    if (!settled) {
      settled = new Set();
      this.#settled.set(table, settled);
    }
    return settled;
  }

  /** Answers whether it is there now. */
  #create(table: string, column: string): boolean {
    const name = listIndexName(table, column);
    const storage = this.#storage;
    if (storage.first("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?", [name])) return true;
    const sql = `CREATE INDEX IF NOT EXISTS ${quote(name)} ON ${quote(table)} (status, locale, ${quote(column)})`;
    try {
      storage.transaction(() => {
        storage.run(sql);
        setStatistics(storage, [table]);
      });
      return true;
    } catch (error) {
      // another process writes; reading goes on without the index, and the next list tries again
      if (!String((error as { code?: string }).code).startsWith("SQLITE_BUSY")) throw error;
      return false;
    }
  }
}
