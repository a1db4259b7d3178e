/**
 * Approximate sizes of tables, and the indexes of large ones. Creates indexes of large tables when a list first filters or sorts by a
 * column: small tables need none, and every index makes writes more expensive. Where an index takes long, another process creates it, and
 * lists are read without it until then. List indexes begin with status and locale, which every list restricts, so that they cover a list.
 * Lookup indexes begin with the id, for lists whose rows are found through a relation.
 */

import { whileHolding } from "./lock-holder.ts";
import type { TableIndex } from "./long-reads.ts";
import { setStatistics } from "./planner-statistics.ts";
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
  getSizes(storage).set(name, { rows, at: performance.now() });
  return rows;
}

/** `before`: the last number, or 0. */
function cached(storage: Storage, name: string, count: (before: number) => number): number {
  const size = getSizes(storage).get(name);
  if (size && performance.now() - size.at < CACHE_MS) return size.rows;
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
    if (before < COUNTED_LINKS) {
      const counted = Number(storage.first(count(` LIMIT ${COUNTED_LINKS}`), params)?.[0]);
      if (counted < COUNTED_LINKS) return counted;
    }
    void longReads.read({ sql: count(""), params }).then(
      ([row]) => remember(storage, field, Number(row?.[0])),
      // it will be counted again
      () => undefined,
    );
    return Math.max(COUNTED_LINKS, before);
  });

/** Scanning a smaller table is faster than creating an index. */
const LARGE_ROWS = 1000;
/** Creating an index of a larger table would keep requests waiting. */
const LONG_ROWS = 50_000;
const RETRY_MS = 60_000;
const MAX_INDEXES_PER_TABLE = 12;
/** Of several columns: the others leave room for those of one, which serve more lists. */
const MAX_COMBINED_PER_TABLE = 6;
const MAX_COMBINED_COLUMNS = 4;

const listIndexName = (table: string, columns: readonly string[]): string => `${table}_${columns.join("+")}_listed`;
const lookupIndexName = (table: string, columns: readonly string[]): string =>
  `${table}_${columns.join("+")}_looked_up`;

const indexExists = (storage: Storage, { table, name }: TableIndex): boolean | undefined => {
  const taken = storage.first("SELECT type, tbl_name FROM sqlite_schema WHERE name = ? COLLATE NOCASE", [name]);
  return taken && taken[0] === "index" && taken[1] === table;
};

/** Returns whether it was created: not while another process writes. `isLong`: it names itself as the holder of the lock. */
export function createIndex(storage: Storage, { table, name, columns }: TableIndex, isLong = false): boolean {
  const sql = `CREATE INDEX IF NOT EXISTS ${quote(name)} ON ${quote(table)} (${columns.map(quote).join(", ")})`;
  const create = (): void => {
    storage.run(sql);
    setStatistics(storage, [table]);
  };
  return storage.tryTransaction(() => (isLong ? whileHolding(storage, "creates an index", create) : create()));
}

