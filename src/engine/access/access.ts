/** Authentication and authorization: from an Authorization header to the permissions of a caller, which are passed on as a value. */

import { ACCESS, EVERYTHING, SEPARATOR } from "../../lib/cache-tags.ts";
import { stringOrNone } from "../../lib/coerce.ts";
import { ApiError, invalidCredentials } from "../../lib/errors.ts";
import { toRecord } from "../../lib/is-record.ts";
import { logError } from "../../lib/printable.ts";
import type { MaybePromise } from "../../lib/when-ready.ts";
import type { Settings } from "../config/settings.ts";
import type { DocumentsContext } from "../documents/context.ts";
import { PERMISSION, ROLE, USER } from "../schema/builtin/index.ts";
import { contentType } from "../schema/model.ts";
import { tagName } from "../storage/cache-tags.ts";
import { perVersion } from "../storage/connection.ts";
import { quote } from "../storage/sql.ts";
import { contentActions } from "./action-names.ts";
import type { AuthSteps } from "./auth-steps.ts";
import type { Claims, Jwt } from "./jwt.ts";
import type { Users } from "./users.ts";

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
  /** The row of a signed-in user, if a step has read it. */
  readonly user?: unknown;
  /** The session of a signed-in user, where there are sessions. */
  readonly session?: string | undefined;
  /** The API token, without secrets. */
  readonly token?: TokenRecord;
}

/** The cache tags of what decides what a caller may read. Tokens have rights of their own; a user may be given another role. */
export const tagsOfCallers: Readonly<Record<Ability["kind"], string>> = {
  token: EVERYTHING,
  public: [EVERYTHING, ACCESS].join(SEPARATOR),
  user: [EVERYTHING, ACCESS, tagName(USER)].join(SEPARATOR),
};

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

export interface AccessSteps extends AuthSteps {
  /** Finds the caller of a request; undefined: the server does. Throws ApiErrors. */
  readonly identify?: (request: Request) => MaybePromise<Ability> | undefined;
}

export interface AccessServices {
  /** Undefined for what is not an API token; throws UnauthorizedError for one that has expired. */
  readonly tokens: { readonly ability: (key: string) => Ability | undefined };
  readonly users: Users;
  readonly jwt: Jwt;
  readonly settings: Settings["auth"];
  /** Grant the public read access to all content-types. */
  readonly publicRead: boolean;
  readonly steps: () => AccessSteps;
}

export class Access {
  readonly #context: DocumentsContext;
  readonly #services: AccessServices;
  /** Actions by role. */
  #roles = perVersion(() => new Map<number | undefined, ReadonlySet<string>>());
  #publicAbility = perVersion(() => createAbility("public", "role:public", this.publicDecision()));
  #absentActions: ReadonlySet<string> = new Set();

  constructor(context: DocumentsContext, services: AccessServices) {
    this.#context = context;
    this.#services = services;
  }

  get absentActions(): ReadonlySet<string> {
    return this.#absentActions;
  }

  /** Actions of content-types that no route has: refused to every role, even if granted. */
  setAbsentActions(actions: ReadonlySet<string>): void {
    this.#absentActions = actions;
    this.#roles = perVersion(() => new Map());
    this.#publicAbility = perVersion(() => createAbility("public", "role:public", this.publicDecision()));
  }

  /** The bearer token of an `Authorization` header; undefined for other schemes. */
  static bearer(header: string | null): string | undefined {
    if (header === null) return undefined;
    const [scheme, token, ...rest] = header.split(/\s+/);
    return scheme?.toLowerCase() === "bearer" && token && rest.length === 0 ? token : undefined;
  }

  identifyRequest(request: Request): MaybePromise<Ability> {
    return this.#services.steps().identify?.(request) ?? this.identify(request.headers.get("authorization"));
  }

  /**
   * Throws UnauthorizedError for an unknown or expired token. `findClaims`: finds those of a user's token in the server's place, without any for
   * the public; what it throws refuses the caller.
   */
  identify(header: string | null, findClaims?: () => unknown): Ability | Promise<Ability> {
    const token = Access.bearer(header);
    const ability = token === undefined ? undefined : this.#services.tokens.ability(token);
    if (ability) return ability;
    if (findClaims) return this.#userByClaims(findClaims);
    return token === undefined ? this.#public() : this.#userByToken(token);
  }

