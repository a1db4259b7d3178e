/** `/admin/roles`: the only administrator role, which cannot be changed. */
import { applicationError, notFound, problemsError } from "../../lib/errors.ts";
import { checkBody, type Shape } from "../../lib/shape.ts";
import { objectBody } from "../body.ts";
import { type AdminRoute, ok, route } from "../call.ts";
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
  route("GET", PATH, () => ok({ data: [superAdminRow] })),
  route("POST", PATH, async (call) => {
    checkBody(newRole, await objectBody(call));
    throw applicationError(ONE_ADMINISTRATOR);
  }),
  route("POST", `${PATH}/batch-delete`, async (call) => {
    checkBody(removedRoles, await objectBody(call));
    return ok({ data: [] });
  }),
  route("GET", `${PATH}/:id`, ({ params }) => {
    requireRole(params.id);
    return ok({ data: superAdminRow });
  }),
  route("PUT", `${PATH}/:id`, async ({ params, ...call }) => {
    checkBody(roleChange, await objectBody(call));
    requireRole(params.id);
    throw applicationError("Super admin can't be edited.");
  }),
  route("PUT", `${PATH}/:id/permissions`, ({ params }) => {
    requireRole(params.id);
    throw applicationError("Super admin permissions can't be edited.");
  }),
  route("DELETE", `${PATH}/:id`, ({ params: { id } }) => {
    if (!isSuperAdmin(id)) return ok({ data: null });
    throw problemsError([{ path: "id", message: "You cannot delete the super admin role", value: id }]);
  }),
];
