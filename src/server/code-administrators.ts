/** Recognizes the administrator in requests to a project's own code: by admin tokens, and in sessions of the admin page. */
import { superAdmin } from "../admin/account/super-admin.ts";
import { administratorRow } from "../admin/administrator.ts";
import { listPermissions, permissionsFor } from "../admin/permissions/permissions.ts";
import { Access } from "../engine/access/access.ts";
import { once } from "../lib/once.ts";
import type { ProjectCode } from "../strapi/project-code.ts";
import type { AdministratorCaller } from "../strapi/runtime.ts";
import type { Project } from "./project/project.ts";

export function createAdministrators(project: Project, code: ProjectCode) {
  /** The ids of sessions, by the requests that were sent in them. */
  const sessions = new WeakMap<Request, string>();

  /** Records that a request was sent in a session, which the caller has checked. */
  function add(request: Request, session: string): void {
    sessions.set(request, session);
  }

  /** Undefined if the request is not an administrator's, or there is no admin. Throws an ApiError for an expired token. */
  function find(request: Request): AdministratorCaller | undefined {
    const { context, access, hasAdmin } = project;
    if (!hasAdmin) return undefined;
    const session = sessions.get(request);
    const key = session === undefined ? Access.bearer(request.headers.get("authorization")) : undefined;
    const token = key === undefined ? undefined : access.tokens.adminAbility(key);
    if (session === undefined && !token) return undefined;
    const user = { ...administratorRow(context), roles: [superAdmin] };
    return {
      user,
      permissionsOf: permissionsOf(),
      ...(token ? { token } : {}),
      ...(session === undefined ? {} : { session }),
    };
  }

  /** Those of an administrator with the super admin's role. */
  function permissionsOf(): AdministratorCaller["permissionsOf"] {
    const { context, schema } = project;
    const permissions = once(() => listPermissions({ context, schema, registeredActions: code.administratorActions }));
    return (action, subject, field) => permissionsFor(permissions(), { action, subject, field });
  }

  return { add, find, permissionsOf };
}

export type Administrators = ReturnType<typeof createAdministrators>;
