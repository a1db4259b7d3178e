/** Where `/admin` leads: to the first type that has documents, or else to where types are made. */
import { shownTypes } from "../model.ts";
import { hrefTo } from "../router.ts";

export function firstPage(): string {
  const own = shownTypes.value.filter(({ uid }) => uid.startsWith("api::"));
  const type = own.find(({ kind }) => kind === "collectionType") ?? own[0];
  return type ? hrefTo("content", [type.uid]) : hrefTo("types");
}
