/** The admin page with the keyboard alone: Tab comes to everything, and what is done never leaves the focus nowhere. */
import { describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { hasBrowser } from "../../ui/browser.ts";
import { type AdminPage, openPage } from "./admin-page.ts";
import { EVERYTHING, files, TAG } from "./everything.ts";
import { walkWithTab } from "./tab-walk.ts";

describe.skipIf(!hasBrowser)("the admin page with the keyboard alone", () => {
  let admin: AdminPage;
  let documentId: string;

  openPage(
    files,
    (page) => {
      ({ admin } = page);
    },
    async ({ galley }) => {
      const tags: string[] = [];
      for (const name of ["red", "green"])
        tags.push(String((await galley.documents(TAG).create({ data: { name } })).documentId));
      const quotes = ["One", "Two", "Three"].map((text) => ({ text }));
      const data = {
        title: "Everything",
        open: true,
        tags,
        quotes,
        zone: [{ __component: "parts.quote", text: "Four" }],
      };
      documentId = String((await galley.documents(EVERYTHING).create({ data })).documentId);
      await galley.documents(EVERYTHING).create({ data: { title: "Another" } });
    },
  );

  const button = (name: string | RegExp): Locator => admin.page.getByRole("button", { name, exact: true });

  /** What is there once a page can be used, by its path. */
  const pages: Readonly<Record<string, () => Locator>> = {
    [`/admin/content/${EVERYTHING}`]: () => admin.page.getByRole("link", { name: "Everything" }).last(),
    "/admin/types": () => admin.page.getByRole("heading", { name: "Content-types" }),
    [`/admin/types/${TAG}`]: () => button("Edit name"),
    "/admin/media": () => button("New folder"),
    "/admin/access/roles": () => button(/role/i).first(),
    "/admin/access/users": () => button(/user/i).first(),
    "/admin/access/tokens": () => button(/token/i).first(),
    "/admin/access/why": () => admin.page.getByRole("textbox").first(),
    "/admin/locales": () => button("Delete French"),
    "/admin/nothing": () => admin.page.getByRole("heading", { name: "Not found" }),
  };

  test("Tab comes to each button, link and field of each page, and one sees where it is", async () => {
    const wrong: Record<string, unknown> = {};
    const walk = async (path: string, shown: Locator): Promise<void> => {
      await admin.goTo(path);
      await shown.waitFor();
      const { count, missed, unseen } = await walkWithTab(admin.page);
      if (count < 10 || missed.length + unseen.length > 0) wrong[path] = { count, missed, unseen };
    };
    for (const [path, shown] of Object.entries(pages)) await walk(path, shown());
    await walk(`/admin/content/${EVERYTHING}/${documentId}`, button("Remove red"));
    expect(wrong).toEqual({});
  }, 120_000);

  /** Presses a key on an element; returns what has the focus then. */
  async function focusAfter(element: Locator, key = "Enter"): Promise<string> {
    await element.focus();
    await admin.press(key);
    const { page } = admin;
    // the page moves the focus two frames after it has drawn the change
    const frames =
      "let left = 5; const next = () => (left-- > 0 ? requestAnimationFrame(next) : setTimeout(done)); next();";
    await page.evaluate(`new Promise((done) => { ${frames} })`);
    await page.locator("body :focus").first().waitFor({ state: "attached" });
    return String(
      await page.evaluate(
        "document.activeElement.getAttribute('aria-label') ?? (document.activeElement.id || document.activeElement.textContent.trim())",
      ),
    );
  }

  test("what is removed leaves the focus to what takes its place", async () => {
    await admin.goTo(`/admin/content/${EVERYTHING}/${documentId}`);
    await button("Remove red").waitFor();
    expect(await focusAfter(button("Remove red"))).toBe("Remove green");
    expect(await focusAfter(button("Remove green"))).toMatch(/-tags$/);
    expect(await focusAfter(button("Remove Quotes 1"))).toBe("Remove Quotes 1");
    expect(await focusAfter(button("Remove Quotes 2"))).toBe("Remove Quotes 1");
    expect(await focusAfter(button("Remove quote").first())).toBe("Add to zone");
    expect(await focusAfter(button("Save"))).toBe("Save");
    await admin.message("Saved");
    expect(admin.complaints).toEqual([]);
  }, 180_000);

  test("the first field of what is added has the focus", async () => {
    await admin.goTo(`/admin/content/${EVERYTHING}/${documentId}`);
    const group = (name: string) => admin.page.getByRole("group", { name, exact: true });
    await group("Zone").getByRole("button", { name: "Add to zone" }).focus();
    await admin.press("Enter");
    await admin.page.getByRole("menuitem").first().waitFor();
    await admin.press("ArrowDown", "Enter");
    await group("Zone").getByLabel("Text").last().and(admin.page.locator(":focus")).waitFor();
    await group("Quotes").getByRole("button", { name: "Add quote" }).focus();
    await admin.press("Enter");
    await group("Quotes").getByLabel("Text").last().and(admin.page.locator(":focus")).waitFor();
    expect(admin.complaints).toEqual([]);
  }, 180_000);

  test("a button that has nothing left to do leaves the focus to what comes before it", async () => {
    await admin.goTo(`/admin/types/${TAG}`);
    await admin.page.getByLabel("Display name").fill("Label");
    expect(await focusAfter(button("Discard changes"))).toBe("Remove…");
    await admin.page.getByLabel("Display name").fill("Label");
    await button("Review changes…").press("Enter");
    const dialog = admin.page.getByRole("dialog");
    await dialog.getByText("displayName").first().waitFor();
    await dialog.getByRole("button", { name: "Write the files" }).press("Enter");
    await dialog.waitFor({ state: "detached" });
    await admin.page.getByRole("main").locator(":focus").waitFor();
  }, 180_000);

  test("a closed dialog and a filter that is taken away leave it on the page", async () => {
    await admin.goTo(`/admin/content/${EVERYTHING}?filters[$and][0][title][$contains]=e`);
    const dialog = admin.page.getByRole("dialog");
    await button("Filter").focus();
    await admin.press("Enter");
    await dialog.getByRole("combobox").first().waitFor();
    await admin.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await button("Filter").and(admin.page.locator(":focus")).waitFor();
    expect(await focusAfter(button(/^Remove: /))).not.toBe("");
    await admin.page.locator(".toolbar :focus").waitFor();
  }, 180_000);
});
