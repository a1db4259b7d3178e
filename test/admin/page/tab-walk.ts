/** Walks through a page with Tab alone: what is reached, and whether one sees where the focus is. */
import type { Page } from "playwright-core";

/** Keys between two looks at what has been reached. */
const AT_ONCE = 4;

/** Runs in the page. Elements are marked as they get the focus; `report` lists what is wrong. */
const WATCH = `(() => {
  const name = (element) => element.tagName.toLowerCase() + " " +
    (element.getAttribute("aria-label") ?? element.id ?? "") + " " + (element.textContent ?? "").trim().slice(0, 40);
  const isShown = (element) => {
    for (let at = element; at; at = at.parentElement ?? at.getRootNode().host) {
      const { outlineStyle, outlineWidth } = getComputedStyle(at);
      if (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) return true;
    }
    return false;
  };
  const reached = new Set();
  const unseen = new Set();
  const watch = (event) => {
    const element = event.composedPath()[0];
    reached.add(element);
    if (!isShown(element)) unseen.add(name(element));
  };
  document.addEventListener("focusin", watch);
  const SELECTOR = "a[href], button, input, select, textarea, [tabindex], [contenteditable=true]";
  const isWanted = (element) => element.tabIndex >= 0 && !element.disabled && element.checkVisibility({ visibilityProperty: true });
  // one of several radio buttons is a stop
  const groupOf = (element) => element.type === "radio" ? element.name : element;
  globalThis.reachedWithTab = () => reached.size;
  globalThis.tabWalk = () => {
    document.removeEventListener("focusin", watch);
    const groups = new Set([...reached].map(groupOf));
    const root = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document;
    const missed = [...root.querySelectorAll(SELECTOR)]
      .filter((element) => isWanted(element) && !groups.has(groupOf(element)))
      .map(name);
    const outside = [...reached].filter((element) => !root.contains(element)).map(name);
    return { count: reached.size, missed, unseen: [...unseen], outside };
  };
})()`;

export interface TabWalk {
  /** How many elements were reached. */
  readonly count: number;
  /** What Tab never came to. */
  readonly missed: readonly string[];
  /** What had the focus without showing it. */
  readonly unseen: readonly string[];
  /** What was reached although it is not in the dialog that is open. */
  readonly outside: readonly string[];
}

/** Presses Tab until the focus comes to nothing new. */
export async function walkWithTab(page: Page): Promise<TabWalk> {
  await page.evaluate(WATCH);
  let before = -1;
  for (let reached = 0; reached > before; ) {
    before = reached;
    for (let key = 0; key < AT_ONCE; key++) await page.keyboard.press("Tab");
    reached = Number(await page.evaluate("reachedWithTab()"));
  }
  return (await page.evaluate("tabWalk()")) as TabWalk;
}
