/** Loads the other versions and locales of a document, for its status and `meta`. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { Document } from "../../engine/query/select.ts";
import { emptyQuery, type Query } from "../../engine/query/tree.ts";
import type { ContentType, MediaAttribute, ScalarAttribute } from "../../engine/schema/model.ts";
import { withCreators, withShortCreators } from "../administrator.ts";
import { ofDocuments, readRows } from "../read-rows.ts";
import { wholeQuery } from "./whole-query.ts";

export type State = "draft" | "published" | "modified";

const TIMES = ["createdAt", "updatedAt", "publishedAt"];
const VERSION_FIELDS = new Set([...TIMES, "locale"]);

/** The status is `modified` if the draft is newer than the published version. */
export function computeState(version: Document, other: Document | undefined): State {
  const pair = other ? [other, version] : [version];
  const draft = pair.find(({ publishedAt }) => !publishedAt);
  const published = pair.find(({ publishedAt }) => publishedAt);
  if (!draft) return "published";
  if (!published) return "draft";
  return String(draft.updatedAt) > String(published.updatedAt) ? "modified" : "published";
}

const pick = (document: Document, names: Iterable<string>): Document => {
  const picked: Document = {};
  for (const name of names) if (name in document) picked[name] = document[name];
  return picked;
};

interface VersionParts {
  /** Attributes that the locales of a document share. */
  readonly shared?: boolean;
  readonly creators?: boolean;
}

/** Fields that are read of each version, besides its times. */
function versionQuery(context: DocumentsContext, type: ContentType, parts: VersionParts): Query {
  const all = wholeQuery(context.model, type, "list");
  const shared = (attribute: ScalarAttribute | MediaAttribute): boolean =>
    parts.shared === true && !attribute.localized && !attribute.system && attribute.definition.visible !== false;
  return {
    ...emptyQuery(type),
    fields: all.fields.filter((field) => VERSION_FIELDS.has(field.name) || shared(field)),
    populate: all.populate.filter(({ attribute }) => {
      if (attribute.kind === "relation") return parts.creators === true && attribute.column !== undefined;
      return attribute.kind === "media" && shared(attribute);
    }),
  };
}

/** Every version of documents, in every locale. */
export function readVersions(
  context: DocumentsContext,
  type: ContentType,
  documentIds: readonly string[],
  parts: VersionParts = {},
): Document[] {
  if (documentIds.length === 0) return [];
  const query = { ...versionQuery(context, type, parts), where: ofDocuments(documentIds) };
  return readRows(context, type.draftAndPublish ? undefined : "published", query);
}

/** The order of Strapi's index of versions: by locale, the draft first. */
export function byLocaleAndStatus(a: Document, b: Document): number {
  const [first, second] = [String(a.locale), String(b.locale)];
  if (first !== second) return first < second ? -1 : 1;
  return Number(a.publishedAt !== null) - Number(b.publishedAt !== null);
}

/** The same document and locale in its other version. */
export const counterpart = (versions: readonly Document[], document: Document): Document | undefined =>
  versions.find(
    ({ documentId, locale, publishedAt }) =>
      documentId === document.documentId &&
      locale === document.locale &&
      (publishedAt === null) !== (document.publishedAt === null),
  );

/** The states of documents by their rows; of types without drafts, undefined. */
export function readStates(
  context: DocumentsContext,
  type: ContentType,
  documentIds: readonly string[],
): (row: Document) => State | undefined {
  const versions = type.draftAndPublish ? readVersions(context, type, documentIds) : [];
  return (row) => {
    const version = versions.find(({ id }) => id === row.id);
    return version && computeState(version, counterpart(versions, version));
  };
}

export interface Meta {
  readonly availableLocales: readonly Document[];
  readonly availableStatus: readonly Document[];
}

export const NO_META: Meta = { availableLocales: [], availableStatus: [] };

/** The other locales' drafts by locale, as Strapi's index returns them, that of the default locale first. */
function availableLocales(
  context: DocumentsContext,
  type: ContentType,
  document: Document,
  versions: readonly Document[],
) {
  const others = Map.groupBy(
    versions.filter(({ locale }) => locale !== document.locale),
    ({ locale }) => locale as string,
  );
  const found = [...others.values()].flatMap((rows): Document[] => {
    const draft = type.draftAndPublish ? rows.find(({ publishedAt }) => publishedAt === null) : rows[0];
    if (!draft) return [];
    const status = type.draftAndPublish ? { status: computeState(draft, counterpart(rows, draft)) } : {};
    return [{ ...withCreators(draft), ...status }];
  });
  found.sort(byLocaleAndStatus);
  const defaultLocale = context.defaultLocale();
  return [...found.filter(isIn(defaultLocale)), ...found.filter((row) => !isIn(defaultLocale)(row))];
}

const isIn =
  (code: string) =>
  (row: Document): boolean =>
    row.locale === code;

/** `meta` of a document, and the versions that it was computed from. */
export function readMeta(
  context: DocumentsContext,
  type: ContentType,
  document: Document,
  { withStatus = true }: { readonly withStatus?: boolean } = {},
): { readonly meta: Meta; readonly versions: readonly Document[] } {
  if (!type.localized && !type.draftAndPublish) return { meta: NO_META, versions: [] };
  const parts = { shared: type.localized, creators: true };
  const versions = readVersions(context, type, [document.documentId as string], parts);
  const other = withStatus && type.draftAndPublish ? counterpart(versions, document) : undefined;
  const shown = type.localized ? withCreators : withShortCreators;
  const status = other && shown(pick(other, ["id", "documentId", "locale", ...TIMES, "createdBy", "updatedBy"]));
  const meta = {
    availableLocales: type.localized ? availableLocales(context, type, document, versions) : [],
    availableStatus: status ? [status] : [],
  };
  // Strapi reads all versions of localized types only
  return { meta, versions: type.localized ? versions : [] };
}
