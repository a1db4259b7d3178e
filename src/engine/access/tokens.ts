/**
 * API tokens, stored as a keyed hash. The keys of tokens that were created in the admin are also stored encrypted, since Strapi's
 * admin shows them again; others are never shown again.
 */
import type { Clock } from "../../lib/clock.ts";
import { ApiError } from "../../lib/errors.ts";
import { recordEverything } from "../storage/change-log/change-log.ts";
import { perSettings } from "../storage/connection.ts";
import type { Storage } from "../storage/storage.ts";
import { type Ability, createAbility, siteRules, type TokenRecord, type TokenType, tokenRules } from "./access.ts";
import { decryptKey, encryptKey } from "./encrypted-key.ts";

export const TOKEN_COLUMNS =
  "id, name, type, permissions, expires_at, last_used_at, origin, created_at, description, lifespan, updated_at";

/** A row of `TOKEN_COLUMNS`. */
export function toTokenRecord(row: readonly unknown[]): TokenRecord {
  const [id, name, type, permissions, expiresAt, lastUsedAt, origin, createdAt, description, lifespan, updatedAt] = row;
  return {
    id,
    name,
    description: description ?? "",
    type,
    permissions: JSON.parse(permissions as string),
    lifespan,
    expiresAt,
    lastUsedAt,
    origin,
    createdAt,
    updatedAt: updatedAt ?? createdAt,
  } as TokenRecord;
}

const HOUR_MS = 3_600_000;

export const TOKEN_TABLE = `CREATE TABLE IF NOT EXISTS galley_tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, type TEXT NOT NULL, hash TEXT NOT NULL UNIQUE,
  permissions TEXT NOT NULL, expires_at TEXT, last_used_at TEXT, origin TEXT NOT NULL, created_at TEXT NOT NULL,
  description TEXT, lifespan INTEGER, encrypted_key TEXT, updated_at TEXT)`;

export interface NewToken {
  readonly name: string;
  readonly type: TokenType;
  readonly key: string;
  readonly permissions: readonly string[];
  readonly expiresAt: string | null;
  readonly origin: TokenRecord["origin"];
  readonly description?: string;
  readonly lifespan?: number | null;
  /** Stores the key encrypted. */
  readonly canBeShown?: boolean;
}

/** The ability of a token. */
export function createTokenAbility(token: TokenRecord): Ability {
  const { id, type, permissions } = token;
  // all tokens of a type other than custom have the same permissions
  const key = type === "custom" ? `token:${id}` : type;
  return { ...createAbility("token", key, tokenRules[type](new Set(permissions))), token };
}

/** A token as requests need it; times in milliseconds since 1970. */
interface CachedToken {
  readonly id: number;
  readonly isAdmin: boolean;
  readonly ability: Ability;
  readonly expiresMs: number;
  readonly usedMs: number;
}

export class Tokens {
  readonly #storage: Storage;
  /** The key of the hashes: `apiToken.salt` of Strapi. */
  readonly salt: string;
  readonly #clock: Clock;
  /** Abilities of tokens that are not stored, by hash of the key. */
  readonly #transient = new Map<string, Ability>();
  /** Cache of stored tokens, by key. */
  readonly #cache = perSettings(() => new Map<string, CachedToken>());

  constructor(storage: Storage, salt: string, clock: Clock) {
    this.#storage = storage;
    this.salt = salt;
    this.#clock = clock;
  }

  /** A key that is valid while this process runs, and not stored: for a site's build, or as a token of a type has it. */
  addTransient(key: string, type?: "full-access" | "read-only"): void {
    const ability = type
      ? createAbility("token", type, tokenRules[type](new Set()))
      : createAbility("token", "site", siteRules);
    this.#transient.set(this.hash(key), ability);
  }

  createTable(): void {
    this.#storage.run(TOKEN_TABLE);
  }

  /** The whole hash is looked up in an index, so that timing reveals nothing about a key. */
  hash(key: string): string {
    return new Bun.CryptoHasher("sha512", this.salt).update(key).digest("hex");
  }

  #time(): string {
    return new Date(this.#clock.now()).toISOString();
  }

  list(): TokenRecord[] {
    return this.#storage.all(`SELECT ${TOKEN_COLUMNS} FROM galley_tokens ORDER BY id`).map(toTokenRecord);
  }

