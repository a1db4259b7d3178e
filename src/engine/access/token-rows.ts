/** Tokens of the Content API with their hashes, as the project's code reads and writes them. */
import type { Storage } from "../storage/storage.ts";
import { TOKEN_COLUMNS, type TokenRecord, toTokenRecord } from "./token-record.ts";

export interface TokenRow extends TokenRecord {
  readonly hash: string;
  readonly encryptedKey: string | null;
}

/** Without admin tokens. */
export function tokenRows(storage: Storage): TokenRow[] {
  const sql = `SELECT hash, encrypted_key, ${TOKEN_COLUMNS} FROM galley_tokens WHERE type != 'admin' ORDER BY id`;
  return storage
    .all(sql)
    .map(([hash, encryptedKey, ...row]) => ({ ...toTokenRecord(row), hash, encryptedKey }) as TokenRow);
}

/** The highest id that a token has or had, also an admin token. */
export const lastTokenId = (storage: Storage): number =>
  Number(storage.first("SELECT seq FROM sqlite_sequence WHERE name = 'galley_tokens'")?.[0] ?? 0);

/** Whether another token has the name, also an admin token. */
export const isNameTaken = (storage: Storage, { id, name }: Pick<TokenRow, "id" | "name">): boolean =>
  storage.first("SELECT id FROM galley_tokens WHERE name = ? AND id != ?", [name, id]) !== undefined;

/** Inserts or replaces the token with this id. Expects a transaction, as does `deleteTokenRow`. Names and hashes must be unique. */
export function saveTokenRow(storage: Storage, row: TokenRow): void {
  storage.run(
    `INSERT INTO galley_tokens (id, name, type, hash, permissions, expires_at, last_used_at, origin, created_at, description,
     lifespan, encrypted_key, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, type = excluded.type, hash = excluded.hash,
     permissions = excluded.permissions, expires_at = excluded.expires_at, last_used_at = excluded.last_used_at,
     description = excluded.description, lifespan = excluded.lifespan, encrypted_key = excluded.encrypted_key,
     updated_at = excluded.updated_at`,
    [
      row.id,
      row.name,
      row.type,
      row.hash,
      JSON.stringify(row.permissions),
      row.expiresAt,
      row.lastUsedAt,
      row.origin,
      row.createdAt,
      row.description,
      row.lifespan,
      row.encryptedKey,
      row.updatedAt,
    ],
  );
}

export const deleteTokenRow = (storage: Storage, id: number): void =>
  void storage.run("DELETE FROM galley_tokens WHERE id = ?", [id]);
