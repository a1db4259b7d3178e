/**
 * A content-type or component as the content manager uses it: the attributes that it can show, and where it can show
 * them.
 */
import { CREATOR } from "../../../engine/schema/builtin/creator.ts";
import type { RawComponent, RawContentType } from "../../../engine/schema/definition.ts";
import type { Model, Schema } from "../../../engine/schema/model.ts";
import type { JsonObject } from "../../call.ts";
import { hiddenAttributes } from "../hidden.ts";

export interface ShownAttribute extends JsonObject {
  readonly type: string;
  /** Set for relations. */
  readonly targetModel?: string | undefined;
  readonly relationType?: string;
}

export interface ShownType {
  readonly uid: string;
  readonly isComponent: boolean;
  /** Attributes that have settings, but are in no form and no list. */
  readonly hidden: ReadonlySet<string>;
  /** Attributes with `visible: false`. Lists can still be sorted by them. */
  readonly invisible: ReadonlySet<string>;
  readonly attributes: Readonly<Record<string, ShownAttribute>>;
}

const creatorAttribute = {
  type: "relation",
  relation: "oneToOne",
  target: CREATOR,
  configurable: false,
  writable: false,
  visible: false,
  useJoinTable: false,
  private: true,
} as const;

const SYSTEM: Readonly<Record<string, JsonObject>> = {
  createdAt: { type: "datetime" },
  updatedAt: { type: "datetime" },
  createdBy: creatorAttribute,
  updatedBy: creatorAttribute,
};

const withTarget = (attribute: JsonObject): ShownAttribute =>
  (attribute.type === "relation"
    ? { ...attribute, targetModel: attribute.target, relationType: attribute.relation }
    : attribute) as ShownAttribute;

const isPolymorphic = ({ type, relation }: JsonObject): boolean =>
  type === "relation" && String(relation).toLowerCase().includes("morph");

/** As in Strapi, custom fields have the type that their plugin gives them. */
function withFieldType(attribute: JsonObject, name: string, schema: Schema | undefined): JsonObject {
  const resolved = attribute.type === "customField" ? schema?.attributes.get(name) : undefined;
  return resolved?.kind === "scalar" ? { ...attribute, type: resolved.type.name } : attribute;
}

interface ShownTypeOptions {
  /** Strapi's panel shows no polymorphic relations; our page does. */
  readonly polymorphic?: boolean;
}

/** In the order of forms and lists. Hidden attributes are never shown. */
export function shownType(
  raw: RawContentType | RawComponent,
  model: Model,
  { polymorphic = false }: ShownTypeOptions = {},
): ShownType {
  const isComponent = "category" in raw;
  const schema = (isComponent ? model.components : model.types).get(raw.uid);
  const own = Object.entries(raw.definition.attributes as unknown as Readonly<Record<string, JsonObject>>).filter(
    ([, attribute]) => attribute.visible !== false && (polymorphic || !isPolymorphic(attribute)),
  );
  const invisible = Object.keys(raw.definition.attributes).filter(
    (name) => raw.definition.attributes[name]!.visible === false,
  );
  const all = Object.entries({
    id: { type: "integer" },
    ...Object.fromEntries(own),
    ...(isComponent ? {} : SYSTEM),
    documentId: { type: "string" },
  });
  const attributes = Object.fromEntries(
    all.map(([name, attribute]) => [name, withTarget(withFieldType(attribute as unknown as JsonObject, name, schema))]),
  );
  return { uid: raw.uid, isComponent, hidden: hiddenAttributes(raw), invisible: new Set(invisible), attributes };
}

const NOT_SORTABLE = new Set(["component", "json", "media", "richtext", "dynamiczone", "blocks"]);
const NOT_LISTABLE = new Set(["json", "password", "richtext", "dynamiczone", "blocks"]);
const SORTABLE_RELATIONS = new Set(["oneToOne", "manyToOne"]);
const LISTABLE_RELATIONS = new Set(["oneToOne", "oneToMany", "manyToOne", "manyToMany"]);
const NOT_EDITABLE = new Set([...Object.keys(SYSTEM), "id", "documentId", "publishedAt"]);

type Test = (type: ShownType, name: string) => boolean;

const has: Test = ({ attributes }, name) => Object.hasOwn(attributes, name);

/** Whether a list can have the attribute as a column. */
export const isListable: Test = (type, name) => {
  if (!has(type, name) || type.hidden.has(name)) return false;
  const { type: kind, relationType = "" } = type.attributes[name]!;
  return kind === "relation" ? LISTABLE_RELATIONS.has(relationType) : !NOT_LISTABLE.has(kind);
};

export const isSortable: Test = (type, name) => {
  if (!has(type, name) || (type.isComponent && name === "id")) return false;
  const { type: kind, relationType = "" } = type.attributes[name]!;
  return kind === "relation" ? SORTABLE_RELATIONS.has(relationType) : !NOT_SORTABLE.has(kind);
};

/** Whether a form has a field for the attribute. */
export const isEditable: Test = (type, name) => has(type, name) && !type.hidden.has(name) && !NOT_EDITABLE.has(name);

/** The attribute that names an entry: the first string, which may be its document id. */
export const findMainField = ({ attributes }: ShownType): string =>
  Object.keys(attributes).find((name) => attributes[name]!.type === "string") ?? "id";
