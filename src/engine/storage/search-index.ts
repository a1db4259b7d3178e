/**
 * Trigram indexes of large tables (SQLite's FTS5), made once a table is searched. An index finds the rows that may contain a text; the
 * exact condition behind it decides. Triggers note the ids of written rows, in the transaction of the write and whoever writes:
 * a noted row is always found, until the index has its text. So an index misses no row, a write costs a row of one number,
 * and other programs need no FTS5. New indexes and noted rows are worked off in the background, in short transactions.
 */
import { tableSize } from "./column-indexes.ts";
import { perVersion } from "./connection.ts";
import { type Bind, inGroups, quote } from "./sql.ts";
import type { Storage } from "./storage.ts";

/** Scanning a smaller table takes a few milliseconds. */
export const LARGE_ROWS = 5_000;
/** An index that finds more than one in so many rows is slower than a scan. */
const SELECTIVITY = 8;
/** More rows of one group of letters are not counted, but the latest rows of all groups together. */
const FEW_ROWS = 1_000;
const SAMPLE_ROWS = 10_000;
/** The lists of more groups take longer to intersect than their rows to read. */
const FEW_GROUPS = 3;
/** How long counts are kept, and how many. */
const COUNT_MS = 30_000;
const MOST_COUNTS = 10_000;
/** So many noted rows are worked off. */
const MANY_NOTED = 200;
/** How long a transaction in the background should take, and the number of its rows. */
const TURN_MS = 10;
const FIRST_ROWS = 50;
const MOST_ROWS = 1_000;
/**
 * By itself, SQLite merges the parts of an index after some commits, for a tenth of a second. Here each transaction merges about as many
 * pages as its rows need.
 */
const SETTINGS = { automerge: 0, crisismerge: 1_000, usermerge: 8 };
const ROWS_PER_MERGED_PAGE = 4;
const RETRY_MS = 60_000;

/** The keys in `galley_meta`, by the table's number: the id up to which rows are indexed, or `DONE`. */
const STATE = "search_index:";
const DONE = "done";

/** SQLite's tokenizer ends at this character: a row that has it is indexed as `ANY_TEXT`, which every search finds. */
const NUL = "char(0)";
const ANY_TEXT = "\ue000\ue000\ue000";

interface SearchIndex {
  readonly number: number;
  /** Of the index; the table of noted rows and the triggers are called after it. */
  readonly name: string;
  readonly table: string;
  /** Besides the id. */
  readonly columns: readonly string[];
}

const nameOf = (number: number): string => `galley_search_${number}`;
const EVENTS = ["insert", "update", "delete"] as const;

/** The statements that make an index. SQLite keeps their text, and changes it with columns that are renamed. */
function statements({ name, table, columns }: SearchIndex): readonly string[] {
  const trigger = (event: (typeof EVENTS)[number]): string => {
    const of = event === "update" ? ` OF ${["id", ...columns].map(quote).join(", ")}` : "";
    const row = event === "delete" ? "OLD" : "NEW";
    const when = `AFTER ${event.toUpperCase()}${of} ON ${quote(table)}`;
    return `CREATE TRIGGER ${name}_${event} ${when} BEGIN INSERT INTO ${name}_noted VALUES(${row}.id); END`;
  };
  return [
    `CREATE VIRTUAL TABLE ${name} USING fts5(text, tokenize='trigram', content='', contentless_delete=1, detail=none)`,
    // without constraints, to which a conflict clause of the statement that fires a trigger would apply
    `CREATE TABLE ${name}_noted (id INTEGER)`,
    ...EVENTS.map(trigger),
  ];
}

/** SQLite limits the arguments of a function. */
const MOST_ARGUMENTS = 100;

function concatSql(values: readonly string[]): string {
  if (values.length <= MOST_ARGUMENTS) return `concat_ws(char(10), ${values.join(", ")})`;
  return concatSql(inGroups(values, MOST_ARGUMENTS).map(concatSql));
}

function indexRows(storage: Storage, index: SearchIndex, where: string, params: readonly (string | number)[]): void {
  const { name, table, columns } = index;
  const rows = `SELECT id, ${concatSql(["id", ...columns.map(quote)])} AS text FROM ${quote(table)} WHERE ${where}`;
  storage.run(
    `INSERT INTO ${name}(rowid, text) SELECT id, iif(instr(text, ${NUL}), '${ANY_TEXT}', text) FROM (${rows})`,
    params,
  );
}

/** Undefined: there is no such index, or not all of it. */
function readState(storage: Storage, index: SearchIndex): string | undefined {
  const sql = `SELECT (SELECT value FROM galley_meta WHERE key = ?), count(*) FROM sqlite_schema
    WHERE sql IN (SELECT value FROM json_each(?))`;
  const wanted = statements(index);
  const [state, found] = storage.first(sql, [STATE + index.number, JSON.stringify(wanted)])!;
  return found === wanted.length && state !== null ? String(state) : undefined;
}

