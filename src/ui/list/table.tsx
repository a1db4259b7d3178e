/** The table of a list. */
import { Fragment } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type ContentType, formatLabel, hasDrafts } from "../model.ts";
import { route } from "../router.ts";
import { isMedium, isNarrow } from "../widgets/narrow.ts";
import { useActiveRow } from "./active-row.ts";
import { findCell } from "./cells.tsx";
import { widthsOf } from "./column-widths.ts";
import { thumbnailName } from "./columns.ts";
import type { ListQuery } from "./list-query.ts";
import type { Row, Rows } from "./rows.ts";
import type { Selection } from "./selection.ts";
import { ColumnHead, SelectAll } from "./table-head.tsx";
import { TableRow } from "./table-row.tsx";
import { useVisibleRows } from "./visible-rows.ts";

const ROW_HEIGHT = 40;
const HEAD_HEIGHT = 36;
/** In a narrow window a row is a card, without heads of columns. */
const CARD_HEIGHT = 64;
/** Title, filters and a border, in a wide window. */
const OFFSET = 105;
const SELECT_WIDTH = 40;
const STATUS_WIDTH = 110;
const TEXT_WIDTH = 160;
/** Of a letter in the head of a column, and of what is around them. */
const LETTER_WIDTH = 6.5;
const AROUND_LABEL = 38;
/** Of the name, at least. */
const NAME_WIDTH = 190;
/** In the place of rows that have not come yet. */
const WAITING_ROWS = 8;
/** How many columns a medium window has room for, unless the user has chosen some. */
const MEDIUM_COLUMNS = 3;
/** With its margin, as in `styles/list.css`. */
const THUMBNAIL_WIDTH = 48;
/** Of the name beside other texts. */
const NAME_SHARE = "36%";

export interface TableProps {
  /** Of the rows. */
  readonly path: string;
  readonly type: ContentType;
  readonly query: ListQuery;
  readonly rows: Rows;
  readonly selection: Selection;
  readonly selectRange: (from: number, to: number) => void;
  readonly createHref: (row: Row) => string;
}

/** At least one column takes what the others leave: otherwise browsers would widen all of them. */
function columnStyles(widths: readonly (number | undefined)[]): ({ readonly width: string } | undefined)[] {
  const hasOtherTexts = widths.slice(1).includes(undefined);
  return widths.map((width, index) => {
    if (width) return { width: `${width}px` };
    return index === 0 && hasOtherTexts ? { width: NAME_SHARE } : undefined;
  });
}

/** Wide enough for what is said of the attribute, and for its label. */
function defaultWidth(name: string, { width }: ReturnType<typeof findCell>): number | undefined {
  return width && Math.max(width, Math.ceil(formatLabel(name).length * LETTER_WIDTH + AROUND_LABEL));
}

/** The name, what comes next, and the last column: when a document was changed. */
const fitting = (columns: readonly string[]): readonly string[] =>
  isMedium.value && !route.value.search.has("columns") && columns.length > MEDIUM_COLUMNS
    ? [...columns.slice(0, MEDIUM_COLUMNS - 1), columns.at(-1)!]
    : columns;

export function Table({ path, type, query, rows, selection, selectRange, createHref }: TableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const isCard = isNarrow.value;
  const height = isCard ? CARD_HEIGHT : ROW_HEIGHT;
  const keys = useActiveRow(scroller, { path, rows, selection, selectRange, createHref, height });
  const count = rows.total.value ?? 0;
  // shown again when rows come in
  rows.changes.value;
  const { indexes, before, after, scrollTo } = useVisibleRows(scroller, {
    count,
    height,
    headHeight: isCard ? 0 : HEAD_HEIGHT,
    offset: OFFSET,
    start: keys.start,
  });
  const first = indexes[0];
  const last = indexes.at(-1);
  useEffect(() => {
    if (first !== undefined && last !== undefined) rows.show(first, last);
  }, [rows, first, last]);
  const columns = fitting(query.columns);
  const withStatus = hasDrafts(type);
  const isWaiting = rows.total.value === undefined && rows.problem.value === undefined;
  const own = widthsOf(type.uid);
  const widths = columns.map((name) => own[name] ?? defaultWidth(name, findCell(name, type.attributes[name]!)));
  const image = thumbnailName(type);
  const thumbnail = image && !columns.includes(image) ? image : undefined;
  const minWidth =
    SELECT_WIDTH +
    (withStatus ? STATUS_WIDTH : 0) +
    (thumbnail ? THUMBNAIL_WIDTH : 0) +
    widths.reduce<number>((sum, width, index) => sum + (width ?? (index === 0 ? NAME_WIDTH : TEXT_WIDTH)), 0);

  return (
    <div class="table-scroller" ref={scroller}>
      <table
        class="table"
        style={isCard ? undefined : { minWidth: `${minWidth}px` }}
        aria-label={type.info.displayName}
        aria-rowcount={count + 1}
        onKeyDown={(event) => keys.onKeyDown(event, scrollTo)}
      >
        <colgroup>
          <col style={{ width: `${SELECT_WIDTH}px` }} />
          {columnStyles(widths).map((style, index) => (
            <Fragment key={columns[index]}>
              <col style={style} />
              {index === 0 && withStatus ? <col style={{ width: `${STATUS_WIDTH}px` }} /> : null}
            </Fragment>
          ))}
          {widths.includes(undefined) ? null : <col />}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">
              <SelectAll
                selected={selection.ids.size}
                total={count}
                selectAll={() => selectRange(0, count - 1)}
                clear={() => selection.clear()}
              />
            </th>
            {columns.map((name, index) => (
              <Fragment key={name}>
                <ColumnHead {...{ name, index, type, query: { ...query, columns } }} />
                {index === 0 && withStatus ? <th scope="col">Status</th> : null}
              </Fragment>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: isWaiting ? WAITING_ROWS : 0 }, (_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
            // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row is not focusable
            <tr key={index} class="row-loading" aria-hidden="true">
              <td colSpan={columns.length + (withStatus ? 2 : 1)} />
            </tr>
          ))}
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
              {...{ type, columns, thumbnail, withStatus, selection, createHref }}
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
