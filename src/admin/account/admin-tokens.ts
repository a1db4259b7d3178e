/** `/admin/admin-tokens`: tokens of administrators. They have all permissions here, and are made where the server runs. */

import type { TokenRecord } from "../../engine/access/ability.ts";
import { applicationError, notFound } from "../../lib/errors.ts";
import { readAdministrator } from "../administrator.ts";
import { type AdminCall, type AdminRoute, ok, route } from "../call.ts";
import type { AdminServices } from "../services.ts";
import { superAdmin } from "./super-admin.ts";

const PATH = "/admin/admin-tokens";
const MADE_ELSEWHERE =
  "Admin tokens are made by `galley token create <name> --type admin` or in config/galley.json, have all permissions, and are removed there";

export function adminTokenRoutes({ tokens, context }: AdminServices): AdminRoute[] {
  const all = (): TokenRecord[] =>
    tokens
      .list()
      .filter(({ type }) => type === "admin")
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  const findOrThrow = ({ params }: AdminCall, message: string): TokenRecord => {
    const found = all().find(({ id }) => String(id) === params.id);
    if (!found) throw notFound(message);
    return found;
  };
  const shown = ({ origin: _origin, permissions: _all, type: _type, lifespan, ...token }: TokenRecord) => {
    const { firstname, lastname, username, email } = readAdministrator(context);
    return {
      ...token,
      kind: "admin",
      lifespan: lifespan === null ? null : String(lifespan),
      adminPermissions: [],
      adminUserOwner: { id: superAdmin.id, firstname, lastname, username, email },
    };
  };
  const refuse = (): never => {
    throw applicationError(MADE_ELSEWHERE);
  };
  const refuseChange = (call: AdminCall): never => {
    findOrThrow(call, "API Token not found");
    return refuse();
  };
  return [
    route("GET", PATH, () => ok({ data: all().map(shown) })),
    route("POST", PATH, refuse),
    route("GET", `${PATH}/:id`, (call) => ok({ data: shown(findOrThrow(call, "API Token not found")) })),
    route("PUT", `${PATH}/:id`, refuseChange),
    route("DELETE", `${PATH}/:id`, refuseChange),
    route("POST", `${PATH}/:id/regenerate`, refuseChange),
  ];
}
