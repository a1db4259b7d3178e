/**
 * Routes of Strapi's admin page, as extensions see them. Requests reach only those that an extension adds.
 * After method, path and handler: `signed-in`, `may` and `can` are policies (`any`: an empty list of them), `wrapped` is a middleware, `open`
 * is `auth: false`. `$` is the plugin.
 */
import { mapValues } from "../../lib/records.ts";
import { type Members, markAdminRow } from "../loader/plugin.ts";

const tables: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "content-manager": {
    admin: `
      GET /init init.getInitData any
      GET /content-types content-types.findContentTypes any
      GET /content-types-settings content-types.findContentTypesSettings any
      GET /content-types/:uid/configuration content-types.findContentTypeConfiguration any
      PUT /content-types/:uid/configuration content-types.updateContentTypeConfiguration signed-in
      GET /components components.findComponents any
      GET /components/:uid/configuration components.findComponentConfiguration any
      PUT /components/:uid/configuration components.updateComponentConfiguration any
      POST /uid/generate uid.generateUID any
      POST /uid/check-availability uid.checkUIDAvailability any
      GET /relations/:model/:targetField relations.findAvailable signed-in
      GET /relations/:model/:id/:targetField relations.findExisting signed-in
      GET /single-types/:model single-types.find wrapped signed-in can=$.explorer.read
      PUT /single-types/:model single-types.createOrUpdate wrapped signed-in can=$.explorer.create,$.explorer.update
      DELETE /single-types/:model single-types.delete wrapped signed-in can=$.explorer.delete
      POST /single-types/:model/actions/publish single-types.publish wrapped signed-in can=$.explorer.publish
      POST /single-types/:model/actions/unpublish single-types.unpublish wrapped signed-in can=$.explorer.publish
      POST /single-types/:model/actions/discard single-types.discard wrapped signed-in can=$.explorer.update
      GET /single-types/:model/actions/countDraftRelations single-types.countDraftRelations wrapped signed-in can=$.explorer.read
      GET /collection-types/:model collection-types.find wrapped signed-in can=$.explorer.read
      POST /collection-types/:model collection-types.create wrapped signed-in can=$.explorer.create
      POST /collection-types/:model/clone/:sourceId collection-types.clone wrapped signed-in can=$.explorer.create
      POST /collection-types/:model/auto-clone/:sourceId collection-types.autoClone wrapped signed-in can=$.explorer.create
      GET /collection-types/:model/:id collection-types.findOne wrapped signed-in can=$.explorer.read
      PUT /collection-types/:model/:id collection-types.update wrapped signed-in can=$.explorer.update
      DELETE /collection-types/:model/:id collection-types.delete wrapped signed-in can=$.explorer.delete
      POST /collection-types/:model/actions/publish collection-types.publish wrapped signed-in can=$.explorer.publish
      POST /collection-types/:model/:id/actions/publish collection-types.publish wrapped signed-in can=$.explorer.publish
      POST /collection-types/:model/:id/actions/unpublish collection-types.unpublish wrapped signed-in can=$.explorer.publish
      POST /collection-types/:model/:id/actions/discard collection-types.discard wrapped signed-in can=$.explorer.update
      POST /collection-types/:model/actions/bulkDelete collection-types.bulkDelete wrapped signed-in can=$.explorer.delete
      POST /collection-types/:model/actions/bulkFindForValidation collection-types.bulkFindForValidation wrapped signed-in can=$.explorer.read
      POST /collection-types/:model/actions/bulkPublish collection-types.bulkPublish wrapped signed-in can=$.explorer.publish
      POST /collection-types/:model/actions/bulkUnpublish collection-types.bulkUnpublish wrapped signed-in can=$.explorer.publish
      GET /collection-types/:model/:id/actions/countDraftRelations collection-types.countDraftRelations wrapped signed-in can=$.explorer.read
      GET /collection-types/:model/actions/countManyEntriesDraftRelations collection-types.countManyEntriesDraftRelations wrapped signed-in can=$.explorer.read
    `,
    homepage: `
      GET /homepage/recent-documents homepage.getRecentDocuments signed-in
      GET /homepage/count-documents homepage.getCountDocuments signed-in
    `,
    preview: `
      GET /preview/url/:contentType preview.getPreviewUrl signed-in
      GET /preview/script preview.getPreviewScript open
    `,
  },
  "content-type-builder": {
    admin: `
      GET /reserved-names builder.getReservedNames may=$.read
      GET /content-types content-types.getContentTypes may=$.read
      GET /content-types/:uid content-types.getContentType may=$.read
      POST /content-types content-types.createContentType wrapped may=$.read
      PUT /content-types/:uid content-types.updateContentType wrapped may=$.read
      DELETE /content-types/:uid content-types.deleteContentType wrapped may=$.read
      GET /components components.getComponents may=$.read
      GET /components/:uid components.getComponent may=$.read
      POST /components components.createComponent wrapped may=$.read
      PUT /components/:uid components.updateComponent wrapped may=$.read
      DELETE /components/:uid components.deleteComponent wrapped may=$.read
      PUT /component-categories/:name component-categories.editCategory wrapped may=$.read
      DELETE /component-categories/:name component-categories.deleteCategory wrapped may=$.read
      GET /schema schema.getSchema may=$.read
      POST /update-schema schema.updateSchema wrapped may=$.read
      GET /update-schema-status schema.getUpdateSchemaStatus may=$.read
    `,
  },
  email: {
    admin: `
      POST / email.send signed-in
      POST /test email.test signed-in may=$.settings.read
      GET /settings email.getSettings signed-in may=$.settings.read
      POST /verify email.verify signed-in may=$.settings.read
    `,
  },
  upload: {
    admin: `
      GET /settings admin-settings.getSettings signed-in may=$.settings.read
      PUT /settings admin-settings.updateSettings signed-in may=$.settings.read
      POST / admin-upload.upload signed-in
      POST /actions/upload-from-urls admin-upload.uploadFromUrls signed-in
      GET /files admin-file.find signed-in may=$.read
      POST /files admin-upload.uploadFile signed-in
      GET /files/:id admin-file.findOne signed-in may=$.read
      PUT /files/:id admin-upload.updateFileInfo signed-in
      POST /files/:id/replace admin-upload.replaceFile signed-in
      DELETE /files/:id admin-file.destroy signed-in may=$.assets.update
      GET /folders/:id admin-folder.findOne signed-in may=$.read
      GET /folders admin-folder.find signed-in may=$.read
      POST /folders admin-folder.create signed-in may=$.assets.create
      PUT /folders/:id admin-folder.update signed-in may=$.assets.update
      GET /folder-structure admin-folder.getStructure signed-in may=$.read
      POST /actions/bulk-delete admin-folder-file.deleteMany signed-in may=$.assets.update
      POST /actions/bulk-move admin-folder-file.moveMany signed-in may=$.assets.update
      POST /actions/bulk-update admin-upload.bulkUpdateFileInfo signed-in may=$.assets.update
      POST /actions/generate-ai-metadata admin-file.generateAIMetadata signed-in may=$.assets.update
      POST /ai-metadata-jobs admin-file.createAIMetadataJob signed-in may=$.assets.update
      GET /ai-metadata-jobs/latest admin-file.getLatestAIMetadataJob signed-in
      GET /ai-metadata-jobs/pending-count admin-file.getAIMetadataPendingCount signed-in may=$.read
    `,
    viewConfiguration: `
      GET /configuration view-configuration.findViewConfiguration signed-in
      PUT /configuration view-configuration.updateViewConfiguration signed-in may=$.configure-view
    `,
  },
  i18n: {
    admin: `
      GET /iso-locales iso-locales.listIsoLocales signed-in can=$.locale.read
      GET /locales locales.listLocales signed-in
      POST /locales locales.createLocale signed-in can=$.locale.create
      PUT /locales/:id locales.updateLocale signed-in can=$.locale.update
      DELETE /locales/:id locales.deleteLocale signed-in can=$.locale.delete
      POST /content-manager/actions/get-non-localized-fields content-types.getNonLocalizedAttributes signed-in
      GET /content-manager/get-fill-from-locale/:model content-types.getFillFromLocaleData signed-in can=plugin::content-manager.explorer.read
      GET /settings settings.getSettings signed-in
      PUT /settings settings.updateSettings signed-in
      GET /ai-localization-jobs/collection-types/:contentType/:documentId ai-localization-jobs.getJobForCollectionType signed-in
      GET /ai-localization-jobs/single-types/:contentType ai-localization-jobs.getJobForSingleType signed-in
    `,
  },
  "users-permissions": {
    admin: `
      GET /roles/:id role.findOne may=$.roles.read
      GET /roles role.find may=$.roles.read
      POST /roles role.createRole may=$.roles.create
      PUT /roles/:role role.updateRole may=$.roles.update
      DELETE /roles/:role role.deleteRole may=$.roles.delete
      GET /email-templates settings.getEmailTemplate may=$.email-templates.read
      PUT /email-templates settings.updateEmailTemplate may=$.email-templates.update
      GET /advanced settings.getAdvancedSettings may=$.advanced-settings.read
      PUT /advanced settings.updateAdvancedSettings may=$.advanced-settings.update
      GET /providers settings.getProviders may=$.providers.read
      PUT /providers settings.updateProviders may=$.providers.update
      GET /permissions permissions.getPermissions
      GET /policies permissions.getPolicies
      GET /routes permissions.getRoutes
    `,
  },
};

