/** The routes of roles and permissions. */
import type { AccessParts } from "../../../engine/access/index.ts";
import type { RestRoute } from "../call.ts";
import { okResult, parseId, route } from "./route.ts";

// `parts.roles` is loaded when it is first used
export function roleRoutes(parts: AccessParts): RestRoute[] {
  return [
    route("GET", "/users-permissions/roles", "role.find", () => ({ status: 200, body: { roles: parts.roles.list() } })),
    route("GET", "/users-permissions/roles/:id", "role.findOne", ({ params }) => ({
      status: 200,
      body: { role: parts.roles.find(parseId(params.id)) },
    })),
    route("POST", "/users-permissions/roles", "role.createRole", async ({ body }) => {
      parts.roles.create(await body());
      return okResult;
    }),
    route("PUT", "/users-permissions/roles/:id", "role.updateRole", async ({ body, params }) => {
      parts.roles.update(parseId(params.id), await body());
      return okResult;
    }),
    route("DELETE", "/users-permissions/roles/:id", "role.deleteRole", ({ params }) => {
      parts.roles.remove(parseId(params.id));
      return okResult;
    }),
    route("GET", "/users-permissions/permissions", "permissions.getPermissions", () => ({
      status: 200,
      body: { permissions: parts.roles.permissionMap(new Set()) },
    })),
  ];
}
