/** Reads, creates, changes and removes roles for REST and GraphQL, with the steps that replace the server's. Ids are as they were sent. */
import { applicationError, notFound } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { pickBy } from "../../lib/records.ts";
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

  async list(): Promise<unknown> {
    const { findRoles } = this.#steps();
    if (!findRoles) return this.#roles.list();
    const found = await findRoles();
    return Array.isArray(found) ? found.map(withoutLocale) : found;
  }

  /** With its permissions. Throws NotFoundError, as do the others. */
  async find(id: unknown): Promise<unknown> {
    const { findRole } = this.#steps();
    if (!findRole) return this.#roles.find(parseRowId(id));
    const found = await findRole(id);
    if (!found) throw notFound();
    return withoutLocale(found);
  }

  /** Throws a ValidationError for an empty body, as does `update`. */
  async create(body: unknown): Promise<void> {
    const { createRole } = this.#steps();
    if (createRole) await createRole(requireBody(body));
    else this.#roles.create(body);
  }

  async update(id: unknown, body: unknown): Promise<void> {
    const { updateRole } = this.#steps();
    if (updateRole) await updateRole(id, requireBody(body));
    else this.#roles.update(parseRowId(id), body);
  }

  /** Throws an ApplicationError for the public role. */
  async remove(id: unknown): Promise<void> {
    const publicRole = this.#roles.idByType("public");
    if (parseRowId(id) === publicRole) throw applicationError("Cannot delete public role");
    const { deleteRole } = this.#steps();
    if (deleteRole) await deleteRole(id, publicRole);
    else this.#roles.remove(parseRowId(id));
  }

  /** The actions of all routes, none of them enabled. */
  async permissions(): Promise<unknown> {
    const { listActions } = this.#steps();
    return listActions ? listActions() : this.#roles.permissionMap(new Set());
  }
}
