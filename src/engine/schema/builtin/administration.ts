/** The types of Strapi's administration and of its releases, with their tables and attributes. Galley has no tables for them. */
import type { AttributeDefinition } from "../../attributes/index.ts";
import type { RawContentType } from "../definition.ts";
import { LOCALE } from "./index.ts";

type Attributes = Readonly<Record<string, AttributeDefinition>>;

/** Options of all attributes in the administration. */
const FIXED = { configurable: false } as const;

const own = (type: string, options: object = {}): AttributeDefinition => ({ type, ...FIXED, ...options });
const text = (options: object = {}): AttributeDefinition => own("string", options);
const secret = (type: string, options: object = {}): AttributeDefinition =>
  own(type, { private: true, searchable: false, ...options });
const named = { minLength: 1, required: true } as const;
const optional = { required: false } as const;
const unique = { unique: true } as const;

const relation = (kind: string, target: string, options: object): AttributeDefinition => ({
  ...FIXED,
  type: "relation",
  relation: kind,
  target: `admin::${target}`,
  ...options,
});

const token: Attributes = {
  name: text({ ...named, ...unique }),
  description: text({ minLength: 1, ...optional, default: "" }),
};
const expiry: Attributes = { expiresAt: own("datetime", optional), lifespan: own("biginteger", optional) };
const lastUsedAt = own("datetime", optional);

/** From the content manager and the content-type-builder. */
const HIDDEN = { "content-manager": { visible: false }, "content-type-builder": { visible: false } };

interface TypeOptions {
  readonly displayName?: string;
  readonly pluginOptions?: Readonly<Record<string, object>>;
  readonly info?: Readonly<Record<string, string>>;
  readonly pluralName?: string;
  /** Of the owner; by default the administration. */
  readonly uid?: string;
}

export function administrationType(
  name: string,
  collectionName: string,
  attributes: Attributes,
  options: TypeOptions = {},
): RawContentType {
  const { displayName = name, info = {}, pluginOptions, pluralName = `${name}s`, uid = `admin::${name}` } = options;
  return {
    uid,
    file: "<administration>",
    folder: name,
    definition: {
      kind: "collectionType",
      collectionName,
      info: { ...info, singularName: name, pluralName, displayName },
      options: { draftAndPublish: false },
      pluginOptions: { ...HIDDEN, ...pluginOptions },
      attributes,
    },
  };
}

const RELEASES = "plugin::content-releases";

const described = (name: string, description = "") => ({ displayName: name, info: { name, description } });

