/** The attributes that every content-type has besides those of its file, as in Strapi. */
import { scalarTypes } from "../attributes/index.ts";
import { NO_LINK, type ResolveContext } from "./attribute-base.ts";
import { CREATOR } from "./builtin/creator.ts";
import { builtinTypes } from "./builtin/index.ts";
import type { Attribute, RelationAttribute, ScalarAttribute } from "./model.ts";
import { OWN_LOCALE, type SystemAttributeName } from "./system-attribute-names.ts";

const localeColumn = ({ uid, localized }: ResolveContext): string =>
  localized || !uid.startsWith("plugin::") || Object.hasOwn(builtinTypes, uid) ? "locale" : OWN_LOCALE;

export function systemAttributes(context: ResolveContext, populateCreatorFields: boolean): Attribute[] {
  const scalar = (
    name: SystemAttributeName,
    type: "datetime" | "string",
    column: string,
    writable: boolean,
    isPrivate: boolean,
  ): ScalarAttribute => ({
    name,
    definition: { type },
    required: false,
    private: isPrivate || context.privateNames.has(name),
    writable,
    localized: context.localized,
    system: true,
    kind: "scalar",
    type: scalarTypes[type],
    column,
    unique: false,
    searchable: type === "string",
    indexable: false,
  });
  const link = (
    name: SystemAttributeName,
    virtual: "localizations" | "creator",
    isPrivate: boolean,
    column?: string,
  ): RelationAttribute => ({
    name,
    definition: { type: "relation" },
    required: false,
    private: isPrivate || context.privateNames.has(name),
    writable: false,
    localized: context.localized,
    system: true,
    kind: "relation",
    relation: virtual === "creator" ? "oneToOne" : "oneToMany",
    target: virtual === "creator" ? CREATOR : context.uid,
    other: undefined,
    many: virtual === "localizations",
    exclusive: false,
    virtual,
    ...(column === undefined ? {} : { column }),
    link: NO_LINK,
  });
  return [
    scalar("createdAt", "datetime", "created_at", false, false),
    scalar("updatedAt", "datetime", "updated_at", false, false),
    scalar("publishedAt", "datetime", "published_at", true, false),
    link("createdBy", "creator", !populateCreatorFields, "created_by_id"),
    link("updatedBy", "creator", !populateCreatorFields, "updated_by_id"),
    scalar("locale", "string", localeColumn(context), true, !context.localized),
    link("localizations", "localizations", !context.localized),
  ];
}
