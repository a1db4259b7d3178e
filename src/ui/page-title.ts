/** The title of the window: the open document, where it is, the project. */
import { effect } from "@preact/signals";
import { documentName } from "./document-name.ts";
import { findType, start } from "./model.ts";
import { pages } from "./pages.ts";
import { route } from "./router.ts";

/** A content-type, or the name of another page. */
export function placeName(): string | undefined {
  const { page, segments } = route.value;
  if (page === undefined) return undefined;
  return page === "content" ? findType(segments[0] ?? "")?.info.displayName : pages[page]?.label;
}

export const followTitle = (): void => {
  effect(() => {
    const isDocument = route.value.segments.length > 1;
    const parts = [isDocument && documentName.value, placeName(), start.value?.project, "Galley"];
    document.title = parts.filter(Boolean).join(" · ");
  });
};
