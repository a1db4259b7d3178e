/** Prefetches the rows of the list in the URL while the page is first rendered. */
import { type ContentType, typeOf } from "../model.ts";
import { route } from "../router.ts";
import { apiParams, readListQuery } from "./list-query.ts";
import { Rows } from "./rows.ts";

let first: { readonly key: string; readonly rows: Rows } | undefined;

const keyOf = (type: ContentType, params: object): string => type.uid + JSON.stringify(params);

/** Does nothing for a URL that is not a list. */
export function prefetchFirstRows(): void {
  const { page, segments, search } = route.peek();
  const [uid = "", ...rest] = segments;
  const type = page === "content" && rest.length === 0 ? typeOf(uid) : undefined;
  if (type?.kind !== "collectionType") return;
  const params = apiParams(readListQuery(type, search), type);
  first = { key: keyOf(type, params), rows: new Rows(type.uid, params) };
}

/** The prefetched rows if they are of this list, new ones otherwise. The caller closes them. */
export function rowsOf(type: ContentType, params: object): Rows {
  const prefetched = first;
  first = undefined;
  if (prefetched?.key === keyOf(type, params)) return prefetched.rows;
  prefetched?.rows.close();
  return new Rows(type.uid, params);
}
