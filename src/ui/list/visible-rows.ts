/**
 * Which rows of a long list are in view; only those are in the document. Rows have one height, so that this is arithmetic.
 * Browsers bound the height of an element: beyond it, scrolling moves through the rows in larger steps.
 */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { firstPaint } from "../first-paint.ts";

/** Overscan: rows before and after the visible ones, added when the first rendering has been drawn. */
const MARGIN = 12;
/** Pixels; Firefox has the lowest bound. */
const MAX_HEIGHT = 10_000_000;

export interface VisibleRows {
  /** Their positions in the list. */
  readonly indexes: readonly number[];
  /** Pixels before the first and behind the last of them. */
  readonly before: number;
  readonly after: number;
  readonly scrollTo: (index: number) => void;
}

interface RowMeasures {
  readonly count: number;
  readonly height: number;
  /** The height of the sticky header. */
  readonly headHeight: number;
  /** What is above the scroller at least, to estimate its height before it is laid out. */
  readonly offset: number;
  /** Where scrolling begins, once there are rows. */
  readonly start: number;
}

export function useVisibleRows(
  scroller: RefObject<HTMLElement | null>,
  { count, height, headHeight, offset, start }: RowMeasures,
): VisibleRows {
  const [view, setView] = useState({ top: 0, height: window.innerHeight - offset });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = (): void => {
      const { scrollTop: top, clientHeight: height } = element;
      setView((before) => (before.top === top && before.height === height ? before : { top, height }));
    };
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);
  const [margin, setMargin] = useState(0);
  const hasRows = count > 0;
  useLayoutEffect(() => {
    if (hasRows && start > 0) scroller.current?.scrollTo(0, start);
  }, [hasRows]);
  useEffect(() => {
    if (hasRows) void firstPaint().then(() => setMargin(MARGIN));
  }, [hasRows]);
  const total = count * height;
  const shown = Math.min(total, MAX_HEIGHT);
  // pixels of rows for each pixel of scrolling
  const range = shown - view.height;
  const scale = range > 0 ? (total - view.height) / range : 1;
  const top = view.top * scale;
  const first = Math.max(0, Math.min(count - 1, Math.floor(top / height)) - margin);
  const end = Math.min(count, Math.ceil((top + view.height - headHeight) / height) + margin);
  const before = Math.max(0, first * height - (top - view.top));
  return {
    indexes: Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index),
    before,
    after: Math.max(0, shown - before - (end - first) * height),
    scrollTo: (index) => {
      const element = scroller.current;
      if (!element) return;
      const rowTop = index * height;
      const visible = {
        from: element.scrollTop * scale,
        to: element.scrollTop * scale + element.clientHeight - headHeight,
      };
      if (rowTop < visible.from) element.scrollTop = rowTop / scale;
      else if (rowTop + height > visible.to)
        element.scrollTop = (rowTop + height + headHeight - element.clientHeight) / scale;
    },
  };
}
