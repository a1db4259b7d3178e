/** Reads and writes roles and their permissions, in the shapes of the users-permissions endpoints. */
import { toText } from "../../lib/coerce.ts";
import { ApiError, notFound, validationError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { DocumentsContext } from "../documents/context.ts";
import { deleteRow } from "../documents/delete-row.ts";
import { Links } from "../documents/links.ts";
import { trustedQuery } from "../query/check-query.ts";
import { findRows } from "../query/run.ts";
import type { Document } from "../query/select.ts";
import { emptyQuery } from "../query/tree.ts";
import { PERMISSION, ROLE, USER } from "../schema/builtin/index.ts";
import { apiTypes, contentType, type Link } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import { contentActions, pluginActions } from "./action-names.ts";
import { insertRow } from "./insert-row.ts";

type Switch = { readonly enabled: boolean; readonly policy: "" };
type Controllers = Record<string, Record<string, Switch>>;
export type PermissionMap = Record<string, { readonly controllers: Controllers }>;

/** How the actions differ from those of the content-types. */
interface ActionChanges {
  readonly added: readonly string[];
  readonly absent: ReadonlySet<string>;
}

export class Roles {
  readonly #context: DocumentsContext;
  readonly #changes: () => ActionChanges;

  constructor(context: DocumentsContext, changes: () => ActionChanges = () => ({ added: [], absent: new Set() })) {
    this.#context = context;
    this.#changes = changes;
  }

  #permissions(): Links {
    const attribute = contentType(this.#context.model, ROLE).attributes.get("permissions");
    if (attribute?.kind !== "relation") throw new Error("Roles have no permissions");
    return new Links(this.#context.storage, attribute.link);
  }

  /** The links of users to their roles, seen from roles. Extensions may leave out the relation, or the name of this side. */
  #userLink(): Link | undefined {
    const role = contentType(this.#context.model, USER).attributes.get("role");
    if (role?.kind !== "relation" || role.link.field === "") return undefined;
    return { ...role.link, side: role.link.side === "owner" ? "inverse" : "owner" };
  }

  #users(): Links | undefined {
    const link = this.#userLink();
    return link && new Links(this.#context.storage, link);
  }

  #table(uid: string): string {
    return quote(contentType(this.#context.model, uid).table);
  }

  idByType(type: string): number | undefined {
    return this.#context.storage.first(`SELECT id FROM ${this.#table(ROLE)} WHERE type = ? ORDER BY id`, [type])?.[0] as
      | number
      | undefined;
  }

  /** The first user of a role; undefined for a role without any. */
  firstUser(role: number): number | undefined {
    const users = this.#users()?.list(role) ?? [];
    return users.length === 0 ? undefined : Math.min(...users);
  }

  #rows(ids?: readonly number[]): Document[] {
    const { storage, model } = this.#context;
    const query = trustedQuery(emptyQuery(contentType(model, ROLE)));
    return findRows({ storage, model, status: "published" }, query, { locales: undefined, ...(ids && { ids }) });
  }

  list(): Document[] {
    const { storage } = this.#context;
    const roles = this.#rows();
    const link = this.#userLink();
    const sql = "SELECT target, count(*) FROM galley_links WHERE field = ? GROUP BY target";
    const counts = new Map(link && (storage.all(sql, [storage.number(link.field)]) as [number, number][]));
    return roles.map((role) => ({ ...role, nb_users: counts.get(role.id as number) ?? 0 }));
  }

  /** A role with its permissions. Throws NotFoundError. */
  find(id: number): Document {
    const [role] = this.#rows([id]);
    if (!role) throw notFound("Role not found");
    return { ...role, permissions: this.permissionMap(this.actions(id)) };
  }

  actions(role: number): Set<string> {
    const { storage } = this.#context;
    const ids = JSON.stringify(this.#permissions().list(role));
    const rows = storage.all(
      `SELECT action FROM ${this.#table(PERMISSION)} WHERE id IN (SELECT value FROM json_each(?))`,
      [ids],
    );
    return new Set(rows.map(([action]) => action as string));
  }

  /** All actions by API or plugin, including enabled actions that no longer exist. */
  permissionMap(enabled: ReadonlySet<string>): PermissionMap {
    const map = createMap<{ controllers: Controllers }>();
    const { added, absent } = this.#changes();
    const add = (apiId: string, controller: string, actions: readonly string[]): void => {
      map[apiId] ??= { controllers: createMap() };
      map[apiId].controllers[controller] = Object.fromEntries(
        actions.map((action) => [action, { enabled: enabled.has(`${apiId}.${controller}.${action}`), policy: "" }]),
      );
    };
    for (const type of apiTypes(this.#context.model)) {
      const [apiId, controller] = type.uid.split(".") as [string, string];
      const actions = contentActions(type).filter((action) => !absent.has(`${type.uid}.${action}`));
      if (actions.length > 0) add(apiId, controller, actions);
    }
    for (const [plugin, controllers] of Object.entries(pluginActions)) {
      for (const [controller, actions] of Object.entries(controllers)) add(plugin, controller, actions);
    }
    for (const name of [...added, ...enabled]) {
      if (absent.has(name)) continue;
      const [apiId, controller, action] = name.split(".");
      if (apiId === undefined || controller === undefined || action === undefined) continue;
      map[apiId] ??= { controllers: createMap() };
      map[apiId].controllers[controller] ??= createMap();
      map[apiId].controllers[controller][action] ??= { enabled: enabled.has(name), policy: "" };
    }
    return inOrder(map);
  }

  /** Replaces the actions of a role. */
  setActions(role: number, actions: Iterable<string>): void {
    const { storage, model } = this.#context;
    const missingActions = new Set(actions);
    const links = this.#permissions();
    const current = links.list(role);
    const keptIds: number[] = [];
    for (const id of current) {
      const [action] = storage.first(`SELECT action FROM ${this.#table(PERMISSION)} WHERE id = ?`, [id]) ?? [];
      if (missingActions.delete(action as string)) keptIds.push(id);
      else deleteRow(this.#context, contentType(model, PERMISSION), id);
    }
    const added = [...missingActions].map((action) => insertRow(this.#context, PERMISSION, { action }));
    links.replace(role, keptIds, [...keptIds, ...added]);
  }

  insert(values: { readonly name: string | null; readonly description: string | null; readonly type: string }): number {
    return insertRow(this.#context, ROLE, values);
  }

  /** Writes only if something differs. */
  rename(id: number, { name, description }: { readonly name: string; readonly description: string }): void {
    const sql = `UPDATE ${this.#table(ROLE)} SET name = ?1, description = ?2 WHERE id = ?3 AND (name IS NOT ?1 OR description IS NOT ?2)`;
    this.#context.storage.run(sql, [name, description, id]);
  }

  /** Derives a missing type from the name. Throws a ValidationError for an empty body. */
  async create(body: unknown): Promise<void> {
    const input = requireBody(body);
    const name = nullableText(input.name);
    const { snakeCase } = require("lodash") as typeof import("lodash");
    const type = nullableText(input.type) || snakeCase((name ?? "").toLowerCase());
    await this.#context.storage.write(() => {
      const id = this.insert({ name, description: nullableText(input.description), type });
      this.setActions(id, enabledActions(input.permissions));
    });
  }

  /** Replaces all permissions; does not change the type. Throws NotFoundError, and a ValidationError for an empty body. */
  async update(id: number, body: unknown): Promise<void> {
    const input = requireBody(body);
    this.find(id);
    await this.#context.storage.write(() => {
      for (const key of ["name", "description"] as const) {
        if (input[key] !== undefined)
          this.#context.storage.run(`UPDATE ${this.#table(ROLE)} SET ${key} = ? WHERE id = ?`, [
            nullableText(input[key]),
            id,
          ]);
      }
      this.#context.storage.run(`UPDATE ${this.#table(ROLE)} SET updated_at = ? WHERE id = ?`, [
        this.#context.clock.writeTime(),
        id,
      ]);
      this.setActions(id, enabledActions(input.permissions));
    });
  }

  /** Moves the role's users to the public role. Throws NotFoundError, and an ApplicationError for the public role. */
  async remove(id: number): Promise<void> {
    const publicRole = this.idByType("public");
    if (id === publicRole) throw new ApiError("ApplicationError", "Cannot delete public role");
    this.find(id);
    await this.#context.storage.write(() => {
      const users = this.#users();
      const members = users?.list(id) ?? [];
      if (users && publicRole !== undefined && members.length > 0) {
        const current = users.list(publicRole);
        users.replace(publicRole, current, [...current, ...members], { exclusive: true });
      }
      this.setActions(id, []);
      deleteRow(this.#context, contentType(this.#context.model, ROLE), id);
    });
  }
}