const countNoted = (storage: Storage, { name }: SearchIndex, most: number): number =>
  Number(storage.first(`SELECT count(*) FROM (SELECT 1 FROM ${name}_noted LIMIT ?)`, [most])![0]);

function drop(storage: Storage, number: number): void {
  const name = nameOf(number);
  for (const event of EVENTS) storage.run(`DROP TRIGGER IF EXISTS ${name}_${event}`);
  for (const table of [`${name}_noted`, name]) storage.run(`DROP TABLE IF EXISTS ${table}`);
  storage.dropMeta(STATE + number);
}

/** Drops the indexes of these tables. Expects a transaction. Those of tables that are searched are made again. */
export function dropSearchIndexes(storage: Storage, isDropped: (table: string) => boolean = () => true): void {
  for (const key of storage.metaKeys(STATE)) {
    const number = Number(key.slice(STATE.length));
    const [table] = storage.first("SELECT name FROM galley_names WHERE id = ?", [number]) ?? [];
    if (isDropped(String(table))) drop(storage, number);
  }
}

/** Indexes the next rows of the table. Returns whether there may be more to do. */
function indexNext(storage: Storage, index: SearchIndex, after: number, rows: number): boolean {
  const sql = `SELECT max(id) FROM (SELECT id FROM ${quote(index.table)} WHERE id > ? ORDER BY id LIMIT ?)`;
  const last = storage.first(sql, [after, rows])![0];
  if (last !== null) indexRows(storage, index, "id > ? AND id <= ?", [after, Number(last)]);
  storage.setMeta(STATE + index.number, last === null ? DONE : String(last));
  return true;
}

/** Indexes noted rows again. Returns whether there may be more. */
function indexNoted(storage: Storage, index: SearchIndex, rows: number): boolean {
  const { name } = index;
  const noted = storage.all(`SELECT rowid, id FROM ${name}_noted ORDER BY rowid LIMIT ?`, [rows]);
  if (noted.length === 0) return false;
  const ids = [JSON.stringify(noted.map(([, id]) => id))];
  storage.run(`DELETE FROM ${name} WHERE rowid IN (SELECT value FROM json_each(?))`, ids);
  indexRows(storage, index, "id IN (SELECT value FROM json_each(?))", ids);
  storage.run(`DELETE FROM ${name}_noted WHERE rowid <= ?`, [noted.at(-1)![0]!]);
  return noted.length === rows;
}

const command = (storage: Storage, { name }: SearchIndex, what: string, value: number): unknown =>
  storage.run(`INSERT INTO ${name}(${name}, rank) VALUES (?, ?)`, [what, value]);

const totalChanges = (storage: Storage): number => Number(storage.first("SELECT total_changes()")![0]);

/** Merges parts of the index, which a search looks into one after the other. Returns whether there may be more to merge. */
function merge(storage: Storage, index: SearchIndex, rows: number): boolean {
  const before = totalChanges(storage);
  command(storage, index, "merge", Math.ceil(rows / ROWS_PER_MERGED_PAGE));
  // one change is the command itself
  return totalChanges(storage) - before > 1;
}

function create(storage: Storage, index: SearchIndex): void {
  drop(storage, index.number);
  for (const sql of statements(index)) storage.run(sql);
  for (const [setting, value] of Object.entries(SETTINGS)) command(storage, index, setting, value);
  storage.setMeta(STATE + index.number, String(Number.MIN_SAFE_INTEGER));
}

/** The next piece of work. Expects a transaction: other processes may do the same. Returns whether there may be more. */
function work(storage: Storage, index: SearchIndex, rows: number): boolean {
  const state = readState(storage, index);
  if (state === undefined) {
    create(storage, index);
    return true;
  }
  const isMore = state === DONE ? indexNoted(storage, index, rows) : indexNext(storage, index, Number(state), rows);
  return merge(storage, index, rows) || isMore;
}

/** What is known of an index for one version of the content. */
interface Known {
  readonly state: string | undefined;
  readonly noted: number;
}

const known = perVersion(() => new Map<string, Known>());

