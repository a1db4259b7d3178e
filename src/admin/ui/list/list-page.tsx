/** The list of a type's documents. All of its state is in the URL. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { lazy } from "../lazy.tsx";
import { type ContentType, hasDrafts, isLocalized, localeNames } from "../model.ts";
import { hrefTo, route, setFilters, setParams } from "../router.ts";
import { useContentChanges } from "../use-content-changes.ts";
import { Icon } from "../widgets/icon.tsx";
import { ImmediateSelect } from "../widgets/immediate-select.tsx";
import { Localized } from "../widgets/localized.tsx";
import { Menu } from "../widgets/menu.tsx";
import { SearchField } from "../widgets/search-field.tsx";
import { statuses } from "./columns.ts";
import { type Condition, readConditions, textOf, writeConditions } from "./conditions.ts";
import { rowsOf } from "./first-rows.ts";
import { rememberList } from "./last-list.ts";
import { readListQuery } from "./list-query.ts";
import type { Row } from "./rows.ts";
import { rowsPath } from "./rows-path.ts";
import { Selection } from "./selection.ts";
import { Table } from "./table.tsx";

const FilterDialog = lazy(async () => (await import("./filter-dialog.tsx")).FilterDialog);
const ColumnsDialog = lazy(async () => (await import("./columns-dialog.tsx")).ColumnsDialog);
const ListRequest = lazy(async () => (await import("../request/list-request.tsx")).ListRequest);
const PasteDialog = lazy(async () => (await import("./paste/paste-dialog.tsx")).PasteDialog);
const SampleDialog = lazy(async () => (await import("./sample-dialog.tsx")).SampleDialog);
const BulkBar = lazy(async () => (await import("./bulk-bar.tsx")).BulkBar);

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

export function ListPage({ type }: { readonly type: ContentType }) {
  const { search } = route.value;
  const query = useMemo(() => readListQuery(type, search), [type, search]);
  const path = rowsPath(type.uid, search);
  // incremented to load the list again
  const [generation, setGeneration] = useState(0);
  const [opened, setOpened] = useState<"filters" | "columns" | "request" | "sample" | "paste">();
  const rows = useMemo(() => rowsOf(type.uid, search), [path, generation]);
  useEffect(() => () => rows.close(), [rows]);
  useContentChanges(() => rows.refresh());
  const pasted = useRef("");
  // a type of the project, which its Content API serves
  const isOwn = type.uid.startsWith("api::");
  useEffect(() => {
    if (!isOwn) return;
    const onPaste = ({ target, clipboardData }: ClipboardEvent): void => {
      const text = clipboardData?.getData("text/plain") ?? "";
      if ((target as Element).closest("input, textarea, dialog") || !text.trim().includes("\n")) return;
      pasted.current = text;
      setOpened("paste");
    };
    document.addEventListener("paste", onPaste);
    return () => document.removeEventListener("paste", onPaste);
  }, [isOwn]);
  useEffect(() => rememberList(type.uid), [type.uid, search]);
  const selection = useMemo(() => new Selection(), [type.uid, query.locale]);
  const localeParam = search.get("locale") ?? undefined;
  const hrefOf = (row: Row): string => hrefTo("content", [type.uid, row.documentId], { locale: localeParam });
  const total = rows.total.value;
  const clear = (): void => {
    setFilters([]);
    setParams({ q: undefined, status: undefined }, { replace: true });
    // the button is gone
    document.getElementById("main")?.focus();
  };
  const isFiltered = query.search !== "" || query.filters !== undefined || query.status !== undefined;
  return (
    <div class="list">
      <header class="page-head">
        <h1>{type.info.displayName}</h1>
        <span class="muted" role="status">
          {total === undefined ? null : (
            <Localized text={() => `${total.toLocaleString()} ${total === 1 ? "document" : "documents"}`} />
          )}
        </span>
        <div class="page-actions">
          <a class="button button-primary" href={hrefTo("content", [type.uid, "new"], { locale: localeParam })}>
            <Icon name="add" />
            New
          </a>
        </div>
      </header>
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
        <button type="button" class="button" aria-haspopup="dialog" onClick={() => setOpened("filters")}>
          <Icon name="filter" />
          <span class="button-label">Filter</span>
        </button>
        <button type="button" class="button" aria-haspopup="dialog" onClick={() => setOpened("columns")}>
          <Icon name="columns" />
          <span class="button-label">Columns</span>
        </button>
        {isOwn ? (
          <>
            <button type="button" class="button" aria-haspopup="dialog" onClick={() => setOpened("request")}>
              <Icon name="link" />
              <span class="button-label">Request</span>
            </button>
            <Menu
              label="More actions"
              class="button"
              items={[
                {
                  id: "paste",
                  label: "Paste rows",
                  run: () => {
                    pasted.current = "";
                    setOpened("paste");
                  },
                },
                { id: "sample", label: "Create sample content", run: () => setOpened("sample") },
              ]}
            >
              <Icon name="more" />
            </Menu>
          </>
        ) : null}
        <FilterChips filters={query.filters} onEdit={() => setOpened("filters")} />
      </div>
      {rows.problem.value ? (
        <p class="page-problem" role="alert">
          {rows.problem.value}
        </p>
      ) : null}
      {total === 0 ? (
        <div class="empty">
          <Icon name={isFiltered ? "search" : "documents"} />
          <p>No documents{isFiltered ? " match." : " yet."}</p>
          {isFiltered ? (
            <button type="button" class="button" onClick={clear}>
              Clear search and filters
            </button>
          ) : null}
          {isFiltered || !isOwn ? null : (
            <button type="button" class="button" aria-haspopup="dialog" onClick={() => setOpened("sample")}>
              Fill it with sample content
            </button>
          )}
        </div>
      ) : (
        <Table
          key={path}
          path={path}
          type={type}
          query={query}
          rows={rows}
          selection={selection}
          hrefOf={hrefOf}
          onSort={(sort) => setParams({ sort })}
        />
      )}
      {selection.ids.size > 0 ? (
        <BulkBar
          type={type}
          locale={query.locale}
          search={search}
          total={total ?? 0}
          selection={selection}
          onDone={() => setGeneration(generation + 1)}
        />
      ) : null}
      {opened === "filters" ? (
        <FilterDialog
          type={type}
          conditions={readConditions(query.filters) ?? { match: "$and", list: [] }}
          onApply={(conditions) => setFilters(writeConditions(conditions))}
          onClose={() => setOpened(undefined)}
        />
      ) : null}
      {opened === "columns" ? (
        <ColumnsDialog
          type={type}
          columns={query.columns}
          onApply={(columns) => setParams({ columns: columns?.join() })}
          onClose={() => setOpened(undefined)}
        />
      ) : null}
      {opened === "paste" ? (
        <PasteDialog type={type} locale={query.locale} text={pasted.current} onClose={() => setOpened(undefined)} />
      ) : null}
      {opened === "sample" ? (
        <SampleDialog type={type} locale={query.locale} onClose={() => setOpened(undefined)} />
      ) : null}
      {opened === "request" ? <ListRequest type={type} query={query} onClose={() => setOpened(undefined)} /> : null}
    </div>
  );
}
