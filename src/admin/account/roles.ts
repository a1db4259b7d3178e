/** `/admin/roles`: the only administrator role, which cannot be changed. */
import { applicationError, notFound, problemsError } from "../../lib/errors.ts";
import { type AdminRoute, ok, route } from "../call.ts";
import { ONE_ADMINISTRATOR, superAdmin, superAdminRow } from "./super-admin.ts";

const PATH = "/admin/roles";
const UNDELETABLE = "You cannot delete the super admin role";

const isSuperAdmin = (id: unknown): boolean => String(id) === String(superAdmin.id);

function requireRole(id: string | undefined): void {
  if (!isSuperAdmin(id)) throw notFound("role.notFound");
}

export const administratorRoleRoutes = (): AdminRoute[] => [
  route("GET", PATH, () => ok({ data: [superAdminRow] })),
  route("POST", PATH, () => {
    throw applicationError(ONE_ADMINISTRATOR);
  }),
  route("POST", `${PATH}/batch-delete`, async ({ body }) => {
    const { ids } = await body();
    if ([ids].flat().some(isSuperAdmin)) throw problemsError([{ path: "ids", message: UNDELETABLE, value: ids }]);
    return ok({ data: [] });
  }),
  route("GET", `${PATH}/:id`, ({ params }) => {
    requireRole(params.id);
    return ok({ data: superAdminRow });
  }),
  route("PUT", `${PATH}/:id`, ({ params }) => {
    requireRole(params.id);
    throw applicationError("Super admin can't be edited.");
  }),
  route("PUT", `${PATH}/:id/permissions`, ({ params }) => {
    requireRole(params.id);
    throw applicationError("Super admin permissions can't be edited.");
  }),
  route("DELETE", `${PATH}/:id`, ({ params: { id } }) => {
    if (!isSuperAdmin(id)) return ok({ data: null });
    throw problemsError([{ path: "id", message: UNDELETABLE, value: id }]);
  }),
];
