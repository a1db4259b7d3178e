/** Roles, users and tokens in a browser: changed with the keyboard and the pointer, and written into the project's file. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { type Body, configFile, typeFile } from "../../project.ts";
import { findProblems } from "../../ui/axe.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { selectOption } from "../../ui/select-option.ts";
import { AdminPage, type AdminServer, openPage } from "./admin-page.ts";

const files = {
  ...typeFile("note", { text: { type: "string" } }),
  ...configFile({
    roles: { public: ["api::note.note.find"] },
    users: [{ username: "ann", email: "ann@example.com", password: "secret of Ann" }],
  }),
};

describe.skipIf(!hasBrowser)("access in the admin page", () => {
  let server: AdminServer;
  let browser: Browser;
  let admin: AdminPage;

  openPage(files, (page) => {
    ({ server, browser, admin } = page);
  });

  const button = (name: string) => admin.page.getByRole("button", { name, exact: true });
  const inDialog = (name: string) => admin.page.getByRole("dialog").getByRole("button", { name, exact: true });
  const saved = (): Body => JSON.parse(readFileSync(join(server.root, "config/galley.json"), "utf8"));
  const status = async (path: string, key?: string): Promise<number> =>
    (await fetch(server.address + path, key ? { headers: { authorization: `Bearer ${key}` } } : {})).status;
  const writeFile = async (): Promise<void> => {
    await inDialog("Write the file").click();
    await inDialog("Write the file").waitFor({ state: "detached" });
  };

  test("a permission is switched, seen as a change of the file, and counts at once", async () => {
    expect(await status("/api/notes")).toBe(200);
    await admin.visit("/admin/access");
    await admin.page.getByLabel("note: Find", { exact: true }).press(" ");
    await admin.page.getByLabel("note: Find one", { exact: true }).press(" ");
    await button("Save").press("Enter");
    const diff = admin.page.getByRole("region", { name: "Changes to config/galley.json" });
    await diff.getByText('"api::note.note.findOne"').waitFor();
    expect(await diff.textContent()).not.toContain("secret of Ann");
    await writeFile();
    expect(saved().roles.public).toEqual(["api::note.note.findOne"]);
    expect(await status("/api/notes")).toBe(403);
  });

  test("permissions that are not saved yet are there again after another page and a reload", async () => {
    await admin.visit("/admin/access");
    const update = admin.page.getByLabel("note: Update", { exact: true });
    await update.check();
    await admin.page.getByRole("link", { name: "Users", exact: true }).click();
    await admin.page.getByRole("region", { name: "Users" }).waitFor();
    expect(await admin.page.title()).toMatch(/^Access · /);
    await admin.page.reload();
    await admin.page.getByRole("link", { name: "Roles", exact: true }).click();
    await admin.page.getByRole("link", { name: "Public changed" }).waitFor();
    expect(await update.isChecked()).toBe(true);
    await button("Discard").click();
    expect(await update.isChecked()).toBe(false);
    await admin.page.getByRole("link", { name: "Public changed" }).waitFor({ state: "detached" });
  });

  test("a role is made, given to a user of the file, and cannot be removed before it is taken away again", async () => {
    await button("New role").click();
    await admin.page.getByLabel("Name").fill("Éditeur en chef");
    await button("Continue").click();
    await writeFile();
    await admin.page.getByRole("heading", { name: "Éditeur en chef" }).waitFor();
    expect(saved().roles.editeur_en_chef).toEqual([]);
    await admin.page.getByRole("link", { name: "Users", exact: true }).click();
    await selectOption(admin.page.getByLabel("Role of ann"), "editeur_en_chef");
    await writeFile();
    expect(saved().users[0]).toMatchObject({ role: "editeur_en_chef", password: "secret of Ann" });
    await admin.visit("/admin/access/roles?role=editeur_en_chef");
    await button("Delete").click();
    await admin.message("ann");
    // that of the change before may still be there
    await admin.page.locator(".toast-problem").getByRole("button", { name: "Close this message" }).click();
    await admin.visit("/admin/access/users");
    await selectOption(admin.page.getByLabel("Role of ann"), "authenticated");
    await writeFile();
    await admin.visit("/admin/access/roles?role=editeur_en_chef");
    await button("Delete").click();
    await admin.page.getByRole("dialog").getByText("No users have this role.").waitFor();
    await writeFile();
    await admin.message("Deleted");
    expect(Object.keys(saved().roles)).toEqual(["public"]);
  });

  test("a role may have a name of any script, and says what a name without letters lacks", async () => {
    await admin.visit("/admin/access/roles");
    await button("New role").click();
    await admin.page.getByLabel("Name").fill("★");
    await admin.page.getByRole("alert").getByText("A name needs a letter or a digit").waitFor();
    await admin.page.getByLabel("Name").fill("محرر الصفحات");
    await button("Continue").click();
    await writeFile();
    await admin.page.getByRole("heading", { name: "محرر الصفحات" }).waitFor();
    expect(saved().roles.محرر_الصفحات).toEqual([]);
    await button("Delete").click();
    await writeFile();
    await admin.message("Deleted محرر الصفحات");
    // another role in its place could be taken for it
    await admin.visit("/admin/access/roles?role=editor");
    await admin.page.getByText("There is no role editor.").waitFor();
    expect(await button("Save").count()).toBe(0);
  });

  test("a user is made, blocked, given another password, and deleted", async () => {
    await admin.visit("/admin/access/users");
    await button("New user").click();
    await admin.page.getByLabel("Username").fill("bob");
    await admin.page.getByLabel("Email").fill("bob@example.com");
    await admin.page.getByLabel("Password").fill("first password");
    // what was entered is not lost with a key
    await admin.press("Escape");
    const question = admin.page.getByRole("dialog", { name: "Close without saving?" });
    // only one button of it says Close, and keeps what was entered
    await question.getByRole("button", { name: "Discard" }).waitFor();
    expect(await question.getByRole("button", { name: "Close" }).count()).toBe(1);
    await admin.press("Escape");
    await question.waitFor({ state: "detached" });
    expect(await admin.page.getByLabel("Username").inputValue()).toBe("bob");
    await admin.page.getByLabel("Username").fill("ann");
    await inDialog("Create").click();
    await admin.page.getByRole("alert").getByText("Username already taken").waitFor();
    await admin.page.getByLabel("Username").fill("bob");
    await inDialog("Create").click();
    await admin.message("Created bob");
    const login = async (password: string): Promise<number> => {
      const body = JSON.stringify({ identifier: "bob", password });
      const headers = { "content-type": "application/json" };
      return (await fetch(`${server.address}/api/auth/local`, { method: "POST", headers, body })).status;
    };
    const choose = async (item: string): Promise<void> => {
      await button("Actions for bob").click();
      await admin.page.getByRole("menuitem", { name: item, exact: true }).click();
    };
    expect(await login("first password")).toBe(403);
    await admin.visit("/admin/access/roles?role=public&action=plugin::users-permissions.auth.callback");
    await admin.page.getByLabel(/auth.*: callback$/i).press(" ");
    await button("Save").click();
    await writeFile();
    expect(await login("first password")).toBe(200);
    await admin.visit("/admin/access/users?q=bob");
    await choose("Change password");
    await admin.page.getByRole("textbox", { name: /^Password/ }).fill("second password");
    await inDialog("Save").click();
    await admin.message("Changed the password of bob");
    expect([await login("first password"), await login("second password")]).toEqual([400, 200]);
    await choose("Block");
    await admin.message("Blocked bob");
    expect(await login("second password")).toBe(400);
    await choose("Delete");
    await inDialog("Delete").click();
    await admin.page.getByText("No users match.").waitFor();
    // the only one of a last page was deleted
    await admin.visit("/admin/access/users?page=2");
    await admin.page.getByText("No more users").waitFor();
    await button("Previous").click();
    await admin.page.getByText("ann@example.com").waitFor();
  });

  test("going back, a reload or a closed tab does not lose what was entered in a dialog", async () => {
    await admin.visit("/admin/access/users");
    await admin.page.getByRole("link", { name: "API tokens", exact: true }).click();
    await button("New token").click();
    const isKept = () => admin.page.evaluate("!dispatchEvent(new Event('beforeunload', { cancelable: true }))");
    expect(await isKept()).toBe(false);
    const name = admin.page.getByRole("dialog").getByLabel("Name");
    await name.fill("translators");
    expect(await isKept()).toBe(true);
    const question = admin.page.getByRole("dialog", { name: "Close without saving?" });
    await admin.page.goBack();
    await question.waitFor();
    // it is answered by going back, too
    await admin.page.goBack();
    await question.waitFor({ state: "detached" });
    expect(await name.inputValue()).toBe("translators");
    await admin.page.goBack();
    await question.getByRole("button", { name: "Discard" }).click();
    await admin.page.locator("dialog").first().waitFor({ state: "detached" });
    expect(new URL(admin.page.url()).pathname).toBe("/admin/access/tokens");
    expect(await isKept()).toBe(false);
    await admin.page.goBack();
    await admin.page.getByRole("region", { name: "Users" }).waitFor();
  });

  test("users and tokens that have not come have lines in their place; without any, what they are and the button", async () => {
    for (const [name, what] of [
      ["users", "No users yet: people who sign in"],
      ["tokens", "No tokens yet: keys with which programs"],
    ] as const) {
      const answered = Promise.withResolvers<void>();
      const requests = name === "users" ? "**/api/users?**" : "**/admin/api-tokens*";
      await admin.page.route(requests, async (route) => {
        await answered.promise;
        await route.fulfill({ json: name === "users" ? [] : { data: [] } });
      });
      await admin.page.goto(`${server.address}/admin/access/${name}`, { waitUntil: "commit" });
      await admin.page.locator(".item-list .skeleton").first().waitFor();
      answered.resolve();
      const empty = admin.page.locator(".empty", { hasText: what });
      await empty.locator(".icon").waitFor();
      expect(await admin.page.locator(".item-list .skeleton").count()).toBe(0);
      await empty.getByRole("button").click();
      await admin.page.getByRole("dialog", { name: `New ${name.slice(0, -1)}` }).waitFor();
      await admin.press("Escape");
      await admin.page.unroute(requests);
    }
  });

  test("the button of an empty list keeps the focus where it moves with the first of them", async () => {
    const requests = "**/admin/api-tokens*";
    await admin.page.route(requests, (route) =>
      route.request().method() === "GET" ? route.fulfill({ json: { data: [] } }) : route.continue(),
    );
    await admin.page.goto(`${server.address}/admin/access/tokens`);
    await admin.page.locator(".empty").getByRole("button", { name: "New token" }).click();
    await admin.page.unroute(requests);
    await admin.page.getByRole("dialog").getByLabel("Name").fill("The first");
    await admin.press("Enter");
    await admin.page
      .getByRole("dialog", { name: "The key of The first" })
      .getByRole("button", { name: "Done" })
      .click();
    await admin.page
      .locator(".item-list > header")
      .getByRole("button", { name: "New token" })
      .and(admin.page.locator(":focus"))
      .waitFor();
  });

  test("a token's key is shown once, works, and ends when it is revoked", async () => {
    await admin.visit("/admin/access/tokens");
    await button("New token").click();
    await admin.page.getByLabel("Name").fill("site");
    await selectOption(admin.page.getByLabel("Type"), "custom");
    await admin.page.getByLabel("note: Find", { exact: true }).check();
    await selectOption(admin.page.getByLabel("Expires"), "After 7 days");
    const sent: string[] = [];
    admin.page.on("request", (request) => request.method() === "POST" && sent.push(new URL(request.url()).pathname));
    await inDialog("Create").dblclick();
    const key = (await admin.page.locator(".secret code").textContent())!;
    await inDialog("Done").click();
    expect(sent).toEqual(["/admin/api/admin/api-tokens"]);
    expect([await status("/api/notes", key), await status("/api/notes/1", key)]).toEqual([200, 403]);
    expect(await admin.page.content()).not.toContain(key);
    await button("New key for site").click();
    await inDialog("Create a new key").click();
    const other = (await admin.page.locator(".secret code").textContent())!;
    expect([await status("/api/notes", key), await status("/api/notes", other)]).toEqual([401, 200]);
    await inDialog("Done").click();
    await admin.page.route("**/admin/api-tokens*", async (route) => {
      const { data } = await (await route.fetch()).json();
      await route.fulfill({ json: { data: data.map((token: object) => ({ ...token, expiresAt: "2020-01-01" })) } });
    });
    await admin.page.reload();
    await admin.page.getByText("Expired on").first().waitFor();
    expect(await button("New key for site").count()).toBe(0);
    await admin.page.unrouteAll();
    await button("Revoke site").click();
    await inDialog("Revoke").click();
    await admin.message("Revoked site");
    expect(await status("/api/notes", other)).toBe(401);
  });

  test("a refused request has its reason, which leads to the switch that changes it", async () => {
    await admin.visit("/admin/access/why");
    await admin.page.getByLabel("URL").fill("/api/notes?sort=text");
    await admin.press("Enter");
    await admin.page.getByText("403: the role Public may not api::note.note.find").waitFor();
    await admin.page.getByRole("link", { name: "Change the permission" }).press("Enter");
    await admin.page.locator('[aria-label="note: Find"]:focus').waitFor();
    await admin.press(" ");
    await button("Save").click();
    await writeFile();
    await admin.page.goBack();
    await admin.page.getByText("the role Public may api::note.note.find", { exact: true }).waitFor();
    await admin.page.getByRole("region", { name: "Response", exact: true }).getByText('"pagination"').waitFor();
    await selectOption(admin.page.getByLabel("Method"), "GraphQL");
    await admin.page.getByLabel("Operation").fill('{ notes { text } note(documentId: "x") { text } }');
    await button("Explain").click();
    await admin.page.getByText("notes: the role Public may api::note.note.find", { exact: true }).waitFor();
  });

  test("a list and a document have the request behind them, which gives what they show", async () => {
    const { documentId } = await server.galley.documents("api::note.note").create({ data: { text: "Seen" } });
    await admin.visit("/admin/content/api::note.note?filters[$and][0][text][$eq]=Seen");
    await button("Request").click();
    const text = admin.page.getByRole("region", { name: "Request" }).locator("pre");
    const shown = async (): Promise<string> => (await text.textContent()) ?? "";
    await admin.page.getByText("1 document found").waitFor();
    expect((await (await fetch(await shown())).json()) as Body).toMatchObject({ data: [{ text: "Seen" }] });
    await selectOption(admin.page.getByLabel("Format"), "@strapi/client");
    expect(await shown()).toContain('client.collection("notes").find({');
    await selectOption(admin.page.getByLabel("Format"), "GraphQL");
    await admin.page.getByRole("region", { name: "Response", exact: true }).getByText('"notes"').waitFor();
    const [playground] = await Promise.all([
      admin.context.waitForEvent("page"),
      admin.page.getByRole("link", { name: "Playground" }).click(),
    ]);
    await playground.getByText("query Notes").first().waitFor();
    await playground.getByText('"$eq"').or(playground.getByText('"eq"')).first().waitFor();
    await playground.close();
    expect(await findProblems(admin.page)).toEqual([]);
    await admin.press("Escape");
    await admin.visit(`/admin/content/api::note.note/${documentId}`);
    await button("More actions").click();
    await admin.page.getByRole("menuitem", { name: "API request" }).click();
    await admin.page.getByText("The document is there").waitFor();
    expect(await shown()).toContain(`/api/notes/${documentId}`);
  });

  test.each(["light", "dark"] as const)(
    "axe finds nothing, %s",
    async (colorScheme) => {
      const other = await AdminPage.open(browser, server, { colorScheme });
      for (const [path, shown] of [
        ["roles", ".permission-table"],
        ["users", ".item"],
        ["tokens", ".item-list"],
        ["why?url=/api/notes/1", ".step-refused"],
      ] as const) {
        await other.visit(`/admin/access/${path}`);
        await other.page.locator(shown).first().waitFor();
        expect(await findProblems(other.page)).toEqual([]);
      }
      await other.context.close();
    },
    180_000,
  );

  test("every column of a role is in sight at the width of a tablet", async () => {
    await admin.page.setViewportSize({ width: 820, height: 1180 });
    await admin.visit("/admin/access/roles");
    await admin.page.locator(".permission-table").waitFor();
    const over = await admin.page
      .locator(".permission-scroller")
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(over).toBe(0);
  });

  test("nothing is cut off at a width of 360 pixels, and the browser has reported nothing", async () => {
    await admin.page.setViewportSize({ width: 360, height: 700 });
    for (const path of ["roles", "users", "why?url=/api/notes"]) {
      await admin.visit(`/admin/access/${path}`);
      await admin.page.locator(".permission-table, .item, .answer").first().waitFor();
      const over = await admin.page
        .locator("#main")
        .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      expect(over).toBe(0);
    }
    expect(admin.complaints).toEqual([]);
  });
});
