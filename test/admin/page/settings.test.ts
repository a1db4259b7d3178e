/** Settings of users on the page: what is saved, what is kept unsaved, and for everybody. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { type Body, configFile, projectFolder, typeFile } from "../../project.ts";
import { findProblems, findProblemsAtWidths } from "../../ui/axe.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { until } from "../../until.ts";
import { openSignedIn } from "../signed-in.ts";
import { AdminPage, type AdminServer, openPage } from "./admin-page.ts";
import { Keyboard } from "./keyboard.ts";

const files = typeFile("note", { text: { type: "string" } });

describe("the page's route", () => {
  let ask: Parameters<Parameters<typeof openSignedIn>[2]>[0]["ask"];
  openSignedIn(
    projectFolder({ ...files, ...configFile({ auth: { allowRegister: false } }) }),
    "a key for settings",
    (opened) => {
      ({ ask } = opened);
    },
  );

  test("it names what the file sets, which is not changed here", async () => {
    const { body } = await ask("GET", "/user-settings");
    expect(body.data).toEqual({ configured: ["allowRegister"] });
    const refused = await ask("PUT", "/users-permissions/advanced", { allow_register: true });
    expect([refused.status, refused.body.error.message]).toEqual([
      400,
      "auth.allowRegister is set in config/galley.json: change these settings there",
    ]);
  });
});

describe.skipIf(!hasBrowser)("settings", () => {
  let admin: AdminPage;
  let server: AdminServer;
  let browser: Browser;
  openPage(files, (page) => {
    ({ admin, server, browser } = page);
  });
  const button = (name: string) => admin.page.getByRole("button", { name, exact: true });
  const dialog = () => admin.page.getByRole("dialog");
  const read = (path: string): Promise<Body> =>
    admin.page.evaluate(
      async (url) => (await fetch(`/admin/api${url}`, { headers: { "x-galley-admin": "1" } })).json(),
      path,
    );
  const isNothingUnsaved = async (): Promise<boolean> =>
    !String(await admin.page.evaluate("JSON.stringify(localStorage)")).includes("example.org");
  const resetUrl = () => admin.page.getByLabel("Page to choose a new password");

  test("registration is changed by keyboard, and what is not saved is kept in the browser", async () => {
    await admin.visit("/admin/settings");
    const keys = new Keyboard(admin);
    await keys.press(admin.page.getByRole("link", { name: "Registration", exact: true }));
    await keys.press(admin.page.getByRole("checkbox", { name: /^Anyone may register/ }), "Space");
    await keys.type(resetUrl(), "https://example.org/reset");
    await admin.page.reload();
    await resetUrl().waitFor();
    expect(await resetUrl().inputValue()).toBe("https://example.org/reset");
    expect((await read("/users-permissions/advanced")).settings.allow_register).toBe(true);
    await keys.press(button("Save"));
    await admin.message("Saved");
    expect((await read("/users-permissions/advanced")).settings).toMatchObject({
      allow_register: false,
      unique_email: true,
      email_reset_password: "https://example.org/reset",
      default_role: "authenticated",
    });
    expect(await button("Save").isDisabled()).toBe(true);
    await until("nothing is unsaved", isNothingUnsaved);
    await resetUrl().fill("https://example.org/other");
    await button("Discard").click();
    expect(await resetUrl().inputValue()).toBe("https://example.org/reset");
    expect(await isNothingUnsaved()).toBe(true);
  }, 60_000);

  test("a page is an absolute URL, and there is one to go to after a confirmation", async () => {
    await admin.visit("/admin/settings/registration");
    const isRefused = (label: string) => admin.page.getByLabel(label).and(admin.page.locator(":invalid")).isVisible();
    await resetUrl().fill("example.org/reset");
    await button("Save").click();
    expect(await isRefused("Page to choose a new password")).toBe(true);
    await resetUrl().fill("");
    expect(await isRefused("Page after a confirmation")).toBe(false);
    await admin.page.getByRole("checkbox", { name: /^New users confirm/ }).check();
    await admin.page.getByText("Emails are not sent: they are written to .galley/outbox.").waitFor();
    await button("Save").click();
    expect(await isRefused("Page after a confirmation")).toBe(true);
    expect((await read("/users-permissions/advanced")).settings.email_confirmation).toBe(false);
    await button("Discard").click();
  }, 60_000);

  test("what is not saved in one window is kept beside what is not saved in another", async () => {
    const other = await admin.another();
    await other.goTo("/admin/settings/mails/reset_password");
    const subject = other.page.getByLabel("Subject");
    await subject.fill("first");
    await admin.visit("/admin/settings/registration");
    await resetUrl().fill("https://example.org/kept");
    await subject.fill("second");
    await admin.page.reload();
    await resetUrl().waitFor();
    expect(await resetUrl().inputValue()).toBe("https://example.org/kept");
    await button("Discard").click();
    await other.page.getByRole("button", { name: "Discard" }).click();
    // what was discarded in the one does not come back from the other
    expect(await isNothingUnsaved()).toBe(true);
    await other.page.close();
  }, 60_000);

  test("a provider is enabled with an ID and a secret, which no storage of the browser gets", async () => {
    await admin.visit("/admin/settings/providers");
    await button("GitHub Off").click();
    await dialog().getByRole("checkbox").check();
    expect(await dialog().getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await dialog().getByLabel("Client ID").fill("an id");
    await dialog().getByLabel("Client secret").fill("a secret");
    await admin.press("Escape");
    await admin.page.getByText("What you entered here is lost.").waitFor();
    await admin.page.getByRole("button", { name: "Cancel" }).click();
    expect(await admin.page.evaluate("JSON.stringify([localStorage, sessionStorage])")).not.toContain("a secret");
    await dialog().getByRole("button", { name: "Save" }).click();
    await admin.message("Saved GitHub");
    await button("GitHub Enabled").waitFor();
    const providers = await read("/users-permissions/providers");
    expect(providers.github).toMatchObject({
      enabled: true,
      key: "an id",
      secret: "a secret",
      scope: ["user", "user:email"],
    });
    expect(providers.google.enabled).toBe(false);
  }, 60_000);

  test("a mail is changed; what the server refuses stays, and says why", async () => {
    await admin.visit("/admin/settings/mails");
    await admin.page.getByRole("link", { name: /^Reset password/ }).click();
    const message = admin.page.getByLabel("Message");
    await message.fill("");
    await button("Save").click();
    expect(await message.and(admin.page.locator(":invalid")).isVisible()).toBe(true);
    await message.fill("<%= process.env %>");
    await button("Save").click();
    await admin.page.getByRole("alert").getByText("Invalid template").waitFor();
    // back and again
    await admin.page.getByRole("link", { name: "All emails" }).click();
    await admin.page.getByRole("link", { name: /^Reset password/ }).click();
    expect(await message.inputValue()).toBe("<%= process.env %>");
    await message.fill("Go to <%= URL %>?code=<%= TOKEN %>");
    await admin.page.getByLabel("Subject").fill("A new password");
    await button("Save").click();
    await admin.message("Saved");
    const { reset_password: reset, email_confirmation: other } = await read("/users-permissions/email-templates");
    expect(reset).toMatchObject({
      display: "Email.template.reset_password",
      options: {
        object: "A new password",
        message: "Go to <%= URL %>?code=<%= TOKEN %>",
        from: { email: "no-reply@strapi.io" },
      },
    });
    expect(other.options.object).toBe("Account confirmation");
    expect(admin.complaints).toEqual([]);
  }, 60_000);

  test("a mail is sent as a test, and what keeps it from being sent is shown", async () => {
    await admin.visit("/admin/settings/mails");
    await admin.page.getByText("Emails are not sent: they are written to .galley/outbox.").waitFor();
    const section = admin.page.getByRole("region", { name: "Delivery" });
    const [heading, notice] = await Promise.all(["h3", ".notice"].map((part) => section.locator(part).boundingBox()));
    expect(notice!.y - heading!.y - heading!.height).toBeCloseTo(10);
    const send = async (): Promise<void> => {
      const keys = new Keyboard(admin);
      await keys.type(admin.page.getByLabel("Send a test to"), "ada@example.com");
      await keys.press(button("Send"));
    };
    await send();
    await admin.message("Not sent: emails are written to .galley/outbox");
    const [file = ""] = readdirSync(join(server.root, ".galley/outbox"));
    expect(readFileSync(join(server.root, ".galley/outbox", file), "utf8")).toContain("To: ada@example.com");
    const config = { provider: "smtp", settings: { defaultFrom: "site@example.org" } };
    await admin.page.route("**/email/settings*", (route) => route.fulfill({ json: { config } }));
    const error = { status: 400, name: "ApplicationError", message: "Couldn't send test email: no connection." };
    await admin.page.route("**/email/test", (route) => route.fulfill({ status: 400, json: { error } }));
    await admin.page.reload();
    await admin.page.getByText("Sent by smtp from site@example.org.").waitFor();
    await send();
    await admin.message("no connection");
    await admin.page.unrouteAll();
  }, 60_000);

  test("a backup is downloaded, and restored by keyboard once its summary was seen", async () => {
    const notes = () => server.galley.documents("api::note.note");
    await notes().create({ data: { text: "saved" } });
    await admin.visit("/admin/settings/backup");
    const keys = new Keyboard(admin);
    await keys.press(button("Make a backup"));
    const download = admin.page.waitForEvent("download");
    await keys.press(admin.page.getByRole("link", { name: "Download", exact: true }));
    const file = await (await download).path();
    await notes().create({ data: { text: "later" } });
    const choose = async (path: string): Promise<void> => {
      const chooser = admin.page.waitForEvent("filechooser");
      await keys.press(button("Choose a backup"));
      await (await chooser).setFiles(path);
    };
    await choose(import.meta.path);
    await admin.page.getByRole("alert").getByText("backup.tar.gz is damaged or not complete").waitFor();
    await choose(file);
    const row = admin.page.getByRole("row", { name: "note 2 1" });
    await row.waitFor();
    expect(await findProblems(admin.page)).toEqual([]);
    // it waits, also for another window
    await admin.page.reload();
    await row.waitFor();
    expect(await notes().count({})).toBe(2);
    await keys.press(button("Restore this backup"));
    await admin.page.getByRole("dialog", { name: "Replace all content?" }).waitFor();
    expect(await findProblemsAtWidths(admin.page, "dialog[open]")).toEqual([]);
    await admin.press("Escape");
    expect(await notes().count({})).toBe(2);
    await keys.press(button("Restore this backup"));
    await keys.press(admin.page.getByRole("dialog").getByRole("button", { name: "Restore", exact: true }));
    await admin.message("Restored. What was there before is in .galley/before-restore-");
    await button("Choose a backup").waitFor();
    expect(await notes().findMany({})).toMatchObject([{ text: "saved" }]);
    await choose(file);
    await keys.press(button("Discard"));
    await button("Choose a backup").waitFor();
    expect(admin.complaints).toEqual([]);
  }, 90_000);

  test("what cannot be loaded says why, and is tried again", async () => {
    const other = await admin.another();
    const error = { status: 500, name: "InternalServerError", message: "The disk is gone" };
    await other.page.route(/\/admin\/api\/(webhooks|users-permissions|backup)/, (route) =>
      route.fulfill({ status: 500, json: { error } }),
    );
    for (const path of ["webhooks", "registration", "providers", "mails", "backup"]) {
      await other.visit(`/admin/settings/${path}`);
      await other.page.getByRole("alert").getByText("The disk is gone").waitFor();
    }
    await other.page.unrouteAll();
    await other.page.getByRole("button", { name: "Try again" }).press("Enter");
    await other.page.getByRole("button", { name: "Make a backup" }).waitFor();
    expect(await other.page.getByRole("alert").count()).toBe(0);
    await other.page.close();
  }, 60_000);

  /** What is looked at, by how one gets there. */
  const views: Readonly<Record<string, (page: AdminPage) => Promise<void>>> = {
    "settings/webhooks": ({ page }) => page.getByText("There are no webhooks.").waitFor(),
    "settings/registration": ({ page }) => page.getByLabel("Role of new users").waitFor(),
    "settings/providers": async ({ page }) => {
      await page.getByRole("button", { name: /^Cognito/ }).click();
      await page.getByLabel("Host").waitFor();
    },
    "settings/mails": ({ page }) => page.getByRole("link", { name: /^Confirm address/ }).waitFor(),
    "settings/mails/email_confirmation": ({ page }) => page.getByLabel("Message").waitFor(),
    // under the pointer
    "settings/backup": ({ page }) => page.getByRole("button", { name: "Make a backup" }).hover(),
    "settings/nothing": ({ page }) => page.getByRole("heading", { name: "Not found" }).waitFor(),
  };

  test("axe finds nothing and nothing is cut off, light and dark, at three widths", async () => {
    const other = await AdminPage.open(browser, server);
    const problems: Record<string, unknown> = {};
    for (const [path, show] of Object.entries(views)) {
      await other.visit(`/admin/${path}`);
      await show(other);
      const found = await findProblemsAtWidths(other.page);
      if (found.length > 0) problems[path] = found;
    }
    expect(problems).toEqual({});
    expect(other.complaints).toEqual([]);
    await other.context.close();
  }, 240_000);
});
