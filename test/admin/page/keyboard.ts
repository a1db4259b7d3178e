/** What people without a pointer do: reach an element with Tab, and press keys on it. */
import type { Locator } from "playwright-core";
import type { AdminPage } from "./admin-page.ts";

/** More than any page of a test has. */
const MAX_TABS = 400;

/** Of `compareDocumentPosition`. */
const FOLLOWING = 4;

interface Select {
  readonly options: Iterable<{ readonly label: string }>;
  readonly selectedIndex: number;
}

export class Keyboard {
  readonly #admin: AdminPage;

  constructor(admin: AdminPage) {
    this.#admin = admin;
  }

  /** Presses Tab until the element has the focus, in the direction in which it is nearer. Throws if it is never reached. */
  async reach(target: Locator): Promise<void> {
    await target.waitFor({ state: "attached" });
    const isBefore = await target.evaluate((element, following) => {
      const { activeElement, body } = element.ownerDocument;
      if (activeElement === null || activeElement === body) return false;
      return (element.compareDocumentPosition(activeElement) & following) !== 0;
    }, FOLLOWING);
    for (let count = 0; count < MAX_TABS; count++) {
      if (await target.evaluate((element) => element.matches(":focus"))) return;
      await this.#admin.page.keyboard.press(isBefore ? "Shift+Tab" : "Tab");
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
    const steps = await target.evaluate((element, wanted) => {
      const { options, selectedIndex } = element as unknown as Select;
      return [...options].findIndex((option) => option.label === wanted) - selectedIndex;
    }, label);
    const key = steps > 0 ? "ArrowDown" : "ArrowUp";
    for (let count = 0; count < Math.abs(steps); count++) await this.#admin.page.keyboard.press(key);
    await this.#admin.press();
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
