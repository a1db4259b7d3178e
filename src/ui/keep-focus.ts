/**
 * Restores the focus when its element is removed or disabled. Browsers move it to the body, which sends keyboard users to the top
 * of the page. It moves to where the element is now, to a neighbour of it, or back to where it was before a dialog.
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

/** Layers above the page: after they close, the focus goes back. */
const TRANSIENT = "dialog, .toast";
/** The search for another element stops here. */
const BOUNDARY = "main, body, dialog";
const MAX_HISTORY = 8;

let lastFocused: Element | undefined;
/** Elements that had the focus, most recent first: the last one of each layer, and several of the page below. */
let focusHistory: readonly Element[] = [];
let removal: { readonly record: MutationRecord; readonly removed: Element } | undefined;
/** A button that was disabled while it had the focus, and the element that has it meanwhile. */
let disabled: { readonly element: HTMLElement; readonly substitute: HTMLElement } | undefined;

const findLayer = (element: Element): Element | null => element.closest(TRANSIENT);

function remember(element: Element): void {
  const layer = findLayer(element);
  const others = layer ? focusHistory.filter((other) => findLayer(other) !== layer) : focusHistory;
  focusHistory = [element, ...others].slice(0, MAX_HISTORY);
}

const isShown = (element: Element): boolean =>
  element.isConnected && element.checkVisibility() && !element.matches(":disabled");

const focusableIn = (element: Element): Element[] =>
  [...(element.matches(FOCUSABLE) ? [element] : []), ...element.querySelectorAll(FOCUSABLE)].filter(
    (item) => (item as HTMLElement).tabIndex >= 0,
  );

/** The corresponding element in a neighbour: "Remove" of the next item, rather than its first link. */
function focusableInNeighbour(neighbour: Node | null, removed: Element, element: Element): Element | undefined {
  if (!(neighbour instanceof Element)) return undefined;
  const shown = focusableIn(neighbour).filter(isShown);
  const isSameKind = (item: Element): boolean =>
    item.tagName === element.tagName && item.className === element.className;
  const sameKind = neighbour.tagName === removed.tagName ? shown.filter(isSameKind) : [];
  return sameKind[focusableIn(removed).filter(isSameKind).indexOf(element)] ?? shown[0];
}

function focusableNearRemoval(
  { target, nextSibling, previousSibling }: MutationRecord,
  removed: Element,
  element: Element,
) {
  const neighbour =
    focusableInNeighbour(nextSibling, removed, element) ?? focusableInNeighbour(previousSibling, removed, element);
  if (neighbour) return neighbour;
  for (
    let ancestor = target as Element | null;
    ancestor && !ancestor.matches(BOUNDARY);
    ancestor = ancestor.parentElement
  ) {
    const [found] = focusableIn(ancestor).filter(isShown);
    if (found) return found;
  }
  return undefined;
}

/** The only other one that says the same: a button that was moved, as out of an empty list. */
function findTwin({ tagName, textContent }: Element): Element | undefined {
  if (textContent === "") return undefined;
  const same = focusableIn(document.body).filter(
    (item) => item.tagName === tagName && item.textContent === textContent,
  );
  return same.length === 1 ? same.find(isShown) : undefined;
}

/** Where the focus was before a dialog, or where that is now. */
function lastInPage(): Element | undefined {
  for (const element of focusHistory) {
    const found = isShown(element) ? element : findLayer(element) ? undefined : findTwin(element);
    if (found) return found;
  }
  return undefined;
}

/** A dialog had the focus even if none of its elements did: after a click on its text. */
const isRemovedFocus = (node: Node, element: Element | undefined): boolean =>
  node instanceof Element && (element ? node.contains(element) : node.matches("dialog"));

function restore(): void {
  const element = lastFocused;
  if (!removal) return;
  const { record, removed } = removal;
  removal = undefined;
  if (document.activeElement !== document.body || element?.isConnected) return;
  const isTransient = !element || removed.contains(element.closest(TRANSIENT));
  const found = isTransient ? lastInPage() : (findTwin(element) ?? focusableNearRemoval(record, removed, element));
  const target = (found ?? document.getElementById("main")) as HTMLElement | null;
  target?.focus();
}

/** What comes before it in the same layer, or else after it. */
function findSubstitute(element: Element): HTMLElement | undefined {
  const shown = focusableIn(element.closest(BOUNDARY) ?? document.body).filter(isShown);
  const isBefore = (other: Element): boolean =>
    (element.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_PRECEDING) !== 0;
  return (shown.findLast(isBefore) ?? shown[0]) as HTMLElement | undefined;
}

/** Buttons are disabled while their request is pending, or because there is nothing left to do. */
function followDisabled(): void {
  if (disabled && isShown(disabled.element)) {
    if (document.activeElement === disabled.substitute) disabled.element.focus();
    disabled = undefined;
  }
  const element = lastFocused as HTMLElement | undefined;
  if (!element?.isConnected || !element.matches(":disabled")) return;
  const substitute = findSubstitute(element);
  if (substitute) disabled = { element, substitute };
  (substitute ?? document.getElementById("main"))?.focus();
}

export function keepFocus(): void {
  document.addEventListener("focusin", ({ target }) => {
    if (lastFocused && lastFocused !== target) remember(lastFocused);
    lastFocused = target as Element;
  });
  document.addEventListener("focusout", ({ target }) => {
    // a click outside moves the focus on purpose
    setTimeout(() => {
      if (lastFocused !== target || !lastFocused?.isConnected || document.activeElement !== document.body) return;
      remember(lastFocused);
      lastFocused = undefined;
    });
  });
  new MutationObserver(followDisabled).observe(document.body, { attributeFilter: ["disabled"], subtree: true });
  new MutationObserver((records) => {
    if (lastFocused?.isConnected || document.activeElement !== document.body) return;
    const element = lastFocused;
    const findRemoved = ({ removedNodes }: MutationRecord): Node | undefined =>
      [...removedNodes].find((node) => isRemovedFocus(node, element));
    const record = records.findLast((item) => item.target.isConnected && findRemoved(item));
    if (!record) return;
    removal = { record, removed: findRemoved(record) as Element };
    // components that move the focus themselves do so after the next frame
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(restore)));
  }).observe(document.body, { childList: true, subtree: true });
}
