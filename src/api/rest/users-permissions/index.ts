/** The routes of users-permissions: authentication, users, roles. Bodies and responses have no envelope. */
import type { AccessParts } from "../../../engine/access/index.ts";
import type { Settings } from "../../../engine/config/settings.ts";
import type { RestRoute } from "../call.ts";
import { authRoutes, sessionRoutes } from "./auth.ts";
import { roleRoutes, userRoutes } from "./users.ts";

export const usersPermissionsRoutes = (parts: AccessParts, settings: Settings): RestRoute[] => [
  ...authRoutes(parts, settings),
  ...sessionRoutes(parts, settings),
  ...userRoutes(parts),
  ...roleRoutes(parts),
];
