/** Strapi's administrator permissions without a content-type, in its order. */

type Section =
  | { readonly section: "plugins"; readonly plugin: string; readonly subCategory: string }
  | { readonly section: "settings"; readonly category: string; readonly subCategory: string };

export type StaticAction = Section & { readonly action: string; readonly displayName: string };

const inPlugin =
  (plugin: string, subCategory: string) =>
  (name: string, displayName: string): StaticAction => ({
    section: "plugins",
    plugin,
    subCategory,
    action: `plugin::${plugin}.${name}`,
    displayName,
  });

const inSettings =
  (prefix: string, category: string, subCategory: string) =>
  (name: string, displayName: string): StaticAction => ({
    section: "settings",
    category,
    subCategory,
    action: `${prefix}.${name}`,
    displayName,
  });

type CreateAction = (name: string, displayName: string) => StaticAction;

/** Creating, reading, updating and deleting. */
const crud = (make: CreateAction, prefix: string, names: readonly string[] = ["Create", "Read", "Update", "Delete"]) =>
  ["create", "read", "update", "delete"].map((name, index) => make(`${prefix}${name}`, names[index]!));

const readAndUpdate = (make: CreateAction, prefix: string): StaticAction[] => [
  make(`${prefix}read`, "Read"),
  make(`${prefix}update`, "Edit"),
];

function tokenActions(prefix: string, category: string): StaticAction[] {
  const make = inSettings(prefix, category, "general");
  return [
    make("create", "Create (generate)"),
    make("read", "Read"),
    make("update", "Update"),
    make("regenerate", "Regenerate"),
    make("delete", "Delete (revoke)"),
  ];
}

const uploadAssets = inPlugin("upload", "assets");
const uploadGeneral = inPlugin("upload", "general");
const users = (subCategory: string): CreateAction => inPlugin("users-permissions", subCategory);
const USER_ACTION_LABELS = ["Create (invite)", "Read", "Update", "Delete"];

export const staticActions: readonly StaticAction[] = [
  inPlugin("content-manager", "single types")("single-types.configure-view", "Configure view"),
  inPlugin("content-manager", "collection types")("collection-types.configure-view", "Configure view"),
  inPlugin("content-manager", "components")("components.configure-layout", "Configure Layout"),
  inPlugin("content-type-builder", "general")("read", "Read"),
  inSettings("plugin::email", "email", "general")("settings.read", "Access the Email Settings page"),
  uploadGeneral("read", "Access the Media Library"),
  uploadAssets("assets.create", "Create (upload)"),
  uploadAssets("assets.update", "Update (crop, details, replace) + delete"),
  uploadAssets("assets.download", "Download"),
  uploadAssets("assets.copy-link", "Copy link"),
  uploadGeneral("configure-view", "Configure view"),
  inSettings("plugin::upload", "media library", "general")("settings.read", "Access the Media Library settings page"),
  ...crud(inSettings("plugin::i18n", "Internationalization", "Locales"), "locale."),
  ...crud(users("roles"), "roles."),
  ...readAndUpdate(users("providers"), "providers."),
  ...readAndUpdate(users("emailTemplates"), "email-templates."),
  ...readAndUpdate(users("advancedSettings"), "advanced-settings."),
  inSettings("admin::marketplace", "plugins and marketplace", "marketplace")("read", "Access the marketplace"),
  ...crud(inSettings("admin::webhooks", "webhooks", "general"), ""),
  ...crud(inSettings("admin::users", "users and roles", "users"), "", USER_ACTION_LABELS),
  ...crud(inSettings("admin::roles", "users and roles", "roles"), ""),
  inSettings("admin::api-tokens", "api tokens", "api Tokens")("access", "Access the API tokens settings page"),
  inSettings("admin::admin-tokens", "admin tokens", "admin tokens")("access", "Access the Admin tokens settings page"),
  ...tokenActions("admin::admin-tokens", "admin tokens"),
  ...tokenActions("admin::api-tokens", "api tokens"),
  inSettings("admin::project-settings", "project", "general")("update", "Update the project level settings"),
  inSettings("admin::project-settings", "project", "general")("read", "Read the project level settings"),
  inSettings(
    "admin::transfer.tokens",
    "transfer tokens",
    "transfer tokens",
  )("access", "Access the transfer tokens settings page"),
  ...tokenActions("admin::transfer.tokens", "transfer tokens"),
];
