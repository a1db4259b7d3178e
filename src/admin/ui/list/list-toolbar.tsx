/** Above a list: its search and filters, and what opens its dialogs. */
import { type ContentType, hasDrafts, isLocalized, localeNames } from "../model.ts";
import { setFilters, setParams } from "../router.ts";
import { Icon, type IconName } from "../widgets/icon.tsx";
import { ImmediateSelect } from "../widgets/immediate-select.tsx";
import { Menu } from "../widgets/menu.tsx";
import { SearchField } from "../widgets/search-field.tsx";
import { statuses } from "./columns.ts";
import { type Condition, readConditions, textOf, writeConditions } from "./conditions.ts";
import { isOfProject, type ListDialog } from "./list-dialogs.tsx";
import type { ListQuery } from "./list-query.ts";

interface FilterChipsProps {
  readonly filters: object | undefined;
  readonly onEdit: () => void;
}

/** The active filters, each with a button that removes it, and one that leads to the form where it is changed. */
function FilterChips({ filters, onEdit }: FilterChipsProps) {
  if (!filters) return null;
  const conditions = readConditions(filters);
  const without = (condition: Condition): void => {
    if (conditions)
      setFilters(writeConditions({ ...conditions, list: conditions.list.filter((item) => item !== condition) }));
  };
  const chips = conditions?.list.map((condition) => ({
    text: textOf(condition),
    remove: () => without(condition),
  })) ?? [{ text: "A filter from the URL", remove: () => setFilters([]) }];
  return (
    <ul class="chips" aria-label="Filters">
      {chips.map(({ text, remove }) => (
        <li key={text} class="chip">
          {conditions ? (
            <button type="button" class="chip-text" aria-haspopup="dialog" onClick={onEdit}>
              {text}
            </button>
          ) : (
            text
          )}
          <button type="button" class="button-icon" aria-label={`Remove: ${text}`} onClick={remove}>
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

interface DialogButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
}

const DialogButton = ({ icon, label, onClick }: DialogButtonProps) => (
  <button type="button" class="button" aria-haspopup="dialog" onClick={onClick}>
    <Icon name={icon} />
    <span class="button-label">{label}</span>
  </button>
);

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
      <DialogButton icon="filter" label="Filter" onClick={() => open("filters")} />
      <DialogButton icon="columns" label="Columns" onClick={() => open("columns")} />
      {isOfProject(type) ? (
        <>
          <DialogButton icon="link" label="Request" onClick={() => open("request")} />
          <Menu
            label="More actions"
            class="button"
            items={[
              { id: "paste", label: "Paste rows", run: () => open("paste") },
              { id: "sample", label: "Create sample content", run: () => open("sample") },
            ]}
          >
            <Icon name="more" />
          </Menu>
        </>
      ) : null}
      <FilterChips filters={query.filters} onEdit={() => open("filters")} />
    </div>
  );
}
