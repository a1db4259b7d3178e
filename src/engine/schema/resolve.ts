/** Resolves checked definitions to the frozen model. */
import { type AttributeDefinition, isScalarTypeName, scalarTypes } from "../attributes/index.ts";
import { baseAttribute, type Definitions, type ResolveContext } from "./attribute-base.ts";
import { CREATOR, creator } from "./builtin/creator.ts";
import { FILE } from "./builtin/index.ts";
import { customFieldTypes, UNKNOWN_FIELD_TYPE } from "./custom-fields.ts";
import type { RawComponent, RawContentType, RawSchema } from "./definition.ts";
import { type JoinSource, type Joins, resolveJoins } from "./joins.ts";
import { type Attribute, type Component, type ContentType, lazySchema, type Model, systemColumns } from "./model.ts";
import { resolveRelation } from "./relations.ts";
import { systemAttributes } from "./system-attributes.ts";
import { tidyAttribute } from "./tidy.ts";

export interface ResolveSettings {
  /** Attribute names that are private in every type. */
  readonly privateAttributes: readonly string[];
  /** Attribute types of custom fields by uid. */
  readonly customFields: Readonly<Record<string, string>>;
  /** Whether types with drafts have `firstPublishedAt`; false. */
  readonly firstPublishedAt?: boolean;
}

/** As in Strapi, each locale has its own. */
const FIRST_PUBLISHED_AT: AttributeDefinition = {
  type: "datetime",
  configurable: false,
  writable: true,
  visible: false,
  private: false,
  pluginOptions: { i18n: { localized: true } },
};

/** Galley's own tables begin with its name. */
const OWN_TABLE = /^(?=galley_)/i;

const tableName = (raw: RawContentType | RawComponent): string =>
  String(raw.definition.collectionName || raw.definition.info?.singularName || raw.uid).replace(OWN_TABLE, "_");

export const toJoinSource = (raw: RawContentType | RawComponent): JoinSource => ({
  uid: raw.uid,
  table: tableName(raw),
  attributes: raw.definition.attributes,
});

/** Column names: the names of the attributes, with underscores appended to those that are taken. */
function columnNames(attributes: readonly string[], reserved: readonly string[]): Map<string, string> {
  const used = new Set(reserved);
  const columns = new Map<string, string>();
  for (const name of attributes) {
    let column = name;
    while (used.has(column.toLowerCase())) column += "_";
    used.add(column.toLowerCase());
    columns.set(name, column);
  }
  return columns;
}

function resolveAttribute(
  name: string,
  definition: AttributeDefinition,
  column: string,
  context: ResolveContext,
  definitions: Definitions,
): Attribute {
  const ownedLink = (target: string) => ({
    field: `${context.table}.${name}>${target}`,
    side: "owner" as const,
    polymorphic: target === "*",
  });
  const common = baseAttribute(name, definition, context);
  if (definition.type === "relation") return resolveRelation(name, definition, context, definitions);
  if (definition.type === "media") {
    const many = definition.multiple === true;
    return { ...common, kind: "media", target: FILE, many, link: ownedLink(definitions.get(FILE)!.table) };
  }
  if (definition.type === "component") {
    const component = definition.component as string;
    const many = definition.repeatable === true;
    return { ...common, kind: "component", component, many, link: ownedLink(definitions.get(component)!.table) };
  }
  if (definition.type === "dynamiczone") {
    const listed = new Set((definition.components ?? []) as string[]);
    const components = [...listed].filter((uid) => definitions.get(uid) !== undefined);
    return { ...common, kind: "zone", components, many: true, link: ownedLink("*") };
  }
  const typeName =
    definition.type === "customField"
      ? (definitions.customFieldType(String(definition.customField)) ?? UNKNOWN_FIELD_TYPE)
      : definition.type;
  if (!typeName || !isScalarTypeName(typeName))
    throw new Error(`${context.uid}: ${name}: unknown type ${definition.type}`);
  return {
    ...common,
    kind: "scalar",
    type: scalarTypes[typeName],
    column,
    unique: definition.unique === true || typeName === "uid",
    // uids are always localized
    localized: context.localized && (common.localized || typeName === "uid"),
    searchable: definition.searchable !== false,
    indexable: !common.private,
  };
}

