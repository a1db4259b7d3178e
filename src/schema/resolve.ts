/** Turns checked definitions into the frozen model. */
import { type AttributeDefinition, isScalarTypeName, scalarTypes } from "../attributes/index.ts";
import { CREATOR, creator } from "./builtin/creator.ts";
import { FILE } from "./builtin/index.ts";
import { customFieldTypes, UNKNOWN_FIELD_TYPE } from "./custom-fields.ts";
import type { RawComponent, RawContentType, RawSchema } from "./definition.ts";
import { isPolymorphic, isTwoSidedKind, type JoinSource, type Joins, joinsOf, namesOtherSide } from "./joins.ts";
import {
  type Attribute,
  type Component,
  type ContentType,
  type Link,
  type Model,
  type RelationAttribute,
  type RelationKind,
  type ScalarAttribute,
  type Schema,
  systemColumns,
} from "./model.ts";
import { tidyAttribute } from "./tidy.ts";

export interface ResolveSettings {
  /** Attribute names that are private in every type. */
  readonly privateAttributes: readonly string[];
  /** Custom fields by uid, with the attribute type that each stands for. */
  readonly customFields: Readonly<Record<string, string>>;
}

interface Definitions {
  readonly get: (uid: string) => JoinSource | undefined;
  readonly joins: Joins;
  readonly customFieldType: (uid: string) => string | undefined;
}

interface Place {
  readonly uid: string;
  readonly table: string;
  readonly privateNames: ReadonlySet<string>;
  /** The type is localized; components never are. */
  readonly localized: boolean;
}

const tableOf = (raw: RawContentType | RawComponent): string =>
  raw.definition.collectionName || raw.definition.info?.singularName || raw.uid;

export const sourceOf = (raw: RawContentType | RawComponent): JoinSource => ({
  uid: raw.uid,
  table: tableOf(raw),
  attributes: raw.definition.attributes,
});

const TO_MANY: ReadonlySet<RelationKind> = new Set(["oneToMany", "manyToMany", "morphToMany", "morphMany"]);

/** Names of columns: those of the attributes, with underscores behind a name that is taken. */
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

const NO_LINK: Link = { field: "", side: "owner", polymorphic: false };

/** morphOne and morphMany read the edges of the polymorphic relation that `morphBy` names. */
function morphLink(definition: AttributeDefinition, all: Definitions): Link | undefined {
  const target = all.get(String(definition.target))!;
  const morphBy = String(definition.morphBy);
  if (!isPolymorphic(target.attributes[morphBy])) return undefined;
  return { field: `${target.table}.${morphBy}>*`, side: "inverse", polymorphic: true };
}

function linkOf(name: string, definition: AttributeDefinition, place: Place, all: Definitions): Link | undefined {
  if (definition.morphBy) return morphLink(definition, all);
  if (!isTwoSidedKind(definition)) return { field: `${place.table}.${name}>*`, side: "owner", polymorphic: true };
  const join = all.joins.get(place.uid)?.get(name);
  if (!join) return undefined;
  const { owner, attribute, side } = join;
  const target = String(owner.attributes[attribute]?.target);
  return { field: `${owner.table}.${attribute}>${all.get(target)?.table ?? target}`, side, polymorphic: false };
}

/** The attribute of the target that reads the same edges from their other end. */
function otherSide(name: string, definition: AttributeDefinition, place: Place, all: Definitions): string | undefined {
  if (definition.morphBy) return String(definition.morphBy);
  const join = all.joins.get(place.uid)?.get(name);
  if (join?.side === "inverse") return join.attribute;
  const other = String(definition.inversedBy);
  const back = all.joins.get(String(definition.target))?.get(other);
  return back?.owner.uid === place.uid && back.attribute === name ? other : undefined;
}

