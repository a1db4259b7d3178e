/** The types of the reference's administration, with its tables and attributes. */
import type { AttributeDefinition } from "../../attributes/index.ts";
import type { RawContentType } from "../../schema/definition.ts";

type Attributes = Readonly<Record<string, AttributeDefinition>>;

const relation = (kind: string, target: string, options: object): AttributeDefinition => ({
  type: "relation",
  relation: kind,
  target: `admin::${target}`,
  ...options,
});

const text = { type: "string" };
const datetime = { type: "datetime" };
const token: Attributes = { name: text, description: { type: "string", default: "" } };
const expiry: Attributes = { expiresAt: datetime, lifespan: { type: "biginteger" } };

const type = (
  name: string,
  collectionName: string,
  attributes: Attributes,
  uid = `admin::${name}`,
): RawContentType => ({
  uid,
  file: "<administration>",
  folder: name,
  definition: {
    kind: "collectionType",
    collectionName,
    info: { singularName: name, pluralName: `${name}s`, displayName: name },
    attributes,
  },
});

export const API_TOKEN = "admin::api-token";
export const API_TOKEN_PERMISSION = "admin::api-token-permission";
export const CORE_STORE = "strapi::core-store";
export const ADMINISTRATOR = "admin::user";
export const ADMINISTRATOR_ROLE = "admin::role";

export const administrationTypes: readonly RawContentType[] = [
  type("permission", "admin_permissions", {
    action: text,
    actionParameters: { type: "json", default: {} },
    subject: text,
    properties: { type: "json", default: {} },
    conditions: { type: "json", default: [] },
    role: relation("manyToOne", "role", { inversedBy: "permissions" }),
    apiToken: relation("manyToOne", "api-token", { inversedBy: "adminPermissions" }),
  }),
  type("user", "admin_users", {
    firstname: text,
    lastname: text,
    username: text,
    email: { type: "email" },
    // as in the reference, queries store it as it is
    password: text,
    resetPasswordToken: text,
    resetPasswordTokenExpiresAt: datetime,
    registrationToken: text,
    isActive: { type: "boolean", default: false },
    roles: relation("manyToMany", "role", { inversedBy: "users" }),
    apiTokens: relation("oneToMany", "api-token", { mappedBy: "adminUserOwner" }),
    blocked: { type: "boolean", default: false },
    preferedLanguage: text,
  }),
  type("role", "admin_roles", {
    name: text,
    code: text,
    description: text,
    users: relation("manyToMany", "user", { mappedBy: "roles" }),
    permissions: relation("oneToMany", "permission", { mappedBy: "role" }),
  }),
  type("api-token", "strapi_api_tokens", {
    ...token,
    kind: { type: "string", default: "content-api" },
    type: { type: "string", default: "read-only" },
    accessKey: text,
    encryptedKey: { type: "text" },
    lastUsedAt: datetime,
    permissions: relation("oneToMany", "api-token-permission", { mappedBy: "token" }),
    adminPermissions: relation("oneToMany", "permission", { mappedBy: "apiToken" }),
    adminUserOwner: relation("manyToOne", "user", { inversedBy: "apiTokens" }),
    ...expiry,
  }),
  type("api-token-permission", "strapi_api_token_permissions", {
    action: text,
    token: relation("manyToOne", "api-token", { inversedBy: "permissions" }),
  }),
  type("transfer-token", "strapi_transfer_tokens", {
    ...token,
    accessKey: text,
    lastUsedAt: datetime,
    permissions: relation("oneToMany", "transfer-token-permission", { mappedBy: "token" }),
    ...expiry,
  }),
  type("transfer-token-permission", "strapi_transfer_token_permissions", {
    action: text,
    token: relation("manyToOne", "transfer-token", { inversedBy: "permissions" }),
  }),
  type(
    "core-store",
    "strapi_core_store_settings",
    { key: text, value: { type: "text" }, type: text, environment: text, tag: text },
    CORE_STORE,
  ),
];

export const administrationUids: ReadonlySet<string> = new Set(administrationTypes.map(({ uid }) => uid));

/** The roles of a new project of the reference. */
export const standardRoles = [
  {
    name: "Super Admin",
    code: "strapi-super-admin",
    description: "Super Admins can access and manage all features and settings.",
  },
  {
    name: "Editor",
    code: "strapi-editor",
    description: "Editors can manage and publish contents including those of other users.",
  },
  { name: "Author", code: "strapi-author", description: "Authors can manage the content they have created." },
] as const;

export const SUPER_ADMIN = standardRoles[0].code;
