/**
 * What the user acted with last, pointer or keys, which menus ask for while they are open. Their own tracking stays
 * for as long as the page, and costs a third of a millisecond for each key in any field.
 */
import { setInteractionModality } from "@zag-js/focus-visible";

const POINTER_EVENTS = ["pointerdown", "pointermove", "pointerup"] as const;

/** An effect of their state machines. Returns what ends it. */
export function trackLastInput(): () => void {
  let last: { readonly x: number; readonly y: number } | undefined;
  const onPointer = ({ type, clientX: x, clientY: y }: PointerEvent): void => {
    // something moved below the pointer, rather than the pointer
    if (type === "pointermove" && last?.x === x && last.y === y) return;
    last = { x, y };
    setInteractionModality("pointer");
  };
  const onKey = (): void => setInteractionModality("keyboard");
  const listeners = new AbortController();
  const options = { capture: true, signal: listeners.signal };
  for (const type of POINTER_EVENTS) document.addEventListener(type, onPointer, options);
  document.addEventListener("keydown", onKey, options);
  return () => listeners.abort();
}
