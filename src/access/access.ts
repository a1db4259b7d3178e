/** Who calls: from an Authorization header to an ability. */
import type { DocumentsContext } from "../documents/context.ts";
import { ApiError } from "../errors.ts";
import { PERMISSION, ROLE } from "../schema/builtin/index.ts";
import { apiTypes, contentType } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import { type Ability, createAbility } from "./ability.ts";
import { contentActions } from "./action-names.ts";
import type { Tokens } from "./tokens.ts";

export interface AccessOptions {
  /** Everybody may read every content-type. */
  readonly publicRead: boolean;
}

export class Access {
  readonly #context: DocumentsContext;
  readonly tokens: Tokens;
  readonly #options: AccessOptions;
  /** Actions by role type, as of a version of the content. */
  #roles: { version: string; actions: Map<string, ReadonlySet<string>> } | undefined;

  constructor(context: DocumentsContext, tokens: Tokens, options: AccessOptions) {
    this.#context = context;
    this.tokens = tokens;
    this.#options = options;
  }

  /** The credentials of a request. A header that is no bearer token counts as none. */
  static bearer(header: string | null): string | undefined {
    const [scheme, token, ...rest] = (header ?? "").split(/\s+/);
    return scheme?.toLowerCase() === "bearer" && token && rest.length === 0 ? token : undefined;
  }

  /** Throws UnauthorizedError for a token that is not known or no longer good. */
  async identify(header: string | null): Promise<Ability> {
    const token = Access.bearer(header);
    if (token === undefined) return this.#public();
    const ability = this.tokens.ability(token);
    if (ability) return ability;
    throw new ApiError("UnauthorizedError", "Missing or invalid credentials");
  }

  /** What everybody may do. */
  publicDecision(): (action: string) => boolean {
    const actions = this.#actionsOf("public");
    const readable = this.#options.publicRead ? this.#readActions() : undefined;
    return (action) => actions.has(action) || readable?.has(action) === true;
  }

  #public(): Ability {
    // without a single permission the public is nobody at all
    if (this.#actionsOf("public").size === 0 && !this.#options.publicRead) {
      throw new ApiError("UnauthorizedError", "Missing or invalid credentials");
    }
    return createAbility("public", "role:public", this.publicDecision());
  }

  #readActions(): ReadonlySet<string> {
    const names = apiTypes(this.#context.model).flatMap((type) =>
      contentActions(type)
        .filter((action) => action === "find" || action === "findOne")
        .map((action) => `${type.uid}.${action}`),
    );
    return new Set(names);
  }

  #actionsOf(role: string): ReadonlySet<string> {
    const version = this.#context.storage.version();
    if (this.#roles?.version !== version) this.#roles = { version, actions: new Map() };
    let actions = this.#roles.actions.get(role);
    if (!actions) {
      actions = new Set(this.#readRole(role));
      this.#roles.actions.set(role, actions);
    }
    return actions;
  }

  #readRole(role: string): string[] {
    const { storage, model } = this.#context;
    const permission = contentType(model, PERMISSION);
    const attribute = permission.attributes.get("role");
    if (attribute?.kind !== "relation") throw new Error("Permissions have no role");
    const sql = `SELECT p.action FROM ${quote(contentType(model, ROLE).table)} r JOIN galley_links l ON l.field = ? AND l.target = r.id
      JOIN ${quote(permission.table)} p ON p.id = l.owner WHERE r.type = ?`;
    return storage.all(sql, [storage.number(attribute.link.field), role]).map(([action]) => action as string);
  }
}
