/** The table of a list. Rows are reached with the arrow keys, opened with Enter and selected with Space. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type ContentType, hasDrafts, labelOf } from "../model.ts";
import { goTo } from "../router.ts";
import { cellOf, isNumeric, isText } from "./cells.tsx";
import { places } from "./last-list.ts";
import type { ListQuery } from "./list-query.ts";
import type { Row, Rows } from "./rows.ts";
import type { Selection } from "./selection.ts";
import { StatusBadge } from "./status-badge.tsx";
import { useVisibleRows } from "./visible-rows.ts";

const ROW_HEIGHT = 40;
const HEAD_HEIGHT = 36;
/** Title, filters and a border, in a wide window. */
const OFFSET = 105;
const SELECT_WIDTH = 40;
const STATUS_WIDTH = 110;
const TEXT_WIDTH = 160;

export interface TableProps {
  /** Of the rows. */
  readonly path: string;
  readonly type: ContentType;
  readonly query: ListQuery;
  readonly rows: Rows;
  readonly selection: Selection;
  readonly hrefOf: (row: Row) => string;
  readonly onSort: (sort: string) => void;
}

function SortHeader({
  name,
  type,
  sort,
  onSort,
}: {
  name: string;
  type: ContentType;
  sort: string | undefined;
  onSort: TableProps["onSort"];
}) {
  const attribute = type.attributes[name]!;
  const [sorted, order = "asc"] = (sort ?? "").split(":");
  const isSorted = sorted === name;
  const label = labelOf(name);
  const canSort = attribute.type !== "relation" && attribute.type !== "media";
  return (
    <th
      scope="col"
      class={isNumeric(attribute) ? "cell-number" : undefined}
      aria-sort={isSorted ? (order === "desc" ? "descending" : "ascending") : undefined}
    >
      {canSort ? (
        <button
          type="button"
          class="sort"
          onClick={() => onSort(isSorted && order === "asc" ? `${name}:desc` : `${name}:asc`)}
        >
          {label}
          <span class="sort-mark" aria-hidden="true">
            {isSorted ? (order === "desc" ? "↓" : "↑") : ""}
          </span>
        </button>
      ) : (
        label
      )}
    </th>
  );
}

/** The index of the row to which a key moves the focus; undefined for other keys. */
function targetOf(key: string, index: number, count: number, page: number): number | undefined {
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    PageDown: index + page,
    PageUp: index - page,
    Home: 0,
    End: count - 1,
  };
  const target = moves[key];
  return target === undefined ? undefined : Math.max(0, Math.min(count - 1, target));
}

