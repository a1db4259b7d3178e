/** A type or component while it is changed. */
import type { Attribute } from "../../model.ts";
import type { ComponentSchema, PluginOptions, Schemas, TypeSchema } from "./schemas.ts";
import { withRenamedCondition } from "./visibility.ts";

export interface DraftAttribute {
  /** Stays the same while the attribute is renamed and moved. */
  readonly key: number;
  /** Its name in the file; undefined for a new one. */
  readonly original: string | undefined;
  readonly name: string;
  readonly definition: Attribute;
}

interface DraftBase {
  /** Undefined for a new one. */
  readonly uid: string | undefined;
  readonly displayName: string;
  readonly description: string;
  readonly pluginOptions: PluginOptions;
  readonly attributes: readonly DraftAttribute[];
}

export interface TypeDraft extends DraftBase {
  readonly what: "type";
  readonly kind: "collectionType" | "singleType";
  readonly singularName: string;
  readonly pluralName: string;
  readonly draftAndPublish: boolean;
}

export interface ComponentDraft extends DraftBase {
  readonly what: "component";
  readonly category: string;
  readonly icon: string;
}

export type Draft = TypeDraft | ComponentDraft;

/** Adds an attribute, or replaces the one with its key. References to it follow its name. */
export function withAttribute(attributes: readonly DraftAttribute[], changed: DraftAttribute): DraftAttribute[] {
  const before = attributes.find(({ key }) => key === changed.key);
  if (!before) return [...attributes, changed];
  return attributes.map((attribute) => {
    if (attribute === before) return changed;
    const definition = withRenamedCondition(attribute.definition, before.name, changed.name);
    if (definition.type !== "uid" || definition.targetField !== before.name) return { ...attribute, definition };
    return { ...attribute, definition: { ...definition, targetField: changed.name } };
  });
}

let lastKey = 0;

export const newAttribute = (name: string, definition: Attribute, original?: string): DraftAttribute => ({
  key: ++lastKey,
  original,
  name,
  definition,
});

/**
 * The attribute in the format of requests, which define the owning side of a relation by `targetAttribute` and `dominant`.
 * With `inversedBy` or `mappedBy`, either side would become the owner. Default flags of responses are removed.
 */
function editable(attribute: Attribute): Attribute {
  if (attribute.type !== "relation" && attribute.type !== "media") return attribute;
  const entries = Object.entries(attribute).filter(
    ([key, value]) => !((key === "required" || key === "private") && value === false),
  );
  const definition = Object.fromEntries(entries) as unknown as Attribute;
  return typeof definition.targetAttribute === "string"
    ? { ...definition, dominant: definition.mappedBy === undefined }
    : definition;
}

/** By uid and name: an attribute keeps its key when its type is loaded again. */
const savedKeys = new Map<string, number>();

function savedKey(uid: string, name: string): number {
  const id = `${uid}|${name}`;
  const key = savedKeys.get(id) ?? ++lastKey;
  savedKeys.set(id, key);
  return key;
}

const listAttributes = (uid: string, attributes: Readonly<Record<string, Attribute>>): DraftAttribute[] =>
  Object.entries(attributes).map(([name, attribute]) => ({
    key: savedKey(uid, name),
    original: name,
    name,
    definition: editable(attribute),
  }));

const draftBase = ({ uid, schema }: TypeSchema | ComponentSchema): DraftBase => ({
  uid,
  displayName: schema.displayName,
  description: schema.description,
  pluginOptions: schema.pluginOptions ?? {},
  attributes: listAttributes(uid, schema.attributes),
});

function typeDraft(type: TypeSchema): TypeDraft {
  const { kind, singularName, pluralName, draftAndPublish } = type.schema;
  return { ...draftBase(type), what: "type", kind, singularName, pluralName, draftAndPublish };
}

function componentDraft(component: ComponentSchema): ComponentDraft {
  const { category, schema } = component;
  return { what: "component", category, ...draftBase(component), icon: schema.icon ?? "" };
}

/** The first segments of the page's path that stand for something new. */
export const NEW_TYPE = "new-type";
export const NEW_COMPONENT = "new-component";

const blank: DraftBase = { uid: undefined, displayName: "", description: "", pluginOptions: {}, attributes: [] };
const newType: TypeDraft = {
  ...blank,
  what: "type",
  kind: "collectionType",
  singularName: "",
  pluralName: "",
  draftAndPublish: true,
};
const newComponent: ComponentDraft = { ...blank, what: "component", category: "", icon: "" };

/** The saved type or component; undefined for an unknown name. */
export function savedDraft(name: string, { types, components }: Schemas): Draft | undefined {
  if (name === NEW_TYPE) return newType;
  if (name === NEW_COMPONENT) return newComponent;
  const type = types.find(({ uid }) => uid === name);
  if (type) return typeDraft(type);
  const component = components.find(({ uid }) => uid === name);
  return component && componentDraft(component);
}

export const isLocalized = ({ pluginOptions }: { readonly pluginOptions: PluginOptions }): boolean =>
  pluginOptions.i18n?.localized === true;

export const withLocalized = (options: PluginOptions, localized: boolean): PluginOptions => ({
  ...options,
  i18n: { ...options.i18n, localized },
});

/** Attributes of these types are the same in all locales: relations link by locale, UIDs follow another attribute. */
const isShared = ({ type }: Attribute): boolean => type === "relation" || type === "uid";

/** As in Strapi, an attribute of a localized type is different in each locale unless one says otherwise. */
export const withLocalizedAttribute = (definition: Attribute): Attribute =>
  isShared(definition)
    ? definition
    : { ...definition, pluginOptions: withLocalized((definition.pluginOptions ?? {}) as PluginOptions, true) };

/** A type with one or with several locales; then all of its attributes that can be are different in each. */
export const withLocales = (draft: TypeDraft, localized: boolean): TypeDraft => ({
  ...draft,
  pluginOptions: withLocalized(draft.pluginOptions, localized),
  attributes: localized
    ? draft.attributes.map((attribute) => ({ ...attribute, definition: withLocalizedAttribute(attribute.definition) }))
    : draft.attributes,
});

/** The body of a request for a preview or for the change itself. */
export function createRequest(draft: Draft): Readonly<Record<string, unknown>> {
  const attributes = Object.fromEntries(draft.attributes.map(({ name, definition }) => [name, definition]));
  const renames = Object.fromEntries(
    draft.attributes.flatMap(({ original, name }) =>
      original !== undefined && original !== name ? [[original, name]] : [],
    ),
  );
  const { what, uid, attributes: _, pluginOptions, ...properties } = draft;
  // a file without them gets none
  const options = Object.keys(pluginOptions).length > 0 ? { pluginOptions } : {};
  const values = { ...properties, ...options, attributes };
  return what === "type"
    ? { action: uid ? "changeType" : "createType", uid, contentType: values, renames }
    : { action: uid ? "changeComponent" : "createComponent", uid, component: values, renames };
}

export const isSame = (a: Draft, b: Draft): boolean =>
  JSON.stringify(createRequest(a)) === JSON.stringify(createRequest(b));

/** `Blog post` as `blog-post`. */
export const toKebab = (name: string): string =>
  name
    .normalize("NFD")
    .replace(/\p{Mark}/gu, "")
    .replace(/([a-z\d])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replace(/[^a-z\d]+/g, "-")
    .replace(/^[-\d]+|-+$/g, "");

/** A plural that people can change. */
export function toPlural(name: string): string {
  if (name === "") return "";
  if (/(?:s|x|z|ch|sh)$/.test(name)) return `${name}es`;
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`;
}
