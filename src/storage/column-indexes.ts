/**
 * Indexes that a large table gets when content is first filtered or sorted by its columns. Those of one column begin with
 * status and locale, which every list restricts, so that a list is read from the index alone. Those that begin with the
 * id are for lists of which relations say where the rows are. Small tables need none, and every index makes writes
 * more expensive: an index is created when a list first needs it.
 */
import { setStatistics } from "./planner-statistics.ts";
import { quote } from "./quote.ts";
import type { Storage } from "./storage.ts";

/** A table with fewer rows is read faster than an index of it is made. */
const LARGE_ROWS = 1000;
const MOST_OF_A_TABLE = 12;

const listIndexName = (table: string, column: string): string => `${table}_${column}_listed`;
const lookupIndexName = (table: string, columns: readonly string[]): string =>
  `${table}_${columns.join("+")}_looked_up`;

export class ColumnIndexes {
  readonly #storage: Storage;
  /** By table: the names of indexes that are there. */
  readonly #created = new Map<string, Set<string>>();
  /** By table: the columns of each index that begins with the id. */
  readonly #lookups = new Map<string, (readonly string[])[]>();
  /** Of the content when the indexes were last looked at, and of the database's schema. */
  #version = "";
  #schemaVersion: unknown;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** For lists that are found or sorted by the columns. `rows`: about how many the table has. */
  ensure(table: string, columns: Iterable<string>, rows: number): void {
    if (rows < LARGE_ROWS) return;
    this.#forgetOthers();
    for (const column of columns) this.#ensureIndex(table, listIndexName(table, column), ["status", "locale", column]);
  }

  /**
   * The name of an index that has version and columns of rows whose ids are known, so that the rows, which are mostly
   * wide, need not be read; undefined when there is none.
   */
  ensureLookup(table: string, columns: readonly string[], rows: number): string | undefined {
    if (rows < LARGE_ROWS || columns.length === 0) return undefined;
    this.#forgetOthers();
    const found = this.#lookups.get(table)?.find((of) => columns.every((column) => of.includes(column)));
    if (found) return lookupIndexName(table, found);
    const own = [...columns].sort();
    const name = lookupIndexName(table, own);
    if (!this.#ensureIndex(table, name, ["id", "status", "locale", ...own])) return undefined;
    this.#lookups.set(table, [...(this.#lookups.get(table) ?? []), own]);
    return name;
  }

  /** Another process, or a change of the project's files, may have taken indexes away. */
  #forgetOthers(): void {
    if (this.#storage.version() === this.#version || !this.#hasNewSchema()) return;
    this.#created.clear();
    this.#lookups.clear();
  }

  /** Compared with the last call. */
  #hasNewSchema(): boolean {
    const before = this.#schemaVersion;
    this.#version = this.#storage.version();
    this.#schemaVersion = this.#storage.first("PRAGMA schema_version")?.[0];
    return this.#schemaVersion !== before;
  }

  /** Returns whether the index exists now. */
  #ensureIndex(table: string, name: string, columns: readonly string[]): boolean {
    const created = this.#created.get(table);
    if (created?.has(name)) return true;
    if ((created?.size ?? 0) >= MOST_OF_A_TABLE || !this.#create(table, name, columns)) return false;
    // making it may have forgotten the others
    this.#created.set(table, (this.#created.get(table) ?? new Set()).add(name));
    return true;
  }

  #create(table: string, name: string, columns: readonly string[]): boolean {
    const storage = this.#storage;
    // a table, or an index of another table, may be called as this one would be: lists are read without it then
    const taken = storage.first("SELECT type, tbl_name FROM sqlite_schema WHERE name = ? COLLATE NOCASE", [name]);
    if (taken) return taken[0] === "index" && taken[1] === table;
    const sql = `CREATE INDEX IF NOT EXISTS ${quote(name)} ON ${quote(table)} (${columns.map(quote).join(", ")})`;
    // while another process writes, lists are read without the index, and the next one tries again
    const isCreated = storage.tryTransaction(() => {
      storage.run(sql);
      setStatistics(storage, [table]);
      // this change is its own
      this.#hasNewSchema();
    });
    if (isCreated) this.#forgetOthers();
    return isCreated;
  }
}
