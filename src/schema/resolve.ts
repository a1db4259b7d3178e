/** Resolves checked definitions to the frozen model. */
import { type AttributeDefinition, isScalarTypeName, scalarTypes } from "../attributes/index.ts";
import { base, type Definitions, type Place } from "./attribute-base.ts";
import { CREATOR, creator } from "./builtin/creator.ts";
import { FILE } from "./builtin/index.ts";
import { customFieldTypes, UNKNOWN_FIELD_TYPE } from "./custom-fields.ts";
import type { RawComponent, RawContentType, RawSchema } from "./definition.ts";
import { type JoinSource, type Joins, joinsOf } from "./joins.ts";
import {
  type Attribute,
  type Component,
  type ContentType,
  type Model,
  type ScalarAttribute,
  type Schema,
  systemColumns,
} from "./model.ts";
import { relation } from "./relations.ts";
import { systemAttributes } from "./system-attributes.ts";
import { tidyAttribute } from "./tidy.ts";

export interface ResolveSettings {
  /** Attribute names that are private in every type. */
  readonly privateAttributes: readonly string[];
  /** Attribute types of custom fields by uid. */
  readonly customFields: Readonly<Record<string, string>>;
}

const tableOf = (raw: RawContentType | RawComponent): string =>
  raw.definition.collectionName || raw.definition.info?.singularName || raw.uid;

export const sourceOf = (raw: RawContentType | RawComponent): JoinSource => ({
  uid: raw.uid,
  table: tableOf(raw),
  attributes: raw.definition.attributes,
});

/** Column names: the names of the attributes, with underscores appended to those that are taken. */
function columnNames(attributes: readonly string[], taken: readonly string[]): Map<string, string> {
  const used = new Set(taken);
  const columns = new Map<string, string>();
  for (const name of attributes) {
    let column = name;
    while (used.has(column.toLowerCase())) column += "_";
    used.add(column.toLowerCase());
    columns.set(name, column);
  }
  return columns;
}

function attribute(
  name: string,
  definition: AttributeDefinition,
  column: string,
  place: Place,
  all: Definitions,
): Attribute {
  const owned = (target: string) => ({
    field: `${place.table}.${name}>${target}`,
    side: "owner" as const,
    polymorphic: target === "*",
  });
  const common = base(name, definition, place);
  if (definition.type === "relation") return relation(name, definition, place, all);
  if (definition.type === "media") {
    const many = definition.multiple === true;
    return { ...common, kind: "media", target: FILE, many, link: owned(all.get(FILE)!.table) };
  }
  if (definition.type === "component") {
    const component = definition.component as string;
    const many = definition.repeatable === true;
    return { ...common, kind: "component", component, many, link: owned(all.get(component)!.table) };
  }
  if (definition.type === "dynamiczone") {
    return { ...common, kind: "zone", components: definition.components as string[], many: true, link: owned("*") };
  }
  const typeName =
    definition.type === "customField"
      ? (all.customFieldType(String(definition.customField)) ?? UNKNOWN_FIELD_TYPE)
      : definition.type;
  if (!typeName || !isScalarTypeName(typeName))
    throw new Error(`${place.uid}: ${name}: unknown type ${definition.type}`);
  return {
    ...common,
    kind: "scalar",
    type: scalarTypes[typeName],
    column,
    unique: definition.unique === true || typeName === "uid",
    // uids are always localized
    localized: place.localized && (common.localized || typeName === "uid"),
    searchable: definition.searchable !== false,
  };
}

const defaultFields = (attributes: ReadonlyMap<string, Attribute>): ScalarAttribute[] =>
  [...attributes.values()].filter((a): a is ScalarAttribute => a.kind === "scalar" && !a.private && !a.type.secret);

type Resolved = Pick<Schema, "attributes" | "defaultFields">;

/** Resolves attributes on first use: a start and its first responses need few schemas. */
function lazily(attributesOf: () => Map<string, Attribute>): () => Resolved {
  let resolved: Resolved | undefined;
  return () => {
    if (resolved) return resolved;
    const attributes = attributesOf();
    resolved = { attributes, defaultFields: defaultFields(attributes) };
    return resolved;
  };
}