/** Clients may choose names of `Object.prototype` as keys. */
const createMap = <T>(): Record<string, T> => Object.create(null);

/** As in Strapi, APIs come before plugins, and they and their controllers in the order of their files. */
function inOrder(map: PermissionMap): PermissionMap {
  const names = Object.keys(map);
  const isApi = (name: string): boolean => name.startsWith("api::");
  const apis = names
    .filter(isApi)
    .sort()
    .map((name) => {
      const { controllers } = map[name]!;
      const sorted = Object.keys(controllers).sort();
      return [name, { controllers: Object.fromEntries(sorted.map((own) => [own, controllers[own]!])) }] as const;
    });
  const others = names.filter((name) => !isApi(name)).map((name) => [name, map[name]!] as const);
  return Object.fromEntries([...apis, ...others]);
}

const nullableText = (value: unknown): string | null => (value === undefined || value === null ? null : toText(value));

/** Throws a ValidationError for an empty one. */
export function requireBody(body: unknown): Record<string, unknown> {
  if (!isRecord(body) || Object.keys(body).length === 0) throw validationError("Request body cannot be empty");
  return body;
}

/**
 * The enabled actions of a permission map, including unknown ones. Throws a ValidationError for null instead of a nested map.
 */
function enabledActions(map: unknown): string[] {
  const actions: string[] = [];
  for (const [apiId, permissions] of readEntries(map, "permissions")) {
    for (const [controller, switches] of readEntries(readProperty(permissions, "controllers", apiId), apiId)) {
      for (const [action, value] of readEntries(switches, `${apiId}.${controller}`)) {
        const name = `${apiId}.${controller}.${action}`;
        if (readProperty(value, "enabled", name)) actions.push(name);
      }
    }
  }
  return actions;
}

const readEntries = (value: unknown, path: string): [string, unknown][] => {
  if (value === null && path !== "permissions") throw validationError(`${path} must be an object`);
  return isRecord(value) ? Object.entries(value) : [];
};

function readProperty(value: unknown, name: string, path: string): unknown {
  if (value === null) throw validationError(`${path} must be an object`);
  return isRecord(value) ? value[name] : undefined;
}