export function Table({ path, type, query, rows, selection, hrefOf, onSort }: TableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const place = useRef(places.get(path)).current;
  const [active, setActive] = useState(place?.active ?? 0);
  // back from a document, the row of which is in view
  const isBack =
    place !== undefined &&
    document.activeElement?.matches("body, main") === true &&
    Math.abs(place.active - place.top / ROW_HEIGHT) * ROW_HEIGHT < window.innerHeight;
  const shouldFocus = useRef(isBack);
  const count = rows.total.value ?? 0;
  // shown again when rows come in
  rows.changes.value;
  const { indexes, before, after, scrollTo } = useVisibleRows(scroller, {
    count,
    height: ROW_HEIGHT,
    headHeight: HEAD_HEIGHT,
    offset: OFFSET,
    start: place?.top ?? 0,
  });
  const left = useRef(active);
  left.current = active;
  useLayoutEffect(
    () => () => {
      places.set(path, { top: scroller.current?.scrollTop ?? 0, active: left.current });
    },
    [],
  );
  const first = indexes[0];
  const last = indexes.at(-1);
  useEffect(() => {
    if (first !== undefined && last !== undefined) rows.show(first, last);
  }, [rows, first, last]);
  // before the next key comes
  useLayoutEffect(() => {
    if (!shouldFocus.current) return;
    const row = scroller.current?.querySelector<HTMLElement>(`tr[aria-rowindex="${active + 2}"]`);
    if (!row) return;
    shouldFocus.current = false;
    row.focus({ preventScroll: true });
  });
  const { columns } = query;
  const withStatus = hasDrafts(type);
  const widths = columns.map((name) => cellOf(type.attributes[name]!).width);
  const minWidth =
    SELECT_WIDTH +
    (withStatus ? STATUS_WIDTH : 0) +
    widths.reduce<number>((sum, width) => sum + (width ?? TEXT_WIDTH), 0);

  const onKeyDown = (event: KeyboardEvent): void => {
    const row = (event.target as Element).closest("tr[aria-rowindex]");
    if (!row || event.target !== row || event.altKey || event.ctrlKey || event.metaKey) return;
    const index = Number(row.getAttribute("aria-rowindex")) - 2;
    const found = rows.at(index);
    if (event.key === "Enter" && found) return goTo(hrefOf(found));
    if (event.key === " " && found) {
      event.preventDefault();
      return selection.toggle(found.documentId);
    }
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_HEIGHT) - 2);
    const target = targetOf(event.key, index, count, page);
    if (target === undefined) return;
    event.preventDefault();
    if (event.shiftKey && found) {
      selection.add(found.documentId);
      const next = rows.at(target);
      if (next) selection.add(next.documentId);
    }
    shouldFocus.current = true;
    setActive(target);
    scrollTo(target);
  };

  return (
    <div class="table-scroller" ref={scroller}>
      <table
        class="table"
        style={{ minWidth: `${minWidth}px` }}
        aria-label={type.info.displayName}
        aria-rowcount={count + 1}
        onKeyDown={onKeyDown}
      >
        <colgroup>
          <col style={{ width: `${SELECT_WIDTH}px` }} />
          {widths.map((width, index) => (
            <col key={columns[index]} style={width ? { width: `${width}px` } : undefined} />
          ))}
          {withStatus ? <col style={{ width: `${STATUS_WIDTH}px` }} /> : null}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">
              <span class="visually-hidden">Selected</span>
            </th>
            {columns.map((name) => (
              <SortHeader key={name} name={name} type={type} sort={query.sort} onSort={onSort} />
            ))}
            {withStatus ? <th scope="col">Status</th> : null}
          </tr>
        </thead>
        <tbody>
          {before > 0 ? (
            <tr class="row-spacer">
              <td style={{ height: `${before}px` }} />
            </tr>
          ) : null}
          {indexes.map((index) => (
            <TableRow
              key={index}
              index={index}
              row={rows.at(index)}
              isActive={index === active}
              onFocus={setActive}
              {...{ type, columns, withStatus, selection, hrefOf }}
            />
          ))}
          {after > 0 ? (
            <tr class="row-spacer">
              <td style={{ height: `${after}px` }} />
            </tr>
          ) : null}
        </tbody>
      </table>
    </div>
  );
}

interface TableRowProps extends Pick<TableProps, "type" | "selection" | "hrefOf"> {
  readonly index: number;
  readonly row: Row | undefined;
  readonly isActive: boolean;
  readonly onFocus: (index: number) => void;
  readonly columns: readonly string[];
  readonly withStatus: boolean;
}

function TableRow({ index, row, isActive, onFocus, type, columns, withStatus, selection, hrefOf }: TableRowProps) {
  const position = { "aria-rowindex": index + 2, tabIndex: isActive ? 0 : -1, onFocusIn: () => onFocus(index) };
  if (!row)
    return (
      <tr {...position} class="row-loading" aria-busy="true">
        <td colSpan={columns.length + 1 + (withStatus ? 1 : 0)} />
      </tr>
    );
  const isSelected = selection.has(row.documentId);
  const nameOf = (name: string): string => String(row[name] ?? row.documentId);
  return (
    <tr {...position} aria-selected={isSelected}>
      <td>
        <label class="check">
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Select ${nameOf(columns[0]!)}`}
            checked={isSelected}
            onChange={() => selection.toggle(row.documentId)}
          />
        </label>
      </td>
      {columns.map((name, position) => {
        const value = row[name];
        const attribute = type.attributes[name]!;
        const shown =
          value === null || value === undefined ? (
            <span class="muted">–</span>
          ) : (
            cellOf(attribute).show(value, attribute)
          );
        return (
          <td
            key={name}
            class={isNumeric(attribute) ? "cell-number" : undefined}
            dir={isText(attribute) ? "auto" : undefined}
          >
            {position === 0 ? (
              <a class="row-link" href={hrefOf(row)} tabIndex={-1}>
                {value === null || value === undefined || value === "" ? (
                  <span class="muted">Without a name</span>
                ) : (
                  shown
                )}
              </a>
            ) : (
              shown
            )}
          </td>
        );
      })}
      {withStatus ? (
        <td>
          <StatusBadge status={row.status} />
        </td>
      ) : null}
    </tr>
  );
}
