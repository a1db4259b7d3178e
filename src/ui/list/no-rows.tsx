/** Instead of a table without rows. Loaded for a list that has none. */
import { api } from "../api/client.ts";
import { useRequest } from "../api/use-request.ts";
import { countText } from "../count-text.ts";
import { type ContentType, defaultLocale, localeName } from "../model.ts";
import { hrefTo, setFilters, setParams } from "../router.ts";
import { Button } from "../widgets/button.tsx";
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

/** How many documents the default locale has that a list of another one lacks; undefined until it is known. */
function useDefaultCount({ uid }: ContentType, { locale }: ListQuery): number | undefined {
  const other = locale === undefined || locale === defaultLocale() ? undefined : defaultLocale();
  const path = rowsPath(uid, new URLSearchParams({ locale: other ?? "" }), 1, 1);
  // without it, the list says what it said before
  const { data } = useRequest(
    other === undefined ? undefined : () => api.get<{ pagination: { total: number } }>(path),
    [path],
  );
  return other === undefined ? undefined : data?.pagination.total;
}

interface NoRowsProps {
  readonly type: ContentType;
  readonly query: ListQuery;
  /** Absent where no samples can be made. */
  readonly onSample: (() => void) | undefined;
}

export function NoRows({ type, query, onSample }: NoRowsProps) {
  const isFiltered = query.search !== "" || query.filters !== undefined || query.status !== undefined;
  const defaultCount = useDefaultCount(type, query);
  const localeParam = query.locale === defaultLocale() ? undefined : query.locale;
  if (isFiltered)
    return (
      <Empty icon="search" text="No documents match.">
        <Button text="Clear search and filters" onClick={clearConditions} />
      </Empty>
    );
  const defaultName = localeName(defaultLocale());
  return (
    <Empty icon="documents" text="No documents yet.">
      {defaultCount ? (
        <p>
          {countText(defaultCount)} in {defaultName}. Open one, and choose this locale to translate it.
        </p>
      ) : null}
      <p class="buttons empty-actions">
        <a class="button button-primary" href={hrefTo("content", [type.uid, "new"], { locale: localeParam })}>
          <Icon name="add" />
          New {type.info.displayName}
        </a>
        {defaultCount ? <Button text={`Show ${defaultName}`} onClick={() => setParams({ locale: undefined })} /> : null}
        {onSample ? <Button text="Fill it with sample content" aria-haspopup="dialog" onClick={onSample} /> : null}
      </p>
    </Empty>
  );
}