export const administrationTypes: readonly RawContentType[] = [
  administrationType(
    "permission",
    "admin_permissions",
    {
      action: text(named),
      actionParameters: own("json", { ...optional, default: {} }),
      subject: text({ minLength: 1, ...optional }),
      properties: own("json", { ...optional, default: {} }),
      conditions: own("json", { ...optional, default: [] }),
      role: relation("manyToOne", "role", { inversedBy: "permissions", ...optional }),
      apiToken: relation("manyToOne", "api-token", { inversedBy: "adminPermissions", ...optional }),
    },
    described("Permission"),
  ),
  administrationType(
    "user",
    "admin_users",
    {
      firstname: text({ unique: false, minLength: 1, ...optional }),
      lastname: text({ unique: false, minLength: 1, ...optional }),
      username: text({ unique: false, ...optional }),
      email: own("email", { minLength: 6, required: true, ...unique, private: true }),
      password: secret("password", { minLength: 6, ...optional }),
      resetPasswordToken: secret("string"),
      resetPasswordTokenExpiresAt: secret("datetime"),
      registrationToken: secret("string"),
      isActive: own("boolean", { default: false, private: true }),
      roles: relation("manyToMany", "role", {
        inversedBy: "users",
        private: true,
        collectionName: "strapi_users_roles",
      }),
      apiTokens: relation("oneToMany", "api-token", { mappedBy: "adminUserOwner", private: true }),
      blocked: own("boolean", { default: false, private: true }),
      preferedLanguage: text({ ...optional, searchable: false }),
    },
    described("User"),
  ),
  administrationType(
    "role",
    "admin_roles",
    {
      name: text({ ...named, ...unique }),
      code: text({ ...named, ...unique }),
      description: text(),
      users: relation("manyToMany", "user", { mappedBy: "roles" }),
      permissions: relation("oneToMany", "permission", { mappedBy: "role" }),
    },
    described("Role"),
  ),
  administrationType(
    "api-token",
    "strapi_api_tokens",
    {
      ...token,
      kind: own("enumeration", { enum: ["content-api", "admin"], required: true, default: "content-api" }),
      type: own("enumeration", {
        enum: ["read-only", "full-access", "custom"],
        ...optional,
        default: "read-only",
      }),
      accessKey: text({ ...named, searchable: false }),
      encryptedKey: own("text", { minLength: 1, ...optional, searchable: false }),
      lastUsedAt,
      permissions: relation("oneToMany", "api-token-permission", { mappedBy: "token", ...optional }),
      adminPermissions: relation("oneToMany", "permission", { mappedBy: "apiToken", ...optional }),
      adminUserOwner: relation("manyToOne", "user", { inversedBy: "apiTokens", ...optional }),
      ...expiry,
    },
    described("Api Token"),
  ),
  administrationType(
    "api-token-permission",
    "strapi_api_token_permissions",
    { action: text(named), token: relation("manyToOne", "api-token", { inversedBy: "permissions" }) },
    described("API Token Permission"),
  ),
  administrationType(
    "transfer-token",
    "strapi_transfer_tokens",
    {
      ...token,
      accessKey: text(named),
      lastUsedAt,
      permissions: relation("oneToMany", "transfer-token-permission", { mappedBy: "token", ...optional }),
      ...expiry,
    },
    described("Transfer Token"),
  ),
  administrationType(
    "transfer-token-permission",
    "strapi_transfer_token_permissions",
    { action: text(named), token: relation("manyToOne", "transfer-token", { inversedBy: "permissions" }) },
    described("Transfer Token Permission"),
  ),
  administrationType(
    "session",
    "strapi_sessions",
    {
      userId: secret("string", { required: true }),
      sessionId: secret("string", { required: true, ...unique }),
      childId: secret("string"),
      deviceId: secret("string", { required: true }),
      origin: secret("string", { required: true }),
      expiresAt: secret("datetime", { required: true }),
      absoluteExpiresAt: secret("datetime"),
      status: secret("string"),
      type: secret("string"),
      metadata: secret("json"),
    },
    { ...described("Session", "Session Manager storage"), pluginOptions: { i18n: { localized: false } } },
  ),
  administrationType(
    "release",
    "strapi_releases",
    {
      name: { type: "string", required: true },
      releasedAt: { type: "datetime" },
      scheduledAt: { type: "datetime" },
      timezone: { type: "string" },
      status: { type: "enumeration", enum: ["ready", "blocked", "failed", "done", "empty"], required: true },
      actions: { type: "relation", relation: "oneToMany", target: `${RELEASES}.release-action`, mappedBy: "release" },
    },
    { displayName: "Release", uid: `${RELEASES}.release` },
  ),
  administrationType(
    "release-action",
    "strapi_release_actions",
    {
      type: { type: "enumeration", enum: ["publish", "unpublish"], required: true },
      contentType: { type: "string", required: true },
      entryDocumentId: { type: "string" },
      release: { type: "relation", relation: "manyToOne", target: `${RELEASES}.release`, inversedBy: "actions" },
      isEntryValid: { type: "boolean" },
    },
    { displayName: "Release Action", uid: `${RELEASES}.release-action` },
  ),
];

const isOfAdministration = ({ uid }: RawContentType): boolean => uid.startsWith("admin::");
const ofAdministration = administrationTypes.filter(isOfAdministration);
/** Of releases. */
export const releaseTypes = administrationTypes.filter((type) => !isOfAdministration(type));

/** Relations from types of plugins to the administration. They lead nowhere here, and are part of descriptions only. */
const toAdministration: Readonly<Record<string, Attributes>> = {
  "plugin::review-workflows.workflow-stage": { permissions: relation("manyToMany", "permission", {}) },
};

function withRelations(type: RawContentType): RawContentType {
  const relations = toAdministration[type.uid];
  if (!relations) return type;
  return { ...type, definition: { ...type.definition, attributes: { ...type.definition.attributes, ...relations } } };
}

/** With the types of a project, in the order of Strapi: plugins, then the project, then the administration. */
export function withAdministration(projectTypes: readonly RawContentType[]): readonly RawContentType[] {
  const types = projectTypes.map(withRelations);
  const position = types.findIndex(({ uid }) => uid === LOCALE) + 1;
  return [...types.slice(0, position), ...releaseTypes, ...types.slice(position), ...ofAdministration];
}
