/** Parses the query string of a list. */
import { type ContentType, defaultLocale, hasDrafts, isLocalized } from "../model.ts";
import { DEFAULT_SORT, isStatus, listColumns, type StatusFilter } from "./columns.ts";
import { isFilter } from "./rows-path.ts";

export interface ListQuery {
  readonly search: string;
  /** `name:asc`, as the server takes it. */
  readonly sort: string;
  readonly locale: string | undefined;
  readonly status: StatusFilter | undefined;
  readonly columns: readonly string[];
  /** In the server's shape; undefined for none. */
  readonly filters: object | undefined;
}

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
  const status = search.get("status");
  return {
    search: search.get("q") ?? "",
    sort: search.get("sort") ?? DEFAULT_SORT,
    locale: isLocalized(type) ? (search.get("locale") ?? defaultLocale()) : undefined,
    status: hasDrafts(type) && isStatus(status) ? status : undefined,
    columns: listColumns(type, search.get("columns")),
    filters: readFilters(search),
  };
}
