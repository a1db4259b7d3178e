/** Locales in a browser: added, made the default, and deleted; the project's file lists them. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Body, typeFile } from "../../project.ts";
import { findProblems } from "../../ui/axe.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { selectOption } from "../../ui/select-option.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";

describe.skipIf(!hasBrowser)("the locales of the admin page", () => {
  let server: AdminServer;
  let admin: AdminPage;

  openPage(typeFile("note", { text: { type: "string" } }, { localized: true }), (page) => {
    ({ server, admin } = page);
  });

  test("a locale is added, becomes the default, and the other one is deleted", async () => {
    await admin.visit("/admin/locales");
    await selectOption(admin.page.getByLabel("Add a locale"), "fr");
    await admin.page.getByRole("button", { name: "Add", exact: true }).press("Enter");
    await admin.message("Added French (fr)");
    await admin.page.getByRole("button", { name: "Make default: French (fr)" }).press("Enter");
    await admin.message("French (fr) is the default");
    expect(await findProblems(admin.page)).toEqual([]);
    await admin.page.getByRole("button", { name: "Delete English (en)" }).press("Enter");
    await admin.page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).press("Enter");
    await admin.message("Deleted English (en)");
    const { locales }: Body = JSON.parse(readFileSync(join(server.root, "config/galley.json"), "utf8"));
    expect(locales).toEqual([{ code: "fr", name: "French (fr)", isDefault: true }]);
  });

  test("an empty list of another locale leads to the documents of the default one", async () => {
    await server.galley.documents("api::note.note").create({ data: { text: "Un mot" }, locale: "fr" });
    await selectOption(admin.page.getByLabel("Add a locale"), "de");
    await admin.page.getByRole("button", { name: "Add", exact: true }).press("Enter");
    await admin.message("Added German (de)");
    await admin.visit("/admin/content/api::note.note?locale=de");
    await admin.page.getByText("1 document in French (fr). Open one,").waitFor();
    expect(await findProblems(admin.page)).toEqual([]);
    await admin.page.getByRole("button", { name: "Show French (fr)" }).click();
    await admin.page.getByRole("link", { name: "Un mot" }).waitFor();
    expect(admin.complaints).toEqual([]);
  });

  test("a locale is added once by two clicks, and one that was deleted meanwhile is said to be gone", async () => {
    await admin.visit("/admin/locales");
    let requests = 0;
    await admin.page.route("**/admin/api/i18n/locales", async (route) => {
      requests++;
      await Bun.sleep(300);
      await route.continue();
    });
    await selectOption(admin.page.getByLabel("Add a locale"), "it");
    await admin.page.getByRole("button", { name: "Add", exact: true }).dblclick();
    await admin.message("Added Italian (it)");
    expect(requests).toBe(1);
    const remove = async (name: string): Promise<void> => {
      await admin.page.getByRole("button", { name: `Delete ${name}` }).press("Enter");
      await admin.page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).press("Enter");
    };
    const error = { status: 404, name: "NotFoundError", message: "locale.notFound", details: {} };
    await admin.page.route("**/admin/api/i18n/locales/*", (route) =>
      route.fulfill({ status: 404, json: { data: null, error } }),
    );
    await remove("Italian (it)");
    await admin.message("It is not there any more");
    await admin.page.unrouteAll();
    await admin.page
      .locator(":focus")
      .and(admin.page.getByRole("button", { name: "Delete Italian (it)" }))
      .waitFor();
    await remove("Italian (it)");
    await admin.message("Deleted Italian (it)");
    await admin.page.locator("li :focus").waitFor();
  });
});

describe.skipIf(!hasBrowser)("locales that come from code", () => {
  let admin: AdminPage;

  openPage(
    {
      ...typeFile("note", { text: { type: "string" } }, { localized: true }),
      "config/galley.js": `module.exports = () => ({
        locales: [{ code: "en", name: "English", isDefault: true }, { code: "fr", name: "French" }],
        auth: { allowRegister: false },
      });`,
    },
    (page) => {
      ({ admin } = page);
    },
  );

  test("are not changed on the page, which names their file", async () => {
    await admin.visit("/admin/locales");
    await admin.page.getByText("These settings come from config/galley.js: change them there.").waitFor();
    await admin.page.getByText("French").waitFor();
    expect(await admin.page.getByRole("main").getByRole("button").count()).toBe(0);
    await admin.visit("/admin/settings/registration");
    await admin.page.getByText("config/galley.js sets auth.allowRegister").waitFor();
    expect(admin.complaints).toEqual([]);
  });
});
