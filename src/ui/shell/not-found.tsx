/** The page for unknown URLs, with links to existing pages. */
import { shownTypes } from "../model.ts";
import { hrefTo } from "../router.ts";
import { firstPage } from "./first-page.ts";

export function NotFound({ what = "This page does not exist." }: { readonly what?: string }) {
  return (
    <div class="empty">
      <h1>Not found</h1>
      <p>{what}</p>
      <p class="empty-actions">
        {shownTypes.value.length > 0 ? (
          <a class="button button-primary" href={firstPage()}>
            Content
          </a>
        ) : null}
        <a class="button" href={hrefTo("types")}>
          Content-types
        </a>
        <a class="button" href={hrefTo("media")}>
          Media library
        </a>
      </p>
    </div>
  );
}
