/** The rows that the page begins with: they are asked for before anything is shown, so that both happen at a time. */
import { type ContentType, typeOf } from "../model.ts";
import { place } from "../router.ts";
import { apiParams, readListQuery } from "./list-query.ts";
import { Rows } from "./rows.ts";

let first: { readonly key: string; readonly rows: Rows } | undefined;

const keyOf = (type: ContentType, params: object): string => type.uid + JSON.stringify(params);

/** For a list in the URL; anything else begins with other requests. */
export function askForFirstRows(): void {
  const { page, segments, search } = place.peek();
  const [uid = "", ...rest] = segments;
  const type = page === "content" && rest.length === 0 ? typeOf(uid) : undefined;
  if (type?.kind !== "collectionType") return;
  const params = apiParams(readListQuery(type, search), type);
  first = { key: keyOf(type, params), rows: new Rows(type.uid, params) };
}

/** Rows of a list. Whoever takes them closes them. */
export function rowsOf(type: ContentType, params: object): Rows {
  const asked = first;
  first = undefined;
  if (asked?.key === keyOf(type, params)) return asked.rows;
  asked?.rows.close();
  return new Rows(type.uid, params);
}
