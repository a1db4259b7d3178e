/** What administrators may do in Strapi without plugins of the project, in its order. */

const each = (prefix: string, names: string): string[] => names.split(" ").map((name) => `${prefix}.${name}`);
const CRUD = "create read update delete";
const TOKEN = "create read update regenerate delete";

const EXPLORER = "plugin::content-manager.explorer";
/** Those on content-types. */
export const typeActions = [
  { action: `${EXPLORER}.create`, hasFields: true },
  { action: `${EXPLORER}.read`, hasFields: true, isForHidden: true },
  { action: `${EXPLORER}.update`, hasFields: true },
  { action: `${EXPLORER}.delete` },
  { action: `${EXPLORER}.publish` },
];

/** Those without a content-type. */
export const staticActions: readonly string[] = [
  "plugin::content-manager.single-types.configure-view",
  "plugin::content-manager.collection-types.configure-view",
  "plugin::content-manager.components.configure-layout",
  "plugin::content-type-builder.read",
  "plugin::email.settings.read",
  ...each("plugin::upload", "read assets.create assets.update assets.download assets.copy-link configure-view"),
  "plugin::upload.settings.read",
  ...each("plugin::i18n.locale", CRUD),
  ...each("plugin::users-permissions.roles", CRUD),
  ...["providers", "email-templates", "advanced-settings"].flatMap((name) =>
    each(`plugin::users-permissions.${name}`, "read update"),
  ),
  "admin::marketplace.read",
  ...["webhooks", "users", "roles"].flatMap((name) => each(`admin::${name}`, CRUD)),
  ...["admin::api-tokens.access", "admin::admin-tokens.access"],
  ...each("admin::admin-tokens", TOKEN),
  ...each("admin::api-tokens", TOKEN),
  ...["admin::project-settings.update", "admin::project-settings.read", "admin::transfer.tokens.access"],
  ...each("admin::transfer.tokens", TOKEN),
];