/** Whether an attribute is a relation to a type of a missing plugin. */
const hasMissingTarget = ({ type, target }: AttributeDefinition, all: Definitions): boolean =>
  type === "relation" && typeof target === "string" && target !== CREATOR && all.get(target) === undefined;

function ownAttributes(
  names: readonly string[],
  taken: readonly string[],
  place: Place,
  definitions: Readonly<Record<string, AttributeDefinition>>,
  all: Definitions,
): Map<string, Attribute> {
  const columns = columnNames(names, taken);
  const resolved = new Map<string, Attribute>();
  for (const name of names) {
    const definition = tidyAttribute(definitions[name]!);
    // relations of the administrators' type are kept, since queries may name them
    if (place.uid !== CREATOR && hasMissingTarget(definition, all)) continue;
    resolved.set(name, attribute(name, definition, columns.get(name)!, place, all));
  }
  return resolved;
}

function resolveType(raw: RawContentType, all: Definitions, settings: ResolveSettings): ContentType {
  const { definition, uid } = raw;
  const localized = definition.pluginOptions?.i18n?.localized === true;
  const place: Place = {
    uid,
    table: tableOf(raw),
    localized,
    privateNames: new Set([...settings.privateAttributes, ...(definition.options?.privateAttributes ?? [])]),
  };
  const resolved = lazily(() => {
    const system = systemAttributes(place, definition.options?.populateCreatorFields === true);
    const systemNames = new Set(["id", "documentId", ...system.map(({ name }) => name)]);
    const names = Object.keys(definition.attributes).filter((name) => !systemNames.has(name));
    const attributes = ownAttributes(names, systemColumns, place, definition.attributes, all);
    for (const entry of system) attributes.set(entry.name, entry);
    return attributes;
  });
  return Object.freeze({
    modelType: "contentType" as const,
    uid,
    table: place.table,
    kind: definition.kind === "singleType" ? ("singleType" as const) : ("collectionType" as const),
    singularName: definition.info.singularName!,
    pluralName: definition.info.pluralName!,
    displayName: definition.info.displayName,
    plugin: uid.startsWith("plugin::") ? uid.slice("plugin::".length, uid.indexOf(".")) : undefined,
    draftAndPublish: definition.options?.draftAndPublish === true,
    localized,
    populateCreatorFields: definition.options?.populateCreatorFields === true,
    definition,
    get attributes() {
      return resolved().attributes;
    },
    get defaultFields() {
      return resolved().defaultFields;
    },
  });
}

function resolveComponent(raw: RawComponent, all: Definitions, settings: ResolveSettings): Component {
  const { definition, uid, category } = raw;
  const place: Place = {
    uid,
    table: tableOf(raw),
    localized: false,
    privateNames: new Set([...settings.privateAttributes, ...(definition.options?.privateAttributes ?? [])]),
  };
  const resolved = lazily(() => {
    const names = Object.keys(definition.attributes).filter((name) => name !== "id");
    return ownAttributes(names, ["id"], place, definition.attributes, all);
  });
  return Object.freeze({
    modelType: "component" as const,
    uid,
    category,
    table: place.table,
    displayName: definition.info?.displayName ?? uid,
    get attributes() {
      return resolved().attributes;
    },
    get defaultFields() {
      return resolved().defaultFields;
    },
  });
}

/** Expects definitions that `checkSchema` has accepted. */
export function resolveModel(raw: RawSchema, settings: ResolveSettings): Model {
  const sources = [...raw.types, ...raw.components].map(sourceOf);
  const byUid = new Map(sources.map((source) => [source.uid, source]));
  let joins: Joins | undefined;
  const all: Definitions = {
    get: (uid) => byUid.get(uid),
    customFieldType: customFieldTypes(settings.customFields, raw.customFields),
    get joins() {
      joins ??= joinsOf(sources);
      return joins;
    },
  };
  return Object.freeze({
    types: new Map(raw.types.map((type) => [type.uid, resolveType(type, all, settings)])),
    components: new Map(raw.components.map((item) => [item.uid, resolveComponent(item, all, settings)])),
    creator: resolveType(creator, all, settings),
  });
}
