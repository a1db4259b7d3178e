/** Which rows of a long list are in view; only those are in the document. */
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

const OVERSCAN = 10;

export interface VirtualRows {
  /** Their positions in the list. */
  readonly indexes: readonly number[];
  /** Pixels before the first and behind the last of them. */
  readonly before: number;
  readonly after: number;
  readonly scrollTo: (index: number) => void;
}

/** `headHeight` is what covers the first pixels of the element. */
export function useVirtualRows(
  scroller: RefObject<HTMLElement | null>,
  { count, height, headHeight }: { readonly count: number; readonly height: number; readonly headHeight: number },
): VirtualRows {
  const [, setVersion] = useState(0);
  const virtualizer = useRef<Virtualizer<HTMLElement, Element>>(undefined);
  const options = {
    count,
    estimateSize: () => height,
    getScrollElement: () => scroller.current,
    overscan: OVERSCAN,
    scrollPaddingStart: headHeight,
    // rows are there before the element has been measured
    initialRect: { width: 0, height: window.innerHeight },
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => setVersion((version) => version + 1),
  };
  virtualizer.current ??= new Virtualizer<HTMLElement, Element>(options);
  const current = virtualizer.current;
  current.setOptions(options);
  useLayoutEffect(() => current._didMount(), [current]);
  useLayoutEffect(() => current._willUpdate());
  const items = current.getVirtualItems();
  const first = items[0];
  const last = items.at(-1);
  return {
    indexes: items.map(({ index }) => index),
    before: first?.start ?? 0,
    after: last ? current.getTotalSize() - last.end : 0,
    scrollTo: (index) => current.scrollToIndex(index),
  };
}
