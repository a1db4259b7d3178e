/** Keeps an element of the top layer beside the one that it belongs to. */
import { useLayoutEffect, useRef } from "preact/hooks";

const MARGIN = 8;
const GAP = 2;

/** What a popup is beside: an element, or a place in a text. */
export type Anchor = Pick<HTMLElement, "getBoundingClientRect">;

const MAX_HEIGHT = 520;
const MIN_HEIGHT = 120;

/** Above `anchor` where there is more room than below it. All is read before anything is set: the browser lays the page out once. */
function place(popup: HTMLElement, anchor: Anchor): void {
  const { left, top, bottom, width } = anchor.getBoundingClientRect();
  const { innerWidth } = window;
  const height = window.visualViewport?.height ?? window.innerHeight;
  const below = height - bottom - MARGIN - GAP;
  const above = top - MARGIN - GAP;
  // a list is as wide as its input
  if (popup.role !== "dialog") popup.style.minWidth = `${Math.min(width, innerWidth - 2 * MARGIN)}px`;
  const { offsetHeight, clientHeight, scrollHeight, offsetWidth } = popup;
  const whole = scrollHeight + offsetHeight - clientHeight;
  const isBelow = whole <= below || below >= above;
  const most = Math.min(MAX_HEIGHT, Math.max(isBelow ? below : above, MIN_HEIGHT));
  popup.style.maxHeight = `${most}px`;
  popup.style.left = `${Math.max(MARGIN, Math.min(left, innerWidth - offsetWidth - MARGIN))}px`;
  popup.style.top = `${isBelow ? bottom + GAP : Math.max(MARGIN, top - GAP - Math.min(whole, most))}px`;
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