  put(token: NewToken): void {
    const now = this.#time();
    this.#storage.run(
      `INSERT INTO galley_tokens (name, type, hash, permissions, expires_at, origin, created_at, description, lifespan,
       encrypted_key, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET type = excluded.type, hash = excluded.hash, permissions = excluded.permissions,
       expires_at = excluded.expires_at, origin = excluded.origin, description = excluded.description,
       lifespan = excluded.lifespan, encrypted_key = excluded.encrypted_key, updated_at = excluded.updated_at`,
      [
        token.name,
        token.type,
        this.hash(token.key),
        JSON.stringify(token.permissions),
        token.expiresAt,
        token.origin,
        now,
        token.description ?? "",
        token.lifespan ?? null,
        token.canBeShown ? encryptKey(token.key, this.salt) : null,
        now,
      ],
    );
  }

  /** Changes everything but the key and its expiry. */
  change(id: number, token: Pick<NewToken, "name" | "type" | "permissions" | "description">): void {
    const { name, type, permissions, description = "" } = token;
    recordEverything(this.#storage);
    this.#storage.run(
      "UPDATE galley_tokens SET name = ?, type = ?, permissions = ?, description = ?, updated_at = ? WHERE id = ?",
      [name, type, JSON.stringify(permissions), description, this.#time(), id],
    );
  }

  /** The key of a token that can be shown again; undefined for other tokens, and if the server's secret has changed. */
  readKey(id: number): string | undefined {
    const [encrypted] = this.#storage.first("SELECT encrypted_key FROM galley_tokens WHERE id = ?", [id]) ?? [];
    return typeof encrypted === "string" ? decryptKey(encrypted, this.salt) : undefined;
  }

  remove(name: string): boolean {
    return this.#storage.run("DELETE FROM galley_tokens WHERE name = ?", [name]).changes > 0;
  }

  /**
   * The ability of a token in the Content API; undefined for an unknown key and for admin tokens. Throws UnauthorizedError for an
   * expired token.
   */
  ability(key: string): Ability | undefined {
    const token = this.#findAndTouch(key);
    return token?.isAdmin ? undefined : token?.ability;
  }

  /** That of an admin token; undefined for other keys. Throws UnauthorizedError for an expired token. */
  adminAbility(key: string): Ability | undefined {
    const token = this.#findAndTouch(key);
    return token?.isAdmin ? token.ability : undefined;
  }

  /** Whether the key is that of an admin token. Throws UnauthorizedError for an expired token. */
  isAdmin(key: string): boolean {
    return this.adminAbility(key) !== undefined;
  }

  #findAndTouch(key: string): CachedToken | undefined {
    const cache = this.#cache(this.#storage);
    let cached = cache.get(key);
    if (!cached) {
      cached = this.#find(key);
      if (!cached) return undefined;
      cache.set(key, cached);
    }
    const now = this.#clock.now();
    // an invalid time counts as expired
    if (!(cached.expiresMs > now)) throw new ApiError("UnauthorizedError", "Token expired");
    if (now - cached.usedMs >= HOUR_MS) this.#touch(cached.id, now);
    return cached;
  }

  #find(key: string): CachedToken | undefined {
    const transient = this.#transient.get(this.hash(key));
    if (transient)
      return {
        id: 0,
        isAdmin: false,
        ability: transient,
        expiresMs: Number.POSITIVE_INFINITY,
        usedMs: Number.POSITIVE_INFINITY,
      };
    const row = this.#storage.first(`SELECT ${TOKEN_COLUMNS} FROM galley_tokens WHERE hash = ?`, [this.hash(key)]);
    if (!row) return undefined;
    const token = toTokenRecord(row);
    const { id, type, expiresAt, lastUsedAt } = token;
    return {
      id,
      isAdmin: type === "admin",
      ability: createTokenAbility(token),
      expiresMs: expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt),
      usedMs: lastUsedAt === null ? Number.NEGATIVE_INFINITY : Date.parse(lastUsedAt),
    };
  }

  /** The time of last use is rounded to the hour, so that not every read with a token causes a write. */
  #touch(id: number, now: number): void {
    this.#storage.tryTransaction(() =>
      this.#storage.run("UPDATE galley_tokens SET last_used_at = ? WHERE id = ?", [new Date(now).toISOString(), id]),
    );
  }
}

const DAY_MS = 86_400_000;

/** Those that Strapi offers, in milliseconds: unlimited, or a number of days. */
export const LIFESPANS: readonly (number | null)[] = [null, 7 * DAY_MS, 30 * DAY_MS, 90 * DAY_MS];

/** When a token with this lifespan expires: an ISO time, or null for never. Expects one of `LIFESPANS`, or no value. `now`: in milliseconds. */
export function readLifespan(
  lifespan: unknown,
  now: number,
): {
  readonly lifespan: number | null;
  readonly expiresAt: string | null;
} {
  if (lifespan === undefined || lifespan === null || lifespan === "") return { lifespan: null, expiresAt: null };
  return { lifespan: Number(lifespan), expiresAt: new Date(now + Number(lifespan)).toISOString() };
}
