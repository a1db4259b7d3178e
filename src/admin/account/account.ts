/** `/admin`: the one administrator, and what the reference's panel asks about the project. */
import { version } from "../../../package.json" with { type: "json" };
import { ApiError } from "../../errors.ts";
import { administrator } from "../administrator.ts";
import { type AdminRoute, ok } from "../call.ts";

const NO_PASSWORD =
  "There is no administrator with a password: send an admin token, made by `galley token create <name> --type admin`, as Authorization: Bearer";

const role = {
  id: 1,
  name: "Super Admin",
  description: "Super Admins can access and manage all features and settings.",
  code: "strapi-super-admin",
} as const;

export const me = { ...administrator, blocked: false, preferedLanguage: null, roles: [role] } as const;

const refused = (path: string): AdminRoute => ({
  method: "POST",
  path,
  isPublic: true,
  handle: () => {
    throw new ApiError("ApplicationError", NO_PASSWORD);
  },
});

export const accountRoutes = (): AdminRoute[] => [
  refused("/admin/login"),
  refused("/admin/register-admin"),
  refused("/admin/forgot-password"),
  refused("/admin/reset-password"),
  {
    method: "GET",
    path: "/admin/init",
    isPublic: true,
    handle: () => ok({ data: { uuid: false, hasAdmin: true, menuLogo: null, authLogo: null } }),
  },
  { method: "GET", path: "/admin/users/me", handle: () => ok({ data: me }) },
  {
    method: "GET",
    path: "/admin/users",
    handle: () => ok({ data: { results: [me], pagination: { page: 1, pageSize: 10, pageCount: 1, total: 1 } } }),
  },
  { method: "GET", path: "/admin/roles", handle: () => ok({ data: [{ ...role, usersCount: 1 }] }) },
  { method: "GET", path: "/admin/project-settings", handle: () => ok({ menuLogo: null, authLogo: null }) },
  { method: "GET", path: "/admin/project-type", handle: () => ok({ data: { isEE: false, features: [], flags: {} } }) },
  {
    method: "GET",
    path: "/admin/information",
    handle: () =>
      ok({
        data: {
          currentEnvironment: process.env.NODE_ENV ?? "development",
          autoReload: true,
          strapiVersion: version,
          dependencies: {},
          projectId: null,
          nodeVersion: process.version,
          communityEdition: true,
          useTypescriptOnServer: false,
        },
      }),
  },
];
