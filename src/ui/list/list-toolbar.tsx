/** Above a list: its search and filters, and what opens its dialogs. */
import { lazy } from "../lazy.tsx";
import { type ContentType, hasDrafts, isLocalized, isOfProject, localeNames } from "../model.ts";
import { goTo, hrefTo, route, setParams } from "../router.ts";
import { Icon, type IconName } from "../widgets/icon.tsx";
import { Menu } from "../widgets/menu.tsx";
import { isNarrow } from "../widgets/narrow.ts";
import { SearchField } from "../widgets/search-field.tsx";
import { Select } from "../widgets/select.tsx";
import { DEFAULT_SORT, statuses } from "./columns.ts";
import type { ListDialog } from "./list-dialogs.tsx";
import type { ListQuery } from "./list-query.ts";
import { isUnkept } from "./views.ts";

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

/** In a narrow window also what has a button of its own otherwise. */
function MoreActions({ type, open }: Omit<ListToolbarProps, "query">) {
  const isOwn = isOfProject(type);
  const choices = [
    {
      id: "saveView",
      label: "Save view",
      isShown: isNarrow.value && isUnkept(type.uid, route.value.search),
      run: () => open("saveView"),
    },
    { id: "columns", label: "Columns", isShown: isNarrow.value, run: () => open("columns") },
    { id: "request", label: "Request", isShown: isNarrow.value && isOwn, run: () => open("request") },
    { id: "paste", label: "Paste rows", isShown: isOwn, run: () => open("paste") },
    { id: "sample", label: "Create sample content", isShown: isOwn, run: () => open("sample") },
    { id: "view", label: "Configure the form", isShown: isOwn, run: () => goTo(hrefTo("views", [type.uid])) },
  ];
  const items = choices.filter(({ isShown }) => isShown);
  if (items.length === 0) return null;
  return (
    <Menu label="More actions" class="button button-ghost" items={items}>
      <Icon name="more" />
    </Menu>
  );
}

export function ListToolbar({ type, query, open }: ListToolbarProps) {
  return (
    <div class="row toolbar">
      <SearchField value={query.search} onChange={(q) => setParams({ q }, { replace: true })} />
      {hasDrafts(type) ? (
        <Select
          label="Status"
          value={query.status ?? ""}
          options={[["", "Every status"], ...Object.entries(statuses)]}
          onChoose={(status) => setParams({ status })}
        />
      ) : null}
      {isLocalized(type) ? (
        <Select
          label="Locale"
          value={query.locale}
          options={localeNames.value}
          onChoose={(locale) => setParams({ locale })}
        />
      ) : null}
      {isNarrow.value ? (
        <Select
          label="Sort"
          value={query.sort}
          options={new Map([[query.sort, "Sorted by a column"], ...sorts(type)])}
          onChoose={(sort) => setParams({ sort })}
        />
      ) : null}
      <DialogButton icon="filter" label="Filter" onClick={() => open("filters")} />
      {isNarrow.value ? null : <DialogButton icon="columns" label="Columns" onClick={() => open("columns")} />}
      {isNarrow.value || !isOfProject(type) ? null : (
        <DialogButton icon="link" label="Request" onClick={() => open("request")} />
      )}
      <MoreActions type={type} open={open} />
      {query.filters ? <FilterChips type={type} filters={query.filters} onEdit={() => open("filters")} /> : null}
    </div>
  );
}
