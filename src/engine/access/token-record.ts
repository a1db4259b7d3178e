/** API tokens as they are stored, without their keys. */

/** `admin` tokens are for admin routes only, and have no access to the Content API. */
export type TokenType = "full-access" | "read-only" | "custom" | "admin";

export interface TokenRecord {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly type: TokenType;
  readonly permissions: readonly string[];
  /** Lifespan in milliseconds, if any. */
  readonly lifespan: number | null;
  /** ISO time; null: never. */
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  /** `config`: managed by config/galley.json. */
  readonly origin: "config" | "command";
  /** ISO times. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

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
