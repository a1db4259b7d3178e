/** The views of a list as tabs, and what saves the current query as one. Nothing for a list without either. */
import { useState } from "preact/hooks";
import { lazy } from "../lazy.tsx";
import { hrefTo } from "../router.ts";
import { Icon } from "../widgets/icon.tsx";
import { showProblem } from "../widgets/toasts.tsx";
import { removeView, viewQuery, viewsOf } from "./views.ts";

const SaveViewDialog = lazy(async () => (await import("./save-view-dialog.tsx")).SaveViewDialog);

interface ViewTabsProps {
  readonly uid: string;
  readonly search: URLSearchParams;
}

export function ViewTabs({ uid, search }: ViewTabsProps) {
  const [isSaving, setIsSaving] = useState(false);
  const views = viewsOf(uid);
  const current = viewQuery(search);
  const isKept = current === "" || views.some(({ query }) => query === current);
  if (views.length === 0 && isKept) return null;
  const locale = search.get("locale") ?? undefined;
  const href = (query: string): string =>
    hrefTo("content", [uid], { ...Object.fromEntries(new URLSearchParams(query)), locale });
  const remove = (name: string): void => {
    try {
      removeView(uid, name);
    } catch (error) {
      showProblem(error);
    }
  };
  return (
    <nav class="views" aria-label="Views">
      <ul class="tabs">
        <li>
          <a href={href("")} aria-current={current === "" ? "page" : undefined}>
            All
          </a>
        </li>
        {views.map(({ name, query }) => (
          <li key={name}>
            <a href={href(query)} aria-current={query === current ? "page" : undefined}>
              {name}
            </a>
            {query === current ? (
              <button
                type="button"
                class="button-icon"
                aria-label={`Remove the view ${name}`}
                onClick={() => remove(name)}
              >
                <Icon name="close" />
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      {isKept ? null : (
        <button
          type="button"
          class="button button-ghost button-small"
          aria-haspopup="dialog"
          onClick={() => setIsSaving(true)}
        >
          <Icon name="add" />
          Save view
        </button>
      )}
      {isSaving ? <SaveViewDialog uid={uid} query={current} onClose={() => setIsSaving(false)} /> : null}
    </nav>
  );
}
