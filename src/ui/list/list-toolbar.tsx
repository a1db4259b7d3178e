/** Above a list: its search and filters, and what opens its dialogs. */
import { lazy } from "../lazy.tsx";
import { type ContentType, hasDrafts, isLocalized, localeNames } from "../model.ts";
import { goTo, hrefTo, setParams } from "../router.ts";
import { Icon, type IconName } from "../widgets/icon.tsx";
import { ImmediateSelect } from "../widgets/immediate-select.tsx";
import { Menu } from "../widgets/menu.tsx";
import { isNarrow } from "../widgets/narrow.ts";
import { SearchField } from "../widgets/search-field.tsx";
import { DEFAULT_SORT, statuses } from "./columns.ts";
import { isOfProject, type ListDialog } from "./list-dialogs.tsx";
import type { ListQuery } from "./list-query.ts";

const FilterChips = lazy(async () => (await import("./filter-chips.tsx")).FilterChips);

interface DialogButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
}

const DialogButton = ({ icon, label, onClick }: DialogButtonProps) => (
  <button type="button" class="button button-ghost" aria-haspopup="dialog" onClick={onClick}>
    <Icon name={icon} />
    <span class="button-label">{label}</span>
  </button>
);

/** In a narrow window there are no heads of columns to sort by. */
const sorts = ({ mainField }: ContentType): (readonly [sort: string, label: string])[] => [
  [DEFAULT_SORT, "Newest change"],
  ["updatedAt:asc", "Oldest change"],
  [`${mainField}:asc`, "Name, A to Z"],
  [`${mainField}:desc`, "Name, Z to A"],
];

interface ListToolbarProps {
  readonly type: ContentType;
  readonly query: ListQuery;
  readonly open: (dialog: ListDialog) => void;
}

export function ListToolbar({ type, query, open }: ListToolbarProps) {
  return (
    <div class="toolbar">
      <SearchField value={query.search} onChange={(q) => setParams({ q }, { replace: true })} />
      {hasDrafts(type) ? (
        <ImmediateSelect
          label="Status"
          value={query.status ?? ""}
          options={[["", "Every status"], ...Object.entries(statuses)]}
          onChoose={(status) => setParams({ status })}
        />
      ) : null}
      {isLocalized(type) ? (
        <ImmediateSelect
          label="Locale"
          value={query.locale}
          options={localeNames.value}
          onChoose={(locale) => setParams({ locale })}
        />
      ) : null}
      {isNarrow.value ? (
        <ImmediateSelect
          label="Sort"
          value={query.sort}
          options={new Map([[query.sort, "Sorted by a column"], ...sorts(type)])}
          onChoose={(sort) => setParams({ sort })}
        />
      ) : null}
      <DialogButton icon="filter" label="Filter" onClick={() => open("filters")} />
      {isNarrow.value ? null : <DialogButton icon="columns" label="Columns" onClick={() => open("columns")} />}
      {isOfProject(type) ? (
        <>
          {isNarrow.value ? null : <DialogButton icon="link" label="Request" onClick={() => open("request")} />}
          <Menu
            label="More actions"
            class="button button-ghost"
            items={[
              ...(isNarrow.value ? [{ id: "request", label: "Request", run: () => open("request") }] : []),
              { id: "paste", label: "Paste rows", run: () => open("paste") },
              { id: "sample", label: "Create sample content", run: () => open("sample") },
              { id: "view", label: "Configure the form", run: () => goTo(hrefTo("views", [type.uid])) },
            ]}
          >
            <Icon name="more" />
          </Menu>
        </>
      ) : null}
      {query.filters ? <FilterChips filters={query.filters} onEdit={() => open("filters")} /> : null}
    </div>
  );
}
