/**
 * Members of Strapi's services that are not there. Using one throws an error that names it; `galley doctor` lists their uses.
 * A member that is built is removed from this table.
 */
import type { Members } from "../loader/plugin.ts";

/** Names of members, separated by spaces, by service and its owner. */
export const absentMembers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "plugin::upload": {
    weeklyMetrics: "computeMetrics ensureWeeklyStoredCronSchedule registerCron sendMetrics",
    metrics: "sendUploadPluginMetrics trackUsage",
    extensions: "signFileUrlsOnDocumentService",
    aiMetadata:
      "countImagesWithoutMetadata generateForFiles isEnabled processExistingFiles processFiles updateFilesWithAIMetadata",
    aiMetadataJobs: "createJob deleteJob getJob getLatestActiveJob updateJob",
  },
  "plugin::i18n": {
    permissions: "actions engine sectionsBuilder",
    metrics: "sendDidInitializeEvent sendDidUpdateI18nLocalesEvent",
    localizations: "syncNonLocalizedAttributes",
    "ai-localizations": "generateDocumentLocalizations isEnabled setupMiddleware",
    "ai-localization-jobs": "getJobByContentType getJobByDocument upsertJobForDocument",
    "fill-from-locale": "fetchRawDocument transformDocument",
  },
  "plugin::graphql": {
    extension: "generate",
    "content-api": "buildSchema getBuiltInQueryFields isBuiltInQueryField",
    builders: "delete get new",
    internals: "args buildInternalTypes helpers scalars",
    "type-registry": "new",
  },
  "plugin::content-manager": {
    components: "findComponentsConfigurations syncConfigurations updateConfiguration",
    "content-types": "findComponentsConfigurations syncConfigurations updateConfiguration",
    "document-metadata":
      "formatDocumentWithMetadata getAvailableLocales getAvailableStatus getManyAvailableStatus getMetadata getStatus",
    "document-manager": "countDraftRelations countManyEntriesDraftRelations",
    "field-sizes": "setCustomFieldInputSizes",
    metrics: "sendDidConfigureListView",
    permission: "canConfigureContentType registerPermissions",
    preview: "getPreviewUrl",
    "preview-config": "getPreviewHandler isConfigured isEnabled register validate",
    homepage:
      "addStatusToDocuments getCountDocuments getRecentlyPublishedDocuments getRecentlyUpdatedDocuments queryLastDocuments",
  },
  "plugin::content-type-builder": {
    "content-types":
      "createContentType createContentTypes deleteContentType deleteContentTypes editContentType formatContentType generateAPI getRestrictRelationsTo isContentTypeVisible",
    components: "createComponent deleteComponent editComponent formatComponent",
    "component-categories": "deleteCategory editCategory",
    "api-handler": "backup clear rollback",
    schema: "formatAttribute getSchema updateSchema",
  },
  admin: {
    permission: "cleanPermissionsInDatabase deleteByIds deleteByRolesIds sanitizePermission sectionsBuilder",
    "api-token": "reconcileTokenPermissionsToUserCeiling",
    "api-token-content-api": "reconcileTokenPermissionsToUserCeiling",
    "api-token-admin":
      "assignAdminPermissionsToToken authenticateAdminToken checkSaltIsDefined count countAll create deleteTokensForUser exists getByAccessKey getById getByName hash list regenerate revoke syncPermissionsForRole syncPermissionsForUser update",
    "content-type":
      "cleanPermissionFields getNestedFields getNestedFieldsWithIntermediate getPermissionsWithNestedFields",
    condition: "isValidCondition",
    metrics:
      "sendDidChangeInterfaceLanguage sendDidInviteUser sendDidUpdateRolePermissions sendUpdateProjectInformation startCron",
    "project-settings": "deleteOldFiles getProjectSettings parseFilesData updateProjectSettings",
    transfer: "permission token utils",
    action: "getAllowedActionsForRole",
    passport: "authEventsMapper getPassportStrategies init",
    auth: "forgotPassword resetPassword",
    homepage: "getHomepageLayout getKeyStatistics updateHomepageLayout",
  },
};

export const serviceUid = (owner: string, service: string): string =>
  `${owner}${owner === "admin" ? "::" : "."}${service}`;

const absentMember = (owner: string, service: string, member: string) => (): never => {
  throw new Error(`${serviceUid(owner, service)}: ${member} is not supported by Galley`);
};

type Factory = (...args: readonly unknown[]) => Members;

/** Absent services that are objects, as in Strapi: extensions copy their members. Others are functions that create one. */
const absentObjects: Readonly<Record<string, readonly string[]>> = {
  "plugin::upload": ["extensions"],
  "plugin::content-type-builder": Object.keys(absentMembers["plugin::content-type-builder"] ?? {}),
};

/** Adds absent members, and services that have no others. `services` are objects, or functions that create them. */
export function withAbsentMembers(owner: string, services: Members): Members {
  const completed: Members = { ...services };
  for (const [name, members] of Object.entries(absentMembers[owner] ?? {})) {
    const complete = (service: Members): Members => {
      for (const member of members.split(" ")) service[member] ??= absentMember(owner, name, member);
      return service;
    };
    const built = services[name] ?? (absentObjects[owner]?.includes(name) ? {} : () => ({}));
    if (typeof built !== "function") {
      completed[name] = complete(built as Members);
      continue;
    }
    // created once, so that a member that code has not replaced is the same function everywhere
    let service: Members | undefined;
    completed[name] = (...args: readonly unknown[]) => {
      service ??= complete((built as Factory)(...args));
      return service;
    };
  }
  return completed;
}
