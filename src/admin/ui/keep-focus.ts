/**
 * Keeps the focus when its element is removed: browsers give it to the body then, and whoever works with the keyboard begins at
 * the top of the page again. It goes to what took the element's place, or back to where it was before a dialog.
 */

const FOCUSABLE = [
  "a[href]",
  "button:not(:disabled)",
  "input:not(:disabled)",
  "select:not(:disabled)",
  "textarea:not(:disabled)",
  "[contenteditable='true']",
  "[tabindex='0']",
].join();

/** What lies above the page for a while. */
const TRANSIENT = "dialog, .toast";
/** Around these nothing belongs together any more. */
const BOUNDARY = "main, body, dialog";
const MAX_EARLIER = 8;

let last: Element | undefined;
/** What had the focus before, the latest first. */
let earlier: readonly Element[] = [];
let removal: MutationRecord | undefined;

const isShown = (element: Element): boolean => element.isConnected && element.checkVisibility();

const focusableIn = (element: Element): Element[] =>
  [...(element.matches(FOCUSABLE) ? [element] : []), ...element.querySelectorAll(FOCUSABLE)].filter(
    (item) => (item as HTMLElement).tabIndex >= 0,
  );

/** In a neighbour of what was removed the element of the same kind: "Remove" of the next item, rather than its first link. */
function inNeighbour(neighbour: Node | null, removed: Element, element: Element): Element | undefined {
  if (!(neighbour instanceof Element)) return undefined;
  const shown = focusableIn(neighbour).filter(isShown);
  const isAlike = (item: Element): boolean => item.tagName === element.tagName && item.className === element.className;
  const alike = neighbour.tagName === removed.tagName ? shown.filter(isAlike) : [];
  return alike[focusableIn(removed).filter(isAlike).indexOf(element)] ?? shown[0];
}

function aroundRemoval({ target, nextSibling, previousSibling }: MutationRecord, removed: Element, element: Element) {
  const neighbour = inNeighbour(nextSibling, removed, element) ?? inNeighbour(previousSibling, removed, element);
  if (neighbour) return neighbour;
  for (let at = target as Element | null; at && !at.matches(BOUNDARY); at = at.parentElement) {
    const [found] = focusableIn(at).filter(isShown);
    if (found) return found;
  }
  return undefined;
}

function restore(): void {
  const element = last;
  const record = removal;
  removal = undefined;
  if (!element || !record || document.activeElement !== document.body || element.isConnected) return;
  const removed = [...record.removedNodes].find((node) => node.contains(element)) as Element;
  const before = earlier.find(isShown);
  const isTransient = removed.contains(element.closest(TRANSIENT));
  const found = isTransient ? before : (aroundRemoval(record, removed, element) ?? undefined);
  const target = (found ?? document.getElementById("main")) as HTMLElement | null;
  target?.focus();
}

export function keepFocus(): void {
  document.addEventListener("focusin", ({ target }) => {
    if (last && last !== target) earlier = [last, ...earlier].slice(0, MAX_EARLIER);
    last = target as Element;
  });
  document.addEventListener("focusout", ({ target }) => {
    // somebody clicked beside it
    setTimeout(() => {
      if (last === target && last?.isConnected && document.activeElement === document.body) last = undefined;
    });
  });
  new MutationObserver((records) => {
    if (!last || last.isConnected || document.activeElement !== document.body) return;
    const element = last;
    const found = records.findLast(
      ({ target, removedNodes }) =>
        target.isConnected && [...removedNodes].some((node) => node instanceof Element && node.contains(element)),
    );
    if (!found) return;
    removal = found;
    // components that move the focus themselves do so after the next frame
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(restore)));
  }).observe(document.body, { childList: true, subtree: true });
}
