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

export function createKeptResponses(folder: string, maxBytes = MAX_BYTES) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const db = new Database(join(folder, "responses.db"), { create: true });
  db.run("PRAGMA journal_mode = WAL");
  db.run("PRAGMA synchronous = NORMAL");
  db.run(TABLE);
  const rows = db.query("SELECT file FROM responses").values();
  const kept = new Set(rows.map(([file]) => file));
  // of an earlier process that has ended before it removed them
  for (const name of readdirSync(folder))
    if (!name.startsWith("responses.db") && !kept.has(name)) rmSync(join(folder, name), { force: true });

  function find(key: string): KeptResponse | undefined {
    const row = db.query("SELECT * FROM responses WHERE key = ?").get(key) as Row | null;
    if (!row) return undefined;
    db.query("UPDATE responses SET used_at = ? WHERE key = ?").run(Date.now(), key);
    const { file, status, headers, checked_at: checkedAt } = row;
    return { key, file: join(folder, file), status, headers: JSON.parse(headers), checkedAt };
  }

  /** A new path for a body that is being received. */
  const unfinishedFile = (): string => join(folder, `${crypto.randomUUID()}.part`);

  /** Keeps a response. `unfinished`: the file with its body. */
  function keep(
    key: string,
    unfinished: string,
    bytes: number,
    { status, headers }: Pick<KeptResponse, "status" | "headers">,
  ): void {
    const earlier = db.query("SELECT file FROM responses WHERE key = ?").get(key) as { file: string } | null;
    const file = crypto.randomUUID();
    renameSync(unfinished, join(folder, file));
    const now = Date.now();
    const row = [key, file, status, JSON.stringify(headers), bytes + OWN_BYTES, now, now];
    db.query("INSERT OR REPLACE INTO responses VALUES (?, ?, ?, ?, ?, ?, ?)").run(...row);
    if (earlier) removeLater(earlier.file);
    prune(key);
  }

  function removeLater(file: string): void {
    setTimeout(() => rmSync(join(folder, file), { force: true }), REMOVE_AFTER_MS).unref();
  }

  /** The origin has confirmed a response. */
  function confirm(key: string): void {
    db.query("UPDATE responses SET checked_at = ? WHERE key = ?").run(Date.now(), key);
  }

  function prune(newest: string): void {
    let total = (db.query("SELECT sum(bytes) AS total FROM responses").get() as { total: number }).total;
    const oldest = db.query("SELECT key, file, bytes FROM responses WHERE key <> ? ORDER BY used_at, key LIMIT 1");
    while (total > maxBytes) {
      const row = oldest.get(newest) as { key: string; file: string; bytes: number } | null;
      if (!row) return;
      db.query("DELETE FROM responses WHERE key = ?").run(row.key);
      removeLater(row.file);
      total -= row.bytes;
    }
  }

  return { find, unfinishedFile, keep, confirm, close: () => db.close() };
}

export type KeptResponses = ReturnType<typeof createKeptResponses>;
