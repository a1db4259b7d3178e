/** Responses of the origin for what the copy does not have: media files, routes of its own code, types that it answers in its own way. */
import { Database } from "bun:sqlite";
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Total size of kept responses; the least recently used ones are removed. */
const MAX_BYTES = 2_000_000_000;
/** Of a response besides its body: its row, and the rest of the file's last block. */
const OWN_BYTES = 4_096;
/** A removed file may still be sent to a client. */
const REMOVE_AFTER_MS = 10_000;

const TABLE = `CREATE TABLE IF NOT EXISTS responses (
  key TEXT PRIMARY KEY, file TEXT NOT NULL, status INTEGER NOT NULL, headers TEXT NOT NULL, bytes INTEGER NOT NULL,
  checked_at INTEGER NOT NULL, used_at INTEGER NOT NULL) WITHOUT ROWID`;

export interface KeptResponse {
  readonly key: string;
  /** The path of the body. */
  readonly file: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** When the origin last confirmed it, in milliseconds since 1970. */
  readonly checkedAt: number;
}

interface Row {
  readonly file: string;
  readonly status: number;
  readonly headers: string;
  readonly checked_at: number;
}

export class KeptResponses {
  readonly #folder: string;
  readonly #db: Database;
  readonly #maxBytes: number;

  constructor(folder: string, maxBytes = MAX_BYTES) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#db = new Database(join(folder, "responses.db"), { create: true });
    this.#db.run("PRAGMA journal_mode = WAL");
    this.#db.run("PRAGMA synchronous = NORMAL");
    this.#db.run(TABLE);
    const kept = new Set(
      this.#db
        .query("SELECT file FROM responses")
        .values()
        .map(([file]) => file),
    );
    // of an earlier process that has ended before it removed them
    for (const name of readdirSync(folder))
      if (!name.startsWith("responses.db") && !kept.has(name)) rmSync(join(folder, name), { force: true });
  }

  find(key: string): KeptResponse | undefined {
    const row = this.#db.query("SELECT * FROM responses WHERE key = ?").get(key) as Row | null;
    if (!row) return undefined;
    this.#db.query("UPDATE responses SET used_at = ? WHERE key = ?").run(Date.now(), key);
    const { file, status, headers, checked_at: checkedAt } = row;
    return { key, file: join(this.#folder, file), status, headers: JSON.parse(headers), checkedAt };
  }

  /** A new path for a body that is being received. */
  unfinishedFile(): string {
    return join(this.#folder, `${crypto.randomUUID()}.part`);
  }

  /** Keeps a response. `unfinished`: the file with its body. */
  keep(
    key: string,
    unfinished: string,
    bytes: number,
    { status, headers }: Pick<KeptResponse, "status" | "headers">,
  ): void {
    const earlier = this.#db.query("SELECT file FROM responses WHERE key = ?").get(key) as { file: string } | null;
    const file = crypto.randomUUID();
    renameSync(unfinished, join(this.#folder, file));
    const now = Date.now();
    this.#db
      .query("INSERT OR REPLACE INTO responses VALUES (?, ?, ?, ?, ?, ?, ?)")
      .run(key, file, status, JSON.stringify(headers), bytes + OWN_BYTES, now, now);
    if (earlier) this.#removeLater(earlier.file);
    this.#prune(key);
  }

  #removeLater(file: string): void {
    setTimeout(() => rmSync(join(this.#folder, file), { force: true }), REMOVE_AFTER_MS).unref();
  }

  /** The origin has confirmed a response. */
  confirm(key: string): void {
    this.#db.query("UPDATE responses SET checked_at = ? WHERE key = ?").run(Date.now(), key);
  }

  #prune(newest: string): void {
    let total = (this.#db.query("SELECT sum(bytes) AS total FROM responses").get() as { total: number }).total;
    const oldest = this.#db.query(
      "SELECT key, file, bytes FROM responses WHERE key <> ? ORDER BY used_at, key LIMIT 1",
    );
    while (total > this.#maxBytes) {
      const row = oldest.get(newest) as { key: string; file: string; bytes: number } | null;
      if (!row) return;
      this.#db.query("DELETE FROM responses WHERE key = ?").run(row.key);
      this.#removeLater(row.file);
      total -= row.bytes;
    }
  }

  close(): void {
    this.#db.close();
  }
}
