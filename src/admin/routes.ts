/** Every route of the admin, area by area. */
import { accountRoutes } from "./account/account.ts";
import type { AdminRoute } from "./call.ts";
import { collectionTypeRoutes } from "./content-manager/collection-types.ts";
import { relationRoutes } from "./content-manager/relations.ts";
import { singleTypeRoutes } from "./content-manager/single-types.ts";
import { uidRoutes } from "./content-manager/uid.ts";
import type { AdminServices } from "./services.ts";

export const adminRoutes = ({ context }: AdminServices): AdminRoute[] => [
  ...collectionTypeRoutes(context),
  ...singleTypeRoutes(context),
  ...relationRoutes(context),
  ...uidRoutes(context),
  ...accountRoutes(),
];
