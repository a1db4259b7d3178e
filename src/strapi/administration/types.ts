/** The types of Strapi's administration, as they are stored for code. */
import { administrationType, administrationTypes } from "../../engine/schema/builtin/administration.ts";
import type { RawContentType } from "../../engine/schema/definition.ts";
import { mapValues } from "../../lib/records.ts";

export const API_TOKEN = "admin::api-token";
export const API_TOKEN_PERMISSION = "admin::api-token-permission";
export const CORE_STORE = "strapi::core-store";
export const ADMINISTRATOR = "admin::user";
export const ADMINISTRATOR_ROLE = "admin::role";

/** Rows of Strapi's database that belong to no content-type. */
export const coreStoreType = administrationType(
  "core-store",
  "strapi_core_store_settings",
  {
    key: { type: "string" },
    value: { type: "text" },
    type: { type: "string" },
    environment: { type: "string" },
    tag: { type: "string" },
  },
  { uid: CORE_STORE },
);

/** Code reads none of the stored webhooks as rows: `strapi.get("webhookStore")` has them. */
const webhookType = administrationType(
  "webhook",
  "strapi_webhooks",
  {
    name: { type: "string" },
    url: { type: "text" },
    headers: { type: "json" },
    events: { type: "json" },
    enabled: { type: "boolean" },
  },
  { uid: "strapi::webhook" },
);

const allTypes = [...administrationTypes, coreStoreType, webhookType];

/** Types whose rows are in the database of the administration. */
export const administrationUids: ReadonlySet<string> = new Set(allTypes.map(({ uid }) => uid));

/** As Strapi's database does, queries store passwords as they are. */
const stored = ({ definition, ...raw }: RawContentType): RawContentType => ({
  ...raw,
  definition: {
    ...definition,
    attributes: mapValues(definition.attributes ?? {}, (attribute) =>
      attribute.type === "password" ? { ...attribute, type: "string" } : attribute,
    ),
  },
});

/** The types as they are stored. */
export const storedTypes = (): readonly RawContentType[] => allTypes.map(stored);

/** The roles of a new project of Strapi. */
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
