/** The title of the window: the open document, where it is, the project. */
import { effect } from "@preact/signals";
import { documentName } from "./document-name.ts";
import { findType, start } from "./model.ts";
import { pages } from "./pages.ts";
import { hrefTo, route } from "./router.ts";
import { visit } from "./shell/places.ts";

/** A content-type, or the name of another page. */
export function placeName(): string | undefined {
  const { page, segments } = route.value;
  if (page === undefined) return "Home";
  return page === "content" ? findType(segments[0] ?? "")?.info.displayName : pages[page]?.label;
}

/** The open document, once it has a name, is one of the places to go back to. */
function rememberDocument(): void {
  const { page, segments } = route.value;
  const note = placeName();
  if (page !== "content" || segments.length < 2 || !documentName.value || note === undefined) return;
  const [uid = ""] = segments;
  const href = hrefTo("content", segments, { locale: route.value.search.get("locale") ?? undefined });
  if (findType(uid)?.kind === "collectionType") visit({ href, name: documentName.value, note });
}

export const followTitle = (): void => {
  effect(() => {
    const isDocument = route.value.segments.length > 1;
    rememberDocument();
    const parts = [isDocument && documentName.value, placeName(), start.value?.project, "Galley"];
    document.title = parts.filter(Boolean).join(" · ");
  });
};
