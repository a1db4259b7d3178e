/** Keeps an element of the top layer beside the one that it belongs to. */
import { useLayoutEffect, useRef } from "preact/hooks";

const MARGIN = 8;
const GAP = 2;

/** What a popup is beside: an element, or a place in a text. */
export type Anchor = Pick<HTMLElement, "getBoundingClientRect">;

/** Above `anchor` where there is more room than below it. */
function place(popup: HTMLElement, anchor: Anchor): void {
  const { left, top, bottom, width } = anchor.getBoundingClientRect();
  const { innerWidth } = window;
  const height = window.visualViewport?.height ?? window.innerHeight;
  const below = height - bottom - MARGIN - GAP;
  const above = top - MARGIN - GAP;
  // a list is as wide as its input
  if (popup.role !== "dialog") popup.style.minWidth = `${Math.min(width, innerWidth - 2 * MARGIN)}px`;
  popup.style.maxHeight = "none";
  const { offsetHeight, offsetWidth } = popup;
  const isBelow = offsetHeight <= below || below >= above;
  popup.style.maxHeight = `${Math.min(520, Math.max(isBelow ? below : above, 120))}px`;
  popup.style.left = `${Math.max(MARGIN, Math.min(left, innerWidth - offsetWidth - MARGIN))}px`;
  popup.style.top = `${isBelow ? bottom + GAP : Math.max(MARGIN, top - GAP - popup.offsetHeight)}px`;
}

/** A ref for an element with `popover="manual"`, which is shown as long as it is rendered: above dialogs, too. */
export function usePopup<E extends HTMLElement>(anchor: Anchor) {
  const popup = useRef<E>(null);
  useLayoutEffect(() => {
    const element = popup.current!;
    element.showPopover();
    const move = (event: Event): void => {
      if (!(event.target instanceof Node && element.contains(event.target))) place(element, anchor);
    };
    window.addEventListener("scroll", move, true);
    window.addEventListener("resize", move);
    window.visualViewport?.addEventListener("resize", move);
    return () => {
      window.removeEventListener("scroll", move, true);
      window.removeEventListener("resize", move);
      window.visualViewport?.removeEventListener("resize", move);
    };
  }, [anchor]);
  // after each rendering, since its size may be another one
  useLayoutEffect(() => place(popup.current!, anchor));
  return popup;
}
