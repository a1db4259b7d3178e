/**
 * The last requests to webhooks, for the administrator, who sees what failed and sends it again. They are in a file beside the content, since
 * they are not part of it: neither exports nor backups have them, and no response becomes stale by them.
 */
import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { ensurePrivateDatabase } from "../storage/private-file.ts";

export interface KeptDelivery {
  readonly id: number;
  readonly webhookId: string;
  readonly event: string;
  /** ISO 8601. */
  readonly sentAt: string;
  /** Of the response; 500 if there was none, null if nothing was sent. */
  readonly status: number | null;
  /** What went wrong, or the text of the status. */
  readonly message: string;
  readonly milliseconds: number;
  /** Whether the body was short enough to be kept, so that it can be sent again. */
  readonly hasBody: boolean;
}

export type NewDelivery = Omit<KeptDelivery, "id" | "hasBody"> & { readonly body: string };

const MAX_OF_WEBHOOK = 20;
const MAX_ALL = 500;
/** In characters. */
const MAX_BODY = 100_000;
/** As long as what is deleted can be restored. */
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1_000;

const TABLE = `CREATE TABLE IF NOT EXISTS deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook TEXT NOT NULL,
  event TEXT NOT NULL,
  sent_at TEXT NOT NULL,
  status INTEGER,
  message TEXT NOT NULL,
  milliseconds INTEGER NOT NULL,
  body TEXT
) STRICT`;
const COLUMNS =
  'id, webhook AS "webhookId", event, sent_at AS "sentAt", status, message, milliseconds, body IS NOT NULL AS "hasBody"';

type Row = Omit<KeptDelivery, "hasBody"> & { readonly hasBody: number };
const fromRow = ({ hasBody, ...row }: Row): KeptDelivery => ({ ...row, hasBody: hasBody === 1 });

export class KeptDeliveries {
  readonly #file: string | undefined;
  #db: Database | undefined;

  /** `file` undefined: in memory. */
  constructor(file: string | undefined) {
    this.#file = file;
  }

  /** Undefined as long as nothing is kept. */
  get #existing(): Database | undefined {
    const isKept = this.#db !== undefined || (this.#file !== undefined && existsSync(this.#file));
    return isKept ? this.#open() : undefined;
  }

  #open(): Database {
    if (this.#db) return this.#db;
    if (this.#file !== undefined) ensurePrivateDatabase(this.#file);
    const db = new Database(this.#file ?? ":memory:", { create: true });
    for (const sql of ["PRAGMA busy_timeout = 1000", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", TABLE])
      db.run(sql);
    this.#db = db;
    return db;
  }

  /** Removes older ones. Throws the errors of SQLite, such as that of a full disk. */
  add({ webhookId, event, sentAt, status, message, milliseconds, body }: NewDelivery): KeptDelivery {
    const db = this.#open();
    return db.transaction(() => {
      const sql = `INSERT INTO deliveries (webhook, event, sent_at, status, message, milliseconds, body)
        VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING ${COLUMNS}`;
      const text = body.length > MAX_BODY ? null : body;
      const row = db.query(sql).get(webhookId, event, sentAt, status, message, Math.round(milliseconds), text) as Row;
      db.query("DELETE FROM deliveries WHERE id <= ? OR sent_at < ?").run(
        row.id - MAX_ALL,
        new Date(Date.parse(sentAt) - MAX_AGE_MS).toISOString(),
      );
      db.query(
        "DELETE FROM deliveries WHERE webhook = ?1 AND id NOT IN (SELECT id FROM deliveries WHERE webhook = ?1 ORDER BY id DESC LIMIT ?2)",
      ).run(webhookId, MAX_OF_WEBHOOK);
      return fromRow(row);
    })();
  }

  /** The newest first. */
  list(): readonly KeptDelivery[] {
    const rows = this.#existing?.query(`SELECT ${COLUMNS} FROM deliveries ORDER BY id DESC`).all() as Row[] | undefined;
    return (rows ?? []).map(fromRow);
  }

  /** `body`: null if it was too long. */
  find(id: number): (KeptDelivery & { readonly body: string | null }) | undefined {
    const sql = `SELECT ${COLUMNS}, body FROM deliveries WHERE id = ?`;
    const row = this.#existing?.query(sql).get(id) as (Row & { body: string | null }) | null | undefined;
    return row ? { ...fromRow(row), body: row.body } : undefined;
  }

  /** Those of deleted webhooks, whose ids others may get. */
  forget(webhookIds: Iterable<string>): void {
    const sql = "DELETE FROM deliveries WHERE webhook IN (SELECT value FROM json_each(?))";
    this.#existing?.query(sql).run(JSON.stringify([...webhookIds]));
  }

  close(): void {
    this.#db?.close();
    this.#db = undefined;
  }
}
