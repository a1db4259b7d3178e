/**
 * The last requests to webhooks, for the administrator, who sees what failed and sends it again. They are in a file beside the content, since
 * they are not part of it: neither exports nor backups have them, and no response becomes stale by them.
 */
import { Database } from "bun:sqlite";
import { existsSync, rmSync } from "node:fs";
import { ensurePrivateDatabase } from "../storage/private-file.ts";
import { isDamaged, isOutdated } from "../storage/problems.ts";
import type { Webhook } from "./webhook.ts";

export interface KeptDelivery {
  readonly id: number;
  readonly webhookId: string;
  /** Of the webhook, as they were when it was sent. */
  readonly name: string;
  readonly url: string;
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
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  event TEXT NOT NULL,
  sent_at TEXT NOT NULL,
  status INTEGER,
  message TEXT NOT NULL,
  milliseconds INTEGER NOT NULL,
  body TEXT
) STRICT`;
const COLUMNS =
  'id, webhook AS "webhookId", name, url, event, sent_at AS "sentAt", status, message, milliseconds, body IS NOT NULL AS "hasBody"';

type Row = Omit<KeptDelivery, "hasBody"> & { readonly hasBody: number };
const fromRow = ({ hasBody, ...row }: Row): KeptDelivery => ({ ...row, hasBody: hasBody === 1 });

/** Imports and backups that are restored may give the id of one webhook to another. */
export const isDeliveryOf = ({ webhookId, name, url }: KeptDelivery, webhook: Webhook): boolean =>
  webhookId === webhook.id && (name === webhook.name || url === webhook.url);

export class KeptDeliveries {
  readonly #file: string | undefined;
  readonly #log: (line: string) => void;
  #db: Database | undefined;

  /** `file` undefined: in memory. */
  constructor(file: string | undefined, log: (line: string) => void) {
    this.#file = file;
    this.#log = log;
  }

  /** Begins with an empty file if it is damaged: what it had is for information only. */
  #inFile<T>(work: (db: Database) => T): T {
    try {
      return work(this.#open());
    } catch (error) {
      if (this.#file === undefined || !(isDamaged(error) || isOutdated(error))) throw error;
      this.#log(`webhooks: the deliveries that were kept are gone: ${(error as Error).message}`);
      this.close();
      for (const suffix of ["", "-wal", "-shm"]) rmSync(`${this.#file}${suffix}`, { force: true });
      return work(this.#open());
    }
  }

  /** Undefined as long as nothing is kept. */
  #ifKept<T>(work: (db: Database) => T): T | undefined {
    const isKept = this.#db !== undefined || (this.#file !== undefined && existsSync(this.#file));
    return isKept ? this.#inFile(work) : undefined;
  }

  #open(): Database {
    if (this.#db) return this.#db;
    if (this.#file !== undefined) ensurePrivateDatabase(this.#file);
    const db = new Database(this.#file ?? ":memory:", { create: true });
    try {
      for (const sql of [
        "PRAGMA busy_timeout = 1000",
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = NORMAL",
        TABLE,
      ])
        db.run(sql);
    } catch (error) {
      db.close();
      throw error;
    }
    this.#db = db;
    return db;
  }

  /** Removes older ones. Throws the errors of SQLite, such as that of a full disk. */
  add({ webhookId, name, url, event, sentAt, status, message, milliseconds, body }: NewDelivery): KeptDelivery {
    const sql = `INSERT INTO deliveries (webhook, name, url, event, sent_at, status, message, milliseconds, body)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${COLUMNS}`;
    const text = body.length > MAX_BODY ? null : body;
    const values = [webhookId, name, url, event, sentAt, status, message, Math.round(milliseconds), text];
    const insert = (db: Database) => {
      const row = db.query(sql).get(...values) as Row;
      db.query("DELETE FROM deliveries WHERE id <= ? OR sent_at < ?").run(
        row.id - MAX_ALL,
        new Date(Date.parse(sentAt) - MAX_AGE_MS).toISOString(),
      );
      db.query(
        "DELETE FROM deliveries WHERE webhook = ?1 AND id NOT IN (SELECT id FROM deliveries WHERE webhook = ?1 ORDER BY id DESC LIMIT ?2)",
      ).run(webhookId, MAX_OF_WEBHOOK);
      return fromRow(row);
    };
    return this.#inFile((db) => db.transaction(() => insert(db))());
  }

  /** The newest first. */
  list(): readonly KeptDelivery[] {
    const sql = `SELECT ${COLUMNS} FROM deliveries ORDER BY id DESC`;
    const rows = this.#ifKept((db) => db.query(sql).all()) as Row[] | undefined;
    return (rows ?? []).map(fromRow);
  }

  /** `body`: null if it was too long. */
  find(id: number): (KeptDelivery & { readonly body: string | null }) | undefined {
    const sql = `SELECT ${COLUMNS}, body FROM deliveries WHERE id = ?`;
    const row = this.#ifKept((db) => db.query(sql).get(id)) as (Row & { body: string | null }) | null | undefined;
    return row ? { ...fromRow(row), body: row.body } : undefined;
  }

  /** Those of deleted webhooks, whose ids others may get. */
  forget(webhookIds: Iterable<string>): void {
    const sql = "DELETE FROM deliveries WHERE webhook IN (SELECT value FROM json_each(?))";
    const ids = JSON.stringify([...webhookIds]);
    this.#ifKept((db) => db.query(sql).run(ids));
  }

  close(): void {
    this.#db?.close();
    this.#db = undefined;
  }
}
