/** The list of a type's documents: everything about it is in the URL. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type ContentType, hasDrafts, isLocalized, start } from "../model.ts";
import { hrefTo, place, setParams } from "../router.ts";
import { Icon } from "../widgets/icon.tsx";
import { apiParams, readListQuery, statuses } from "./list-query.ts";
import { type Row, Rows } from "./rows.ts";
import { Selection } from "./selection.ts";
import { Table } from "./table.tsx";

/** So long after the last key a search begins. */
const SEARCH_MS = 200;

function Search({ value }: { readonly value: string }) {
  const [text, setText] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyping = (event.target as Element).closest("input, textarea, select, [contenteditable]");
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <label class="search">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        class="input"
        placeholder="Search  /"
        aria-label="Search"
        aria-keyshortcuts="/"
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => setParams({ q: currentTarget.value }, { replace: true }), SEARCH_MS);
        }}
      />
    </label>
  );
}

export function ListPage({ type }: { readonly type: ContentType }) {
  const { search } = place.value;
  const query = useMemo(() => readListQuery(type, search), [type, search]);
  const params = apiParams(query, type);
  const key = JSON.stringify(params);
  const rows = useMemo(() => new Rows(type.uid, params), [type.uid, key]);
  useEffect(() => () => rows.close(), [rows]);
  const selection = useMemo(() => new Selection(), [type.uid, query.locale]);
  const localeParam = search.get("locale") ?? undefined;
  const hrefOf = (row: Row): string => hrefTo("content", [type.uid, row.documentId], { locale: localeParam });
  const total = rows.total.value;
  return (
    <div class="list">
      <header class="page-head">
        <h1>{type.info.displayName}</h1>
        <span class="muted" role="status">
          {total === undefined ? "" : `${total.toLocaleString()} ${total === 1 ? "document" : "documents"}`}
        </span>
        <div class="page-actions">
          <a class="button button-primary" href={hrefTo("content", [type.uid, "new"], { locale: localeParam })}>
            <Icon name="add" />
            New
          </a>
        </div>
      </header>
      <div class="toolbar">
        <Search value={query.search} />
        {hasDrafts(type) ? (
          <select
            class="input"
            aria-label="Status"
            value={query.status ?? ""}
            onChange={({ currentTarget }) => setParams({ status: currentTarget.value })}
          >
            <option value="">Every status</option>
            {Object.entries(statuses).map(([status, label]) => (
              <option key={status} value={status}>
                {label}
              </option>
            ))}
          </select>
        ) : null}
        {isLocalized(type) ? (
          <select
            class="input"
            aria-label="Locale"
            value={query.locale}
            onChange={({ currentTarget }) => setParams({ locale: currentTarget.value })}
          >
            {start.value?.locales.map(({ code, name }) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </select>
        ) : null}
      </div>
      {rows.problem.value ? (
        <p class="page-problem" role="alert">
          {rows.problem.value}
        </p>
      ) : null}
      {total === 0 ? <p class="empty">No documents{query.search || query.filters ? " match." : " yet."}</p> : null}
      <Table
        key={key}
        type={type}
        query={query}
        rows={rows}
        selection={selection}
        hrefOf={hrefOf}
        onSort={(sort) => setParams({ sort })}
      />
    </div>
  );
}
