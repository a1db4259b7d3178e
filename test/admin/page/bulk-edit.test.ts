/** A field of many documents, changed in a browser: with the pointer, and with keys alone. */
import { beforeEach, describe, expect, test } from "bun:test";
import { typeFile } from "../../project.ts";
import { findProblems } from "../../ui/axe.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { selectOption } from "../../ui/select-option.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";
import { EVERYTHING, files, TAG } from "./everything.ts";

const BOOK = "api::book.book";

const COUNT = 230;

describe.skipIf(!hasBrowser)("a field of many documents", () => {
  let server: AdminServer;
  let admin: AdminPage;

  openPage(
    { ...files, ...typeFile("book", { name: { type: "string" }, pages: { type: "integer", max: 900 } }) },
    (page) => {
      ({ server, admin } = page);
    },
    async ({ galley }) => {
      for (const name of ["red", "blue"]) await galley.documents(TAG).create({ data: { name } });
      for (let number = 1; number <= COUNT; number++)
        await galley.documents(EVERYTHING).create({ data: { title: `Number ${number}`, count: number % 2 } });
      for (const name of ["one", "two"]) await galley.documents(BOOK).create({ data: { name, pages: 5 } });
    },
  );

  const everything = () => server.galley.documents(EVERYTHING);
  const countOf = (filters: object) => everything().count({ filters: filters as never });
  const dialog = () => admin.page.getByRole("dialog").last();
  const button = (name: string | RegExp) => dialog().getByRole("button", { name });

  beforeEach(async () => {
    await admin.visit(`/admin/content/${EVERYTHING}?filters[$and][0][title][$startsWith]=Number&sort=title:asc`);
    await admin.page.getByText(`${COUNT} documents`).waitFor();
  });

  async function openDialog(): Promise<void> {
    await admin.page.locator("tbody").getByRole("checkbox").first().check();
    await admin.page.getByRole("button", { name: `Select all ${COUNT}` }).click();
    await admin.page.getByText(`${COUNT} selected`).waitFor();
    await admin.page.getByRole("button", { name: "Edit a field" }).click();
    await dialog().getByRole("combobox", { name: "Field", exact: true }).waitFor();
  }

  test("all that match the filter are previewed, changed, and changed back", async () => {
    await openDialog();
    await selectOption(dialog().getByRole("combobox", { name: "Field", exact: true }), "count");
    await dialog().getByLabel("Count", { exact: true }).fill("1");
    await button("Preview").click();
    await dialog()
      .getByText(`${COUNT / 2} documents will change.`)
      .waitFor();
    await dialog()
      .getByText(`${COUNT / 2} already have this value.`)
      .waitFor();
    expect(await findProblems(admin.page)).toEqual([]);
    expect(await countOf({ count: 1 })).toBe(COUNT / 2);
    await button(`Change ${COUNT / 2} documents`).click();
    await admin.page.getByRole("dialog", { name: `Changed ${COUNT / 2} documents` }).waitFor();
    expect(await countOf({ count: 1 })).toBe(COUNT);
    await button("Undo").click();
    await dialog().getByText("The earlier value is back").waitFor();
    expect(await countOf({ count: 1 })).toBe(COUNT / 2);
    await button("Close").nth(1).click();
    await admin.page.getByText(`${COUNT} selected`).waitFor();
    expect(admin.complaints).toEqual([]);
  }, 180_000);

  test("links are added with keys alone", async () => {
    await admin.page.locator("tbody").getByRole("checkbox").first().focus();
    await admin.press("Space", "Tab");
    const opener = admin.page.getByRole("button", { name: "Edit a field" });
    await opener.focus();
    await admin.press("Enter");
    const field = dialog().getByRole("combobox", { name: "Field", exact: true });
    await field.and(admin.page.locator(":focus")).waitFor();
    // a choice is made by its first letters
    await admin.type("Tags", field);
    await admin.press("Tab");
    await admin.type("Add", dialog().getByRole("combobox", { name: "Change", exact: true }));
    await admin.press("Tab");
    const search = dialog().getByRole("combobox", { name: "Tags" });
    await admin.type("blu", search);
    await dialog().getByRole("option", { name: "blue" }).waitFor();
    await admin.press("ArrowDown", "Enter");
    await dialog().getByRole("button", { name: "Remove blue" }).waitFor();
    await button("Preview").focus();
    await admin.press("Enter");
    await dialog().getByText("1 document will change.").waitFor();
    await button("Change 1 document").and(admin.page.locator(":focus")).waitFor();
    await admin.press("Enter");
    await admin.page.getByRole("dialog", { name: "Changed 1 document" }).waitFor();
    await button("Close").first().and(admin.page.locator(":focus")).waitFor();
    await admin.press("Enter");
    await opener.and(admin.page.locator(":focus")).waitFor();
    expect(await countOf({ tags: { name: "blue" } })).toBe(1);
    expect(admin.complaints).toEqual([]);
  }, 180_000);

  test("what the server refuses is listed by its reason, and nothing is written", async () => {
    await admin.visit(`/admin/content/${BOOK}`);
    for (const name of ["one", "two"]) await admin.page.getByLabel(`Select ${name}`).check();
    await admin.page.getByRole("button", { name: "Edit a field" }).click();
    await selectOption(dialog().getByRole("combobox", { name: "Field", exact: true }), "pages");
    const pages = dialog().getByLabel("Pages", { exact: true });
    await pages.fill("");
    await button("Preview").click();
    await dialog().getByText("There is no value yet.").waitFor();
    await pages.fill("901");
    await button("Preview").click();
    await dialog().getByText("0 documents will change.").waitFor();
    await dialog().getByText("pages must be less than or equal to 900: one, two").waitFor();
    expect(await button("Change 0 documents").isDisabled()).toBe(true);
    // another change needs another preview
    await selectOption(dialog().getByRole("combobox", { name: "Change", exact: true }), "Leave it empty");
    await button("Preview").click();
    await dialog().getByText("2 documents will change.").waitFor();
    await admin.press("Escape");
    expect(await server.galley.documents(BOOK).count({ filters: { pages: 5 } })).toBe(2);
  }, 180_000);

  test("a stopped server ends the change, says how far it came, and loses nothing", async () => {
    await openDialog();
    await selectOption(dialog().getByRole("combobox", { name: "Field", exact: true }), "hidden");
    await dialog().getByLabel("Hidden", { exact: true }).fill("x");
    await button("Preview").click();
    await dialog().getByText(`${COUNT} documents will change.`).waitFor();
    let batches = 0;
    await admin.page.route("**/admin/api/edits", (route) => (++batches === 2 ? route.abort() : route.continue()));
    await button(`Change ${COUNT} documents`).click();
    await dialog().getByRole("alert").getByText("The server does not respond").waitFor();
    await dialog().getByText("100 documents may have been changed or not").waitFor();
    await dialog().getByText("30 documents were not reached").waitFor();
    await admin.page.unroute("**/admin/api/edits");
    await button("Undo").click();
    await dialog().getByText("The earlier value is back in 100 documents.").waitFor();
    expect(await countOf({ count: { $gte: 0 } })).toBe(COUNT);
  }, 180_000);
});
