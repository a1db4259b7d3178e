/** The permissions of one caller: decided once per request and passed on as a value. */
export interface Ability {
  readonly kind: "public" | "user" | "token";
  /** Callers with the same key get the same answers. */
  readonly key: string;
  readonly can: (action: string) => boolean;
  /** Whether documents of a type may be read through relations. */
  readonly canRead: (uid: string) => boolean;
  /** The row id of a signed-in user. */
  readonly userId: number | undefined;
  /** The session of a signed-in user, where there are sessions. */
  readonly session?: string | undefined;
}

/** `can` decides by the action's name; reading through a relation needs the permission to find its target. */
export function createAbility(
  kind: Ability["kind"],
  key: string,
  can: (action: string) => boolean,
  userId?: number,
): Ability {
  return { kind, key, can, canRead: (uid) => can(`${uid}.find`), userId };
}

/** `admin`: for the admin's routes alone; no right at all to the Content API. */
export type TokenType = "full-access" | "read-only" | "custom" | "admin";

/** What each type of API token may do. */
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
 * What a site's build may do: a read-only token's rights, and those to schemas and locales, for which some clients
 * (gatsby-source-strapi) are given a full-access token of the reference.
 */
export const siteRules = (action: string): boolean =>
  tokenRules["read-only"](new Set())(action) || DESCRIPTIONS.has(action);
