/** `galley routes`: lists every route with what it calls, the permission that it needs, and which roles have that. */
import type { Roles } from "../../engine/access/roles.ts";
import type { ListedRoute } from "../../server/admin/route-lists.ts";
import type { Project } from "../../server/project/project.ts";
import { type Command, type CommandCall, json } from "../command.ts";
import { formatTable } from "../format-table.ts";
import { startCopy } from "../open-copy.ts";
import { projectFolder } from "../project-folder.ts";

interface Route {
  readonly method: string;
  readonly path: string;
  /** Undefined: Galley itself. */
  readonly handler: string | undefined;
  /** Actions that a caller must be allowed; undefined: the route does not ask for any. */
  readonly permissions: readonly string[] | undefined;
  /** Types of roles that may call it. API tokens may as their own permissions say. */
  readonly roles: readonly string[];
}

function describeHandler(handler: unknown): string {
  if (typeof handler === "string") return handler;
  if (Array.isArray(handler)) return handler.map(describeHandler).join(", ");
  return typeof handler === "function" && handler.name !== "" ? `(a function ${handler.name})` : "(a function)";
}

function readPermissions({ config }: ListedRoute["description"]): readonly string[] | undefined {
  const { auth } = config as { readonly auth?: false | { readonly scope?: readonly string[] } };
  return auth === false ? undefined : (auth?.scope ?? []);
}

const allowed = (roles: Roles, permissions: readonly string[]): string[] =>
  roles
    .list()
    .filter(({ id }) => permissions.every((name) => roles.actions(id as number).has(name)))
    .map(({ type }) => String(type));

/** Galley answers it. */
const ownRoute = (method: string, path: string): Route => ({
  method,
  path,
  handler: undefined,
  permissions: undefined,
  roles: [],
});

async function listRoutes(project: Project): Promise<Route[]> {
  const { listedRoutes } = await import("../../server/admin/route-lists.ts");
  const { coreAreas } = await import("../../server/core-areas.ts");
  const { roles } = project.access;
  const content = listedRoutes(project).map(({ description }): Route => {
    const permissions = readPermissions(description);
    return {
      method: String(description.method),
      path: String(description.path),
      handler: describeHandler(description.handler),
      permissions,
      roles: permissions ? allowed(roles, permissions) : ["everybody"],
    };
  });
  const { prefix } = project.settings.rest;
  const others = coreAreas(project)
    .areas.flat()
    .filter(({ path }) => !path.startsWith(`${prefix}/`))
    .map(({ method, path }) => ownRoute(method, path));
  return [...content, ...others];
}

async function listAdmin(project: Project): Promise<Route[]> {
  const { createAdminRoutes } = await import("../../server/admin/services.ts");
  const { routes, pageRoutes } = createAdminRoutes(project);
  return [...routes, ...pageRoutes].map(({ method, path, isPublic }) => ({
    ...ownRoute(method, path),
    roles: [isPublic ? "everybody" : "administrator"],
  }));
}

async function runRoutes(call: CommandCall): Promise<number> {
  const root = projectFolder(call.arguments[0]);
  // the project's own code may use relative paths
  process.chdir(root);
  await using project = await startCopy(root, call.environment);
  await project.idle();
  const routes = [...(await listRoutes(project)), ...(call.flag("admin") ? await listAdmin(project) : [])];
  const rows = routes.map(({ method, path, handler, permissions, roles }) => [
    method,
    path,
    handler ?? "Galley",
    permissions?.filter((name) => name !== handler).join(", ") ?? "",
    roles.join(", "),
  ]);
  return call.result(routes, formatTable([["method", "path", "handler", "permission, if another", "roles"], ...rows]));
}

export const routes: Command = {
  name: "routes",
  summary:
    "List the routes, also of own code: what each calls, the permission that it needs, and the roles that have it",
  usage: "[project]",
  options: {
    admin: { type: "boolean", summary: "Also those of the admin" },
    json,
  },
  run: runRoutes,
};
