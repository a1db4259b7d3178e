/** Recognizes the administrator in requests to a project's own code: by admin tokens, and in sessions of the admin page. */
import { superAdmin } from "../admin/account/super-admin.ts";
import { administratorRow } from "../admin/administrator.ts";
import { listPermissions, permissionsFor } from "../admin/permissions/permissions.ts";
import { Access } from "../engine/access/access.ts";
import { once } from "../lib/once.ts";
import type { ProjectCode } from "../strapi/project-code.ts";
import type { AdministratorCaller } from "../strapi/runtime.ts";
import type { Project } from "./project/project.ts";

export class Administrators {
  readonly #project: Project;
  readonly #code: ProjectCode;
  /** The ids of sessions, by the requests that were sent in them. */
  readonly #sessions = new WeakMap<Request, string>();

  constructor(project: Project, code: ProjectCode) {
    this.#project = project;
    this.#code = code;
  }

  /** Records that a request was sent in a session, which the caller has checked. */
  add(request: Request, session: string): void {
    this.#sessions.set(request, session);
  }

  /** Undefined if the request is not an administrator's, or there is no admin. Throws an ApiError for an expired token. */
  find(request: Request): AdministratorCaller | undefined {
    const { context, access, hasAdmin } = this.#project;
    if (!hasAdmin) return undefined;
    const session = this.#sessions.get(request);
    const key = session === undefined ? Access.bearer(request.headers.get("authorization")) : undefined;
    const token = key === undefined ? undefined : access.tokens.adminAbility(key);
    if (session === undefined && !token) return undefined;
    const user = { ...administratorRow(context), roles: [superAdmin] };
    return {
      user,
      permissionsOf: this.permissionsOf(),
      ...(token ? { token } : {}),
      ...(session === undefined ? {} : { session }),
    };
  }

  /** Those of an administrator with the super admin's role. */
  permissionsOf(): AdministratorCaller["permissionsOf"] {
    const { context, schema } = this.#project;
    const permissions = once(() =>
      listPermissions({ context, schema, registeredActions: this.#code.administratorActions }),
    );
    return (action, subject, field) => permissionsFor(permissions(), { action, subject, field });
  }
}
