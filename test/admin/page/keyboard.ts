/** What people without a pointer do: reach an element with Tab, and press keys on it. */
import type { Locator } from "playwright-core";
import type { AdminPage } from "./admin-page.ts";

/** More keys than any page of a test needs. */
const MAX_TABS = 400;

/** What is used of an element and its document; the types of the DOM are not those of these tests. */
interface PageElement {
  readonly tabIndex: number;
  readonly ownerDocument: {
    readonly activeElement: PageElement | null;
    readonly body: PageElement;
    querySelectorAll(selector: string): Iterable<PageElement>;
  };
  matches(selector: string): boolean;
  checkVisibility(options: { readonly visibilityProperty: boolean }): boolean;
  compareDocumentPosition(other: PageElement): number;
}

/**
 * Runs in the page. How many times Tab must at least be pressed until the element has the focus; negative for Shift+Tab. Radio
 * buttons do not count, since only one of a group gets the focus.
 */
function tabsTo(element: PageElement): number {
  const following = 4;
  const stops = "a[href], button, input:not([type=radio]), select, textarea";
  if (element.matches(":focus")) return 0;
  const { activeElement, body } = element.ownerDocument;
  const from = activeElement === body ? null : activeElement;
  const isBefore = (one: PageElement, other: PageElement): boolean =>
    (one.compareDocumentPosition(other) & following) !== 0;
  const isBack = from !== null && isBefore(element, from);
  const isBetween = (other: PageElement): boolean =>
    isBack
      ? isBefore(element, other) && isBefore(other, from)
      : (from === null || isBefore(from, other)) && isBefore(other, element);
  const between = [...element.ownerDocument.querySelectorAll(stops)].filter(
    (other) =>
      isBetween(other) &&
      other.tabIndex >= 0 &&
      !other.matches(":disabled, [inert] *") &&
      other.checkVisibility({ visibilityProperty: true }),
  );
  return isBack ? -between.length - 1 : between.length + 1;
}

export class Keyboard {
  readonly #admin: AdminPage;

  constructor(admin: AdminPage) {
    this.#admin = admin;
  }

  /**
   * Presses Tab until the element has the focus, in the direction in which it is nearer: as many times as there seem to be elements
   * on the way, and again from there. Throws if it is never reached.
   */
  async reach(target: Locator): Promise<void> {
    await target.waitFor({ state: "attached" });
    for (let pressed = 0; pressed < MAX_TABS; ) {
      const distance = await target.evaluate<number, PageElement>(tabsTo);
      if (distance === 0) return;
      for (let count = 0; count < Math.abs(distance); count++, pressed++)
        await this.#admin.page.keyboard.press(distance < 0 ? "Shift+Tab" : "Tab");
    }
    throw new Error(`Tab does not come to ${target}`);
  }

  /** `key`: Enter by default. */
  async press(target: Locator, key = "Enter"): Promise<void> {
    await this.reach(target);
    await this.#admin.press(key);
  }

  /** Types at the end of what is there; `\n` is Enter. */
  async type(target: Locator, text: string): Promise<void> {
    await this.reach(target);
    const isText = await target.evaluate((element) => element.matches("input[type=text], input:not([type]), textarea"));
    if (isText) await this.#admin.press("End");
    await this.#admin.page.keyboard.type(text, { delay: 2 });
  }

  /** A checkbox or a radio button. */
  async tick(target: Locator): Promise<void> {
    await this.press(target, " ");
    if (!(await target.isChecked())) throw new Error(`${target} is not ticked`);
  }

  /** An option of a select, by its label. It may lead to another page. */
  async choose(target: Locator, label: string): Promise<void> {
    await this.reach(target);
    await this.#admin.page.keyboard.press("ArrowDown");
    await this.#admin.page.keyboard.type(label, { delay: 2 });
    await this.#admin.press("Enter");
  }

  /** One of several radio buttons, by the first words of its label: with the arrow key that is nearer, the last is above the first. */
  async pick(radios: Locator, label: string): Promise<void> {
    const checked = radios.and(this.#admin.page.locator(":checked"));
    await this.reach(checked);
    const labels = await radios.evaluateAll((all) => all.map(({ parentElement }) => parentElement?.textContent ?? ""));
    const from = await radios.evaluateAll((all) => all.findIndex((radio) => radio.matches(":checked")));
    const to = labels.findIndex((text) => text.startsWith(label));
    if (to === -1) throw new Error(`there is no radio button ${label}`);
    const down = (to - from + labels.length) % labels.length;
    const isDown = down <= labels.length / 2;
    for (let count = isDown ? down : labels.length - down; count > 0; count--)
      await this.#admin.page.keyboard.press(isDown ? "ArrowDown" : "ArrowUp");
    const reached = await checked.and(this.#admin.page.locator(":focus")).locator("..").textContent();
    if (!reached?.startsWith(label)) throw new Error(`arrow keys came to ${reached} instead of ${label}`);
  }

  /** An item of the menu that is open. */
  async pressItem(name: string): Promise<void> {
    const item = this.#admin.page.getByRole("menuitem", { name, exact: true });
    await item.waitFor();
    for (let count = 0; count < MAX_TABS; count++) {
      if ((await item.getAttribute("data-highlighted")) !== null) break;
      await this.#admin.press("ArrowDown");
    }
    await this.#admin.press("Enter");
  }
}
