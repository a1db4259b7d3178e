/** Instead of a table without rows. Loaded for a list that has none. */
import { setFilters, setParams } from "../router.ts";
import { Icon } from "../widgets/icon.tsx";
import type { ListQuery } from "./list-query.ts";

function clearConditions(): void {
  setFilters([]);
  setParams({ q: undefined, status: undefined }, { replace: true });
  // the button is gone
  document.getElementById("main")?.focus();
}

interface NoRowsProps {
  readonly query: ListQuery;
  /** Absent where no samples can be made. */
  readonly onSample: (() => void) | undefined;
}

export function NoRows({ query, onSample }: NoRowsProps) {
  const isFiltered = query.search !== "" || query.filters !== undefined || query.status !== undefined;
  return (
    <div class="empty">
      <Icon name={isFiltered ? "search" : "documents"} />
      <p>No documents{isFiltered ? " match." : " yet."}</p>
      {isFiltered ? (
        <button type="button" class="button" onClick={clearConditions}>
          Clear search and filters
        </button>
      ) : null}
      {isFiltered || !onSample ? null : (
        <button type="button" class="button" aria-haspopup="dialog" onClick={onSample}>
          Fill it with sample content
        </button>
      )}
    </div>
  );
}
