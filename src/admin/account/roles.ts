/** `/admin/roles`: the only administrator role, which cannot be changed. */
import { ApiError, notFound, problemsError } from "../../lib/errors.ts";
import { checkBody, type Shape } from "../../lib/shape.ts";
import { objectBody } from "../body.ts";
import { type AdminRoute, ok } from "../call.ts";
import { ONE_ADMINISTRATOR, superAdmin, superAdminRow } from "./super-admin.ts";

const PATH = "/admin/roles";

const isSuperAdmin = (id: unknown): boolean => String(id) === String(superAdmin.id);

function requireRole(id: string | undefined): void {
  if (!isSuperAdmin(id)) throw notFound("role.notFound");
}

const text: Shape = { type: "string", strict: true };
const name: Shape = {
  ...text,
  tests: [(value: string, path) => (value === "" ? `${path} must be at least 1 characters` : undefined)],
};
const description: Shape = { ...text, nullable: true };
const newRole: Shape = { type: "object", exact: true, fields: { name: { ...name, required: true }, description } };
const roleChange: Shape = { type: "object", exact: true, fields: { name, description } };
const removedRoles: Shape = {
  type: "object",
  exact: true,
  fields: {
    ids: {
      type: "array",
      strict: true,
      required: true,
      item: () => ({ type: "strapiID", strict: true }),
      tests: [
        (ids: readonly unknown[], path) => (ids.length === 0 ? `${path} field must have at least 1 items` : undefined),
        (ids: readonly unknown[]) => (ids.some(isSuperAdmin) ? "You cannot delete the super admin role" : undefined),
      ],
    },
  },
};

export const administratorRoleRoutes = (): AdminRoute[] => [
  { method: "GET", path: PATH, handle: () => ok({ data: [superAdminRow] }) },
  {
    method: "POST",
    path: PATH,
    handle: async (call) => {
      checkBody(newRole, await objectBody(call));
      throw new ApiError("ApplicationError", ONE_ADMINISTRATOR);
    },
  },
  {
    method: "POST",
    path: `${PATH}/batch-delete`,
    handle: async (call) => {
      checkBody(removedRoles, await objectBody(call));
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
  {
    method: "PUT",
    path: `${PATH}/:id`,
    handle: async ({ params, ...call }) => {
      checkBody(roleChange, await objectBody(call));
      requireRole(params.id);
      throw new ApiError("ApplicationError", "Super admin can't be edited.");
    },
  },
  {
    method: "PUT",
    path: `${PATH}/:id/permissions`,
    handle: ({ params }) => {
      requireRole(params.id);
      throw new ApiError("ApplicationError", "Super admin permissions can't be edited.");
    },
  },
  {
    method: "DELETE",
    path: `${PATH}/:id`,
    handle: ({ params: { id } }) => {
      if (!isSuperAdmin(id)) return ok({ data: null });
      throw problemsError([{ path: "id", message: "You cannot delete the super admin role", value: id }]);
    },
  },
];
