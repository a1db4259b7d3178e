/** Tokens that are not made here: those of administrators (`/admin/admin-tokens`), and those of transfers (`/admin/transfer`). */
import type { TokenRecord } from "../../engine/access/access.ts";
import { applicationError, invalidCredentials, notFound } from "../../lib/errors.ts";
import { readAdministrator } from "../administrator.ts";
import { type AdminCall, type AdminRoute, ok, refusedRoute, route } from "../call.ts";
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
  const refuseChange = (call: AdminCall): never => {
    findOrThrow(call);
    throw applicationError(MADE_ELSEWHERE);
  };
  return [
    route("GET", PATH, () => ok({ data: all().map(shown) })),
    refusedRoute("POST", PATH, () => applicationError(MADE_ELSEWHERE)),
    route("GET", `${PATH}/:id`, (call) => ok({ data: shown(findOrThrow(call)) })),
    route("PUT", `${PATH}/:id`, refuseChange),
    route("DELETE", `${PATH}/:id`, refuseChange),
    route("POST", `${PATH}/:id/regenerate`, refuseChange),
  ];
}

const TRANSFER_PATH = "/admin/transfer/tokens";
const NO_TRANSFERS =
  "This server takes part in no transfers: `galley push`, `galley pull`, `galley import` and `galley export` are started where the project is";

const missing = (): Error => notFound("Transfer token not found");

/** `/admin/transfer`: transfers between servers are not served here, so that there are no tokens for them. */
export const transferTokenRoutes = (): AdminRoute[] => [
  ...["push", "pull"].map((action) => refusedRoute("GET", `/admin/transfer/runner/${action}`, invalidCredentials)),
  route("GET", TRANSFER_PATH, () => ok({ data: [] })),
  refusedRoute("POST", TRANSFER_PATH, () => applicationError(NO_TRANSFERS)),
  refusedRoute("GET", `${TRANSFER_PATH}/:id`, missing),
  refusedRoute("PUT", `${TRANSFER_PATH}/:id`, missing),
  refusedRoute("POST", `${TRANSFER_PATH}/:id/regenerate`, missing),
  route("DELETE", `${TRANSFER_PATH}/:id`, () => ok({ data: null })),
];
