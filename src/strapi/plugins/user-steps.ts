/** Steps of requests about users that code does, since it has replaced members of the plugin's services, or has hooks on what they read. */
import type { AccessSteps } from "../../engine/access/access.ts";
import type { AuthSteps } from "../../engine/access/auth-steps.ts";
import { USER } from "../../engine/schema/builtin/index.ts";
import { contentType } from "../../engine/schema/model.ts";
import { mapValues, pickBy } from "../../lib/records.ts";
import type { StrapiDocuments } from "../data/documents.ts";
import type { Lifecycles } from "../data/lifecycles.ts";
import type { Limit } from "../lib/deadlines.ts";
import type { Members } from "../loader/plugin.ts";
import type { Registries } from "../loader/registry.ts";
import { ReplacedMembers } from "../loader/replaced-members.ts";
import { asApiError } from "../packages/errors.ts";
import type { RawContext } from "../rows/row-hooks.ts";

const PLUGIN = "users-permissions";

/** By step, the service and its member. */
const MEMBERS = {
  signToken: ["jwt", "issue"],
  checkPassword: ["user", "validatePassword"],
  addUser: ["user", "add"],
  editUser: ["user", "edit"],
  removeUser: ["user", "remove"],
  fetchUser: ["user", "fetch"],
  fetchUsers: ["user", "fetchAll"],
  countUsers: ["user", "count"],
  findCaller: ["user", "fetchAuthenticatedUser"],
  mailConfirmation: ["user", "sendConfirmationEmail"],
  findRoles: ["role", "find"],
  findRole: ["role", "findOne"],
  createRole: ["role", "createRole"],
  updateRole: ["role", "updateRole"],
  deleteRole: ["role", "deleteRole"],
  listActions: ["users-permissions", "getActions"],
  connectProvider: ["providers", "connect"],
} as const satisfies Record<keyof AuthSteps, readonly [service: string, name: string]>;

/** The first calls the second. */
const TOKEN_READERS = [
  ["jwt", "getToken"],
  ["jwt", "verify"],
] as const;

/** What these members query. They call lifecycles, and not the middlewares of documents. */
const QUERIES = { fetch: "findOne", fetchAll: "findMany", count: "count", remove: "delete" } as const;

type HookedAction = (typeof QUERIES)[keyof typeof QUERIES];

const isQuery = (name: string): name is keyof typeof QUERIES => name in QUERIES;

interface UserStepsOptions {
  /** Of the plugin, before code changes them. */
  readonly services: Members;
  readonly registries: Registries;
  readonly limit: Limit;
  readonly strapi: object;
  readonly identify: AccessSteps["identify"];
  readonly layers: {
    readonly documents: StrapiDocuments;
    readonly lifecycles: Lifecycles;
    readonly raw: Pick<RawContext, "model">;
  };
}

export function createUserSteps({ services, registries, limit, strapi, identify, layers }: UserStepsOptions) {
  const called = Object.groupBy([...Object.values(MEMBERS), ...TOKEN_READERS], ([service]) => service);
  const names = mapValues(called, (members) => members.map(([, name]) => name));
  const replaced = new ReplacedMembers(
    PLUGIN,
    names,
    pickBy(services, (_, name) => name in called),
    registries,
    strapi,
  );
  const getters = mapValues(MEMBERS, (member) => ({ get: () => step(member) }));
  /** Each is looked up when it is read, since code may replace members at any time. */
  const steps: AccessSteps = Object.defineProperties({ identify }, getters);

  /** Whether code may see what is done to users. */
  function hasHooks(action: HookedAction): boolean {
    if (action === "findOne") return layers.lifecycles.listens(contentType(layers.raw.model, USER), action);
    // Strapi emits no event for a user that is removed
    return action === "delete" || layers.documents.watchesReads(USER);
  }

  /** Undefined: the server does the step. */
  function step([service, name]: readonly [service: string, name: string]) {
    const isHooked = service === "user" && isQuery(name) && hasHooks(QUERIES[name]);
    return isHooked || replaced.has(`${service}.${name}`) ? call(service, name) : undefined;
  }

  function call(service: string, name: string): (...values: readonly unknown[]) => Promise<unknown> {
    const uid = `plugin::${PLUGIN}.${service}`;
    return (...values) => {
      const members = registries.services.get(uid) as Record<string, (...values: readonly unknown[]) => unknown>;
      return limit(`${uid}.${name}`, () => members[name]!(...values)).catch((error: unknown) => {
        throw asApiError(error);
      });
    };
  }

  return {
    /** Finds the claims of the token in a request; undefined: the server does. */
    get findClaims(): ((ctx: object) => Promise<unknown>) | undefined {
      return TOKEN_READERS.some(([, name]) => replaced.has(`jwt.${name}`)) ? call("jwt", "getToken") : undefined;
    },
    /** Replaced members that requests do not call. Throws what a service of the code throws. */
    get uncalled(): string[] {
      return replaced.uncalled;
    },
    steps,
  };
}
