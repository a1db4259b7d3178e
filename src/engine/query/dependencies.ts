/**
 * What an answer depends on, as cache tags: the documents that it shows, and what decides which these are. A document is named only if
 * the answer shows it, or the caller has named it; everything else is a tag of its type or of an attribute.
 */
import type { Tags } from "../../lib/cache-tags.ts";
import { stringOrNone } from "../../lib/coerce.ts";
import { type ContentType, hasVersions, type PopulatableAttribute, type Schema } from "../schema/model.ts";
import {
  ANY,
  add,
  addAny,
  beyond,
  EITHER,
  endsOf,
  LINKS,
  LIST,
  linkOf,
  ONLY,
  type Place,
  ROW_IDS,
  statusesOf,
  type TagPart,
} from "../storage/cache-tags.ts";
import { dependOnCondition, dependOnField, dependOnSearch, follow } from "./condition-dependencies.ts";
import type { BudgetedReadContext, Status } from "./reading.ts";
import type { Document } from "./select.ts";
import { type CheckedQuery, emptyQuery, type Populate, type Query, type SortKey } from "./tree.ts";
import type { Scope } from "./where.ts";

/** Of more documents at once, only the type is named. */
const MAX_DOCUMENTS = 1_000;
/** Of more populated attributes, none is named. */
const MAX_LINKS = 2;

const isAdministrator = ({ uid }: Schema): boolean => uid.startsWith("admin::");

type ShownParts = readonly (readonly [part: TagPart, statuses: readonly Status[]])[];

/** What documents show, and of which versions. The tag of a document with what an attribute leads to replaces that of the document alone. */
function shownParts(query: Query, page: Page, status: Status | undefined): ShownParts {
  const schema = query.schema as ContentType;
  const own = statusesOf(schema, status);
  const sorted = page === "all" ? sortedLinks(query) : [];
  if (query.populate.length === 0 && sorted.length === 0) return [[ANY, own]];
  const names = new Set<string>();
  for (const { attribute } of query.populate) if (attribute.link.field !== "") names.add(attribute.name);
  for (const { name } of sorted) names.add(name);
  if (names.size === 0) return [[ANY, own]];
  const isFew = names.size <= MAX_LINKS;
  if (schema.draftAndPublish || (status === "published" && sorted.length === 0))
    return (isFew ? [...names].map(linkOf) : [LINKS]).map((part) => [part, own]);
  // what a type without versions links to is of the version that is read, or has no versions either, but it is sorted by both
  if (!isFew)
    return [
      [ANY, own],
      [LINKS, EITHER],
    ];
  const isOfEither = (name: string): boolean =>
    !status ||
    sorted.some((attribute) => attribute.name === name) ||
    query.populate.some((item) => item.attribute.name === name && !(item.query && hasVersions(item.query.schema)));
  const parts = [...names].map((name) => [linkOf(name), isOfEither(name) ? EITHER : ONLY[status!]] as const);
  return [[ANY, own], ...parts];
}

/** Where the order of documents that are all shown comes from. */
const sortedLinks = ({ schema, sort }: Query): readonly PopulatableAttribute[] =>
  sort.flatMap(({ path: [step] }) =>
    step && step.attribute.link.field !== "" && isOfDocuments(schema, step.attribute) ? step.attribute : [],
  );

const isOfDocuments = (schema: Schema, attribute: PopulatableAttribute): boolean =>
  schema.modelType === "contentType" && !(attribute.kind === "relation" && attribute.virtual !== undefined);

/**
 * The documents that are shown, with what they link to if something is populated, or if all are shown in the order of what they link to.
 * `status` undefined: of either version. `locale`: of all of them, if it is known.
 */
export function dependOnDocuments(
  tags: Tags,
  query: Query,
  documents: readonly Document[],
  page: Page,
  status: Status | undefined,
  locale?: string | null,
): void {
  const { schema } = query;
  if (schema.modelType === "component" || documents.length === 0) return;
  // their changes are not recorded
  if (isAdministrator(schema)) return tags.giveUp();
  if (documents.length > MAX_DOCUMENTS) return add({ tags, schema, status, locale }, ANY);
  const parts = shownParts(query, page, status);
  if (schema.localized && !locale) {
    const byLocale = Map.groupBy(documents, (document) => document.locale);
    for (const [own, some] of byLocale) addDocuments(tags, schema, some, parts, stringOrNone(own));
  } else addDocuments(tags, schema, documents, parts, locale);
}

