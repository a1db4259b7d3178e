/** The resolved content model: frozen, created once per set of schema files. */
import type { AttributeDefinition, ScalarType } from "../attributes/index.ts";
import type { ComponentDefinition, ContentTypeDefinition } from "./definition.ts";

export const relationKinds = [
  "oneToOne",
  "oneToMany",
  "manyToOne",
  "manyToMany",
  "morphOne",
  "morphMany",
  "morphToOne",
  "morphToMany",
] as const;
export type RelationKind = (typeof relationKinds)[number];

interface AttributeBase {
  readonly name: string;
  readonly definition: AttributeDefinition;
  readonly required: boolean;
  /** Never returned, and refused in queries; it may be writable. */
  readonly private: boolean;
  /** False: refused in request bodies. */
  readonly writable: boolean;
  /** Each localization has its own value. */
  readonly localized: boolean;
  /** Added to every type, as in Strapi; not declared in schema files. */
  readonly system: boolean;
}

export interface ScalarAttribute extends AttributeBase {
  readonly kind: "scalar";
  readonly type: ScalarType;
  readonly column: string;
  readonly unique: boolean;
  readonly searchable: boolean;
  /**
   * Whether a search index may have its text. Not that of a private attribute, in the raw model either: how long a search takes would depend on
   * what the caller may not see.
   */
  readonly indexable: boolean;
}

/** How an attribute is stored in the table of links: as ordered links from an owner row to target rows. */
export interface Link {
  /** The name of the link field: `<owner's table>.<attribute>><target's table>`; empty: not stored as links. */
  readonly field: string;
  /** The end of the links on which the rows with this attribute are. */
  readonly side: "owner" | "inverse";
  /** Targets are rows of several tables, identified by the link's kind. */
  readonly polymorphic: boolean;
  /**
   * Of the other side of a morphToMany relation, its name: as in Strapi, it shows the links that carry its name. Those
   * of a morphToOne relation carry none.
   */
  readonly targetAttribute?: string;
}

interface LinkedAttribute extends AttributeBase {
  readonly link: Link;
  /** The value is a list. */
  readonly many: boolean;
}

export interface RelationAttribute extends LinkedAttribute {
  readonly kind: "relation";
  readonly relation: RelationKind;
  /** Undefined for morphToOne and morphToMany. */
  readonly target: string | undefined;
  /** The attribute of the target that is the other side of the relation. */
  readonly other: string | undefined;
  /** A target has at most one owner, so that a new link replaces its current one. */
  readonly exclusive: boolean;
  /**
   * Not stored as links: the other locales of the document; an administrator; a relation without another side, which is
   * accepted in bodies but always empty.
   */
  readonly virtual: "localizations" | "creator" | "unlinked" | undefined;
  /** The column with the target's id: for the administrators who created and updated the row. */
  readonly column?: string;
}

export interface MediaAttribute extends LinkedAttribute {
  readonly kind: "media";
  readonly target: string;
}

export interface ComponentAttribute extends LinkedAttribute {
  readonly kind: "component";
  readonly component: string;
}

export interface ZoneAttribute extends LinkedAttribute {
  readonly kind: "zone";
  readonly components: readonly string[];
}

/** Leads to rows that exist by themselves. */
export type LinkAttribute = RelationAttribute | MediaAttribute;

export type Attribute = ScalarAttribute | LinkAttribute | ComponentAttribute | ZoneAttribute;
/** Attributes whose values are other rows. */
export type PopulatableAttribute = Exclude<Attribute, ScalarAttribute>;

export const isLink = (attribute: Attribute): attribute is LinkAttribute =>
  attribute.kind === "relation" || attribute.kind === "media";

/** Whether links are stored for the attribute whose owners are the rows that have it. */
export const ownsLinks = ({ link }: PopulatableAttribute): boolean => link.field !== "" && link.side === "owner";

interface SchemaBase {
  readonly uid: string;
  readonly table: string;
  readonly attributes: ReadonlyMap<string, Attribute>;
  /** The fields that are returned by default: scalar attributes that are neither private nor secret, in order. */
  readonly defaultFields: readonly ScalarAttribute[];
}

