/**
 * The row of a table that keys start from: the only one that Tab reaches. Arrow keys move it, Enter opens its document, Space
 * selects it. It and how far the table is scrolled are kept for coming back from a document.
 */
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { commandKey } from "../command-key.ts";
import { goTo } from "../router.ts";
import { places } from "./last-list.ts";
import type { Row, Rows } from "./rows.ts";
import type { Selection } from "./selection.ts";

/** The index of the row to which a key moves the focus; undefined for other keys. */
function findTarget(key: string, index: number, count: number, page: number): number | undefined {
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

interface ActiveRowOptions {
  /** Of the rows. */
  readonly path: string;
  readonly rows: Rows;
  readonly selection: Selection;
  /** Selects the documents from one position to another. */
  readonly selectRange: (from: number, to: number) => void;
  readonly createHref: (row: Row) => string;
  /** Of a row, in pixels. */
  readonly height: number;
}

export interface ActiveRow {
  /** Its index in the list. */
  readonly active: number;
  readonly setActive: (index: number) => void;
  /** Selects a row or not; with `isRange`, all from the one before to it. */
  readonly toggle: (index: number, isRange: boolean) => void;
  /** Where scrolling begins, in pixels. */
  readonly start: number;
  /** Handles the keys of rows; `scrollTo` brings a row into view. */
  readonly onKeyDown: (event: KeyboardEvent, scrollTo: (index: number) => void) => void;
}

export function useActiveRow(
  scroller: RefObject<HTMLElement | null>,
  { path, rows, selection, selectRange, createHref, height }: ActiveRowOptions,
): ActiveRow {
  const place = useRef(places.get(path)).current;
  const [active, setActive] = useState(place?.active ?? 0);
  // back from a document, the row of which is in view
  const isBack =
    place !== undefined &&
    document.activeElement?.matches("body, main") === true &&
    Math.abs(place.active - place.top / height) * height < window.innerHeight;
  const shouldFocus = useRef(isBack);
  const sought = useRef(isBack ? place.documentId : undefined);
  const left = useRef(active);
  left.current = active;
  useLayoutEffect(
    () => () => {
      places.set(path, {
        top: scroller.current?.scrollTop ?? 0,
        active: left.current,
        documentId: rows.at(left.current)?.documentId,
      });
    },
    [],
  );
  // before the next key comes
  useLayoutEffect(() => {
    if (!shouldFocus.current) return;
    const findRow = (index: number) => scroller.current?.querySelector<HTMLElement>(`tr[aria-rowindex="${index + 2}"]`);
    const { current: documentId } = sought;
    if (documentId !== undefined) {
      if (!rows.at(active)) return;
      sought.current = undefined;
      // saving may have moved it, and a key must not open another document than that
      const index = rows.indexOf(documentId);
      if (index !== active) {
        shouldFocus.current = index !== undefined && Boolean(findRow(index));
        return setActive(index ?? active);
      }
    }
    const row = findRow(active);
    if (!row) return;
    shouldFocus.current = false;
    row.focus({ preventScroll: true });
  });
  /** Where a range begins. */
  const anchor = useRef<number>(undefined);
  const toggle: ActiveRow["toggle"] = (index, isRange) => {
    const from = anchor.current;
    anchor.current = index;
    const found = rows.at(index);
    if (isRange && from !== undefined && from !== index) selectRange(Math.min(from, index), Math.max(from, index));
    else if (found) selection.toggle(found.documentId);
  };
  const onKeyDown: ActiveRow["onKeyDown"] = (event, scrollTo) => {
    const row = (event.target as Element).closest("tr[aria-rowindex]");
    const count = rows.total.value ?? 0;
    const isCommand = event.ctrlKey || event.metaKey;
    if (row && commandKey(event) === "a") {
      event.preventDefault();
      return selectRange(0, count - 1);
    }
    if (!row || event.target !== row || event.altKey || isCommand) return;
    const index = Number(row.getAttribute("aria-rowindex")) - 2;
    const found = rows.at(index);
    if (event.key === "Enter" && found) return goTo(createHref(found));
    if (event.key === " " && found) {
      event.preventDefault();
      return toggle(index, event.shiftKey);
    }
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / height) - 2);
    const target = findTarget(event.key, index, count, page);
    if (target === undefined) return;
    event.preventDefault();
    if (event.shiftKey && found) {
      const next = rows.at(target);
      if (next && Math.abs(target - index) <= 1) selection.add(found.documentId, next.documentId);
      else selectRange(Math.min(index, target), Math.max(index, target));
      anchor.current = target;
    }
    shouldFocus.current = true;
    setActive(target);
    scrollTo(target);
  };
  return { active, setActive, toggle, start: place?.top ?? 0, onKeyDown };
}
