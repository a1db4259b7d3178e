/** The table of a list. */
import { useEffect, useRef } from "preact/hooks";
import { type ContentType, formatLabel, hasDrafts } from "../model.ts";
import { useActiveRow } from "./active-row.ts";
import { findCell, isNumeric } from "./cells.tsx";
import type { ListQuery } from "./list-query.ts";
import type { Row, Rows } from "./rows.ts";
import type { Selection } from "./selection.ts";
import { TableRow } from "./table-row.tsx";
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
  readonly selectRange: (from: number, to: number) => void;
  readonly createHref: (row: Row) => string;
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
  const label = formatLabel(name);
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

export function Table({ path, type, query, rows, selection, selectRange, createHref, onSort }: TableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const keys = useActiveRow(scroller, { path, rows, selection, selectRange, createHref, height: ROW_HEIGHT });
  const count = rows.total.value ?? 0;
  // shown again when rows come in
  rows.changes.value;
  const { indexes, before, after, scrollTo } = useVisibleRows(scroller, {
    count,
    height: ROW_HEIGHT,
    headHeight: HEAD_HEIGHT,
    offset: OFFSET,
    start: keys.start,
  });
  const first = indexes[0];
  const last = indexes.at(-1);
  useEffect(() => {
    if (first !== undefined && last !== undefined) rows.show(first, last);
  }, [rows, first, last]);
  const { columns } = query;
  const withStatus = hasDrafts(type);
  const widths = columns.map((name) => findCell(type.attributes[name]!).width);
  const minWidth =
    SELECT_WIDTH +
    (withStatus ? STATUS_WIDTH : 0) +
    widths.reduce<number>((sum, width) => sum + (width ?? TEXT_WIDTH), 0);

  return (
    <div class="table-scroller" ref={scroller}>
      <table
        class="table"
        style={{ minWidth: `${minWidth}px` }}
        aria-label={type.info.displayName}
        aria-rowcount={count + 1}
        onKeyDown={(event) => keys.onKeyDown(event, scrollTo)}
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
              isActive={index === keys.active}
              onFocus={keys.setActive}
              onToggle={keys.toggle}
              {...{ type, columns, withStatus, selection, createHref }}
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