const pass = (_ctx: unknown, next: () => unknown): unknown => next();

function createPolicy(rule: string, plugin: string): unknown {
  if (rule === "signed-in") return "admin::isAuthenticatedAdmin";
  const [kind, list = ""] = rule.split("=");
  const actions = list.split(",").map((action) => action.replace("$", `plugin::${plugin}`));
  if (kind === "may") return { name: "admin::hasPermissions", config: { actions } };
  const config = actions.length > 1 ? { actions, hasAtLeastOne: true } : { actions };
  return { name: "plugin::content-manager.hasPermissions", config };
}

function adminRow(plugin: string, line: string): Members {
  const [method, path, handler, ...rules] = line.trim().split(" ");
  const policies = rules.filter((rule) => /^(any|signed-in|may=|can=)/.test(rule));
  const config = {
    ...(rules.includes("open") ? { auth: false } : {}),
    ...(rules.includes("wrapped") ? { middlewares: [pass] } : {}),
    ...(policies.length > 0
      ? { policies: policies.filter((rule) => rule !== "any").map((rule) => createPolicy(rule, plugin)) }
      : {}),
  };
  return markAdminRow({ method, path, handler, ...(rules.length > 0 ? { config } : {}) });
}

const listLines = (table: string): string[] => table.trim().split("\n");

/** The routers of a plugin's admin routes, by name. */
export const adminRouters = (plugin: string): Members =>
  mapValues(tables[plugin] ?? {}, (table) => ({
    type: "admin",
    routes: listLines(table).map((line) => adminRow(plugin, line)),
  }));

/** The handlers of a plugin's admin routes. */
export const adminHandlers = (plugin: string): string[] =>
  Object.values(tables[plugin] ?? {})
    .flatMap(listLines)
    .map((line) => line.trim().split(" ")[2]!);
