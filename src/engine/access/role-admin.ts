/** Reads, creates, changes and removes roles for REST and GraphQL, with the steps that replace the server's. Ids are as they were sent. */
import { applicationError, notFound } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { pickBy } from "../../lib/records.ts";
import { type MaybePromise, whenReady } from "../../lib/when-ready.ts";
import type { AuthSteps } from "./auth-steps.ts";
import { type Roles, requireBody } from "./roles.ts";
import { parseRowId } from "./users.ts";

/** Of rows, which the API does not show. */
const LOCALE_FIELDS: ReadonlySet<string> = new Set(["locale", "localizations"]);

const withoutLocale = (role: unknown): unknown =>
  isRecord(role) ? pickBy(role, (_, key) => !LOCALE_FIELDS.has(key)) : role;

export function createRoleAdmin(roles: Roles, steps: () => AuthSteps) {
  function list(): MaybePromise<unknown> {
    const { findRoles } = steps();
    if (!findRoles) return roles.list();
    return whenReady(findRoles(), (found) => (Array.isArray(found) ? found.map(withoutLocale) : found));
  }

  /** With its permissions. Throws NotFoundError, as do the others. */
  function find(id: unknown): MaybePromise<unknown> {
    const { findRole } = steps();
    if (!findRole) return roles.find(parseRowId(id));
    return whenReady(findRole(id), (found) => {
      if (!found) throw notFound();
      return withoutLocale(found);
    });
  }

  /** Throws a ValidationError for an empty body, as does `update`. */
  function create(body: unknown): MaybePromise<unknown> {
    const { createRole } = steps();
    return createRole ? createRole(requireBody(body)) : roles.create(body);
  }

  function update(id: unknown, body: unknown): MaybePromise<unknown> {
    const { updateRole } = steps();
    return updateRole ? updateRole(id, requireBody(body)) : roles.update(parseRowId(id), body);
  }

  /** Throws an ApplicationError for the public role. */
  function remove(id: unknown): MaybePromise<unknown> {
    const publicRole = roles.idByType("public");
    if (parseRowId(id) === publicRole) throw applicationError("Cannot delete public role");
    const { deleteRole } = steps();
    return deleteRole ? deleteRole(id, publicRole) : roles.remove(parseRowId(id));
  }

  /** The actions of all routes, none of them enabled. */
  function permissions(): MaybePromise<unknown> {
    const { listActions } = steps();
    return listActions ? listActions() : roles.permissionMap(new Set());
  }

  return { list, find, create, update, remove, permissions };
}

export type RoleAdmin = ReturnType<typeof createRoleAdmin>;
