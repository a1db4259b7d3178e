/** Every route of the admin, area by area. */
import { accountRoutes } from "./account/account.ts";
import { adminTokenRoutes, transferTokenRoutes } from "./account/admin-tokens.ts";
import { apiTokenRoutes } from "./account/api-tokens.ts";
import { administratorRoleRoutes } from "./account/super-admin.ts";
import { administratorRoutes } from "./account/users.ts";
import { webhookRoutes } from "./account/webhooks.ts";
import { builderRoutes } from "./builder/builder.ts";
import type { AdminRoute } from "./call.ts";
import { collectionTypeRoutes } from "./content-manager/collection-types.ts";
import { configurationRoutes, createConfigurations } from "./content-manager/configuration/routes.ts";
import { historyRoutes } from "./content-manager/history/routes.ts";
import { homepageRoutes } from "./content-manager/homepage.ts";
import { previewRoutes } from "./content-manager/preview.ts";
import { relationRoutes } from "./content-manager/relations.ts";
import { singleTypeRoutes } from "./content-manager/single-types.ts";
import { typeRoutes } from "./content-manager/types.ts";
import { uidRoutes } from "./content-manager/uid.ts";
import { emailRoutes } from "./email/routes.ts";
import { fillRoutes } from "./i18n/fill.ts";
import { localeRoutes } from "./i18n/locales.ts";
import { localeSettingsRoutes } from "./i18n/settings.ts";
import { permissionRoutes } from "./permissions/permissions.ts";
import type { AdminServices } from "./services.ts";
import { fileRoutes } from "./upload/files.ts";
import { folderRoutes } from "./upload/folders.ts";
import { urlImportRoutes } from "./upload/from-urls.ts";
import { aiRoutes, uploadSettingsRoutes } from "./upload/settings.ts";
import { providerRoutes, userSettingsRoutes } from "./users-permissions/settings.ts";

export function adminRoutes(services: AdminServices): AdminRoute[] {
  const { context } = services;
  const configurations = createConfigurations(services);
  return [
    ...collectionTypeRoutes(services),
    ...singleTypeRoutes(context),
    ...relationRoutes(context, configurations),
    ...configurationRoutes(configurations),
    ...historyRoutes(context),
    ...homepageRoutes(services, configurations),
    ...previewRoutes(services),
    ...uidRoutes(context),
    ...accountRoutes(services),
    ...administratorRoutes(context),
    ...administratorRoleRoutes(),
    ...permissionRoutes(services),
    ...apiTokenRoutes(services),
    ...adminTokenRoutes(services),
    ...transferTokenRoutes(),
    ...webhookRoutes(services),
    ...typeRoutes(services),
    ...localeRoutes(services),
    ...localeSettingsRoutes(services),
    ...fillRoutes(context, configurations),
    ...builderRoutes(services),
    ...emailRoutes(services),
    ...fileRoutes(services),
    ...folderRoutes(services),
    ...uploadSettingsRoutes(services),
    ...urlImportRoutes(services),
    ...aiRoutes(),
    ...userSettingsRoutes(services),
    ...providerRoutes(services),
  ];
}
