/** Content that is made at once, in a browser: sample documents, and rows of a spreadsheet. */
import { describe, expect, test } from "bun:test";
import { hasBrowser } from "../../ui/browser.ts";
import { selectOption } from "../../ui/select-option.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";
import { EVERYTHING, files, TAG } from "./everything.ts";

describe.skipIf(!hasBrowser)("content that is made at once", () => {
  let server: AdminServer;
  let admin: AdminPage;

  openPage(files, (page) => {
    ({ server, admin } = page);
  });

  test("an empty type is filled, and what could not be linked is named", async () => {
    await admin.visit(`/admin/content/${EVERYTHING}`);
    await admin.page.getByRole("button", { name: "Fill it with sample content" }).click();
    const dialog = admin.page.getByRole("dialog", { name: "Sample content for everything" });
    await dialog.getByLabel("How many").fill("25");
    await dialog.getByLabel("Seed").fill("of a test");
    await dialog.getByLabel("Publish them").check();
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByText("Created: 25").waitFor();
    await dialog.getByText(/nothing to link to: .*Tags/).waitFor();
    await admin.press("Escape");
    await admin.page.getByText("25 documents").waitFor();
    expect(await server.galley.documents(EVERYTHING).count({ status: "published" })).toBe(25);
    expect(admin.complaints).toEqual([]);
  }, 180_000);

  test("rows of a spreadsheet are pasted, corrected, and made", async () => {
    await server.galley.documents(TAG).create({ data: { name: "red" } });
    await admin.visit(`/admin/content/${EVERYTHING}?q=pasted`);
    await admin.page.getByText("No documents match.").waitFor();
    const table = 'Title\tHow many\tTags\r\npasted 1\t4\tred\r\n"pasted 2"\tfour\tred\r\n';
    await admin.page.evaluate(
      `(() => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text/plain", ${JSON.stringify(table)});
        document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
      })()`,
    );
    const dialog = admin.page.getByRole("dialog", { name: "Paste rows into everything" });
    await dialog.getByText("All 2 rows can be created.").waitFor();
    await selectOption(dialog.getByLabel("Attribute for How many"), "count");
    await dialog.getByText('Row 3, Count: "four" is not a whole number').waitFor();
    await dialog.getByRole("button", { name: "Create 1 row" }).click();
    await admin.message("Created 1 row");
    // what was refused is still there
    const text = dialog.getByRole("textbox", { name: "Rows" });
    expect(await text.inputValue()).toBe("Title\tHow many\tTags\npasted 2\tfour\tred");
    await text.fill("Title,Count,Tags\npasted, without quotes,5,red");
    await dialog.getByText("Row 2: More cells than the first row has.").waitFor();
    await text.fill("Title;Count;Tags\npasted 2;5;red");
    await dialog.getByText("All 1 row can be created.").waitFor();
    await dialog.getByRole("button", { name: "Create 1 row" }).click();
    await dialog.waitFor({ state: "detached" });
    await admin.page.getByText("2 documents").waitFor();
    const made = await server.galley
      .documents(EVERYTHING)
      .findMany({ filters: { title: { $startsWith: "pasted" } }, sort: "title", populate: "tags" });
    expect(made).toMatchObject([
      { title: "pasted 1", slug: "pasted-1", count: 4, tags: [{ name: "red" }] },
      { title: "pasted 2", count: 5, tags: [{ name: "red" }] },
    ]);
    expect(admin.complaints).toEqual([]);
  }, 180_000);

  test("a single type without content is filled", async () => {
    await admin.visit("/admin/content/api::about.about");
    await admin.page.getByRole("button", { name: "Fill it with sample content" }).press("Enter");
    await admin.message("Filled with sample content");
    await admin.page.getByText("There is no content").waitFor({ state: "detached" });
    const made = await server.galley.documents("api::about.about").findFirst({});
    expect(await admin.page.getByLabel(/^Heading/).inputValue()).toBe(made!.heading as string);
  }, 180_000);
});
