/** The list of a type's documents. All of its state is in the URL. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { countText } from "../count-text.ts";
import { lazy } from "../lazy.tsx";
import { type ContentType, isOfProject } from "../model.ts";
import { hrefTo, route } from "../router.ts";
import { FavouriteButton } from "../shell/favourite-button.tsx";
import { useContentChanges } from "../use-content-changes.ts";
import { Alert } from "../widgets/alert.tsx";
import { Button } from "../widgets/button.tsx";
import { Icon } from "../widgets/icon.tsx";
import { Localized } from "../widgets/localized.tsx";
import { isNarrow } from "../widgets/narrow.ts";
import { loadRows } from "./first-rows.ts";
import { rememberList } from "./last-list.ts";
import { useListDialogs } from "./list-dialogs.tsx";
import { readListQuery } from "./list-query.ts";
import { ListToolbar } from "./list-toolbar.tsx";
import type { Row } from "./rows.ts";
import { rowsPath } from "./rows-path.ts";
import { Selection } from "./selection.ts";
import { Table } from "./table.tsx";
import { ViewTabs } from "./view-tabs.tsx";
import { isUnkept } from "./views.ts";

const NoRows = lazy(async () => (await import("./no-rows.tsx")).NoRows);
const BulkBar = lazy(async () => (await import("./bulk-bar.tsx")).BulkBar);

export function ListPage({ type }: { readonly type: ContentType }) {
  const { search } = route.value;
  const query = useMemo(() => readListQuery(type, search), [type, search]);
  const path = rowsPath(type.uid, search);
  // incremented to load the list again
  const [generation, setGeneration] = useState(0);
  const rows = useMemo(() => loadRows(type.uid, search), [path, generation]);
  useEffect(() => () => rows.close(), [rows]);
  useContentChanges(() => rows.refresh());
  useEffect(() => rememberList(type.uid), [type.uid, search]);
  const { open, dialog } = useListDialogs(type, query);
  const selection = useMemo(() => new Selection(), [type.uid, query.locale]);
  const selectRange = async (from: number, to: number): Promise<void> => {
    const many = await import("./select-many.ts");
    await many.selectRange(type.uid, search, selection, from, to);
  };
  const localeParam = search.get("locale") ?? undefined;
  const createHref = (row: Row): string => hrefTo("content", [type.uid, row.documentId], { locale: localeParam });
  const total = rows.total.value;
  return (
    <div class="list">
      <header class="page-head">
        <h1>{type.info.displayName}</h1>
        <span class="muted" role="status">
          {total === undefined ? null : <Localized text={() => countText(total)} />}
        </span>
        <FavouriteButton place={{ href: hrefTo("content", [type.uid]), name: type.info.displayName }} />
        {isUnkept(type.uid, search) && !isNarrow.value ? (
          <Button kind="ghost" text="Save view" aria-haspopup="dialog" onClick={() => open("saveView")} />
        ) : null}
        <div class="page-actions">
          <a class="button button-primary" href={hrefTo("content", [type.uid, "new"], { locale: localeParam })}>
            <Icon name="add" />
            New
          </a>
        </div>
      </header>
      <ViewTabs uid={type.uid} search={search} />
      <ListToolbar type={type} query={query} open={open} />
      <Alert class="page-problem" text={rows.problem.value} retry={() => rows.refresh()} />
      {total === 0 ? (
        <NoRows type={type} query={query} onSample={isOfProject(type) ? () => open("sample") : undefined} />
      ) : (
        <Table
          key={path}
          path={path}
          type={type}
          query={query}
          rows={rows}
          selection={selection}
          selectRange={selectRange}
          createHref={createHref}
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
      {dialog}
    </div>
  );
}