/** A target with one owner at most is taken from the one that it has; the reference goes by the relation's own kind. */
function isExclusive(definition: AttributeDefinition, all: Definitions): boolean {
  if (definition.morphBy) {
    const other = all.get(String(definition.target))?.attributes[String(definition.morphBy)];
    return other?.relation === "morphToOne";
  }
  return String(definition.relation).startsWith("oneTo") && namesOtherSide(definition);
}

function relation(name: string, definition: AttributeDefinition, place: Place, all: Definitions): RelationAttribute {
  const kind = definition.relation as RelationKind;
  const link = linkOf(name, definition, place, all);
  // an administrator, like those who have created something
  const isCreator = definition.target === CREATOR;
  return {
    ...base(name, definition, place),
    kind: "relation",
    relation: kind,
    target: definition.target as string | undefined,
    other: otherSide(name, definition, place, all),
    many: TO_MANY.has(kind),
    // a relation is localized by nature: every localization has its own links
    localized: place.localized,
    exclusive: isExclusive(definition, all),
    virtual: isCreator ? "creator" : link ? undefined : "unlinked",
    link: isCreator ? NO_LINK : (link ?? NO_LINK),
  };
}

function base(name: string, definition: AttributeDefinition, place: Place) {
  const i18n = (definition.pluginOptions as { i18n?: { localized?: boolean } } | undefined)?.i18n;
  return {
    name,
    definition,
    required: definition.required === true,
    private: definition.private === true || place.privateNames.has(name),
    writable: definition.writable !== false,
    localized: place.localized && i18n?.localized === true,
    system: false,
  };
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
    // a uid belongs to its localization, even where the schema says otherwise
    localized: place.localized && (common.localized || typeName === "uid"),
    searchable: definition.searchable !== false,
  };
}

function systemAttributes(place: Place, populateCreatorFields: boolean): Attribute[] {
  const scalar = (
    name: string,
    type: "datetime" | "string",
    column: string,
    writable: boolean,
    isPrivate: boolean,
  ): ScalarAttribute => ({
    name,
    definition: { type },
    required: false,
    private: isPrivate || place.privateNames.has(name),
    writable,
    localized: place.localized,
    system: true,
    kind: "scalar",
    type: scalarTypes[type],
    column,
    unique: false,
    searchable: type === "string",
  });
  const link = (
    name: string,
    virtual: "localizations" | "creator",
    isPrivate: boolean,
    column?: string,
  ): RelationAttribute => ({
    name,
    definition: { type: "relation" },
    required: false,
    private: isPrivate || place.privateNames.has(name),
    writable: false,
    localized: place.localized,
    system: true,
    kind: "relation",
    relation: virtual === "creator" ? "oneToOne" : "oneToMany",
    target: virtual === "creator" ? CREATOR : place.uid,
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
    scalar("locale", "string", "locale", true, !place.localized),
    link("localizations", "localizations", !place.localized),
  ];
}

const answered = (attributes: ReadonlyMap<string, Attribute>): ScalarAttribute[] =>
  [...attributes.values()].filter((a): a is ScalarAttribute => a.kind === "scalar" && !a.private && !a.type.secret);

type Resolved = Pick<Schema, "attributes" | "answered">;

/** Attributes are resolved when they are first asked for: a start and its first answers need those of few schemas. */
function resolvedLater(attributesOf: () => Map<string, Attribute>): () => Resolved {
  let resolved: Resolved | undefined;
  return () => {
    if (resolved) return resolved;
    const attributes = attributesOf();
    resolved = { attributes, answered: answered(attributes) };
    return resolved;
  };
}

/** Relations to types of plugins that are not there. */
const isLeftOut = ({ type, target }: AttributeDefinition, all: Definitions): boolean =>
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
    // those of the administrator's own type are the keys that queries may name
    if (place.uid !== CREATOR && isLeftOut(definition, all)) continue;
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
  const resolved = resolvedLater(() => {
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
    get answered() {
      return resolved().answered;
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
  const resolved = resolvedLater(() => {
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
    get answered() {
      return resolved().answered;
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
