/**
 * What an answer depends on, as cache tags: the documents that it shows, and what decides which these are. A document is named only if
 * the answer shows it, or the caller has named it; everything else is a tag of its type or of an attribute.
 */
import type { Tags } from "../../lib/cache-tags.ts";
import { type ContentType, hasVersions, type PopulatableAttribute, type Schema } from "../schema/model.ts";
import {
  ANY,
  add,
  addAny,
  attributePart,
  beyond,
  changedValuePart,
  documentPart,
  EITHER,
  endsOf,
  inTag,
  LINKS,
  LIST,
  linkedValuePart,
  linkOf,
  ONLY,
  type Place,
  ROW_IDS,
  statusesOf,
  type TagPart,
  TIMES,
  valuePart,
} from "../storage/cache-tags.ts";
import { CREATED } from "../storage/change-log/values.ts";
import { isSecret } from "./check-query.ts";
import { holdsForNull } from "./compile.ts";
import type { BudgetedReadContext, Status } from "./reading.ts";
import { searchedAttributes } from "./search.ts";
import type { Document } from "./select.ts";
import {
  type CheckedQuery,
  type Condition,
  emptyQuery,
  type Field,
  type Populate,
  type Query,
  type SortKey,
} from "./tree.ts";
import type { Scope } from "./where.ts";

/** Of more documents at once, only the type is named. */
const MAX_DOCUMENTS = 1_000;
/** Of more populated attributes, none is named. */
const MAX_LINKS = 2;
/** Of a search in more attributes, none is named. */
const MAX_SEARCHED = 10;
/** Of more values in a filter, only the attribute is named. */
const MAX_VALUES = 50;

const isAdministrator = ({ uid }: Schema): boolean => uid.startsWith("admin::");

type ShownParts = readonly (readonly [part: TagPart, statuses: readonly Status[]])[];

/** What documents show, and of which versions. The tag of a document with what an attribute leads to replaces that of the document alone. */
function createParts(schema: ContentType, populate: readonly Populate[], status: Status | undefined): ShownParts {
  const own = statusesOf(schema, status);
  const shown = populate.filter(({ attribute }) => attribute.link.field !== "");
  const byName = Map.groupBy(shown, ({ attribute }) => attribute.name);
  if (byName.size === 0) return [[ANY, own]];
  const isFew = byName.size <= MAX_LINKS;
  if (schema.draftAndPublish || status === "published")
    return (isFew ? [...byName.keys()].map(linkOf) : [LINKS]).map((part) => [part, own]);
  // what a type without versions links to is of the version that is read, or has no versions either
  const links = [...byName].map(([name, of]): [TagPart, readonly Status[]] => {
    const haveVersions = of.every(({ query }) => query && hasVersions(query.schema));
    return [linkOf(name), status && haveVersions ? ONLY[status] : EITHER];
  });
  return [[ANY, own], ...(isFew ? links : [[LINKS, EITHER] as const])];
}

const partsByPopulate = new WeakMap<readonly Populate[], Map<Status | undefined, ShownParts>>();

/** Requests share what they populate. */
function shownParts(schema: ContentType, populate: readonly Populate[], status: Status | undefined): ShownParts {
  if (populate.length === 0) return [[ANY, statusesOf(schema, status)]];
  const kept = partsByPopulate.getOrInsertComputed(populate, () => new Map());
  return kept.getOrInsertComputed(status, () => createParts(schema, populate, status));
}

/**
 * The documents that are shown, with what they link to if something is populated. `status` undefined: of either version. `locale`: of
 * all of them, if it is known.
 */
export function dependOnDocuments(
  tags: Tags,
  { schema, populate }: Query,
  documents: readonly Document[],
  status: Status | undefined,
  locale?: string | null,
): void {
  if (schema.modelType === "component" || documents.length === 0) return;
  // their changes are not recorded
  if (isAdministrator(schema)) return tags.giveUp();
  const parts = shownParts(schema, populate, status);
  const addAll = (some: readonly Document[], own: string | null | undefined): void => {
    const names = some.map(documentName);
    for (const [part, statuses] of parts) {
      for (const of of statuses) {
        const { name, group, end } = endsOf(schema, of, own);
        tags.addSeries({ group, start: `${name}:`, names, end: part + end });
      }
    }
  };
  if (documents.length > MAX_DOCUMENTS) add({ tags, schema, status, locale }, ANY);
  else if (schema.localized && !locale) {
    const byLocale = Map.groupBy(documents, (document) => document.locale);
    for (const [own, some] of byLocale) addAll(some, typeof own === "string" ? own : undefined);
  } else addAll(documents, locale);
}

const documentName = ({ documentId }: Document): string => inTag(documentId as string);

/** A step to other rows. */
function follow(attribute: PopulatableAttribute, place: Place, part = attributePart(attribute.name)): void {
  if (attribute.kind !== "relation" || attribute.virtual === undefined) add(place, part);
  else if (attribute.virtual === "creator") place.tags.giveUp();
  else if (attribute.virtual === "localizations") addAny(place.tags, place.schema);
}

