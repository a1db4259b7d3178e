/** The heads of a list's columns: they sort, and are dragged to another place or size, with the pointer or Alt and arrow keys. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { type Attribute, type ContentType, formatLabel } from "../model.ts";
import { setParams } from "../router.ts";
import { isNumeric } from "./cells.tsx";
import { setWidth } from "./column-widths.ts";
import type { ListQuery } from "./list-query.ts";

const STEP = 24;
const canSort = ({ type }: Attribute): boolean => type !== "relation" && type !== "media";

/** The columns with one of them in the place of another. */
function place(columns: readonly string[], name: string, target: number): void {
  const from = columns.indexOf(name);
  if (from < 0 || target < 0 || target >= columns.length || target === from) return;
  setParams({ columns: columns.toSpliced(from, 1).toSpliced(target, 0, name).join() }, { replace: true });
}

/** Follows the pointer until it is released. */
function followPointer(event: PointerEvent, resize: (change: number) => void): void {
  const handle = event.currentTarget as HTMLElement;
  const start = event.clientX;
  handle.setPointerCapture(event.pointerId);
  const onMove = ({ clientX }: PointerEvent): void => resize(clientX - start);
  handle.addEventListener("pointermove", onMove);
  handle.addEventListener("lostpointercapture", () => handle.removeEventListener("pointermove", onMove), {
    once: true,
  });
}

/** What is dragged: a browser hides data of a drag until it ends. */
let dragged: string | undefined;

interface ColumnHeadProps {
  readonly name: string;
  readonly index: number;
  readonly type: ContentType;
  readonly query: ListQuery;
}

export function ColumnHead({ name, index, type: { uid, attributes }, query: { sort, columns } }: ColumnHeadProps) {
  const head = useRef<HTMLTableCellElement>(null);
  const attribute = attributes[name]!;
  const [sorted, order = "asc"] = sort.split(":");
  const isSorted = sorted === name;
  const label = formatLabel(name);
  const resize = (start: number, change: number): void => setWidth(uid, name, start + change);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined || !event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (event.shiftKey) place(columns, name, index + step);
    else resize(head.current!.offsetWidth, step * STEP);
  };
  return (
    <th
      ref={head}
      scope="col"
      class={isNumeric(name, attribute) ? "cell-number" : undefined}
      aria-sort={isSorted ? (order === "desc" ? "descending" : "ascending") : undefined}
      draggable
      onDragStart={(event) => {
        dragged = name;
        event.dataTransfer?.setData("text/plain", label);
      }}
      onDragOver={(event) => {
        if (dragged !== undefined) event.preventDefault();
      }}
      onDrop={(event) => {
        event.preventDefault();
        if (dragged !== undefined) place(columns, dragged, index);
      }}
      onDragEnd={() => {
        dragged = undefined;
      }}
      onKeyDown={onKeyDown}
    >
      {canSort(attribute) ? (
        <button
          type="button"
          class="sort"
          title="Alt+arrows change the width, with Shift the place"
          onClick={() => setParams({ sort: isSorted && order === "asc" ? `${name}:desc` : `${name}:asc` })}
        >
          {label}
          <span class="sort-mark" aria-hidden="true">
            {isSorted ? (order === "desc" ? "↓" : "↑") : ""}
          </span>
        </button>
      ) : (
        label
      )}
      {/* keys do the same in the head */}
      <span
        class="column-edge"
        aria-hidden="true"
        draggable
        onDragStart={(event) => {
          event.preventDefault();
          event.stopPropagation();
        }}
        onPointerDown={(event) => {
          const start = head.current!.offsetWidth;
          followPointer(event, (change) => resize(start, change));
        }}
      />
    </th>
  );
}

interface SelectAllProps {
  readonly selected: number;
  readonly total: number;
  readonly selectAll: () => void;
  readonly clear: () => void;
}

export function SelectAll({ selected, total, selectAll, clear }: SelectAllProps) {
  const box = useRef<HTMLInputElement>(null);
  const isWhole = total > 0 && selected >= total;
  useLayoutEffect(() => {
    box.current!.indeterminate = selected > 0 && !isWhole;
  }, [selected, isWhole]);
  return (
    <label class="check">
      <input
        ref={box}
        type="checkbox"
        aria-label="Select all"
        checked={isWhole}
        onChange={() => (isWhole ? clear() : selectAll())}
      />
    </label>
  );
}