  async #userByClaims(findClaims: () => unknown): Promise<Ability> {
    const claims = await Promise.try(findClaims).catch(() => {
      throw invalidCredentials();
    });
    if (!claims) return this.#public();
    const { id, sessionId } = toRecord(claims);
    if (id === undefined) throw invalidCredentials();
    return this.#user(Number(id), sessionId);
  }

  async #userByToken(token: string): Promise<Ability> {
    const claims = this.#services.jwt.verify(token);
    const id = claims && this.#readId(claims);
    if (id === undefined) throw invalidCredentials();
    return this.#user(id, claims?.sessionId);
  }

  /** The claims must match the configured kind of token: a plain token, or a session's access token. */
  #readId(claims: Claims): number | undefined {
    const refresh = this.#services.settings.jwtManagement === "refresh";
    if (refresh && claims.type !== "access") return undefined;
    const id = Number(refresh ? claims.userId : claims.type === undefined ? claims.id : Number.NaN);
    return Number.isInteger(id) ? id : undefined;
  }

  /** A user has only the permissions of the role, without those of the public role. A user without a role is refused. */
  async #user(id: number, session: unknown): Promise<Ability> {
    const { settings, users } = this.#services;
    const found = users.byId(id);
    // in refresh mode, a removed user gets the error of an unknown token
    if (!found && settings.jwtManagement === "refresh") throw invalidCredentials();
    const { findCaller } = this.#services.steps();
    // as in Strapi, an error of the step refuses the token
    const user =
      found && findCaller
        ? await Promise.try(findCaller, id).catch((error: unknown) => {
            if (!(error instanceof ApiError)) logError(error);
            throw invalidCredentials();
          })
        : found;
    const { blocked, confirmed, role: own } = toRecord(user);
    if (!user || blocked || (settings.emailConfirmation && !confirmed)) {
      throw new ApiError("UnauthorizedError", "Invalid credentials");
    }
    const role = findCaller ? toRecord(own).id : users.findRole(id);
    if (typeof role !== "number") throw invalidCredentials();
    const actions = this.#listActions(role);
    return {
      ...createAbility("user", `role:${role}`, (action) => actions.has(action), id),
      session: stringOrNone(session),
      ...(findCaller && { user }),
    };
  }

  /** The ability of any user with a role. */
  ofRole(role: number): Ability {
    const actions = this.#listActions(role);
    return createAbility("user", `role:${role}`, (action) => actions.has(action));
  }

  /** The permissions of the public role. */
  publicDecision(): (action: string) => boolean {
    const actions = this.#listActions(undefined);
    return (action) => actions.has(action) || (this.#services.publicRead && this.#isRead(action));
  }

  #public(): Ability {
    // as in Strapi, a public role without permissions is refused with 401
    if (this.#listActions(undefined).size === 0 && !this.#services.publicRead) {
      throw invalidCredentials();
    }
    return this.#publicAbility(this.#context.storage);
  }

  /** Whether an action reads one of the project's own types. */
  #isRead(action: string): boolean {
    const [, uid = "", name = ""] = /^(.*)\.(find|findOne)$/.exec(action) ?? [];
    const type = this.#context.model.types.get(uid);
    return type !== undefined && !type.plugin && contentActions(type).some((candidate) => candidate === name);
  }

  /** `role` undefined: the public one. */
  #listActions(role: number | undefined): ReadonlySet<string> {
    return this.#roles(this.#context.storage).getOrInsertComputed(
      role,
      () => new Set(this.#readRole(role).filter((action) => !this.#absentActions.has(action))),
    );
  }

  #readRole(role: number | undefined): string[] {
    const { storage, model } = this.#context;
    const permission = contentType(model, PERMISSION);
    const attribute = permission.attributes.get("role");
    if (attribute?.kind !== "relation") throw new Error("Permissions have no role");
    // several roles may have the type "public"; the oldest one counts
    const sql = `SELECT p.action FROM galley_links l JOIN ${quote(permission.table)} p ON p.id = l.owner
      WHERE l.field = ? AND l.target = coalesce(?, (SELECT min(id) FROM ${quote(contentType(model, ROLE).table)} WHERE type = 'public'))`;
    return storage.all(sql, [storage.number(attribute.link.field), role ?? null]).map(([action]) => action as string);
  }
}
