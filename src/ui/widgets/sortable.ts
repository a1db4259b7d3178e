/** Lists whose order is changed by dragging a handle, or with the arrow keys on it. */
import { combine } from "@atlaskit/pragmatic-drag-and-drop/combine";
import { draggable, dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import type { DragLocationHistory } from "@atlaskit/pragmatic-drag-and-drop/types";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { announce } from "./announce.tsx";

export interface Sortable {
  /** The list, which nothing is dragged out of. */
  readonly listId: string;
  readonly index: number;
  readonly count: number;
  readonly isDisabled: boolean;
  readonly move: (from: number, to: number) => void;
}

export interface SortableRefs<Item extends HTMLElement> {
  readonly item: RefObject<Item | null>;
  readonly handle: RefObject<HTMLButtonElement | null>;
  readonly isDisabled: boolean;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** The list with one of its items in another place. */
export function moved<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const [item, ...none] = items.slice(from, from + 1);
  if (item === undefined || none.length > 0) return items;
  return items.toSpliced(from, 1).toSpliced(to, 0, item);
}

/** Whether what is dropped at the pointer comes after the item. */
function isAfter(item: Element, { location: { current } }: { readonly location: DragLocationHistory }): boolean {
  const { top, height } = item.getBoundingClientRect();
  return current.input.clientY > top + height / 2;
}

/** `Item`: the element that is moved. */
export function useSortable<Item extends HTMLElement = HTMLLIElement>(sortable: Sortable): SortableRefs<Item> {
  const item = useRef<Item>(null);
  const handle = useRef<HTMLButtonElement>(null);
  // callbacks use the props of the last rendering
  const latest = useRef(sortable);
  latest.current = sortable;
  const { listId, isDisabled } = sortable;
  useEffect(() => {
    const element = item.current;
    if (!element || !handle.current || isDisabled) return;
    const unmark = (): void => element.classList.remove("drop-before", "drop-after");
    return combine(
      draggable({
        element,
        dragHandle: handle.current,
        getInitialData: () => ({ listId, index: latest.current.index }),
        onDragStart: () => element.classList.add("dragged"),
        onDrop: () => element.classList.remove("dragged"),
      }),
      dropTargetForElements({
        element,
        canDrop: ({ source }) => source.data.listId === listId,
        // between items and below the last one, it is the nearest
        getIsSticky: () => true,
        onDrag: (drag) => {
          unmark();
          element.classList.add(isAfter(element, drag) ? "drop-after" : "drop-before");
        },
        onDragLeave: unmark,
        onDrop: (drop) => {
          unmark();
          const from = Number(drop.source.data.index);
          const { index, move } = latest.current;
          const before = isAfter(element, drop) ? index + 1 : index;
          const to = from < before ? before - 1 : before;
          if (to !== from) move(from, to);
        },
      }),
    );
  }, [listId, isDisabled]);
  return {
    item,
    handle,
    isDisabled,
    onKeyDown: (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      const { index, count, move, isDisabled: isOff } = latest.current;
      if (step === undefined || isOff) return;
      event.preventDefault();
      const to = index + step;
      if (to < 0 || to >= count) return;
      move(index, to);
      announce(`Moved to position ${to + 1} of ${count}`);
      // moving an element makes it lose the focus
      requestAnimationFrame(() => handle.current?.focus());
    },
  };
}
