/** What the database says of itself: settings, the layout of its tables, and the numbers of fields and tables in links. */
import { tryParseJson } from "../../lib/coerce.ts";
import { ProjectError } from "../../lib/errors.ts";
import { Connection } from "./connection.ts";

/** The key of the tables' layout in `galley_meta`. */
export const LAYOUT = "layout";
/** The key of the history: the last layout of every table that ever existed. */
export const HISTORY = "layout_history";
/** The key of the layout's hash. */
export const LAYOUT_HASH = "layout_mark";

/** The key of the change log; missing where it is not enabled. */
export const CHANGE_LOG = "change_log";

/** Settings that are stored as JSON and needed while content is served, besides those of the core store. */
const JSON_KEYS = [LAYOUT, "layout_history", "warnings", "webhooks", "attribute_renames", CHANGE_LOG];

export class CatalogConnection extends Connection {
  readonly #numbers = new Map<string, number>();
  readonly #names = new Map<number, string>();
  /** The layout that this process has loaded, as JSON. */
  layout: string | undefined;
  #layoutHash: string | undefined;
  /** The version of other connections' writes for which the tables are known to be the loaded ones. */
  protected sameTablesAt: number | undefined;

  protected override hasOtherTables(): boolean {
    if (this.layout === undefined) return false;
    const sql = "SELECT value FROM galley_meta WHERE key = ?";
    return this.db.query<unknown, string[]>(sql).values(LAYOUT_HASH)[0]?.[0] !== this.#layoutHash;
  }

  meta(key: string): string | undefined {
    return this.first("SELECT value FROM galley_meta WHERE key = ?", [key])?.[0] as string | undefined;
  }

  /** A setting that is stored as JSON. Throws a ProjectError that names it if it is damaged. */
  metaJson(key: string): unknown {
    const text = this.meta(key);
    if (text === undefined) return undefined;
    const value = tryParseJson(text);
    if (value === undefined) throw this.damaged(key);
    return value;
  }

  /** Throws a ProjectError that names the first damaged setting. */
  checkMeta(): void {
    const sql = `SELECT key FROM galley_meta WHERE NOT json_valid(value)
      AND (key IN (SELECT value FROM json_each(?)) OR key GLOB 'store:*')`;
    const damaged = this.first(sql, [JSON.stringify(JSON_KEYS)]);
    if (damaged) throw this.damaged(damaged[0] as string);
  }

  /** The error for a setting that is not what Galley stores. */
  damaged(key: string): ProjectError {
    return new ProjectError(this.db.filename, `galley_meta, ${key}`, "is damaged; restore a copy of the database");
  }

  setMeta(key: string, value: string): void {
    this.run("INSERT INTO galley_meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", [
      key,
      value,
    ]);
  }

  /** The keys that start with `prefix`. */
  metaKeys(prefix: string): readonly string[] {
    const sql = "SELECT key FROM galley_meta WHERE key >= ?1 AND key < ?1 || char(1114111)";
    return this.all(sql, [prefix]).map(([key]) => key as string);
  }

  dropMeta(key: string): void {
    this.run("DELETE FROM galley_meta WHERE key = ?", [key]);
  }

  /** Expects the transaction that changes the tables. */
  setLayout(layout: string): void {
    this.setMeta(LAYOUT, layout);
    this.setMeta(LAYOUT_HASH, Bun.hash(layout).toString(36));
    this.sameTablesAt = undefined;
  }

  /** Loads the layout and the numbers of fields and tables. Called when the tables may have changed. */
  loadNumbers(): void {
    const layout = this.meta(LAYOUT) ?? "";
    if (this.layout !== undefined && this.layout !== layout) this.changedAt = performance.now();
    this.layout = layout;
    this.#layoutHash = this.meta(LAYOUT_HASH);
    this.sameTablesAt = undefined;
    this.#numbers.clear();
    this.#names.clear();
    for (const [id, name] of this.all("SELECT id, name FROM galley_names") as [number, string][]) {
      this.#numbers.set(name, id);
      this.#names.set(id, name);
    }
  }

  /** The number of a link field, or of a table as the kind of a polymorphic target. */
  number(name: string): number {
    const number = this.#numbers.get(name);
    if (number === undefined) throw new Error(`The database has no number for ${name}`);
    return number;
  }

  findName(number: number): string | undefined {
    return this.#names.get(number);
  }
}
