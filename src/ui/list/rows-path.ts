/** The request for the rows of a list. It consists of the list's URL alone, so that it can be sent before anything is known of its type. */

export const ROWS_PER_PAGE = 50;

const PARAMETERS = ["q", "sort", "status", "locale", "columns"] as const;

export const isFilter = (name: string): boolean => name.startsWith("filters[");

/** Below the API of the page. `search`: the query of the list's URL; other parameters in it are left out. `page` counts from 1. */
export function rowsPath(uid: string, search: URLSearchParams, page = 1, pageSize = ROWS_PER_PAGE): string {
  const query = new URLSearchParams();
  for (const name of PARAMETERS) {
    const value = search.get(name);
    if (value) query.set(name, value);
  }
  for (const [name, value] of search) if (isFilter(name)) query.append(name, value);
  query.set("page", String(page));
  query.set("pageSize", String(pageSize));
  return `/lists/${encodeURIComponent(uid)}?${query}`;
}
