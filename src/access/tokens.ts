/** API tokens: stored as a keyed hash, found by it, never shown again. */
import { ApiError } from "../errors.ts";
import { perVersion } from "../storage/per-version.ts";
import type { Storage } from "../storage/storage.ts";
import { type Ability, createAbility, type TokenType, tokenRules } from "./ability.ts";

export interface TokenRecord {
  readonly id: number;
  readonly name: string;
  readonly type: TokenType;
  readonly permissions: readonly string[];
  /** ISO time; null: never. */
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  /** `config`: from config/galley.json, which owns it. */
  readonly origin: "config" | "command";
}

const HOUR_MS = 3_600_000;

const TABLE = `CREATE TABLE IF NOT EXISTS galley_tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, type TEXT NOT NULL, hash TEXT NOT NULL UNIQUE,
  permissions TEXT NOT NULL, expires_at TEXT, last_used_at TEXT, origin TEXT NOT NULL, created_at TEXT NOT NULL)`;

const COLUMNS = "id, name, type, permissions, expires_at, last_used_at, origin";

const record = ([id, name, type, permissions, expiresAt, lastUsedAt, origin]: unknown[]): TokenRecord =>
  ({ id, name, type, permissions: JSON.parse(permissions as string), expiresAt, lastUsedAt, origin }) as TokenRecord;

export interface NewToken {
  readonly name: string;
  readonly type: TokenType;
  readonly key: string;
  readonly permissions: readonly string[];
  readonly expiresAt: string | null;
  readonly origin: TokenRecord["origin"];
}

export class Tokens {
  readonly #storage: Storage;
  readonly #salt: string;
  /** Tokens that were found, by their hash. */
  readonly #found = perVersion(() => new Map<string, TokenRecord>());

  constructor(storage: Storage, salt: string) {
    this.#storage = storage;
    this.#salt = salt;
  }

  createTable(): void {
    this.#storage.run(TABLE);
  }

  /** The hash is looked up as a whole in an index, so that the time of a look-up says nothing about a key. */
  #hash(key: string): string {
    return new Bun.CryptoHasher("sha512", this.#salt).update(key).digest("hex");
  }

  list(): TokenRecord[] {
    return this.#storage.all(`SELECT ${COLUMNS} FROM galley_tokens ORDER BY id`).map(record);
  }

  put(token: NewToken): void {
    this.#storage.run(
      `INSERT INTO galley_tokens (name, type, hash, permissions, expires_at, origin, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET type = excluded.type, hash = excluded.hash, permissions = excluded.permissions,
       expires_at = excluded.expires_at, origin = excluded.origin`,
      [
        token.name,
        token.type,
        this.#hash(token.key),
        JSON.stringify(token.permissions),
        token.expiresAt,
        token.origin,
        new Date().toISOString(),
      ],
    );
  }

  remove(name: string): boolean {
    return this.#storage.run("DELETE FROM galley_tokens WHERE name = ?", [name]).changes > 0;
  }

  /** The ability of a key's holder; undefined for an unknown key. Throws UnauthorizedError for an expired one. */
  ability(key: string): Ability | undefined {
    const token = this.#find(this.#hash(key));
    if (!token) return undefined;
    if (token.expiresAt !== null && Date.parse(token.expiresAt) <= Date.now()) {
      throw new ApiError("UnauthorizedError", "Token expired");
    }
    this.#touch(token);
    const can = tokenRules[token.type](new Set(token.permissions));
    // tokens of one type may all do the same, but for custom ones
    return createAbility("token", token.type === "custom" ? `token:${token.id}` : token.type, can);
  }

  #find(hash: string): TokenRecord | undefined {
    const found = this.#found(this.#storage);
    const known = found.get(hash);
    if (known) return known;
    const row = this.#storage.first(`SELECT ${COLUMNS} FROM galley_tokens WHERE hash = ?`, [hash]);
    if (!row) return undefined;
    const token = record(row);
    found.set(hash, token);
    return token;
  }

  /** The time of use is kept to the hour, so that reads with a token do not become writes. */
  #touch({ id, lastUsedAt }: TokenRecord): void {
    if (lastUsedAt !== null && Date.now() - Date.parse(lastUsedAt) < HOUR_MS) return;
    this.#storage.run("UPDATE galley_tokens SET last_used_at = ? WHERE id = ?", [new Date().toISOString(), id]);
  }
}
