/** Documents and dialogs that were open leave nothing in the page. */
import { describe, expect, test } from "bun:test";
import type { CDPSession } from "playwright-core";
import { typeFile } from "../../project.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { type AdminPage, openPage } from "./admin-page.ts";

const COUNT = 12;
/** Enough for what is loaded or created once, and for elements that the focus is remembered for. */
const FIRST = 4;

const files = typeFile("thing", {
  name: { type: "string" },
  isNew: { type: "boolean" },
  kind: { type: "enumeration", enum: ["small", "large"] },
  body: { type: "blocks" },
  story: { type: "richtext" },
});

describe.skipIf(!hasBrowser)("memory of the admin page", () => {
  let admin: AdminPage;
  let session: CDPSession;

  openPage(
    files,
    (page) => {
      admin = page.admin;
    },
    async ({ galley }) => {
      for (let index = 0; index < COUNT; index++)
        await galley.documents("api::thing.thing").create({ data: { name: `thing ${index}`, isNew: true } });
    },
  );

  /** Of the whole page, with those that are no longer in the document but not released. */
  async function counts(): Promise<{ nodes: number; listeners: number }> {
    // twice, since what a collection finalizes is released by the next
    for (let round = 0; round < 2; round++) await session.send("HeapProfiler.collectGarbage");
    const { nodes, jsEventListeners } = await session.send("Memory.getDOMCounters");
    return { nodes, listeners: jsEventListeners };
  }

  test("is the same after each document that was opened", async () => {
    const { page } = admin;
    await admin.goTo("/admin/content/api::thing.thing");
    session = await admin.context.newCDPSession(page);
    const names = new Set<string | null>();
    const opened: { nodes: number; listeners: number }[] = [];
    for (let index = 0; index < COUNT; index++) {
      await page.getByRole("link", { name: `thing ${index}`, exact: true }).click();
      await page.getByRole("heading", { name: `thing ${index}`, exact: true }).waitFor();
      await page.locator(".ProseMirror").waitFor();
      await page.locator(".cm-content").waitFor();
      names.add(await page.locator("input[type=radio]").first().getAttribute("name"));
      await page.locator("nav.back a").click();
      await page.getByRole("link", { name: "thing 0", exact: true }).waitFor();
      if (index >= FIRST) opened.push(await counts());
    }
    // what leaks grows with each document, beyond the most that was there before
    const [before, after] = [opened.slice(0, 4), opened.slice(4)];
    for (const key of ["nodes", "listeners"] as const)
      expect(Math.min(...after.map((count) => count[key]))).toBeLessThanOrEqual(
        Math.max(...before.map((count) => count[key])),
      );
    expect(names.size).toBe(1);
  }, 180_000);
});
