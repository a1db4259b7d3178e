/** Parses the query string of a list, and builds the parameters of its requests. */
import { type ContentType, defaultLocale, hasDrafts, isLocalized, SYSTEM_ATTRIBUTES } from "../model.ts";

/** The publication status of a document. */
export const statuses = {
  draft: "Draft",
  "published-modified": "Modified",
  "published-unmodified": "Published",
} as const;

export type StatusFilter = keyof typeof statuses;

export interface ListQuery {
  readonly search: string;
  /** `name:asc`, as the server takes it. */
  readonly sort: string | undefined;
  readonly locale: string | undefined;
  readonly status: StatusFilter | undefined;
  readonly columns: readonly string[];
  /** In the server's shape; undefined for none. */
  readonly filters: object | undefined;
}

const MAX_COLUMNS = 5;
/** Types that are too long or not readable in a list. */
const UNLISTED = new Set(["json", "blocks", "richtext", "password", "component", "dynamiczone"]);

export const canBeColumn = ({ type }: { readonly type: string }): boolean => !UNLISTED.has(type);

/** The name of a document first, then what is short, then when it was changed. */
export function defaultColumns({ attributes, mainField }: ContentType): string[] {
  const own = Object.entries(attributes)
    .filter(([name, attribute]) => !SYSTEM_ATTRIBUTES.has(name) && name !== mainField && canBeColumn(attribute))
    .map(([name]) => name);
  return [mainField, ...own.slice(0, MAX_COLUMNS - 2), "updatedAt"];
}

const isFilter = (name: string): boolean => name.startsWith("filters[");

type Tree = Map<string, Tree | string>;

const asObject = (tree: Tree): object =>
  Object.fromEntries([...tree].map(([key, value]) => [key, value instanceof Map ? asObject(value) : value]));

/** `filters[$and][0][title][$eq]=a` as an object; the numbers of lists are keys like any other. */
export function readFilters(search: URLSearchParams): object | undefined {
  const root: Tree = new Map();
  for (const [name, value] of search) {
    if (!isFilter(name)) continue;
    const keys = [...name.slice("filters".length).matchAll(/\[([^\]]*)\]/g)].map(([, key]) => key ?? "");
    const last = keys.pop();
    if (last === undefined) continue;
    let tree = root;
    for (const key of keys) {
      const found = tree.get(key);
      const next: Tree = found instanceof Map ? found : new Map();
      tree.set(key, next);
      tree = next;
    }
    tree.set(last, value);
  }
  return root.size > 0 ? asObject(root) : undefined;
}

export function readListQuery(type: ContentType, search: URLSearchParams): ListQuery {
  const columns = search
    .get("columns")
    ?.split(",")
    .filter((name) => name in type.attributes);
  const status = search.get("status") ?? "";
  return {
    search: search.get("q") ?? "",
    sort: search.get("sort") ?? undefined,
    locale: isLocalized(type) ? (search.get("locale") ?? defaultLocale()) : undefined,
    status: hasDrafts(type) && status in statuses ? (status as StatusFilter) : undefined,
    columns: columns && columns.length > 0 ? columns : defaultColumns(type),
    filters: readFilters(search),
  };
}

/** The parameters of the content manager's list. */
export function apiParams(query: ListQuery, { attributes }: ContentType): object {
  const { search, sort, locale, status, columns, filters } = query;
  const statusFilter = status && { $and: [{ __status: { $eq: status } }] };
  const scalars = columns.filter((name) => attributes[name]?.type !== "relation" && attributes[name]?.type !== "media");
  return {
    _q: search || undefined,
    sort,
    locale,
    fields: [...new Set(["documentId", ...scalars])],
    filters: joined(statusFilter, filters),
  };
}

/** Combines both. The status must be at the top level, where the server expects it. */
function joined(status: { $and: object[] } | undefined, filters: object | undefined): object | undefined {
  if (!status || !filters) return status ?? filters;
  return { $and: [...status.$and, filters] };
}
