/** `/admin/admin-tokens`: tokens of administrators. They have all permissions here, and are made where the server runs. */

import type { TokenRecord } from "../../engine/access/access.ts";
import { applicationError } from "../../lib/errors.ts";
import { readAdministrator } from "../administrator.ts";
import { type AdminCall, type AdminRoute, ok, route } from "../call.ts";
import type { AdminServices } from "../services.ts";
import { superAdmin } from "./super-admin.ts";
import { listedTokens, shownLifespan } from "./token-input.ts";

const PATH = "/admin/admin-tokens";
const MADE_ELSEWHERE =
  "Admin tokens are made by `galley token create <name> --type admin` or in config/galley.json, have all permissions, and are removed there";

export function adminTokenRoutes(services: AdminServices): AdminRoute[] {
  const { all, findOrThrow } = listedTokens(services, true);
  const shown = (record: TokenRecord) => {
    const { origin: _origin, permissions: _all, type: _type, ...token } = record;
    const { firstname, lastname, username, email } = readAdministrator(services.context);
    return {
      ...token,
      kind: "admin",
      lifespan: shownLifespan(record),
      adminPermissions: [],
      adminUserOwner: { id: superAdmin.id, firstname, lastname, username, email },
    };
  };
  const refuse = (): never => {
    throw applicationError(MADE_ELSEWHERE);
  };
  const refuseChange = (call: AdminCall): never => {
    findOrThrow(call);
    return refuse();
  };
  return [
    route("GET", PATH, () => ok({ data: all().map(shown) })),
    route("POST", PATH, refuse),
    route("GET", `${PATH}/:id`, (call) => ok({ data: shown(findOrThrow(call)) })),
    route("PUT", `${PATH}/:id`, refuseChange),
    route("DELETE", `${PATH}/:id`, refuseChange),
    route("POST", `${PATH}/:id/regenerate`, refuseChange),
  ];
}