/** `documents`: at least one. `locale` null or undefined: of any locale. */
function addDocuments(
  tags: Tags,
  schema: ContentType,
  documents: readonly Document[],
  parts: ShownParts,
  locale: string | null | undefined,
): void {
  // who has asked for them may change them before the tags are written
  const ids = documents.map(({ documentId }) => documentId as string);
  for (const [part, statuses] of parts) {
    for (const of of statuses) {
      const { start, group, end } = endsOf(schema, of, locale);
      tags.addSeries(group, { start, ids, end: part + end });
    }
  }
}

/** Which rows of a list are shown: at most one that there is, so that there is no order, all, the first ones, or others. */
export type Page = "unordered" | "all" | "first" | "further";

export function pageOf(start: number, isCutOff: boolean, rows: number): Page {
  if (start > 0) return "further";
  if (isCutOff) return "first";
  return rows > 1 ? "all" : "unordered";
}

/** A row in place of another one has a higher id: it can only leave the first rows, where it is shown. */
function dependOnSort(sort: readonly SortKey[], start: Place, page: Page): void {
  if (page === "unordered") return;
  for (const { path, field } of sort) {
    let place = start;
    for (const { attribute, target } of path) {
      // the documents are named with it
      if (page !== "all" || place !== start || !isOfDocuments(place.schema, attribute)) follow(attribute, place);
      place = beyond(place, target);
    }
    if (field === "status") addAny(start.tags, start.schema);
    else if (field !== "_relevance" && (path.length > 0 || page !== "all")) dependOnField(field, place);
  }
  if (page === "further") add(start, ROW_IDS);
}

const onlyLocale = ({ locales }: Scope): string | null | undefined => (locales?.length === 1 ? locales[0] : undefined);

/** Which rows match, and which of them are on a page. */
function dependOnMembers(
  { budget, status, publicationFilter }: BudgetedReadContext,
  query: Query,
  scope: Scope,
  page: Page | undefined,
): void {
  const { schema, where, search, sort } = query;
  const place = { tags: budget.tags!, schema, status, locale: onlyLocale(scope) };
  const isList = scope.documentId === undefined && !scope.ids;
  const mayAppear = where === undefined || dependOnCondition(where, place);
  if (search !== undefined) dependOnSearch(query, search, place);
  if (publicationFilter) addAny(place.tags, schema);
  else if (isList && mayAppear) add(place, LIST);
  if (page && isList) dependOnSort(sort, place, page);
}

/** The documents of a page, which were read with their populated attributes. */
export function dependOnPage(
  context: BudgetedReadContext,
  query: CheckedQuery,
  scope: Scope,
  documents: readonly Document[],
): void {
  const { tags } = context.budget;
  if (!tags) return;
  const { start, limit = Number.POSITIVE_INFINITY } = query;
  const page = documents.length === 0 ? "unordered" : pageOf(start, documents.length >= limit, documents.length);
  dependOnMembers(context, query, scope, page);
  const { documentId } = scope;
  if (documents.length > 0) dependOnDocuments(tags, query, documents, page, context.status, onlyLocale(scope));
  else if (typeof documentId === "string")
    dependOnDocuments(tags, emptyQuery(query.schema), [{ documentId }], page, context.status, onlyLocale(scope));
}

/** The number of all matching rows. */
export function dependOnCount(context: BudgetedReadContext, query: Query, scope: Scope): void {
  if (context.budget.tags) dependOnMembers(context, query, scope, undefined);
}

function dependOnTargets(tags: Tags, { schema, where, sort }: Query, status: Status | undefined, page: Page): void {
  const place = { tags, schema, status: hasVersions(schema) ? status : undefined };
  if (where) dependOnCondition(where, place);
  dependOnSort(sort, place, page);
}

/** Which rows a populated attribute leads to, besides what the tags of the parents say, which are shown. */
export function dependOnLinks(
  { budget, status }: BudgetedReadContext,
  schema: Schema,
  parents: readonly { readonly document: Document }[],
  { attribute, query, on }: Populate,
  page: Page,
): void {
  const { tags } = budget;
  if (!tags) return;
  // the order of what a document links to is its own
  const isOwn = attribute.link.side === "owner" && !query?.where && query?.sort.length === 0;
  const orderedBy = isOwn ? "all" : page;
  if (query) dependOnTargets(tags, query, status, orderedBy);
  else if (on) for (const fragment of on.values()) dependOnTargets(tags, fragment, status, orderedBy);
  if (attribute.kind !== "relation" || attribute.virtual !== "localizations") return;
  const type = schema as ContentType;
  const documents = parents.map(({ document }) => document);
  addDocuments(tags, type, documents, [[ANY, statusesOf(type, status)]], undefined);
}
