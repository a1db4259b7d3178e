/** Controllers of Strapi's admin page, which extensions may wrap. They have no routes here. */
import type { Members } from "../loader/plugin.ts";

/** Names of actions, separated by spaces, by controller and plugin. */
const names: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "content-manager": {
    "collection-types":
      "autoClone bulkDelete bulkFindForValidation bulkPublish bulkUnpublish clone countDraftRelations countManyEntriesDraftRelations create delete discard find findOne publish unpublish update",
    components: "findComponentConfiguration findComponents updateComponentConfiguration",
    "content-types":
      "findContentTypeConfiguration findContentTypes findContentTypesSettings updateContentTypeConfiguration",
    homepage: "getCountDocuments getRecentDocuments",
    init: "getInitData",
    preview: "getPreviewScript getPreviewUrl",
    relations: "extractAndValidateRequestInfo findAvailable findExisting",
    "single-types": "countDraftRelations createOrUpdate delete discard find publish unpublish",
    uid: "checkUIDAvailability generateUID",
  },
  "content-type-builder": {
    builder: "getReservedNames",
    "component-categories": "deleteCategory editCategory",
    components: "createComponent deleteComponent updateComponent",
    "content-types": "createContentType deleteContentType updateContentType",
    schema: "getSchema getUpdateSchemaStatus updateSchema",
  },
  email: {
    email: "getSettings test verify",
  },
  i18n: {
    "ai-localization-jobs": "getJobForCollectionType getJobForSingleType",
    "content-types": "getFillFromLocaleData getNonLocalizedAttributes",
    "iso-locales": "listIsoLocales",
    locales: "createLocale deleteLocale updateLocale",
    settings: "getSettings updateSettings",
  },
  upload: {
    "admin-file":
      "createAIMetadataJob destroy find findOne generateAIMetadata getAIMetadataPendingCount getLatestAIMetadataJob",
    "admin-folder": "create find findOne getStructure update",
    "admin-folder-file": "deleteMany moveMany",
    "admin-settings": "getSettings updateSettings",
    "admin-upload": "bulkUpdateFileInfo replaceFile updateFileInfo upload uploadFile uploadFiles uploadFromUrls",
    "view-configuration": "findViewConfiguration updateViewConfiguration",
  },
  "users-permissions": {
    contentmanageruser: "create update",
    permissions: "getPolicies getRoutes",
    settings:
      "getAdvancedSettings getEmailTemplate getProviders updateAdvancedSettings updateEmailTemplate updateProviders",
  },
  admin: {
    admin:
      "getGuidedTourMeta getProjectSettings getProjectType information init licenseTrialTimeLeft plugins telemetryProperties updateProjectSettings",
    "admin-token": "create get getOwnerPermissions list regenerate revoke update",
    ai: "getAiFeatureConfig getAiToken getAiUsage",
    "api-token": "create get list regenerate revoke update",
    "authenticated-session": "list revoke revokeAll",
    "authenticated-user": "getMe getOwnPermissions updateMe",
    authentication: "accessToken forgotPassword login logout register registerAdmin registrationInfo resetPassword",
    "content-api": "getPermissions getRoutes",
    homepage: "getHomepageLayout getKeyStatistics updateHomepageLayout",
    permission: "check getAll",
    role: "create deleteMany deleteOne findAll findOne getPermissions update updatePermissions",
    transfer:
      "runner-pull runner-push token-create token-getById token-list token-regenerate token-revoke token-update",
    user: "create deleteMany deleteOne find findOne update",
    webhooks: "createWebhook deleteWebhook deleteWebhooks getWebhook listWebhooks triggerWebhook updateWebhook",
  },
};

const absentAction = (owner: string, action: string) => (_ctx: unknown) => {
  throw new Error(`${owner}.${action} belongs to the admin page and is not supported by Galley`);
};

/** The controllers of a plugin, or of `admin`, which only the admin page uses. Calling an action throws an error that names it. */
export const adminControllers = (plugin: string): Record<string, Members> =>
  Object.fromEntries(
    Object.entries(names[plugin] ?? {}).map(([name, actions]) => {
      const owner = `${plugin === "admin" ? "admin::" : `plugin::${plugin}.`}${name}`;
      return [name, Object.fromEntries(actions.split(" ").map((action) => [action, absentAction(owner, action)]))];
    }),
  );

/** Controllers that are functions which make them, as in Strapi. */
const factories: Readonly<Record<string, readonly string[]>> = {
  "users-permissions": ["auth"],
  upload: ["content-api"],
  "content-manager": ["homepage", "preview"],
  "content-type-builder": ["schema"],
  i18n: ["ai-localization-jobs"],
};

/** Plugins that only the admin page uses. */
export const adminPlugins = ["content-type-builder", "content-releases", "review-workflows"] as const;

/** Adds the actions that only the admin page uses. */
export function withAdminControllers(plugin: string, controllers: Readonly<Record<string, Members>>): Members {
  const absent = adminControllers(plugin);
  const merged = [...new Set([...Object.keys(absent), ...Object.keys(controllers)])].map((name) => {
    const actions = { ...absent[name], ...controllers[name] };
    const isFactory = factories[plugin]?.includes(name) ?? false;
    return [name, isFactory ? (_parts: { readonly strapi: object }) => actions : actions] as const;
  });
  return Object.fromEntries(merged);
}
