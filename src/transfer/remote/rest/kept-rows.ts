/** Rows of earlier pulls over REST, in a database of their own, so that the next pull reads only what has changed. */
import { Database } from "bun:sqlite";
import type { Json } from "../../archive/shapes.ts";

/** Raised when other rows are kept: earlier files are emptied. */
const VERSION = 2;

const TABLES = [
  "CREATE TABLE rows (list TEXT NOT NULL, id INTEGER NOT NULL, document TEXT NOT NULL, updated TEXT, published TEXT, content TEXT NOT NULL, PRIMARY KEY (list, id)) WITHOUT ROWID",
  "CREATE INDEX rows_updated ON rows (list, updated)",
  "CREATE INDEX rows_published ON rows (list, published)",
  "CREATE INDEX rows_document ON rows (document, list)",
  "CREATE TABLE complete_lists (list TEXT PRIMARY KEY) WITHOUT ROWID",
  "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
];
const NAMES = ["rows", "complete_lists", "meta"];
/** SQLite would go through the whole list. */
const OF_DOCUMENT = "FROM rows INDEXED BY rows_document WHERE document = ? AND list = ?";
/** Number of rows that are read at once. */
const PAGE = 500;
/** Number of rows that are written at once. */
const BATCH = 100;

export type DocumentIds = ReadonlySet<string>;

/** Finds the documents that a row names, besides its own. */
function namedDocuments(content: string, own: string): Set<string> {
  const found = new Set<string>();
  for (const [, id] of content.matchAll(/"documentId":"([^"\\]+)"/g)) if (id !== own) found.add(id!);
  return found;
}

const timeOf = (row: Json, field: string): string | null => (typeof row[field] === "string" ? row[field] : null);

const SCOPE = "scope";
/** This name is there if there are changes. */
const CHANGED = "changed";

export class KeptRows {
  readonly #db: Database;
  #hasChanged: boolean;
  /** Lists with changed rows, as far as this process has changed them. */
  readonly changedLists = new Set<string>();

