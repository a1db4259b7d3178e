/** Lists of the content manager: filters, search, sort and pages. Invalid parameters that Strapi ignores are ignored. */

import type { DocumentsContext } from "../../engine/documents/context.ts";
import { manyLocales } from "../../engine/documents/document-reads.ts";
import { trustedQuery } from "../../engine/query/check-query.ts";
import type { Params } from "../../engine/query/parse.ts";
import { readSearch } from "../../engine/query/parse.ts";
import { type PublicationFilter, type ReadContext, readPublicationFilter } from "../../engine/query/reading.ts";
import { countRows, findRows, prepareRows } from "../../engine/query/run.ts";
import type { Document } from "../../engine/query/select.ts";
import { allOf, type Condition, emptyQuery, isIdKey, type Query } from "../../engine/query/tree.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { stringOrNone } from "../../lib/coerce.ts";
import { ApiError, invalidKeyError, validationError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { documentIdsOf, editedStatus, ofDocuments, readRows } from "../read-rows.ts";
import { checkSortedNames, parseSort } from "../sort.ts";
import { readCondition, withoutSecretKeys } from "./conditions.ts";
import { hiddenAttributes } from "./hidden.ts";
import { readDimensions } from "./input.ts";
import { interceptRows } from "./intercepted-reads.ts";
import { shownDocument } from "./shown-document.ts";
import { byLocaleAndStatus, computeState, counterpart, readVersions } from "./versions.ts";
import { populateNamed, wholeQuery } from "./whole-query.ts";

export interface Pages {
  readonly page: number;
  readonly pageSize: number;
  readonly pageCount: number;
  readonly total: number;
}

const PAGE_SIZE = 10;
const MAX_PAGE_SIZE = 1000;

/** Numbers below one become one; anything else becomes the default. */
const atLeastOne = (value: unknown, defaultValue: number): number => {
  if (value === undefined || value === null) return defaultValue;
  const number = typeof value === "object" ? Number.NaN : Number(value);
  return Number.isNaN(number) ? defaultValue : Math.max(1, number);
};

const noPositiveInteger = (name: "Start" | "Limit", got: number): ApiError =>
  validationError(`convert${name}QueryParams expected a positive integer got ${got}`);

const mixedPages = (): ApiError =>
  new ApiError("PaginationError", "Cannot use both page & offset pagination in the same query");

/** Page parameters, or an offset and a limit, which are converted to a page. Throws a ValidationError for a page that is not a number. */
export function readPages({ page, pageSize, start, limit }: Params): {
  readonly start: number;
  readonly page: number;
  readonly pageSize: number;
} {
  const isOffset = start !== undefined || limit !== undefined;
  if (isOffset && (page !== undefined || pageSize !== undefined)) throw mixedPages();
  if (isOffset && [start, limit].some((value) => Number.isNaN(Number(value ?? 0))))
    throw noPositiveInteger("Start", Number.NaN);
  const defaultSize = Number.isNaN(Number(pageSize ?? 0)) ? MAX_PAGE_SIZE : PAGE_SIZE;
  const size = Math.min(atLeastOne(isOffset ? limit : pageSize, defaultSize), MAX_PAGE_SIZE);
  if (!isOffset) {
    if (Number.isNaN(Number(page ?? 1))) throw noPositiveInteger("Start", Number.NaN);
    const number = Math.min(atLeastOne(page, 1), Math.floor(Number.MAX_SAFE_INTEGER / MAX_PAGE_SIZE));
    const first = (number - 1) * size;
    // a part of a page may be the start of a whole row
    if (!Number.isInteger(first)) throw noPositiveInteger("Start", first);
    if (!Number.isInteger(size)) throw noPositiveInteger("Limit", size);
    return { start: first, page: Math.floor(number), pageSize: size };
  }
  const offset = Math.max(0, Number(start ?? 0));
  if (!Number.isInteger(offset) && Number.isFinite(offset)) throw noPositiveInteger("Start", offset);
  if (!Number.isInteger(size)) throw noPositiveInteger("Limit", size);
  const from = Math.min(Math.max(0, Math.floor(Number(start ?? 0)) || 0), Number.MAX_SAFE_INTEGER);
  return { start: from, page: Math.floor(from / size) + 1, pageSize: size };
}

export const createPages = (page: number, pageSize: number, total: number): Pages => ({
  page,
  pageSize,
  pageCount: Math.ceil(total / pageSize),
  total,
});

/** Relations used in a filter are populated instead of counted, as in Strapi. */
function populateFiltered(query: Query, where: Condition | undefined): Query {
  const found = new Map<string, Condition>();
  const visit = (condition: Condition | undefined): void => {
    if (condition?.kind === "all" || condition?.kind === "any") condition.of.forEach(visit);
    else if (condition?.kind === "not") visit(condition.of);
    else if (condition?.kind === "related" && condition.attribute.kind === "relation")
      found.set(condition.attribute.name, condition.of);
  };
  visit(where);
  if (found.size === 0) return query;
  const populate = query.populate.map((item) => (found.has(item.key) ? { ...item, count: false } : item));
  return { ...query, populate };
}

/** Filters by status, an extension for the admin page: `filters[$and][n][__status][$eq]`. */
const STATUS_FILTERS: Readonly<Record<string, Params>> = {
  draft: { status: "draft", publicationFilter: "never-published" },
  published: { status: "published" },
  "published-modified": { publicationStatusFilter: "published-modified" },
  "published-unmodified": { publicationStatusFilter: "published-unmodified" },
};

function withStatusFilters(params: Params): Params {
  const { filters } = params;
  if (!isRecord(filters) || !Array.isArray(filters.$and)) return params;
  const readStatus = (filter: unknown): string | undefined => {
    const status = isRecord(filter) && isRecord(filter.__status) ? filter.__status.$eq : undefined;
    return stringOrNone(status);
  };
  const rest = filters.$and.filter((filter) => readStatus(filter) === undefined);
  const statusParams = filters.$and.flatMap((filter) => STATUS_FILTERS[readStatus(filter) ?? ""] ?? []);
  if (rest.length === filters.$and.length) return params;
  return Object.assign({}, params, ...statusParams, {
    filters: rest.length > 0 ? { ...filters, $and: rest } : undefined,
  });
}

const LEGACY_FILTERS: Readonly<Record<string, string>> = {
  true: "has-published-version-document",
  false: "never-published-document",
};

/** Converts an older parameter to a filter. Throws a ValidationError unless it is true or false. */
function legacyFilter(hasPublishedVersion: unknown): string | undefined {
  if (hasPublishedVersion === undefined) return undefined;
  const filter = typeof hasPublishedVersion === "object" ? undefined : LEGACY_FILTERS[String(hasPublishedVersion)];
  if (filter) return filter;
  throw validationError("Invalid value for 'hasPublishedVersion'. Expected boolean or 'true'/'false' string.");
}

/** Documents whose published version is older than the draft (`isModified`), or is not older. */
function comparedWithDraft(
  context: DocumentsContext,
  type: ContentType,
  params: Params,
  isModified: boolean,
): Condition {
  const locales = manyLocales(context, type, { locale: params.locale });
  const published = readRows(context, "published", { ...emptyQuery(type), fields: [] }, { locales });
  const versions = readVersions(context, type, documentIdsOf(published));
  const found = published.filter((row) => {
    const version = versions.find(({ id }) => id === row.id);
    const draft = version && counterpart(versions, version);
    return version && draft && (computeState(version, draft) === "modified") === isModified;
  });
  return ofDocuments([...new Set(documentIdsOf(found))]);
}

/** Throws a ValidationError for an unknown key, here without details. */
function parsePublicationFilter(publicationFilter: unknown): PublicationFilter | undefined {
  try {
    return readPublicationFilter({ publicationFilter });
  } catch (error) {
    throw error instanceof ApiError ? validationError(error.message) : error;
  }
}

function createReadContext({ storage, model }: DocumentsContext, type: ContentType, params: Params): ReadContext {
  // of types without drafts, the versions of related documents
  const { status = editedStatus(type) } = readDimensions(params);
  const publicationFilter = parsePublicationFilter(
    params.publicationFilter ?? legacyFilter(params.hasPublishedVersion),
  );
  if (!type.draftAndPublish) return { storage, model, status };
  return { storage, model, status, publicationFilter };
}

/**
 * The selected fields of each document. As in Strapi, which permits attributes by locale, documents of a localized type have
 * none of their own without the field `locale`. Throws a ValidationError for an unknown field.
 */
function selectFields(query: Query, { fields }: Params): Query {
  const invalid = () => validationError("Invalid fields parameter. Expected a string or an array of strings");
  if (typeof fields === "object" && fields !== null && !Array.isArray(fields)) throw invalid();
  const names = new Set([fields ?? []].flat().flatMap((name) => String(name).split(",")));
  const all = names.size === 0 || names.has("*");
  const unknown = [...names].find((name) => name !== "*" && !isIdKey(name) && !query.schema.attributes.has(name));
  if (unknown !== undefined) throw invalidKeyError({ key: unknown, path: null });
  const isSecret = (name: string): boolean => {
    const attribute = query.schema.attributes.get(name);
    return attribute?.kind === "scalar" && attribute.type.isSecret === true;
  };
  if ([...names].some(isSecret)) throw invalid();
  if (all) return query;
  if (query.schema.modelType !== "contentType" || !query.schema.localized || names.has("locale"))
    return { ...query, fields: query.fields.filter(({ name }) => names.has(name)) };
  const populate = query.populate.filter(({ attribute }) => attribute.kind === "relation" && attribute.virtual);
  return { ...query, fields: query.fields.filter(({ name }) => isIdKey(name)), populate };
}

/**
 * The versions that determine the status of listed documents, by document. As in Strapi: those in the other state than the first
 * document of the page, and the first one in any locale of the page.
 */
function otherVersions(context: DocumentsContext, type: ContentType, documents: readonly Document[]) {
  const isPublished = documents[0]?.publishedAt !== null;
  const locales = new Set(documents.map(({ locale }) => locale ?? null));
  const haveLocales = documents.every(({ locale }) => locale);
  const others = new Map<string, Document>();
  for (const version of readVersions(context, type, documentIdsOf(documents)).toSorted(byLocaleAndStatus)) {
    const documentId = version.documentId as string;
    if ((version.publishedAt === null) !== isPublished || others.has(documentId)) continue;
    if (!haveLocales || locales.has(version.locale ?? null)) others.set(documentId, version);
  }
  return others;
}

/** Private attributes, which administrators see and search, without those that the content manager hides. */
function shownPrivates(type: ContentType): ReadonlySet<string> {
  const hidden = hiddenAttributes(type);
  return new Set(
    [...type.attributes.values()].flatMap(({ name, private: own }) => (own && !hidden.has(name) ? name : [])),
  );
}

/** A page of a type's documents. Long lists are read without blocking other requests. `asStored`: nothing intercepts them. */
export async function listDocuments(
  context: DocumentsContext,
  type: ContentType,
  queryParams: Params,
  { asStored = false } = {},
): Promise<{ readonly results: Document[]; readonly pagination: Pages }> {
  const params = withStatusFilters(queryParams);
  const state = params.publicationStatusFilter;
  const compares = state === "published-modified" || state === "published-unmodified";
  const readContext = createReadContext(context, type, compares ? { ...params, status: "published" } : params);
  const { page, pageSize, start } = readPages(params);
  const where = allOf(
    [
      // anything but an object has no effect, as in Strapi
      readCondition(context.model, type, isRecord(params.filters) ? params.filters : undefined),
      compares ? comparedWithDraft(context, type, params, state === "published-modified") : undefined,
    ].filter((condition) => condition !== undefined),
  );
  const isSortedByStatus = params.status === undefined && params.hasPublishedVersion === undefined && !state;
  checkSortedNames(context.model, type, params.sort);
  const sortKeys = withoutSecretKeys(parseSort(context.model, type, params.sort), type);
  // as in Strapi, documents are sorted by status last
  const [statusKey] = isSortedByStatus ? sortKeys.filter(({ field }) => field === "status") : [];
  const sort = [...sortKeys.filter(({ field }) => field !== "status"), ...(statusKey ? [statusKey] : [])];
  const query = trustedQuery({
    ...populateFiltered(
      populateNamed(selectFields(wholeQuery(context.model, type, "list"), params), params.populate),
      where,
    ),
    where,
    search: readSearch(params._q),
    searchesPrivate: shownPrivates(type),
    sort,
    start,
    limit: pageSize,
  });
  // filters on the locale do not override the request's, unlike in REST
  const scope = { locales: manyLocales(context, type, { locale: params.locale }) };
  const prepared = prepareRows(readContext, query, scope, true);
  // nothing is awaited for other lists, which are read from one snapshot
  const reading = prepared instanceof Promise ? await prepared : prepared;
  const stored = findRows(reading, query, scope, { counted: true });
  const total = countRows(reading, query, scope);
  const dimensions = { locale: params.locale, status: readContext.status };
  const intercepted = asStored ? stored : interceptRows(context, type, stored, "findMany", dimensions);
  const documents = intercepted instanceof Promise ? await intercepted : intercepted;
  const others = type.draftAndPublish ? otherVersions(context, type, documents) : undefined;
  const results = documents.map((document) => ({
    ...shownDocument(context.model, type, document),
    localizations: document.localizations ?? [],
    status: others ? computeState(document, others.get(document.documentId as string)) : "published",
  }));
  return { results, pagination: createPages(page, pageSize, total) };
}