/** Whether an attribute is a relation to a type of a missing plugin. */
const hasMissingTarget = ({ type, target }: AttributeDefinition, definitions: Definitions): boolean =>
  type === "relation" && typeof target === "string" && target !== CREATOR && definitions.get(target) === undefined;

function resolveAttributes(
  names: readonly string[],
  taken: readonly string[],
  context: ResolveContext,
  attributes: Readonly<Record<string, AttributeDefinition>>,
  definitions: Definitions,
): Map<string, Attribute> {
  const columns = columnNames(names, taken);
  const resolved = new Map<string, Attribute>();
  for (const name of names) {
    // objects cannot have a value of this name
    if (name === "__proto__") continue;
    const definition = tidyAttribute(attributes[name]!);
    // relations of the administrators' type are kept, since queries may name them
    if (context.uid !== CREATOR && hasMissingTarget(definition, definitions)) continue;
    resolved.set(name, resolveAttribute(name, definition, columns.get(name)!, context, definitions));
  }
  return resolved;
}

function resolveType(raw: RawContentType, definitions: Definitions, settings: ResolveSettings): ContentType {
  const { definition, uid } = raw;
  const localized = definition.pluginOptions?.i18n?.localized === true;
  const context: ResolveContext = {
    uid,
    table: tableName(raw),
    localized,
    privateNames: new Set([...settings.privateAttributes, ...(definition.options?.privateAttributes ?? [])]),
  };
  const draftAndPublish = definition.options?.draftAndPublish === true;
  const recordsFirstPublication = draftAndPublish && settings.firstPublishedAt === true;
  const attributes = () => {
    const system = systemAttributes(context, definition.options?.populateCreatorFields === true);
    const systemNames = new Set(["id", "documentId", ...system.map(({ name }) => name)]);
    const own = recordsFirstPublication
      ? { ...definition.attributes, firstPublishedAt: FIRST_PUBLISHED_AT }
      : definition.attributes;
    const names = Object.keys(own).filter((name) => !systemNames.has(name));
    const resolved = resolveAttributes(names, systemColumns, context, own, definitions);
    for (const entry of system) resolved.set(entry.name, entry);
    return resolved;
  };
  const plugin = uid.startsWith("plugin::") ? uid.slice("plugin::".length, uid.indexOf(".")) : undefined;
  const schema = {
    modelType: "contentType" as const,
    uid,
    table: context.table,
    kind: definition.kind === "singleType" ? ("singleType" as const) : ("collectionType" as const),
    singularName: definition.info.singularName!,
    pluralName: definition.info.pluralName!,
    displayName: definition.info.displayName,
    plugin,
    namedPlugin: raw.hidesPlugin ? undefined : plugin,
    draftAndPublish,
    recordsFirstPublication,
    localized,
    populateCreatorFields: definition.options?.populateCreatorFields === true,
    definition,
  };
  return lazySchema(schema, attributes);
}

function resolveComponent(raw: RawComponent, definitions: Definitions, settings: ResolveSettings): Component {
  const { definition, uid, category } = raw;
  const context: ResolveContext = {
    uid,
    table: tableName(raw),
    localized: false,
    privateNames: new Set([...settings.privateAttributes, ...(definition.options?.privateAttributes ?? [])]),
  };
  const attributes = () => {
    const names = Object.keys(definition.attributes).filter((name) => name !== "id");
    return resolveAttributes(names, ["id"], context, definition.attributes, definitions);
  };
  const schema = {
    modelType: "component" as const,
    uid,
    category,
    table: context.table,
    displayName: definition.info?.displayName ?? uid,
    definition,
  };
  return lazySchema(schema, attributes);
}

/** Expects definitions that `checkSchema` has accepted. */
export function resolveModel(raw: RawSchema, settings: ResolveSettings): Model {
  const sources = [...raw.types, ...raw.components].map(toJoinSource);
  const byUid = new Map(sources.map((source) => [source.uid, source]));
  let joins: Joins | undefined;
  const definitions: Definitions = {
    get: (uid) => byUid.get(uid),
    customFieldType: customFieldTypes(settings.customFields, raw.customFields),
    get joins() {
      joins ??= resolveJoins(sources);
      return joins;
    },
  };
  return Object.freeze({
    types: new Map(raw.types.map((type) => [type.uid, resolveType(type, definitions, settings)])),
    components: new Map(raw.components.map((item) => [item.uid, resolveComponent(item, definitions, settings)])),
    creator: resolveType(creator, definitions, settings),
  });
}
