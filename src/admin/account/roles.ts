/** `/admin/roles`: the only administrator role, which cannot be changed. */
import { ApiError, notFound, problemsError } from "../../errors.ts";
import { checkBody } from "../../shape.ts";
import { type AdminRoute, ok } from "../call.ts";
import { ONE_ADMINISTRATOR, superAdmin, superAdminRow } from "./super-admin.ts";

const PATH = "/admin/roles";

function requireRole(id: string | undefined): void {
  if (id !== String(superAdmin.id)) throw notFound("role.notFound");
}

const refuse = (path: string, message: string): AdminRoute["handle"] => {
  return ({ params }) => {
    requireRole(params.id);
    throw path === ""
      ? new ApiError("ApplicationError", message)
      : problemsError([{ path, message, value: params[path] }]);
  };
};

export const administratorRoleRoutes = (): AdminRoute[] => [
  { method: "GET", path: PATH, handle: () => ok({ data: [superAdminRow] }) },
  {
    method: "POST",
    path: PATH,
    handle: async ({ body }) => {
      const { name } = await body();
      if (name === undefined || name === null || name === "")
        throw problemsError([{ path: "name", message: "name is a required field" }]);
      if (typeof name !== "string")
        checkBody({ type: "object", fields: { name: { type: "string", strict: true } } }, { name });
      throw new ApiError("ApplicationError", ONE_ADMINISTRATOR);
    },
  },
  {
    method: "POST",
    path: `${PATH}/batch-delete`,
    handle: async ({ body }) => {
      const { ids } = await body();
      if (ids === undefined) throw problemsError([{ path: "ids", message: "ids is a required field" }]);
      if ([ids].flat().some((id) => String(id) === String(superAdmin.id)))
        throw problemsError([{ path: "ids", message: "You cannot delete the super admin role", value: ids }]);
      return ok({ data: [] });
    },
  },
  {
    method: "GET",
    path: `${PATH}/:id`,
    handle: ({ params }) => {
      requireRole(params.id);
      return ok({ data: superAdminRow });
    },
  },
  { method: "PUT", path: `${PATH}/:id`, handle: refuse("", "Super admin can't be edited.") },
  { method: "PUT", path: `${PATH}/:id/permissions`, handle: refuse("", "Super admin permissions can't be edited.") },
  { method: "DELETE", path: `${PATH}/:id`, handle: refuse("id", "You cannot delete the super admin role") },
];
