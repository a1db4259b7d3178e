/** The Content API request that returns the data of a list or document. */

import type { ListQuery } from "../list/list-query.ts";
import { type Attribute, type ContentType, findComponent, findType, hasDrafts, isLocalized } from "../model.ts";
import { SYSTEM_ATTRIBUTES } from "../system-attributes.ts";

export type PublicationStatus = "published" | "draft";

/** The parameters, as REST, `@strapi/client` and GraphQL share them. Undefined ones are left out. */
export interface RequestParams {
  readonly _q?: string | undefined;
  readonly filters?: object | undefined;
  readonly sort?: string | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly populate?: object | undefined;
  readonly status?: "draft" | undefined;
  readonly publicationFilter?: string | undefined;
  readonly locale?: string | undefined;
  readonly pagination?: object | undefined;
}

export interface ContentRequest {
  readonly type: ContentType;
  /** Undefined for lists and single types. */
  readonly documentId: string | undefined;
  /** What is shown, by name. */
  readonly attributes: readonly string[];
  readonly params: RequestParams;
}

const PAGE_SIZE = 25;

/** Levels of components below a document; a component may hold itself. */
export const MAX_DEPTH = 5;

export const isInResponses = ({ type, private: isPrivate }: Attribute): boolean =>
  type !== "password" && isPrivate !== true;

/** The status filters of Strapi's admin panel. */
const publicationFilters: Readonly<Record<string, string>> = {
  draft: "never-published",
  "published-modified": "modified",
  "published-unmodified": "unmodified",
};

const isRelated = ({ type }: Attribute): boolean => ["relation", "media", "component", "dynamiczone"].includes(type);

/** `{ 0: a, 1: b }` of a URL as a list. */
function withLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withLists);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, withLists(item)] as const);
  if (entries.length > 0 && entries.every(([key]) => /^\d+$/.test(key))) return entries.map(([, item]) => item);
  return Object.fromEntries(entries);
}

/** What a document consists of, at every depth; true where there is nothing below. */
function createPopulate(
  attributes: Readonly<Record<string, Attribute>>,
  names: readonly string[],
  depth = 0,
): object | undefined {
  const entries = names.flatMap((name) => {
    const attribute = attributes[name];
    if (!attribute || !isRelated(attribute) || !isInResponses(attribute)) return [];
    return [[name, populateOfAttribute(attribute, depth)] as const];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

function componentPopulate(uid: string, depth: number): object | true {
  const component = depth < MAX_DEPTH ? findComponent(uid) : undefined;
  const populate = component && createPopulate(component.attributes, Object.keys(component.attributes), depth + 1);
  return populate ? { populate } : true;
}

function populateOfAttribute(attribute: Attribute, depth: number): object | true {
  if (attribute.type === "component") return componentPopulate(String(attribute.component), depth);
  if (attribute.type !== "dynamiczone") return true;
  const components = attribute.components as readonly string[];
  return { on: Object.fromEntries(components.map((uid) => [uid, componentPopulate(uid, depth)])) };
}

const shownNames = ({ attributes }: ContentType): string[] =>
  Object.entries(attributes).flatMap(([name, attribute]) =>
    isInResponses(attribute) && (!SYSTEM_ATTRIBUTES.has(name) || name === "createdAt" || name === "updatedAt")
      ? [name]
      : [],
  );

/** The target of a relation that leads to documents of one type. */
export const relationTarget = ({ target }: Attribute): ContentType | undefined =>
  typeof target === "string" ? findType(target) : undefined;

const chooseLocale = (type: ContentType, locale: string | undefined): string | undefined =>
  isLocalized(type) ? locale : undefined;

const chooseStatus = (type: ContentType, status: PublicationStatus): "draft" | undefined =>
  hasDrafts(type) && status === "draft" ? "draft" : undefined;

export function listRequest(type: ContentType, query: ListQuery, status: PublicationStatus): ContentRequest {
  const { search, sort, locale, columns, filters } = query;
  const names = columns.filter((name) => name in type.attributes && isInResponses(type.attributes[name]!));
  const scalars = names.filter((name) => name !== "id" && !isRelated(type.attributes[name]!));
  return {
    type,
    documentId: undefined,
    attributes: names,
    params: {
      _q: search || undefined,
      filters: withLists(filters) as object | undefined,
      sort,
      fields: scalars.length > 0 ? scalars : undefined,
      populate: createPopulate(type.attributes, names),
      status: chooseStatus(type, status),
      publicationFilter: query.status && publicationFilters[query.status],
      locale: chooseLocale(type, locale),
      pagination: { page: 1, pageSize: PAGE_SIZE },
    },
  };
}

export function documentRequest(
  type: ContentType,
  documentId: string,
  locale: string | undefined,
  status: PublicationStatus,
): ContentRequest {
  const names = shownNames(type);
  return {
    type,
    documentId: type.kind === "singleType" ? undefined : documentId,
    attributes: names,
    params: {
      populate: createPopulate(type.attributes, names),
      status: chooseStatus(type, status),
      locale: chooseLocale(type, locale),
    },
  };
}