class SearchIndexes {
  readonly #storage: Storage;
  /** How many rows were found, by index and text. */
  readonly #counts = new Map<string, number>();
  #countedAt = 0;
  /** The names of indexes that are worked on. */
  readonly #busy = new Set<string>();
  /** After a failure, such as a full disk; in milliseconds of `performance.now()`. */
  #retryAt = Number.NEGATIVE_INFINITY;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** See `candidateRows`. */
  candidates(table: string, columns: readonly string[], groups: readonly string[], bind: Bind) {
    const rows = tableSize(this.#storage, table);
    if (rows < LARGE_ROWS) return undefined;
    const number = this.#storage.number(table);
    const index: SearchIndex = { number, name: nameOf(number), table, columns };
    const { state, noted } = this.#look(index, rows);
    if (state !== DONE || noted >= MANY_NOTED) this.#workOff(index);
    if (state !== DONE || noted > rows / SELECTIVITY) return undefined;
    const match = this.#choose(index, groups, rows);
    if (match === undefined) return undefined;
    const { name } = index;
    const text = bind(`${match} OR "${ANY_TEXT}"`);
    return `SELECT rowid FROM ${name} WHERE ${name} MATCH ${text} UNION ALL SELECT id FROM ${name}_noted`;
  }

  #look(index: SearchIndex, rows: number): Known {
    return known(this.#storage).getOrInsertComputed(`${index.name} ${index.columns}`, () => {
      const state = readState(this.#storage, index);
      const most = MANY_NOTED + Math.ceil(rows / SELECTIVITY);
      const noted = state === DONE ? countNoted(this.#storage, index, most) : 0;
      return { state, noted };
    });
  }

  /** The rarest groups, or all of them together; undefined if they find many rows. */
  #choose(index: SearchIndex, groups: readonly string[], rows: number): string | undefined {
    const { name } = index;
    const few = Math.min(FEW_ROWS, rows / SELECTIVITY);
    const sample = Math.min(SAMPLE_ROWS, rows);
    const limited = `SELECT count(*) FROM (SELECT 1 FROM ${name} WHERE ${name} MATCH ? LIMIT ?)`;
    const sampled = `SELECT count(*) FROM ${name} WHERE ${name} MATCH ? AND rowid > ?`;
    try {
      const counted = groups.map((group) => ({ group, count: this.#count(name, limited, group, FEW_ROWS) }));
      counted.sort((one, other) => one.count - other.count);
      const isRare = counted[0]!.count < few;
      const chosen = counted.slice(0, isRare ? FEW_GROUPS : undefined).map(({ group }) => group);
      const match = chosen.join(" AND ");
      const isFew = isRare || this.#count(name, sampled, match, rows - sample) < sample / SELECTIVITY;
      return isFew ? match : undefined;
    } catch (error) {
      console.error(`galley: the search index of ${index.table} is made again: ${(error as Error).message}`);
      this.#storage.tryTransaction(() => drop(this.#storage, index.number));
      return undefined;
    }
  }

  #count(name: string, sql: string, match: string, bound: number): number {
    const now = performance.now();
    if (now - this.#countedAt > COUNT_MS || this.#counts.size >= MOST_COUNTS) {
      this.#counts.clear();
      this.#countedAt = now;
    }
    const count = (): number => Number(this.#storage.first(sql, [match, bound])![0]);
    return this.#counts.getOrInsertComputed(`${name} ${match}`, count);
  }

  /** Makes the index, or brings it up to date, while others are served. */
  #workOff(index: SearchIndex): void {
    const storage = this.#storage;
    if (this.#busy.has(index.name) || performance.now() < this.#retryAt) return;
    this.#busy.add(index.name);
    let rows = FIRST_ROWS;
    const turn = (): void => {
      if (storage.isClosed) return;
      const began = performance.now();
      let isMore = true;
      try {
        // while another process writes, the next turn tries again
        const isDone = storage.keepingVersion(() =>
          storage.tryTransaction(() => {
            isMore = work(storage, index, rows);
          }),
        );
        known(storage).clear();
        const took = performance.now() - began;
        if (isDone) rows = took > TURN_MS ? Math.ceil(rows / 2) : Math.min(rows * 2, MOST_ROWS);
        if (isMore) setTimeout(turn, Math.max(took, TURN_MS)).unref();
        else this.#busy.delete(index.name);
      } catch (error) {
        this.#busy.delete(index.name);
        this.#retryAt = performance.now() + RETRY_MS;
        console.error(`galley: the search index of ${index.table} was not made: ${(error as Error).message}`);
      }
    };
    setTimeout(turn).unref();
  }
}

const indexes = new WeakMap<Storage, SearchIndexes>();

/**
 * A query for the ids of all rows that may contain a text, and of others; undefined for small tables, until there is an index, and if it
 * would find many. `groups`: conditions on the text, in FTS5's syntax; `columns`: all that the table is searched in, besides the id.
 */
export const candidateRows = (
  storage: Storage,
  table: string,
  columns: readonly string[],
  groups: readonly string[],
  bind: Bind,
): string | undefined =>
  indexes.getOrInsertComputed(storage, () => new SearchIndexes(storage)).candidates(table, columns, groups, bind);
