/** Chooses from a select of the page by the value or the label of an option. */
import type { Locator } from "playwright-core";

export async function selectOption(select: Locator, option: string): Promise<void> {
  await select.click();
  const list = select.page().getByRole("listbox", { name: "Choices" });
  const labelled = list.getByRole("option", { name: option, exact: true });
  await list
    .locator(`[data-value=${JSON.stringify(option)}]`)
    .or(labelled)
    .first()
    .click();
}
