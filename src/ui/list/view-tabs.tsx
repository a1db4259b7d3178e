/** The views of a list as tabs. Nothing for a list without any: what is below would jump with its query. */
import { hrefTo } from "../router.ts";
import { IconButton } from "../widgets/button.tsx";
import { showProblem } from "../widgets/toasts.tsx";
import { removeView, viewQuery, viewsOf } from "./views.ts";

interface ViewTabsProps {
  readonly uid: string;
  readonly search: URLSearchParams;
}

export function ViewTabs({ uid, search }: ViewTabsProps) {
  const views = viewsOf(uid);
  const current = viewQuery(search);
  if (views.length === 0) return null;
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
    <nav class="row views" aria-label="Views">
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
              <IconButton icon="close" label={`Remove the view ${name}`} onClick={() => remove(name)} />
            ) : null}
          </li>
        ))}
      </ul>
    </nav>
  );
}
