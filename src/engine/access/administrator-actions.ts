/** What administrators may do in Strapi without plugins of the project, in its order and words. */

const EXPLORER = "plugin::content-manager.explorer";
/** Those on content-types. */
export const typeActions = [
  { action: `${EXPLORER}.create`, displayName: "Create", hasFields: true },
  { action: `${EXPLORER}.read`, displayName: "Read", hasFields: true, isForHidden: true },
  { action: `${EXPLORER}.update`, displayName: "Update", hasFields: true },
  { action: `${EXPLORER}.delete`, displayName: "Delete" },
  { action: `${EXPLORER}.publish`, displayName: "Publish" },
];

interface ActionGroup {
  readonly owner: string;
  /** Of settings. Without it the section is that of plugins. */
  readonly category?: string;
  readonly subCategory?: string;
  /** What is before each name, with its dot. */
  readonly prefix?: string;
  /** Display names. */
  readonly names: Readonly<Record<string, string>>;
}

const crud = { create: "Create", read: "Read", update: "Update", delete: "Delete" };
const edit = { read: "Read", update: "Edit" };
const token = {
  ...{ create: "Create (generate)", read: "Read", update: "Update" },
  ...{ regenerate: "Regenerate", delete: "Delete (revoke)" },
};
const plugin = (name: string, subCategory: string, prefix: string, names: ActionGroup["names"]): ActionGroup => ({
  ...{ owner: name, subCategory, prefix, names },
});
const setting = (category: string, prefix: string, names: ActionGroup["names"], subCategory?: string): ActionGroup => ({
  ...{ owner: "admin", category, prefix, names, ...(subCategory ? { subCategory } : {}) },
});
const MEDIA = "Access the Media Library";

const groups: readonly ActionGroup[] = [
  plugin("content-manager", "single types", "single-types.", { "configure-view": "Configure view" }),
  plugin("content-manager", "collection types", "collection-types.", { "configure-view": "Configure view" }),
  plugin("content-manager", "components", "components.", { "configure-layout": "Configure Layout" }),
  { owner: "content-type-builder", names: { read: "Read" } },
  { owner: "email", category: "email", prefix: "settings.", names: { read: "Access the Email Settings page" } },
  { owner: "upload", names: { read: MEDIA } },
  plugin("upload", "assets", "assets.", {
    ...{ create: "Create (upload)", update: "Update (crop, details, replace) + delete" },
    ...{ download: "Download", "copy-link": "Copy link" },
  }),
  { owner: "upload", names: { "configure-view": "Configure view" } },
  { owner: "upload", category: "media library", prefix: "settings.", names: { read: `${MEDIA} settings page` } },
  { owner: "i18n", category: "Internationalization", subCategory: "Locales", prefix: "locale.", names: crud },
  plugin("users-permissions", "roles", "roles.", crud),
  plugin("users-permissions", "providers", "providers.", edit),
  plugin("users-permissions", "emailTemplates", "email-templates.", edit),
  plugin("users-permissions", "advancedSettings", "advanced-settings.", edit),
  setting("plugins and marketplace", "marketplace.", { read: "Access the marketplace" }, "marketplace"),
  setting("webhooks", "webhooks.", crud),
  setting("users and roles", "users.", { ...crud, create: "Create (invite)" }, "users"),
  setting("users and roles", "roles.", crud, "roles"),
  setting("api tokens", "api-tokens.", { access: "Access the API tokens settings page" }, "api Tokens"),
  setting("admin tokens", "admin-tokens.", { access: "Access the Admin tokens settings page" }, "admin tokens"),
  setting("admin tokens", "admin-tokens.", token),
  setting("api tokens", "api-tokens.", token),
  setting("project", "project-settings.", {
    update: "Update the project level settings",
    read: "Read the project level settings",
  }),
  setting(
    "transfer tokens",
    "transfer.tokens.",
    { access: "Access the transfer tokens settings page" },
    "transfer tokens",
  ),
  setting("transfer tokens", "transfer.tokens.", token),
];

/** Those without a content-type, as Strapi keeps them. */
export const staticActions = groups.flatMap(({ owner, category, subCategory = "general", prefix = "", names }) =>
  Object.entries(names).map(([name, displayName]) => ({
    section: category ? "settings" : "plugins",
    displayName,
    ...(category ? { category } : {}),
    subCategory,
    pluginName: owner,
    actionId: `${owner === "admin" ? "admin::" : `plugin::${owner}.`}${prefix}${name}`,
  })),
);
