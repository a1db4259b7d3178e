/** Every route of the admin, area by area. */
import { accountRoutes } from "./account/account.ts";
import { builderRoutes } from "./builder/builder.ts";
import type { AdminRoute } from "./call.ts";
import { collectionTypeRoutes } from "./content-manager/collection-types.ts";
import { relationRoutes } from "./content-manager/relations.ts";
import { singleTypeRoutes } from "./content-manager/single-types.ts";
import { uidRoutes } from "./content-manager/uid.ts";
import type { AdminServices } from "./services.ts";

export function adminRoutes(services: AdminServices): AdminRoute[] {
  const { context } = services;
  return [
    ...collectionTypeRoutes(context),
    ...singleTypeRoutes(context),
    ...relationRoutes(context),
    ...uidRoutes(context),
    ...accountRoutes(),
    ...builderRoutes(services),
  ];
}
