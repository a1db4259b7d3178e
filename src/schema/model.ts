/** The resolved content model: frozen, made once per set of schema files, read by everything else. */
import type { AttributeDefinition, ScalarType } from "../attributes/index.ts";
import type { ContentTypeDefinition } from "./definition.ts";

export const relationKinds = [
  "oneToOne",
  "oneToMany",
  "manyToOne",
  "manyToMany",
  "morphToOne",
  "morphToMany",
  "morphOne",
  "morphMany",
] as const;
export type RelationKind = (typeof relationKinds)[number];

interface AttributeBase {
  readonly name: string;
  readonly definition: AttributeDefinition;
  readonly required: boolean;
  /** Never returned, and refused in queries; it may be writable. */
  readonly private: boolean;
  /** False: a key that bodies must not have. */
  readonly writable: boolean;
  /** Each localization has its own value. */
  readonly localized: boolean;
  /** Added by Galley to every type, as the reference does. */
  readonly system: boolean;
}

export interface ScalarAttribute extends AttributeBase {
  readonly kind: "scalar";
  readonly type: ScalarType;
  readonly column: string;
  readonly unique: boolean;
  readonly searchable: boolean;
}

/** How an attribute is kept in the table of links: as ordered edges from an owner row to target rows. */
export interface Link {
  /** Names the edges of one field: owner's table, attribute, target's table. */
  readonly field: string;
  /** Which end of the edges the attribute's own rows are. */
  readonly side: "owner" | "inverse";
  /** Targets are rows of several tables, told apart by the edge's kind. */
  readonly polymorphic: boolean;
}

interface LinkedAttribute extends AttributeBase {
  readonly link: Link;
  /** The value is a list. */
  readonly many: boolean;
}

export interface RelationAttribute extends LinkedAttribute {
  readonly kind: "relation";
  readonly relation: RelationKind;
  /** Absent for morphToOne and morphToMany. */
  readonly target: string | undefined;
  /** The attribute of the target that is the other side of the same edges. */
  readonly other: string | undefined;
  /** The other side holds one row at most, so that a new edge takes the target from its former owner. */
  readonly exclusive: boolean;
  /**
   * Not kept as edges: the other locales of the document; an administrator; a relation whose other side is not there,
   * which is accepted in bodies and never holds anything.
   */
  readonly virtual: "localizations" | "creator" | "unlinked" | undefined;
  /** The column that has the target's id: of the administrators who created and changed the row. */
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

export type Attribute = ScalarAttribute | RelationAttribute | MediaAttribute | ComponentAttribute | ZoneAttribute;
/** Attributes whose value is other rows. */
export type PopulatableAttribute = Exclude<Attribute, ScalarAttribute>;

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
  /** The plugin that brings the type; absent for the project's own. */
  readonly plugin: string | undefined;
  readonly draftAndPublish: boolean;
  readonly localized: boolean;
  readonly populateCreatorFields: boolean;
  readonly definition: ContentTypeDefinition;
}

export interface Component extends SchemaBase {
  readonly modelType: "component";
  readonly category: string;
  readonly displayName: string;
}

export type Schema = ContentType | Component;

export interface Model {
  readonly types: ReadonlyMap<string, ContentType>;
  readonly components: ReadonlyMap<string, Component>;
  /** What `createdBy` and `updatedBy` lead to. It has a row once an administrator has written something. */
  readonly creator: ContentType;
}

/** The columns that every content-type's table has besides those of its attributes. */
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

export function contentType(model: Model, uid: string): ContentType {
  const type = model.types.get(uid);
  if (!type) throw new Error(`The content-type ${uid} does not exist`);
  return type;
}

export function component(model: Model, uid: string): Component {
  const found = model.components.get(uid);
  if (!found) throw new Error(`The component ${uid} does not exist`);
  return found;
}

/** Whether documents of a schema have a draft beside what is published. */
export const hasVersions = (schema: Schema | undefined): boolean =>
  schema?.modelType === "contentType" && schema.draftAndPublish;

export const isUnlinked = (attribute: Attribute): boolean =>
  attribute.kind === "relation" && attribute.virtual === "unlinked";

/** Whether a relation never holds anything: without another side, or to administrators in a project's own attribute. */
export const isEmptyRelation = (attribute: Attribute): boolean =>
  isUnlinked(attribute) ||
  (attribute.kind === "relation" && attribute.virtual === "creator" && attribute.column === undefined);

/** The schema that a populatable attribute's rows have, where they all have the same. */
export function targetOf(model: Model, attribute: Attribute): Schema | undefined {
  if (attribute.kind === "component") return component(model, attribute.component);
  if (attribute.kind === "media") return contentType(model, attribute.target);
  if (attribute.kind === "relation" && attribute.virtual === "creator") return model.creator;
  if (attribute.kind === "relation" && attribute.target) return model.types.get(attribute.target);
  return undefined;
}

/** The project's own content-types, in the order of their files. */
export const apiTypes = (model: Model): ContentType[] => [...model.types.values()].filter((type) => !type.plugin);
