/** `contentTypes` and `relations` of `@strapi/utils`: helpers for schemas. */
import { isRecord } from "../../../query/key-check.ts";

export type Attribute = Readonly<Record<string, unknown>>;
export type ContentType = { readonly attributes?: Readonly<Record<string, Attribute>> } & Readonly<
  Record<string, unknown>
>;

type Test = (attribute: Attribute | undefined, name: string) => boolean;

const typeIs =
  (...types: readonly string[]): Test =>
  (attribute) =>
    types.includes(String(attribute?.type));

export const isRelational = typeIs("relation");
export const isMedia = typeIs("media");
const isComponent = typeIs("component", "dynamiczone");
const isScalar: Test = (attribute) =>
  attribute !== undefined && !isRelational(attribute, "") && !isMedia(attribute, "") && !isComponent(attribute, "");

const relationIs =
  (...relations: readonly string[]) =>
  (attribute: Attribute | undefined): boolean =>
    isRelational(attribute, "") && relations.includes(String(attribute?.relation));

const namesOf = (type: ContentType | undefined): string[] => Object.keys(type?.attributes ?? {});

const namesWhere =
  (test: Test) =>
  (type: ContentType | undefined): string[] =>
    Object.entries(type?.attributes ?? {}).flatMap(([name, attribute]) => (test(attribute, name) ? [name] : []));

const constants = {
  ID_ATTRIBUTE: "id",
  DOC_ID_ATTRIBUTE: "documentId",
  PUBLISHED_AT_ATTRIBUTE: "publishedAt",
  FIRST_PUBLISHED_AT_ATTRIBUTE: "firstPublishedAt",
  CREATED_BY_ATTRIBUTE: "createdBy",
  UPDATED_BY_ATTRIBUTE: "updatedBy",
  CREATED_AT_ATTRIBUTE: "createdAt",
  UPDATED_AT_ATTRIBUTE: "updatedAt",
  SINGLE_TYPE: "singleType",
  COLLECTION_TYPE: "collectionType",
} as const;

const DATES: readonly string[] = [constants.CREATED_AT_ATTRIBUTE, constants.UPDATED_AT_ATTRIBUTE];
const CREATORS: readonly string[] = [constants.CREATED_BY_ATTRIBUTE, constants.UPDATED_BY_ATTRIBUTE];
const IDS = [constants.ID_ATTRIBUTE, constants.DOC_ID_ATTRIBUTE];

/** `always`, followed by the attributes that are timestamps or pass the test. */
const namesWith = (always: readonly string[], test: Test) => (type: ContentType | undefined) =>
  type
    ? [...new Set([...always, ...namesWhere((attribute, name) => DATES.includes(name) || test(attribute, name))(type)])]
    : [];

const nonWritable = namesWith(IDS, (attribute) => attribute?.writable === false);
const nonVisible = namesWith([...IDS, constants.PUBLISHED_AT_ATTRIBUTE], (attribute) => attribute?.visible === false);
const namesWithout =
  (excludedNames: (type: ContentType | undefined) => string[]) => (type: ContentType | undefined) => {
    const excluded = new Set(excludedNames(type));
    return namesOf(type).filter((name) => !excluded.has(name));
  };
const writable = namesWithout(nonWritable);
const visible = namesWithout(nonVisible);

const optionsOf = (type: ContentType | undefined): Attribute => (isRecord(type?.options) ? type.options : {});
const hasDrafts = (type: ContentType | undefined): boolean => optionsOf(type).draftAndPublish === true;

const privateNames = (type: ContentType | undefined): string[] => {
  const { privateAttributes } = optionsOf(type);
  const named = Array.isArray(privateAttributes) ? privateAttributes.map(String) : [];
  return [...new Set([...named, ...namesWhere((attribute) => attribute?.private === true)(type)])];
};

const isModel =
  (...kinds: readonly string[]) =>
  (value: unknown): boolean =>
    isRecord(value) && kinds.includes(String(value.modelType));

export const contentTypes = {
  constants,
  ID_FIELDS: IDS,
  RELATION_OPERATION_KEYS: ["connect", "disconnect", "set", "options"],
  MORPH_TO_KEYS: ["__type"],
  DYNAMIC_ZONE_KEYS: ["__component"],
  hasDraftAndPublish: hasDrafts,
  isDraft: (data: unknown, type: ContentType) => hasDrafts(type) && isRecord(data) && data.publishedAt === null,
  isSingleType: ({ kind }: ContentType) => kind === constants.SINGLE_TYPE,
  isCollectionType: ({ kind = constants.COLLECTION_TYPE }: ContentType) => kind === constants.COLLECTION_TYPE,
  isKind: (kind: string) => (type: ContentType) => type.kind === kind,
  isSchema: isModel("component", "contentType"),
  isComponentSchema: isModel("component"),
  isContentTypeSchema: isModel("contentType"),
  isRelationalAttribute: isRelational,
  isMediaAttribute: isMedia,
  isComponentAttribute: isComponent,
  isDynamicZoneAttribute: typeIs("dynamiczone"),
  isScalarAttribute: isScalar,
  isMorphToRelationalAttribute: relationIs("morphToOne", "morphToMany"),
  hasRelationReordering: relationIs("manyToMany", "manyToOne", "oneToMany"),
  isTypedAttribute: (attribute: Attribute, type: string) => attribute?.type === type,
  isPrivateAttribute: (type: ContentType, name: string) => privateNames(type).includes(name),
  isWritableAttribute: (type: ContentType, name: string) => writable(type).includes(name),
  isVisibleAttribute: (type: ContentType, name: string) => visible(type).includes(name),
  getOptions: (type: ContentType) => ({ draftAndPublish: false, ...optionsOf(type) }),
  getScalarAttributes: namesWhere(isScalar),
  getRelationalAttributes: namesWhere(isRelational),
  getComponentAttributes: namesWhere(isComponent),
  getMediaAttributes: namesWhere(isMedia),
  getPrivateAttributes: privateNames,
  getTimestamps: namesWhere((_, name) => DATES.includes(name)),
  getCreatorFields: namesWhere((_, name) => CREATORS.includes(name)),
  getNonWritableAttributes: nonWritable,
  getWritableAttributes: writable,
  getNonVisibleAttributes: nonVisible,
  getVisibleAttributes: visible,
  getDoesAttributeRequireValidation: (attribute: Attribute) =>
    Boolean(attribute.required || attribute.unique) ||
    ["max", "min", "maxLength", "minLength"].some((rule) => Object.hasOwn(attribute, rule)),
};

export const relations = {
  constants: { MANY_RELATIONS: ["oneToMany", "manyToMany"] },
  VALID_RELATION_ORDERING_KEYS: { strict: (value: unknown) => typeof value === "boolean" },
  getRelationalFields: namesWhere(isRelational),
  isOneToAny: relationIs("oneToOne", "oneToMany"),
  isManyToAny: relationIs("manyToMany", "manyToOne"),
  isAnyToOne: relationIs("oneToOne", "manyToOne"),
  isAnyToMany: relationIs("oneToMany", "manyToMany"),
  isPolymorphic: (attribute: Attribute) =>
    ["morphOne", "morphMany", "morphToOne", "morphToMany"].includes(String(attribute.relation)),
};

/** Adds the creator or editor of an entry to its data. */
export const setCreatorFields =
  ({ user, isEdition = false }: { readonly user: { readonly id: unknown }; readonly isEdition?: boolean }) =>
  (data: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
    ...data,
    ...(isEdition ? {} : { [constants.CREATED_BY_ATTRIBUTE]: user.id }),
    [constants.UPDATED_BY_ATTRIBUTE]: user.id,
  });
