/** Servers and sessions that end in the middle of work, and settings that the project's own code makes. */
import { beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { signInLink } from "../../../src/admin/session/session.ts";
import { configFile, typeFile } from "../../project.ts";
import { findProblems } from "../../ui/axe.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { type AdminPage, type AdminServer, KEY, openPage } from "./admin-page.ts";

const NOTE = "api::note.note";
const BOOTSTRAP = `module.exports = {
  async bootstrap({ strapi }) {
    const role = await strapi.db.query("plugin::users-permissions.role").findOne({ where: { type: "public" } });
    const permissions = strapi.db.query("plugin::users-permissions.permission");
    const where = { action: "api::note.note.findOne", role: role.id };
    if (!(await permissions.findOne({ where }))) await permissions.create({ data: where });
  },
};`;

describe.skipIf(!hasBrowser)("the admin page", () => {
  let server: AdminServer;
  let admin: AdminPage;

  openPage(
    {
      ...typeFile("note", { text: { type: "string" }, rank: { type: "integer" } }),
      ...configFile({ roles: { public: ["api::note.note.find"] } }),
      "src/index.js": BOOTSTRAP,
    },
    (page) => {
      ({ server, admin } = page);
    },
  );

  const notes = () => server.galley.documents<{ text: string }>(NOTE);
  const signIn = () => admin.page.getByRole("dialog", { name: "Sign in" });
  const toast = (text: string) => admin.page.locator(".toast", { hasText: text });

  beforeEach(() => admin.page.unrouteAll());

  test("permissions that code grants are read-only, named, and not written into the file", async () => {
    await admin.goTo("/admin/access/roles");
    await admin.page.getByText("The project's own code grants these when it starts").waitFor();
    const fixed = admin.page.getByLabel("note: Find one", { exact: true });
    expect([await fixed.isChecked(), await fixed.isDisabled()]).toEqual([true, true]);
    await admin.page.getByLabel("note: every action", { exact: true }).press(" ");
    await admin.page.getByRole("button", { name: "Save", exact: true }).click();
    await admin.page.getByRole("dialog").getByRole("button", { name: "Write the file" }).click();
    await admin.message("Saved");
    const actions = ["find", "create", "update", "delete"].map((action) => `${NOTE}.${action}`);
    expect(JSON.parse(readFileSync(join(server.root, "config/galley.json"), "utf8")).roles.public).toEqual(actions);
  }, 30_000);

  test("pasted rows that were made before an error are not made twice", async () => {
    await admin.visit(`/admin/content/${NOTE}`);
    await admin.page.getByRole("button", { name: "More actions" }).click();
    await admin.page.getByRole("menuitem", { name: "Paste rows" }).click();
    const dialog = admin.page.getByRole("dialog");
    const rows = Array.from({ length: 250 }, (_, index) => `row ${index},${index === 3 ? "x" : index}`);
    await dialog.getByRole("textbox", { name: "Rows" }).fill(["Text,Rank", ...rows].join("\n"));
    let batches = 0;
    await admin.page.route("**/admin/api/rows", (route) =>
      !route.request().postData()?.includes('"isTrial":true') && ++batches === 2 ? route.abort() : route.continue(),
    );
    await dialog.getByRole("button", { name: "Create 249 rows" }).click();
    await dialog
      .getByText(
        "The server does not respond. Created: 100 rows, which are no longer listed here. " +
          "The next 100 rows may have been created or not.",
      )
      .waitFor();
    await dialog.getByRole("button", { name: "Create 149 rows" }).click();
    await admin.message("Created 149 rows");
    await dialog.getByText("1 row will be skipped").waitFor();
    expect(await notes().count({})).toBe(249);
    expect(await notes().count({ filters: { text: "row 50" } })).toBe(1);
    await admin.press("Escape");
  }, 180_000);

  /** The next request that creates a note is carried out, and its response is lost. Returns how many there were. */
  async function loseResponse(): Promise<() => number> {
    let requests = 0;
    await admin.page.route(`**/content-manager/collection-types/${NOTE}*`, async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      requests++;
      await route.fetch();
      await route.abort();
    });
    return () => requests;
  }

  test("a new document whose response is lost is found", async () => {
    await admin.visit(`/admin/content/${NOTE}/new`);
    await admin.page.getByLabel("Text").fill("found");
    const requests = await loseResponse();
    await admin.press("Control+s");
    await admin.message("Saved");
    expect(requests()).toBe(1);
    const [note, ...others] = (await notes().findMany({ filters: { text: "found" } })) as { documentId: string }[];
    expect(others).toEqual([]);
    await admin.page.waitForURL(`**/${note!.documentId}*`);
  }, 180_000);

  test("a new document whose response is lost, and which cannot be read, is not made twice", async () => {
    await admin.visit(`/admin/content/${NOTE}/new`);
    await admin.page.getByLabel("Text").fill("once");
    const requests = await loseResponse();
    await admin.page.route(`**/content-manager/collection-types/${NOTE}/**`, (route) => route.abort());
    await admin.press("Control+s");
    await toast("The server does not respond").waitFor();
    await notes().create({ data: { text: "of somebody else" } });
    await admin.page.getByLabel("Text").fill("once, and changed");
    // what is restored after the tab was closed is the same document
    await admin.page.evaluate("new Promise((resolve) => setTimeout(resolve, 500))");
    // an event of the server does not say that it is saved
    expect(await toast("The server does not respond").count()).toBe(1);
    await admin.page.unrouteAll();
    await admin.page.reload();
    await admin.page.getByText("were restored").waitFor();
    await admin.press("Control+s");
    await admin.message("Saved");
    expect(requests()).toBe(1);
    const texts = await notes().findMany({ filters: { text: { $startsWith: "once" } } });
    expect(texts.map(({ text }) => text)).toEqual(["once, and changed"]);
  }, 180_000);

  test("a message that the server does not respond goes when it does", async () => {
    const { documentId } = await notes().create({ data: { text: "kept" } });
    await admin.visit(`/admin/content/${NOTE}/${documentId}`);
    await admin.page.getByLabel("Text").fill("changed");
    await admin.page.route("**/admin/api/content-manager/**", (route) => route.abort());
    await admin.press("Control+s");
    await toast("The server does not respond").waitFor();
    await admin.page.unrouteAll();
    await server.restart();
    await toast("The server does not respond").waitFor({ state: "detached" });
    expect(await admin.page.getByLabel("Text").inputValue()).toBe("changed");
    await admin.press("Control+s");
    await admin.message("Saved");
  }, 180_000);

  test.each([
    ["Media library", "Nothing here yet"],
    ["Content-types", "Choose one, or make a new one"],
  ])(
    "%s asks again once the server is back",
    async (name, content) => {
      await admin.goTo("/admin/locales");
      const link = admin.page.getByRole("link", { name, exact: true });
      await link.waitFor();
      await admin.page.route("**/admin/api/**", (route) => route.abort());
      await link.click();
      const problem = admin.page.getByRole("main").getByRole("alert").getByText("The server does not respond");
      await problem.waitFor();
      await admin.page.unrouteAll();
      await server.restart();
      await admin.page.getByText(content).waitFor();
      expect(await problem.count()).toBe(0);
    },
    180_000,
  );

  test("a line at the top shows that a request takes long, and nothing that it does not", async () => {
    await notes().create({ data: { text: "kept" } });
    await admin.visit(`/admin/content/${NOTE}`);
    await admin.page.locator("td > a").first().waitFor();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await admin.page.route("**/admin/api/lists/**", async (route) => {
      await released;
      await route.continue();
    });
    await admin.page.evaluate(`{
      addEventListener("input", () => { globalThis.typedAt = performance.now(); }, { capture: true });
      new MutationObserver(() => {
        if (document.querySelector(".loading-bar")) globalThis.shownAt ??= performance.now();
      }).observe(document, { childList: true, subtree: true });
    }`);
    await admin.page.getByLabel("Search", { exact: true }).fill("kept");
    await admin.page.locator(".loading-bar").waitFor();
    // after 400 milliseconds, which begin after the listener here was called
    expect(Number(await admin.page.evaluate("shownAt - typedAt"))).toBeGreaterThan(395);
    release();
    await admin.page.locator(".loading-bar").waitFor({ state: "detached" });
  }, 180_000);

  test("a session that ends while somebody types leads to the way in alone, and loses nothing", async () => {
    const { documentId } = await notes().create({ data: { text: "kept" } });
    await admin.visit(`/admin/content/${NOTE}/${documentId}`);
    await admin.page.getByLabel("Text").fill("typed");
    await admin.context.clearCookies();
    await admin.press("Control+s");
    await admin.page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(await admin.page.locator(".toast-problem").count()).toBe(0);
    await admin.page.getByRole("alert").getByText("What you have not saved is still here").waitFor();
    // nothing is behind it that could be used or read
    await admin.press("Escape", "Escape");
    await admin.page.getByLabel("Link or admin token").fill("wrong");
    await admin.press("Enter");
    await admin.page.getByText("This is neither a link of this server nor an admin token").waitFor();
    expect(await findProblems(admin.page)).toEqual([]);
    const link = signInLink(server.address, KEY, Date.now());
    await admin.page.getByLabel("Link or admin token").fill(link);
    await admin.press("Enter");
    await signIn().waitFor({ state: "detached" });
    expect(await admin.page.getByLabel("Text").inputValue()).toBe("typed");
    await admin.press("Control+s");
    await admin.message("Saved");
  }, 180_000);

  test("what was entered in a dialog is there when another window has signed in", async () => {
    await admin.visit("/admin/access/users");
    await admin.page.getByRole("button", { name: "New user" }).click();
    for (const [label, value] of [
      ["Username", "erika"],
      ["Email", "erika@example.com"],
      ["Password", "secret of Erika"],
    ] as const)
      await admin.page.getByLabel(label).fill(value);
    await admin.context.clearCookies();
    const create = admin.page.getByRole("button", { name: "Create" });
    // not a real click, which the way in would be over if another request has been refused before
    await create.dispatchEvent("click");
    await signIn().waitFor();
    const other = await admin.another();
    await other.page.goto(signInLink(server.address, KEY, Date.now()));
    await other.page.getByRole("heading", { level: 1 }).waitFor();
    await other.page.close();
    // what a browser sends when the window is chosen again, which one without a screen does not
    await admin.page.evaluate("dispatchEvent(new Event('focus'))");
    await signIn().waitFor({ state: "detached" });
    await admin.page.getByRole("alert").getByText("Your session had ended: try again").waitFor();
    await create.click();
    await admin.message("Created erika");
  }, 180_000);
});
