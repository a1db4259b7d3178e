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

export class RoleAdmin {
  readonly #roles: Roles;
  readonly #steps: () => AuthSteps;

  constructor(roles: Roles, steps: () => AuthSteps) {
    this.#roles = roles;
    this.#steps = steps;
  }

  list(): MaybePromise<unknown> {
    const { findRoles } = this.#steps();
    if (!findRoles) return this.#roles.list();
    return whenReady(findRoles(), (found) => (Array.isArray(found) ? found.map(withoutLocale) : found));
  }

  /** With its permissions. Throws NotFoundError, as do the others. */
  find(id: unknown): MaybePromise<unknown> {
    const { findRole } = this.#steps();
    if (!findRole) return this.#roles.find(parseRowId(id));
    return whenReady(findRole(id), (found) => {
      if (!found) throw notFound();
      return withoutLocale(found);
    });
  }

  /** Throws a ValidationError for an empty body, as does `update`. */
  create(body: unknown): MaybePromise<unknown> {
    const { createRole } = this.#steps();
    return createRole ? createRole(requireBody(body)) : this.#roles.create(body);
  }

  update(id: unknown, body: unknown): MaybePromise<unknown> {
    const { updateRole } = this.#steps();
    return updateRole ? updateRole(id, requireBody(body)) : this.#roles.update(parseRowId(id), body);
  }

  /** Throws an ApplicationError for the public role. */
  remove(id: unknown): MaybePromise<unknown> {
    const publicRole = this.#roles.idByType("public");
    if (parseRowId(id) === publicRole) throw applicationError("Cannot delete public role");
    const { deleteRole } = this.#steps();
    return deleteRole ? deleteRole(id, publicRole) : this.#roles.remove(parseRowId(id));
  }

  /** The actions of all routes, none of them enabled. */
  permissions(): MaybePromise<unknown> {
    const { listActions } = this.#steps();
    return listActions ? listActions() : this.#roles.permissionMap(new Set());
  }
}
