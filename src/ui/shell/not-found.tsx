/** The page for unknown URLs, with links to existing pages. */
import { PAGE_BASE } from "../page-paths.ts";
import { hrefTo } from "../router.ts";

export function NotFound({ what = "This page does not exist." }: { readonly what?: string }) {
  return (
    <div class="empty">
      <h1>Not found</h1>
      <p>{what}</p>
      <p class="empty-actions">
        <a class="button button-primary" href={PAGE_BASE}>
          Home
        </a>
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