export interface ContentType extends SchemaBase {
  readonly modelType: "contentType";
  readonly kind: "collectionType" | "singleType";
  readonly singularName: string;
  readonly pluralName: string;
  readonly displayName: string;
  /** The plugin of the type; undefined for types of the project. */
  readonly plugin: string | undefined;
  /** The plugin in generated names. A schema that an extension has replaced does not name it. */
  readonly namedPlugin: string | undefined;
  readonly draftAndPublish: boolean;
  /** Whether it has `firstPublishedAt`. */
  readonly recordsFirstPublication: boolean;
  readonly localized: boolean;
  readonly populateCreatorFields: boolean;
  readonly definition: ContentTypeDefinition;
}

export interface Component extends SchemaBase {
  readonly modelType: "component";
  readonly category: string;
  readonly displayName: string;
  readonly definition: ComponentDefinition;
}

export type Schema = ContentType | Component;

export interface Model {
  readonly types: ReadonlyMap<string, ContentType>;
  readonly components: ReadonlyMap<string, Component>;
  /** The target of `createdBy` and `updatedBy`. Its table is empty until an administrator writes something. */
  readonly creator: ContentType;
}

/** Resolves attributes on first use: a start and its first responses need few schemas. */
export function lazySchema<S>(schema: S, createAttributes: () => Schema["attributes"]) {
  let attributes: Schema["attributes"] | undefined;
  let defaultFields: Schema["defaultFields"] | undefined;
  return Object.freeze({
    ...schema,
    get attributes() {
      attributes ??= createAttributes();
      return attributes;
    },
    get defaultFields() {
      defaultFields ??= [...this.attributes.values()]
        .filter((attribute) => attribute.kind === "scalar")
        .filter((attribute) => !attribute.private && !attribute.type.isSecret);
      return defaultFields;
    },
  });
}

/** The columns of every content-type's table, besides those of its attributes. */
export const systemColumns = [
  "id",
  "document_id",
  "locale",
  "status",
  "created_at",
  "updated_at",
  "published_at",
  "created_by_id",
  "updated_by_id",
] as const;

/** A content-type, or the type of administrators, which is none of the project's but may be the target of its relations. */
export const findType = (model: Model, uid: string): ContentType | undefined =>
  model.types.get(uid) ?? (uid === model.creator.uid ? model.creator : undefined);

export function contentType(model: Model, uid: string): ContentType {
  const type = findType(model, uid);
  if (!type) throw new Error(`The content-type ${uid} does not exist`);
  return type;
}

export function component(model: Model, uid: string): Component {
  const found = model.components.get(uid);
  if (!found) throw new Error(`The component ${uid} does not exist`);
  return found;
}

/** Whether documents of a schema have drafts and published versions. */
export const hasVersions = (schema: Schema | undefined): boolean =>
  schema?.modelType === "contentType" && schema.draftAndPublish;

/** Whether there may be rows of a component in an attribute: zones have had any. */
export const mayHold = (attribute: Attribute, { uid }: Schema): attribute is ComponentAttribute | ZoneAttribute =>
  attribute.kind === "zone" || (attribute.kind === "component" && attribute.component === uid);

/** Whether a relation is always empty, since it has no other side. */
export const isUnlinked = (attribute: Attribute): boolean =>
  attribute.kind === "relation" && attribute.virtual === "unlinked";

/** Whether an attribute may lead to rows of several tables. */
export const hasPolymorphicTargets = (attribute: Attribute): boolean =>
  attribute.kind === "zone" || (attribute.kind === "relation" && !attribute.target);

/** The schema of an attribute's target rows, if they all have the same. */
export function findTarget(model: Model, attribute: Attribute): Schema | undefined {
  if (attribute.kind === "component") return component(model, attribute.component);
  if (attribute.kind === "media") return contentType(model, attribute.target);
  if (attribute.kind === "relation" && attribute.target) return findType(model, attribute.target);
  return undefined;
}

/** The last segment of a type's routes. */
export const routeName = ({ kind, singularName, pluralName }: ContentType): string =>
  kind === "singleType" ? singularName : pluralName;

/** The project's own content-types, in the order of their files. */
export const apiTypes = (model: Model): ContentType[] => [...model.types.values()].filter((type) => !type.plugin);
