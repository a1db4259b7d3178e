/** Routes of the permissions of administrators. */

import { notFound } from "../../lib/errors.ts";
import { checkBody, type Shape } from "../../lib/shape.ts";
import { superAdmin } from "../account/super-admin.ts";
import { objectBody } from "../body.ts";
import { type AdminRoute, ok, route } from "../call.ts";
import type { AdminServices } from "../services.ts";
import { type Check, isAllowed, listPermissions } from "./permissions.ts";

const text: Shape = { type: "string", strict: true };
const checks: Shape = {
  type: "object",
  fields: {
    permissions: {
      type: "array",
      strict: true,
      required: true,
      item: () => ({
        type: "object",
        strict: true,
        exact: true,
        fields: { action: { ...text, required: true }, subject: { ...text, nullable: true }, field: text },
      }),
    },
  },
};

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
      return ok({ data: (input.permissions as readonly Check[]).map((check) => isAllowed(all, check)) });
    }),
  ];
}
