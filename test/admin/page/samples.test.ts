/** Content that is made at once, in a browser: sample documents. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { hasBrowser, launchBrowser } from "../ui/browser.ts";
import { AdminPage, type AdminServer, serveAdmin } from "./admin-page.ts";
import { EVERYTHING, files } from "./everything.ts";

describe.skipIf(!hasBrowser)("sample content", () => {
  let server: AdminServer;
  let browser: Browser;
  let admin: AdminPage;

  beforeAll(async () => {
    [server, browser] = await Promise.all([serveAdmin(files), launchBrowser()]);
    admin = await AdminPage.open(browser, server);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  });

  test("an empty type is filled, and what could not be linked is named", async () => {
    await admin.goTo(`/admin/content/${EVERYTHING}`);
    await admin.page.getByRole("button", { name: "Fill it with sample content" }).click();
    const dialog = admin.page.getByRole("dialog", { name: "Sample content for everything" });
    await dialog.getByLabel("How many").fill("25");
    await dialog.getByLabel("Seed").fill("of a test");
    await dialog.getByLabel("Publish them").check();
    await dialog.getByRole("button", { name: "Make them" }).click();
    await dialog.getByText("Made: 25").waitFor();
    await dialog.getByText(/nothing to link to: .*Tags/).waitFor();
    await admin.press("Escape");
    await admin.page.getByText("25 documents").waitFor();
    expect(await server.galley.documents(EVERYTHING).count({ status: "published" })).toBe(25);
    expect(admin.complaints).toEqual([]);
  }, 60_000);
});
