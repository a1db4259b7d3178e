/** The attributes that every content-type has besides those of its file, as in Strapi. */
import { scalarTypes } from "../attributes/index.ts";
import { NO_LINK, type ResolveContext } from "./attribute-base.ts";
import { CREATOR } from "./builtin/creator.ts";
import { builtinTypes } from "./builtin/index.ts";
import type { Attribute, RelationAttribute, ScalarAttribute } from "./model.ts";
import { OWN_LOCALE, type SystemAttributeName } from "./system-attribute-names.ts";

const localeColumn = ({ uid, localized }: ResolveContext): string =>
  localized || !uid.startsWith("plugin::") || Object.hasOwn(builtinTypes, uid) ? "locale" : OWN_LOCALE;

const HIDDEN = { private: true } as const;

export function systemAttributes(context: ResolveContext, populateCreatorFields: boolean): Attribute[] {
  const { localized, uid } = context;
  const common = (name: SystemAttributeName) => ({
    name,
    required: false,
    private: context.privateNames.has(name),
    writable: false,
    localized,
    system: true,
  });
  const scalar = (name: SystemAttributeName, type: "datetime" | "string", column: string): ScalarAttribute => ({
    ...common(name),
    definition: { type },
    kind: "scalar",
    type: scalarTypes[type],
    column,
    unique: false,
    searchable: type === "string",
    indexable: false,
  });
  const relation = { definition: { type: "relation" }, kind: "relation", exclusive: false, link: NO_LINK } as const;
  const creator = (name: SystemAttributeName, column: string): RelationAttribute => ({
    ...common(name),
    ...relation,
    ...(populateCreatorFields ? {} : HIDDEN),
    relation: "oneToOne",
    target: CREATOR,
    other: undefined,
    many: false,
    virtual: "creator",
    column,
  });
  return [
    scalar("createdAt", "datetime", "created_at"),
    scalar("updatedAt", "datetime", "updated_at"),
    { ...scalar("publishedAt", "datetime", "published_at"), writable: true },
    creator("createdBy", "created_by_id"),
    creator("updatedBy", "updated_by_id"),
    { ...scalar("locale", "string", localeColumn(context)), writable: true, ...(localized ? {} : HIDDEN) },
    {
      ...common("localizations"),
      ...relation,
      ...(localized ? {} : HIDDEN),
      relation: "oneToMany",
      target: uid,
      other: undefined,
      many: true,
      virtual: "localizations",
    },
  ];
}
