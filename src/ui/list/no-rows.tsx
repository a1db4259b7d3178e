/** Instead of a table without rows. Loaded for a list that has none. */
import { useEffect, useState } from "preact/hooks";
import { api } from "../api/client.ts";
import { countText } from "../count-text.ts";
import { type ContentType, defaultLocale, localeNames } from "../model.ts";
import { hrefTo, setFilters, setParams } from "../router.ts";
import { Empty } from "../widgets/empty.tsx";
import { Icon } from "../widgets/icon.tsx";
import type { ListQuery } from "./list-query.ts";
import { rowsPath } from "./rows-path.ts";

function clearConditions(): void {
  setFilters([]);
  setParams({ q: undefined, status: undefined }, { replace: true });
  // the button is gone
  document.getElementById("main")?.focus();
}

/** How many documents the default locale has, for a list of another one; undefined until it is known. */
function useDefaultCount({ uid }: ContentType, { locale }: ListQuery): number | undefined {
  const [count, setCount] = useState<number>();
  const other = locale === undefined || locale === defaultLocale() ? undefined : defaultLocale();
  useEffect(() => {
    setCount(undefined);
    if (other === undefined) return;
    const path = rowsPath(uid, new URLSearchParams({ locale: other }), 1, 1);
    // without it, the list says what it said before
    api.get<{ pagination: { total: number } }>(path).then(
      ({ pagination }) => setCount(pagination.total),
      () => {},
    );
  }, [uid, other]);
  return count;
}

/** Where the documents are that a list of another locale lacks. */
function InDefaultLocale({ type, query }: { readonly type: ContentType; readonly query: ListQuery }) {
  const count = useDefaultCount(type, query);
  if (!count) return null;
  const name = new Map(localeNames.value).get(defaultLocale()) ?? defaultLocale();
  return (
    <>
      <p class="muted">
        {countText(count)} in {name}. Open one, and choose this locale to translate it.
      </p>
      <button type="button" class="button" onClick={() => setParams({ locale: undefined })}>
        Show {name}
      </button>
    </>
  );
}

interface NoRowsProps {
  readonly type: ContentType;
  readonly query: ListQuery;
  /** Absent where no samples can be made. */
  readonly onSample: (() => void) | undefined;
}

export function NoRows({ type, query, onSample }: NoRowsProps) {
  const isFiltered = query.search !== "" || query.filters !== undefined || query.status !== undefined;
  const localeParam = query.locale === defaultLocale() ? undefined : query.locale;
  return (
    <Empty icon={isFiltered ? "search" : "documents"} text={isFiltered ? "No documents match." : "No documents yet."}>
      {isFiltered ? (
        <button type="button" class="button" onClick={clearConditions}>
          Clear search and filters
        </button>
      ) : null}
      {isFiltered ? null : <InDefaultLocale type={type} query={query} />}
      {isFiltered ? null : (
        <a class="button button-primary" href={hrefTo("content", [type.uid, "new"], { locale: localeParam })}>
          <Icon name="add" />
          New {type.info.displayName}
        </a>
      )}
      {isFiltered || !onSample ? null : (
        <button type="button" class="button" aria-haspopup="dialog" onClick={onSample}>
          Fill it with sample content
        </button>
      )}
    </Empty>
  );
}
