/** The reserved names of `contentTypes` of `@strapi/utils`, for attributes and content-types. */

const lodash = (): typeof import("lodash") => require("lodash") as typeof import("lodash");

/** `*` matches any suffix. */
const PREFIXES = ["strapi*", "_strapi*", "__strapi*"];
// biome-ignore format: a list
const ATTRIBUTES: readonly string[] = [
  "id", "document_id", "created_at", "updated_at", "published_at", "created_by_id", "updated_by_id", "created_by",
  "updated_by", "entry_id", "localizations", "meta", "locale", "__component", "__contentType", ...PREFIXES,
];
const OF_DRAFTS: readonly string[] = ["status"];
const MODELS: readonly string[] = [
  ...["boolean", "date", "date_time", "time", "upload", "document", "then"],
  ...PREFIXES,
];

export interface DraftOptions {
  readonly draftAndPublish?: boolean;
}

const isAmong = (name: string, list: readonly string[]): boolean => {
  const snakeName = lodash().snakeCase(name);
  return list.some((reserved) =>
    reserved.endsWith("*") ? snakeName.startsWith(reserved.slice(0, -1)) : snakeName === reserved,
  );
};

const attributeNames = ({ draftAndPublish = true }: DraftOptions = {}): string[] => [
  ...ATTRIBUTES,
  ...(draftAndPublish ? OF_DRAFTS : []),
];

export interface RoutedType {
  readonly kind?: unknown;
  readonly info: { readonly singularName: string; readonly pluralName: string };
}

export const reservedNames = {
  RESERVED_ATTRIBUTE_NAMES: ATTRIBUTES,
  RESERVED_ATTRIBUTE_NAMES_DRAFT_PUBLISH: OF_DRAFTS,
  RESERVED_MODEL_NAMES: MODELS,
  getReservedAttributeNames: attributeNames,
  getReservedModelNames: () => [...MODELS],
  isReservedAttributeName: (name: string, options?: DraftOptions) => isAmong(name, attributeNames(options)),
  isReservedModelName: (name: string) => isAmong(name, MODELS),
  findDraftAndPublishReservedAttributeNames: (names: Iterable<string>) =>
    [...names].filter((name) => isAmong(name, OF_DRAFTS)),
  getDraftAndPublishEnableBlockedMessage: (names: readonly string[]) =>
    `Cannot enable draft and publish while the following attribute names are reserved: ${names.join(", ")}. Rename them or remove them first.`,
  getDraftAndPublishReservedAttributeWarning: (uid: string, name: string) =>
    `The attribute name '${name}' on content type '${uid}' is reserved when 'draftAndPublish' is enabled. It conflicts with the Document Service / REST 'status' query parameter. Rename the attribute or disable the 'draftAndPublish' option.`,
  getContentTypeRoutePrefix: ({ kind, info }: RoutedType) =>
    lodash().kebabCase(kind === "singleType" ? info.singularName : info.pluralName),
  /** An experimental feature of the reference. */
  hasFirstPublishedAtField: () => false,
};