  /** `scope`: a fingerprint of what the rows depend on, such as the schemas. Rows of another scope are removed. */
  constructor(file: string, scope: string) {
    this.#db = new Database(file, { create: true });
    this.#db.run("PRAGMA journal_mode = WAL");
    this.#db.run("PRAGMA synchronous = NORMAL");
    const { user_version: version } = this.#db.query("PRAGMA user_version").get() as { user_version: number };
    if (version !== VERSION) {
      this.#db.transaction(() => {
        for (const name of [...NAMES, "notes"]) this.#db.run(`DROP TABLE IF EXISTS ${name}`);
        for (const statement of TABLES) this.#db.run(statement);
        this.#db.run(`PRAGMA user_version = ${VERSION}`);
      })();
    }
    this.#hasChanged = this.meta(CHANGED) !== undefined;
    if (this.meta(SCOPE) === scope) return;
    this.clear();
    this.setMeta(SCOPE, scope);
  }

  /** Whether anything is not as it was when `settle` was last called, by this process or an earlier one. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  /** Called when what is kept is served. */
  settle(): void {
    this.#db.query("DELETE FROM meta WHERE name = ?").run(CHANGED);
    this.#hasChanged = false;
  }

  #markChanged(): void {
    if (this.#hasChanged) return;
    this.#hasChanged = true;
    this.#db.query("INSERT OR REPLACE INTO meta VALUES (?, '')").run(CHANGED);
  }

  /** Removes everything, so that everything is read again. */
  clear(): void {
    this.#db.transaction(() => {
      for (const name of NAMES) this.#db.run(`DELETE FROM ${name} WHERE TRUE`);
    })();
    this.#hasChanged = false;
    this.#markChanged();
  }

  meta(name: string): string | undefined {
    return (this.#db.query("SELECT value FROM meta WHERE name = ?").get(name) as { value: string } | null)?.value;
  }

  setMeta(name: string, value: string): void {
    if (this.meta(name) === value) return;
    this.#markChanged();
    this.#db.query("INSERT OR REPLACE INTO meta VALUES (?, ?)").run(name, value);
  }

  isComplete(list: string): boolean {
    return this.#db.query("SELECT 1 FROM complete_lists WHERE list = ?").get(list) !== null;
  }

  /** Replaces a list. If `rows` fails, the list is incomplete. */
  async replace(list: string, rows: AsyncIterable<Json>): Promise<void> {
    this.#db.query("DELETE FROM complete_lists WHERE list = ?").run(list);
    const earlier = new Set(this.#values<number>("SELECT id FROM rows WHERE list = ?", [list]));
    const put = this.#db.transaction((batch: readonly Json[]) => {
      for (const row of batch) {
        this.put(list, row);
        earlier.delete(row.id as number);
      }
    });
    let batch: Json[] = [];
    for await (const row of rows) {
      if (batch.push(row) < BATCH) continue;
      put(batch);
      batch = [];
    }
    put(batch);
    this.#removeRows(list, earlier);
    this.#db.query("INSERT INTO complete_lists VALUES (?)").run(list);
  }

  /**
   * Adds a row, or replaces that of the same document. Returns the documents that only the earlier or only the later row names, and whether
   * the row has another id than before.
   */
  put(list: string, row: Json): { readonly relinked: DocumentIds; readonly isMoved: boolean } {
    const [id, document, content] = [row.id as number, String(row.documentId), JSON.stringify(row)];
    const earlier = this.#db.query(`SELECT id, content ${OF_DOCUMENT}`).get(document, list) as {
      id: number;
      content: string;
    } | null;
    if (earlier?.content === content) return { relinked: new Set(), isMoved: false };
    this.#markChanged();
    this.changedLists.add(list);
    if (earlier && earlier.id !== id) this.#removeRows(list, [earlier.id]);
    this.#db
      .query("INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?, ?, ?)")
      .run(list, id, document, timeOf(row, "updatedAt"), timeOf(row, "publishedAt"), content);
    const before = earlier ? namedDocuments(earlier.content, document) : new Set<string>();
    return { relinked: before.symmetricDifference(namedDocuments(content, document)), isMoved: earlier?.id !== id };
  }

  /** Removes documents from a list. Returns the documents that they named. */
  remove(list: string, documents: DocumentIds): DocumentIds {
    const named = new Set<string>();
    for (const document of documents) {
      for (const content of this.#values<string>(`SELECT content ${OF_DOCUMENT}`, [document, list]))
        for (const other of namedDocuments(content, document)) named.add(other);
      this.#removeRows(list, this.#values<number>(`SELECT id ${OF_DOCUMENT}`, [document, list]));
    }
    return named;
  }

  #removeRows(list: string, ids: Iterable<number>): void {
    for (const id of ids) {
      this.#markChanged();
      this.changedLists.add(list);
      this.#db.query("DELETE FROM rows WHERE list = ? AND id = ?").run(list, id);
    }
  }

  documents(list: string): DocumentIds {
    return new Set(this.#values<string>("SELECT document FROM rows WHERE list = ?", [list]));
  }

  /** Documents of all lists whose rows name another one. */
  naming(document: string): DocumentIds {
    const sql = "SELECT DISTINCT document FROM rows WHERE instr(content, ?) AND document <> ?";
    return new Set(this.#values<string>(sql, [JSON.stringify(document), document]));
  }

  listsOf(document: string): readonly string[] {
    return this.#values<string>("SELECT list FROM rows WHERE document = ?", [document]);
  }

  count(list: string): number {
    return this.#values<number>("SELECT count(*) FROM rows WHERE list = ?", [list])[0]!;
  }

  /** The latest time in a field of the rows of a list, in ISO 8601; undefined without rows. */
  latest(list: string, field: "updatedAt" | "publishedAt"): string | undefined {
    const column = { updatedAt: "updated", publishedAt: "published" }[field];
    return this.#values<string | null>(`SELECT max(${column}) FROM rows WHERE list = ?`, [list])[0] ?? undefined;
  }

  /** Yields the rows of a list, sorted by id. */
  *rows(list: string): Generator<Json> {
    for (let last = 0; ; ) {
      const sql = "SELECT id, content FROM rows WHERE list = ? AND id > ? ORDER BY id LIMIT ?";
      const page = this.#db.query(sql).all(list, last, PAGE) as { id: number; content: string }[];
      for (const { content } of page) yield JSON.parse(content) as Json;
      if (page.length < PAGE) return;
      last = page.at(-1)!.id;
    }
  }

  #values<T>(sql: string, params: (string | number)[]): T[] {
    return this.#db
      .query(sql)
      .values(...params)
      .map(([value]) => value as T);
  }

  close(): void {
    this.#db.close();
  }
}
