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
  /** ISO time. */
  readonly createdAt: string;
}

const HOUR_MS = 3_600_000;

const TABLE = `CREATE TABLE IF NOT EXISTS galley_tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, type TEXT NOT NULL, hash TEXT NOT NULL UNIQUE,
  permissions TEXT NOT NULL, expires_at TEXT, last_used_at TEXT, origin TEXT NOT NULL, created_at TEXT NOT NULL)`;

const COLUMNS = "id, name, type, permissions, expires_at, last_used_at, origin, created_at";

const record = ([id, name, type, permissions, expiresAt, lastUsedAt, origin, createdAt]: unknown[]): TokenRecord =>
  ({
    id,
    name,
    type,
    permissions: JSON.parse(permissions as string),
    expiresAt,
    lastUsedAt,
    origin,
    createdAt,
  }) as TokenRecord;

export interface NewToken {
  readonly name: string;
  readonly type: TokenType;
  readonly key: string;
  readonly permissions: readonly string[];
  readonly expiresAt: string | null;
  readonly origin: TokenRecord["origin"];
}

/** A token as requests need it; times in milliseconds since 1970. */
interface KnownToken {
  readonly id: number;
  readonly isAdmin: boolean;
  readonly ability: Ability;
  readonly expiresMs: number;
  readonly usedMs: number;
}

export class Tokens {
  readonly #storage: Storage;
  readonly #salt: string;
  /** By the hashes of their keys. */
  readonly #transient = new Map<string, Ability>();
  /** Tokens that were asked for and are there, by their keys. */
  readonly #known = perVersion(() => new Map<string, KnownToken>());

  constructor(storage: Storage, salt: string) {
    this.#storage = storage;
    this.#salt = salt;
  }

  /** A key with the rights of a type, for as long as this process runs: it is stored nowhere. */
  addTransient(key: string, type: Exclude<TokenType, "custom">): void {
    this.#transient.set(this.#hash(key), createAbility("token", type, tokenRules[type](new Set())));
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

  /** Everything but the key and its expiry. */
  change(id: number, { name, type, permissions }: Pick<NewToken, "name" | "type" | "permissions">): void {
    const sql = "UPDATE galley_tokens SET name = ?, type = ?, permissions = ? WHERE id = ?";
    this.#storage.run(sql, [name, type, JSON.stringify(permissions), id]);
  }

  remove(name: string): boolean {
    return this.#storage.run("DELETE FROM galley_tokens WHERE name = ?", [name]).changes > 0;
  }

  /**
   * The ability of a key's holder in the Content API; undefined for an unknown key, and for that of an admin. Throws
   * UnauthorizedError for an expired one.
   */
  ability(key: string): Ability | undefined {
    const token = this.#use(key);
    return token?.isAdmin ? undefined : token?.ability;
  }

  /** Whether the key is an admin's. Throws UnauthorizedError for an expired one. */
  isAdmin(key: string): boolean {
    return this.#use(key)?.isAdmin === true;
  }

  #use(key: string): KnownToken | undefined {
    const all = this.#known(this.#storage);
    let known = all.get(key);
    if (!known) {
      known = this.#find(key);
      if (!known) return undefined;
      all.set(key, known);
    }
    const now = Date.now();
    // a time that cannot be read is over
    if (!(known.expiresMs > now)) throw new ApiError("UnauthorizedError", "Token expired");
    if (now - known.usedMs >= HOUR_MS) this.#touch(known.id, now);
    return known;
  }

  #find(key: string): KnownToken | undefined {
    const transient = this.#transient.get(this.#hash(key));
    if (transient)
      return {
        id: 0,
        isAdmin: false,
        ability: transient,
        expiresMs: Number.POSITIVE_INFINITY,
        usedMs: Number.POSITIVE_INFINITY,
      };
    const row = this.#storage.first(`SELECT ${COLUMNS} FROM galley_tokens WHERE hash = ?`, [this.#hash(key)]);
    if (!row) return undefined;
    const { id, type, permissions, expiresAt, lastUsedAt } = record(row);
    const can = tokenRules[type](new Set(permissions));
    return {
      id,
      isAdmin: type === "admin",
      // tokens of one type may all do the same, but for custom ones
      ability: createAbility("token", type === "custom" ? `token:${id}` : type, can),
      expiresMs: expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt),
      usedMs: lastUsedAt === null ? Number.NEGATIVE_INFINITY : Date.parse(lastUsedAt),
    };
  }

  /** The time of use is kept to the hour, so that reads with a token do not become writes, nor wait for those of others. */
  #touch(id: number, now: number): void {
    this.#storage.tryTransaction(() =>
      this.#storage.run("UPDATE galley_tokens SET last_used_at = ? WHERE id = ?", [new Date(now).toISOString(), id]),
    );
  }
}
