/** Routes of the permissions of administrators. */

import { notFound } from "../../lib/errors.ts";
import { checkBody } from "../../lib/shape.ts";
import { superAdmin } from "../account/super-admin.ts";
import { exactly, listOf, objectBody, objectOf, requiredText, text } from "../body.ts";
import { type AdminRoute, ok, route } from "../call.ts";
import type { AdminServices } from "../services.ts";
import { type Check, isAllowed, listPermissions } from "./permissions.ts";

const check = exactly({ action: requiredText, subject: { ...text, nullable: true }, field: text });
const checks = objectOf({ permissions: listOf(check, { required: true }) });

export function permissionRoutes(services: AdminServices): AdminRoute[] {
  const permissions = () => listPermissions(services);
  return [
    route("GET", "/admin/users/me/permissions", () => ok({ data: permissions() })),
    route("GET", "/admin/roles/:id/permissions", ({ params }) => {
      if (params.id !== String(superAdmin.id)) throw notFound("role.notFound");
      return ok({ data: permissions() });
    }),
    route("POST", "/admin/permissions/check", async (call) => {
      const input = await objectBody(call);
      checkBody(checks, input);
      const all = permissions();
      return ok({ data: (input.permissions as readonly Check[]).map((each) => isAllowed(all, each)) });
    }),
  ];
}