/** Returns whether a new row may match without changing anything else that the condition looks at. */
function dependOnCondition(condition: Condition, place: Place, negated = false): boolean {
  switch (condition.kind) {
    case "not":
      return dependOnCondition(condition.of, place, !negated);
    case "all":
    case "any": {
      const parts = condition.of.map((part) => dependOnCondition(part, place, negated));
      return (condition.kind === "all") === negated ? parts.some(Boolean) : parts.every(Boolean);
    }
    case "compare":
      return dependOnComparison(condition, place, negated);
    case "related": {
      const { attribute, target, of } = condition;
      const values = negated || target.modelType === "component" ? undefined : valuesBeyond(of);
      if (!values) follow(attribute, place);
      else dependOnValuesBeyond(values, attribute, place, beyond(place, target));
      if (!values) dependOnCondition(of, beyond(place, target), negated);
      return holdsForNull(of, negated) === true;
    }
  }
}

function dependOnComparison(condition: Condition & { kind: "compare" }, place: Place, negated: boolean): boolean {
  const { field } = condition;
  const values = negated ? undefined : comparedValues(condition);
  if (values && field.column === "document_id") for (const id of values) add(place, documentPart(String(id)));
  else if (values && isCompared(field)) for (const value of values) add(place, valuePart(field.column, value));
  else return !dependOnField(field, place);
  return false;
}

/** Returns whether the tag is also stale when there is a new row. */
function dependOnField(field: Field, place: Place): boolean {
  const attribute = place.schema.attributes.get(field.name);
  const isPart = attribute && !isSecret(attribute) && !OF_VERSION.has(field.column);
  if (isPart) add(place, attributePart(field.column));
  else add(place, field.column === "id" ? ROW_IDS : ANY);
  return !isPart;
}

/** A search looks at the ids of a row as well; that of its document is always the same. */
function dependOnSearch(query: Query, search: string, place: Place): void {
  const fields = searchedAttributes({ ...query, search });
  if (fields.length > MAX_SEARCHED) add(place, ANY);
  else for (const field of fields) dependOnField(field, place);
  if (/^\d+$/.test(search)) add(place, ROW_IDS);
}

/** Which rows of a list are shown: none or all, so that their order decides nothing, the first ones, or others. */
export type Page = "none" | "all" | "first" | "further";

export const pageOf = (start: number, isCutOff: boolean): Page => (start > 0 ? "further" : isCutOff ? "first" : "all");

/** A row in place of another one has a higher id: it can only leave the first rows, where it is shown. */
function dependOnSort(sort: readonly SortKey[], start: Place, page: Page): void {
  if (page === "none") return;
  for (const { path, field } of sort) {
    let place = start;
    for (const { attribute, target } of path) {
      follow(attribute, place);
      place = beyond(place, target);
    }
    if (field === "status") addAny(start.tags, start.schema);
    else if (field !== "_relevance" && (path.length > 0 || page !== "all")) dependOnField(field, place);
  }
  if (page === "further") add(start, ROW_IDS);
}

const OF_VERSION: ReadonlySet<string> = new Set(["locale", "status"]);
const HAVE_NO_VALUE_TAGS: ReadonlySet<string> = new Set([...OF_VERSION, ...TIMES, CREATED, "id"]);

/** Whether writes say which values they change. */
const isCompared = ({ column, type }: Field): boolean =>
  type !== undefined && !type.isLong && !type.isSecret && !HAVE_NO_VALUE_TAGS.has(column);

/** The values that a field must have one of. */
function comparedValues({ operator, operand }: Condition & { kind: "compare" }) {
  if (operator !== "$eq" && operator !== "$in") return undefined;
  const values = [operand].flat();
  return values.length <= MAX_VALUES && values.every((value) => value !== null)
    ? (values as (string | number | bigint | boolean)[])
    : undefined;
}

type ValueBeyond = readonly [column: string, value: string | number | bigint | boolean];

/** The values one of which what a relation leads to must have. */
function valuesBeyond(condition: Condition): readonly ValueBeyond[] | undefined {
  if (condition.kind === "all" && condition.of.length === 1) return valuesBeyond(condition.of[0]!);
  if (condition.kind !== "compare") return undefined;
  const { field } = condition;
  if (field.column !== "document_id" && !isCompared(field)) return undefined;
  return comparedValues(condition)?.map((value) => [field.column, value]);
}

/** Links say what they lead to, also if that is new or gone. */
function dependOnValuesBeyond(
  values: readonly ValueBeyond[],
  attribute: PopulatableAttribute,
  place: Place,
  target: Place,
): void {
  for (const [column, value] of values) {
    if (column === "document_id") follow(attribute, place, valuePart(attribute.name, value));
    else {
      follow(attribute, place, linkedValuePart(attribute.name, column, value));
      add(target, changedValuePart(column, value));
    }
  }
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
  dependOnMembers(context, query, scope, documents.length === 0 ? "none" : pageOf(start, documents.length >= limit));
  const { documentId } = scope;
  if (documents.length > 0) dependOnDocuments(tags, query, documents, context.status, onlyLocale(scope));
  else if (typeof documentId === "string")
    dependOnDocuments(tags, emptyQuery(query.schema), [{ documentId }], context.status, onlyLocale(scope));
}

/** The number of all matching rows. */
export function dependOnCount(context: BudgetedReadContext, query: Query, scope: Scope): void {
  if (context.budget.tags) dependOnMembers(context, query, scope, undefined);
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
  for (const { schema: target, where, sort } of query ? [query] : (on?.values() ?? [])) {
    const place = { tags, schema: target, status: hasVersions(target) ? status : undefined };
    if (where) dependOnCondition(where, place);
    dependOnSort(sort, place, isOwn ? "all" : page);
  }
  if (attribute.kind !== "relation" || attribute.virtual !== "localizations") return;
  for (const { document } of parents) add({ tags, schema, status }, documentPart(document.documentId as string));
}
