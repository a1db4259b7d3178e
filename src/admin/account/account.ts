/** `/admin`: the one administrator, and what the reference's panel asks about the project. */
import { version } from "../../../package.json" with { type: "json" };
import { ApiError, notFound, problemsError, validationError } from "../../errors.ts";
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

/** Nobody has made the administrator: these are the same in every project. */
const row = { documentId: "administrator00000000001", ...timesOf("2026-01-01T00:00:00.000Z"), locale: null } as const;
const roleRow = { ...role, ...row, documentId: "superadministrators00001", usersCount: 1 } as const;

function timesOf(time: string) {
  return { createdAt: time, updatedAt: time, publishedAt: time };
}

export const me = {
  ...administrator,
  isActive: true,
  ...row,
  blocked: false,
  preferedLanguage: null,
  roles: [role],
} as const;

function needRole(id: string | undefined): void {
  if (id !== String(role.id)) throw notFound("role.notFound");
}

/** Those of the reference that the server has built in. */
const plugins = [
  {
    name: "graphql",
    displayName: "GraphQL",
    description: "Adds GraphQL endpoint with default API methods.",
    packageName: "@strapi/plugin-graphql",
  },
  {
    name: "users-permissions",
    displayName: "Roles & Permissions",
    description: "Users who sign in, and what each role of them may do.",
    packageName: "@strapi/plugin-users-permissions",
  },
];

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
  {
    method: "GET",
    path: "/admin/users/:id",
    handle: ({ params }) => {
      if (params.id !== String(me.id)) throw notFound("User does not exist");
      return ok({ data: me });
    },
  },
  { method: "GET", path: "/admin/roles", handle: () => ok({ data: [roleRow] }) },
  {
    method: "GET",
    path: "/admin/roles/:id",
    handle: ({ params }) => {
      needRole(params.id);
      return ok({ data: roleRow });
    },
  },
  {
    method: "PUT",
    path: "/admin/roles/:id",
    handle: ({ params }) => {
      needRole(params.id);
      throw new ApiError("ApplicationError", "Super admin can't be edited.");
    },
  },
  {
    method: "PUT",
    path: "/admin/roles/:id/permissions",
    handle: ({ params }) => {
      needRole(params.id);
      throw new ApiError("ApplicationError", "Super admin permissions can't be edited.");
    },
  },
  {
    method: "DELETE",
    path: "/admin/roles/:id",
    handle: ({ params }) => {
      needRole(params.id);
      throw problemsError([{ path: "id", message: "You cannot delete the super admin role", value: params.id }]);
    },
  },
  {
    method: "POST",
    path: "/admin/roles/batch-delete",
    handle: async ({ body }) => {
      const { ids } = await body();
      if (ids === undefined) throw problemsError([{ path: "ids", message: "ids is a required field" }]);
      if ([ids].flat().some((id) => String(id) === String(role.id)))
        throw problemsError([{ path: "ids", message: "You cannot delete the super admin role", value: ids }]);
      return ok({ data: [] });
    },
  },
  { method: "GET", path: "/admin/project-settings", handle: () => ok({ menuLogo: null, authLogo: null }) },
  {
    method: "GET",
    path: "/admin/project-type",
    handle: () =>
      ok({
        data: { isEE: false, features: [], flags: { nps: false, promoteEE: false }, ai: { enabled: false } },
      }),
  },
  { method: "GET", path: "/admin/plugins", handle: () => ok({ plugins }) },
  { method: "GET", path: "/admin/telemetry-properties", handle: () => ({ status: 204 }) },
  {
    method: "GET",
    path: "/admin/registration-info",
    isPublic: true,
    handle: () => {
      throw validationError("Invalid registrationToken");
    },
  },
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
