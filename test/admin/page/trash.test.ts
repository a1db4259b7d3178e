/** What is deleted and unpublished on the page can be undone, and deleted documents are in the trash. */
import { describe, expect, test } from "bun:test";
import { findProblems } from "../../ui/axe.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";
import { EVERYTHING, files } from "./everything.ts";

describe.skipIf(!hasBrowser)("the trash", () => {
  let server: AdminServer;
  let admin: AdminPage;
  openPage(files, (page) => {
    ({ server, admin } = page);
  });

  const documents = () => server.galley.documents(EVERYTHING);
  const make = async (title: string, status: "draft" | "published" = "draft"): Promise<string> =>
    (await documents().create({ data: { title, slug: title.toLowerCase() }, status })).documentId as string;
  const title = async (documentId: string, status: "draft" | "published" = "draft"): Promise<unknown> =>
    (await documents().findOne({ documentId, status }))?.title;
  const button = (name: string) => admin.page.getByRole("button", { name, exact: true });
  const undo = () => admin.page.locator(".toast").getByRole("button", { name: "Undo", exact: true }).click();
  const choose = async (id: string, item: string): Promise<void> => {
    await admin.visit(`/admin/content/${EVERYTHING}/${id}`);
    await button("More actions").click();
    await admin.page.getByRole("menuitem", { name: item, exact: true }).click();
    await admin.page.getByRole("dialog").getByRole("button", { name: item, exact: true }).click();
  };

  test("a deleted document is back with one click", async () => {
    const id = await make("Undone");
    await choose(id, "Delete");
    await undo();
    await admin.message("Restored");
    expect(await title(id)).toBe("Undone");
    await admin.page.getByRole("heading", { name: "Undone" }).waitFor();
  });

  test("what was published is published again beside a changed draft", async () => {
    const id = await make("Online", "published");
    await documents().update({ documentId: id, data: { title: "Changed" } });
    await choose(id, "Unpublish");
    await undo();
    await admin.message("Published again");
    expect([await title(id), await title(id, "published")]).toEqual(["Changed", "Online"]);
  });

  test("the trash restores, and deletes for good", async () => {
    const ids = [await make("Restored"), await make("Forgotten")] as const;
    for (const id of ids) {
      await choose(id, "Delete");
      await admin.message("Deleted");
    }
    await admin.page.getByRole("link", { name: "Trash" }).click();
    await admin.page.getByText("· deleted").first().waitFor();
    await button("Restore: Restored").click();
    await admin.message("Restored is restored");
    expect(await title(ids[0])).toBe("Restored");
    expect(await findProblems(admin.page)).toEqual([]);
    await button("Delete for good: Forgotten").click();
    await admin.page.getByRole("dialog").getByRole("button", { name: "Delete for good" }).click();
    await admin.page.getByText("Nothing was deleted").waitFor();
    expect(await admin.page.locator(".item-list").isVisible()).toBe(false);
    expect(admin.complaints).toEqual([]);
  });

  test("documents that were selected in a list are back with one click", async () => {
    const id = await make("Selected");
    await admin.visit(`/admin/content/${EVERYTHING}`);
    await admin.page.getByLabel("Select Selected", { exact: true }).check();
    await button("Delete").click();
    await admin.page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await undo();
    await admin.message("Restored");
    expect(await title(id)).toBe("Selected");
  });

  test("the question says of drafts what is deleted, where there are any", async () => {
    const tag = (await server.galley.documents("api::tag.tag").create({ data: { name: "Wet" } })).documentId;
    const dialog = admin.page.getByRole("dialog");
    await admin.visit("/admin/content/api::tag.tag");
    await admin.page.getByLabel("Select Wet", { exact: true }).check();
    await button("Delete").click();
    await dialog.getByText("It can be restored from the trash for 30 days.", { exact: true }).waitFor();
    await admin.press("Escape");
    await admin.visit(`/admin/content/api::tag.tag/${tag}`);
    await button("More actions").click();
    await admin.page.getByRole("menuitem", { name: "Delete", exact: true }).click();
    await dialog.getByText("Delete this document?").waitFor();
    expect(await dialog.textContent()).not.toContain("draft");
  });
});
