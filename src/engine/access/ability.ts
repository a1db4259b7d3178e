/** The permissions of one caller: decided once per request and passed on as a value. */

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

export interface Ability {
  readonly kind: "public" | "user" | "token";
  /** Callers with the same key get the same responses: part of cache keys. */
  readonly key: string;
  readonly can: (action: string) => boolean;
  /** Whether documents of a type may be read through relations. */
  readonly canRead: (uid: string) => boolean;
  /** The row id of a signed-in user. */
  readonly userId: number | undefined;
  /** The session of a signed-in user, where there are sessions. */
  readonly session?: string | undefined;
  /** The API token, without secrets. */
  readonly token?: TokenRecord;
}

/** `can` takes the name of an action. Reading through a relation requires the `find` action of its target. */
export function createAbility(
  kind: Ability["kind"],
  key: string,
  can: (action: string) => boolean,
  userId?: number,
): Ability {
  return { kind, key, can, canRead: (uid) => can(`${uid}.find`), userId };
}

/** Permissions of each type of API token. */
export const tokenRules: Readonly<
  Record<TokenType, (permissions: ReadonlySet<string>) => (action: string) => boolean>
> = {
  "full-access": () => () => true,
  "read-only": () => (action) => action.endsWith(".find") || action.endsWith(".findOne"),
  custom: (permissions) => (action) => permissions.has(action),
  admin: () => () => false,
};

const DESCRIPTIONS: ReadonlySet<string> = new Set([
  "plugin::content-type-builder.components.getComponents",
  "plugin::content-type-builder.components.getComponent",
  "plugin::content-type-builder.content-types.getContentTypes",
  "plugin::content-type-builder.content-types.getContentType",
  "plugin::i18n.locales.listLocales",
  "plugin::upload.content-api.findPage",
]);

/**
 * Permissions of a site's build: those of a read-only token, and reading schemas and locales, for which some clients
 * (gatsby-source-strapi) need a full-access token in Strapi.
 */
export const siteRules = (action: string): boolean =>
  tokenRules["read-only"](new Set())(action) || DESCRIPTIONS.has(action);
