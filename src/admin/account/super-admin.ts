/** The only administrator role, the same in every project. */
import { applicationError, notFound, problemsError } from "../../lib/errors.ts";
import { ADMINISTRATOR_CREATED_AT } from "../administrator.ts";
import { type AdminRoute, ok, refusedRoute, route } from "../call.ts";

export const superAdmin = {
  id: 1,
  name: "Super Admin",
  description: "Super Admins can access and manage all features and settings.",
  code: "strapi-super-admin",
} as const;

export const superAdminRow = {
  ...superAdmin,
  documentId: "superadministrators00001",
  createdAt: ADMINISTRATOR_CREATED_AT,
  updatedAt: ADMINISTRATOR_CREATED_AT,
  publishedAt: ADMINISTRATOR_CREATED_AT,
  locale: null,
  usersCount: 1,
} as const;

/** Messages for refused changes of the only role and administrator. */
export const ONE_ADMINISTRATOR =
  "There is one administrator, with one role. Others get an admin token of their own, made by `galley token create <name> --type admin`";
export const NO_PASSWORD =
  "There is no administrator with a password: send an admin token, made by `galley token create <name> --type admin`, as Authorization: Bearer, or as the password";

/** `/admin/roles`: the only administrator role, which cannot be changed. */
const PATH = "/admin/roles";
const UNDELETABLE = "You cannot delete the super admin role";

const isSuperAdmin = (id: unknown): boolean => String(id) === String(superAdmin.id);

function requireRole(id: string | undefined): void {
  if (!isSuperAdmin(id)) throw notFound("role.notFound");
}

export const administratorRoleRoutes = (): AdminRoute[] => [
  route("GET", PATH, () => ok({ data: [superAdminRow] })),
  refusedRoute("POST", PATH, () => applicationError(ONE_ADMINISTRATOR)),
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