class ColumnIndexes {
  readonly #storage: Storage;
  /** Names of existing indexes by table. */
  readonly #created = new Map<string, Set<string>>();
  /** Names of the list indexes of several columns that a table has. */
  readonly #combined = new Map<string, Set<string>>();
  /** Columns of each lookup index by table. */
  readonly #lookups = new Map<string, (readonly string[])[]>();
  /** Indexes that another process is creating, by name. */
  readonly #pending = new Map<string, { readonly table: string; readonly done: Promise<void> }>();
  /** After a failure, such as a full disk; in milliseconds of `performance.now()`. */
  #retryAt = Number.NEGATIVE_INFINITY;
  /** The content's version and the database's schema version when the indexes were last checked. */
  #version = "";
  #schemaVersion: unknown;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /**
   * For lists filtered or sorted by the columns. One index covers them all, in their order, so that no row is read for what a list
   * is filtered and sorted by. Returns whether there is such an index.
   */
  ensure(table: string, columns: readonly string[]): boolean {
    const rows = tableSize(this.#storage, table);
    if (rows < LARGE_ROWS || columns.length === 0) return false;
    this.#forgetOthers();
    const combined = this.#combined.getOrInsertComputed(table, () => this.#findCombined(table));
    const name = listIndexName(table, columns);
    if (combined.has(name) || [...combined].some((other) => other.startsWith(name.replace(/_listed$/, "+"))))
      return true;
    const isCombined =
      columns.length > 1 && columns.length <= MAX_COMBINED_COLUMNS && combined.size < MAX_COMBINED_PER_TABLE;
    let areCreated = true;
    for (const each of isCombined ? [columns] : columns.map((column) => [column])) {
      const index = { table, name: listIndexName(table, each), columns: ["status", "locale", ...each] };
      const isCreated = this.#ensureIndex(index, rows);
      if (isCreated && isCombined) combined.add(name);
      areCreated &&= isCreated;
    }
    return areCreated && (isCombined || columns.length === 1);
  }

  #findCombined(table: string): Set<string> {
    const sql = "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND name GLOB '*+*_listed'";
    return new Set(this.#storage.all(sql, [table]).map(([name]) => String(name)));
  }

  /** Resolves when another process has created, or failed to create, the indexes of the table; undefined if there are none. */
  pending(table: string): Promise<unknown> | undefined {
    const pending = [...this.#pending.values()].filter((index) => index.table === table);
    return pending.length > 0 ? Promise.all(pending.map(({ done }) => done)) : undefined;
  }

  /**
   * The name of a covering index for version and columns of rows by their ids, so that the rows themselves, which are
   * usually wide, need not be read; undefined if there is none.
   */
  ensureLookup(table: string, columns: readonly string[]): string | undefined {
    const rows = tableSize(this.#storage, table);
    if (rows < LARGE_ROWS || columns.length === 0) return undefined;
    this.#forgetOthers();
    const existing = this.#lookups.get(table)?.find((of) => columns.every((column) => of.includes(column)));
    if (existing) return lookupIndexName(table, existing);
    const sorted = [...columns].sort();
    const name = lookupIndexName(table, sorted);
    const columnsOfIndex = ["id", "status", "locale", ...sorted];
    if (!this.#ensureIndex({ table, name, columns: columnsOfIndex }, rows)) return undefined;
    this.#lookups.set(table, [...(this.#lookups.get(table) ?? []), sorted]);
    return name;
  }

  /** Clears the cached names: another process, or a change of the schema, may have dropped indexes. */
  #forgetOthers(): void {
    if (this.#storage.version() === this.#version || !this.#hasNewSchema()) return;
    for (const known of [this.#created, this.#combined, this.#lookups]) known.clear();
  }

  /** Whether the schema has changed since the last call. */
  #hasNewSchema(): boolean {
    const before = this.#schemaVersion;
    this.#version = this.#storage.version();
    this.#schemaVersion = this.#storage.first("PRAGMA schema_version")?.[0];
    return this.#schemaVersion !== before;
  }

  /** Returns whether the index exists now. */
  #ensureIndex(index: TableIndex, rows: number): boolean {
    const { table, name } = index;
    const created = this.#created.get(table);
    if (created?.has(name)) return true;
    if ((created?.size ?? 0) >= MAX_INDEXES_PER_TABLE || !this.#create(index, rows)) return false;
    // creating it may have cleared the cached names
    this.#created.set(table, (this.#created.get(table) ?? new Set()).add(name));
    return true;
  }

  #create(index: TableIndex, rows: number): boolean {
    const storage = this.#storage;
    // the name may belong to a table, or to an index of another table: lists are read without an index then
    const exists = indexExists(storage, index);
    if (exists !== undefined) return exists;
    if (rows > LONG_ROWS && storage.hasLongReads) {
      this.#createApart(index);
      return false;
    }
    // while another process writes, the list is read without an index, and the next one tries again
    const isCreated = createIndex(storage, index);
    if (isCreated) {
      // remember the schema version that this change has made
      this.#hasNewSchema();
      this.#forgetOthers();
    }
    return isCreated;
  }

  /** Lets another process create the index. */
  #createApart(index: TableIndex): void {
    const { longReads } = this.#storage;
    const { table, name } = index;
    if (!longReads || this.#pending.has(name) || performance.now() < this.#retryAt) return;
    const done = longReads
      .createIndex(index)
      .catch((error: unknown) => {
        this.#retryAt = performance.now() + RETRY_MS;
        console.error(`galley: the index ${name} was not created: ${(error as Error).message}`);
      })
      .then(() => void this.#pending.delete(name));
    this.#pending.set(name, { table, done });
  }
}

const indexes = new WeakMap<Storage, ColumnIndexes>();

export const indexesOf = (storage: Storage): ColumnIndexes =>
  indexes.getOrInsertComputed(storage, () => new ColumnIndexes(storage));
