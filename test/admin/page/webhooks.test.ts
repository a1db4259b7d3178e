/** Webhooks and uploads in a browser: webhooks are confirmed, made and sent again, and no script of an upload runs. */
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { WEBHOOKS } from "../../../src/engine/webhooks/webhook.ts";
import { startReceiver } from "../../engine/webhooks/receiver.ts";
import { typeFile } from "../../project.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";
import { Keyboard } from "./keyboard.ts";

const imported = {
  id: 1,
  name: "build",
  url: "http://localhost:29999/hook",
  headers: { "x-key": "a" },
  events: ["entry.publish", "media.create"],
  enabled: true,
  unconfirmed: true,
};
const others = [
  { ...imported, id: 2, name: "public", url: "https://example.com/hook" },
  { ...imported, id: 3, name: "named", url: "http://10.0.0.7/hook" },
  { ...imported, id: 4, name: "private", url: "http://10.0.0.8/hook" },
];

describe.skipIf(!hasBrowser)("webhooks and uploads", () => {
  let admin: AdminPage;
  let server: AdminServer;

  openPage(
    {
      ...typeFile("post", { title: { type: "string" } }),
      "config/galley.json": JSON.stringify({ webhooks: { hosts: ["10.0.0.7"] } }),
    },
    (page) => {
      ({ admin, server } = page);
    },
    async ({ root }) => {
      const db = new Database(join(root, ".galley/content.db"));
      db.run("INSERT INTO galley_meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", [
        WEBHOOKS,
        JSON.stringify([imported, ...others]),
      ]);
      db.close();
    },
  );

  const stored = (): unknown => {
    const db = new Database(join(server.root, ".galley/content.db"), { readonly: true });
    const [[value]] = db.query("SELECT value FROM galley_meta WHERE key = ?").values(WEBHOOKS) as [[string]];
    db.close();
    return JSON.parse(value);
  };
  const button = (name: string) => admin.page.getByRole("button", { name, exact: true });

  const choose = async (item: string): Promise<void> => {
    await button("More actions").click();
    await admin.page.getByRole("menuitem", { name: item, exact: true }).click();
  };

  test("an imported webhook is confirmed, disabled, enabled and deleted", async () => {
    await admin.visit("/admin");
    await admin.page.getByText("A webhook is not called before it is confirmed").click();
    const row = admin.page.getByRole("link", { name: /^build/ });
    await row.getByText("Not confirmed").waitFor();
    expect(await row.textContent()).toContain("http://localhost:29999/hook");
    // the others are called, or are not called whether they are confirmed or not
    for (const { url } of others) expect(await admin.page.getByRole("main").textContent()).toContain(url);
    expect(await admin.page.getByText("Not confirmed").count()).toBe(1);
    await row.click();
    await button("Confirm").click();
    await admin.message("Confirmed build");
    const { unconfirmed: _, ...confirmed } = imported;
    expect(stored()).toEqual([confirmed, ...others]);
    await button("Confirm").waitFor({ state: "detached" });
    await choose("Disable");
    await admin.message("Disabled build");
    expect(stored()).toEqual([{ ...confirmed, enabled: false }, ...others]);
    await choose("Enable");
    await admin.message("Enabled build");
    expect(stored()).toEqual([confirmed, ...others]);
    for (const name of ["build", "public", "named", "private"]) {
      await admin.page.getByRole("link", { name: "Webhooks", exact: true }).click();
      await admin.page.getByRole("link", { name: new RegExp(`^${name}`) }).click();
      await choose("Delete");
      await admin.page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
      await admin.message(`Deleted ${name}`);
    }
    await admin.page.getByText("There are no webhooks.").waitFor();
    expect(stored()).toEqual([]);
    expect(admin.complaints).toEqual([]);
  }, 60_000);

  test("a webhook is made and changed by keyboard; what failed is shown, and sent again", async () => {
    let status = 503;
    const receiver = startReceiver(() => new Response(null, { status }));
    await admin.visit("/admin");
    await admin.page.getByRole("heading", { level: 1 }).waitFor();
    await admin.press("Control+k");
    await admin.type("webhooks", admin.page.getByRole("dialog", { name: "Go to" }).getByRole("combobox"));
    await admin.page.getByRole("option", { name: /^Webhooks/ }).waitFor();
    await admin.press("Enter");
    const keys = new Keyboard(admin);
    const dialog = admin.page.getByRole("dialog");
    await keys.press(button("New webhook"));
    await keys.type(dialog.getByLabel("Name", { exact: true }), "site");
    await keys.type(dialog.getByLabel("URL"), receiver.url);
    // why it cannot be created yet
    await dialog.getByText("At least one of these").waitFor();
    await keys.press(dialog.getByLabel("Document created"), "Space");
    expect(await dialog.getByText("At least one of these").count()).toBe(0);
    // what was entered is not lost by a key
    await admin.press("Escape");
    await admin.page.getByText("What you entered here is lost.").waitFor();
    await admin.press("Escape");
    await keys.press(button("Add a header"));
    await keys.type(dialog.getByLabel("Name of header 1"), "x-key");
    await keys.type(dialog.getByLabel("Value of header 1"), "secret");
    await admin.press("Enter");
    await admin.message("Created site");
    await admin.page.getByText("No event was sent yet.").waitFor();
    await server.galley.documents("api::post.post").create({ data: { title: "Hello" } });
    await admin.page.getByText("Service Unavailable").waitFor();
    await admin.page.getByRole("button", { name: /^Body of Document created/ }).click();
    await admin.page.locator("pre", { hasText: '"title": "Hello"' }).waitFor();
    await admin.page.getByRole("link", { name: "Webhooks", exact: true }).click();
    await admin.page.getByRole("link", { name: /^site .*Document created$/ }).waitFor();
    await admin.visit("/admin");
    await admin.page.getByText("The webhook site failed").click();
    status = 200;
    await admin.page.getByRole("button", { name: /^Send again: Document created/ }).press("Enter");
    await admin.message("Sent again: Document created, 200");
    const requests = await receiver.next(2);
    expect(requests.map(({ headers, body }) => [headers.get("x-key"), body.entry.title])).toEqual([
      ["secret", "Hello"],
      ["secret", "Hello"],
    ]);
    await button("Edit").click();
    expect(await dialog.getByLabel("Value of header 1").inputValue()).toBe("");
    await dialog.getByLabel("URL").fill("x");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("alert").getByText("url must be a valid URL").waitFor();
    await dialog.getByLabel("URL").fill(`${receiver.url}/changed`);
    await dialog.getByRole("button", { name: "Save" }).click();
    await admin.message("Saved");
    await button("Send a test").click();
    await admin.message("The test was received");
    const [tested] = await receiver.next(1);
    expect([tested!.path, tested!.headers.get("x-key")]).toEqual(["/changed", "secret"]);
    expect(admin.complaints).toEqual([]);
    await receiver.stop();
  }, 120_000);

  test("a header that no request can have is refused; what is entered stays when somebody else deletes the webhook", async () => {
    const first = stored() as { id: number }[];
    await admin.visit(`/admin/settings/webhooks/${first[0]!.id}`);
    await button("Edit").click();
    const dialog = admin.page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("renamed");
    await dialog.getByRole("button", { name: "Add a header" }).click();
    const save = dialog.getByRole("button", { name: "Save" });
    await dialog.getByLabel("Name of header 2").fill("not a name");
    await save.click();
    await dialog.getByRole("alert").getByText("No header can be named not a name").waitFor();
    await dialog.getByLabel("Name of header 2").fill("x-name");
    await dialog.getByLabel("Value of header 2").fill("→");
    await save.click();
    await dialog.getByRole("alert").getByText("The value of x-name").waitFor();
    await dialog.getByLabel("Value of header 2").fill("right");
    await admin.page.evaluate(
      (id) => fetch(`/admin/api/admin/webhooks/${id}`, { method: "DELETE", headers: { "x-galley-admin": "1" } }),
      first[0]!.id,
    );
    // one may have been sent before
    for (let time = 0; time < 2; time++)
      await admin.page.waitForResponse((answer) => answer.url().includes("/admin/api/webhooks"));
    expect(await dialog.getByLabel("Name", { exact: true }).inputValue()).toBe("renamed");
    await save.click();
    await dialog.getByText("somebody may have deleted it").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await button("Discard").click();
    await admin.page.getByRole("heading", { name: "Not found" }).waitFor();
    expect(admin.complaints).toEqual([]);
  }, 60_000);

  const mark = "document.cookie = 'ran=1; path=/'; window.top.ran = true;";
  const uploads: Readonly<Record<string, readonly [type: string, content: string]>> = {
    "a.svg": ["image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"><script>${mark}</script></svg>`],
    "a.html": ["text/html", `<!doctype html><script>${mark}</script>`],
    "a.js": ["text/javascript", mark],
    "a.pdf": [
      "application/pdf",
      "%PDF-1.4\n1 0 obj << /Type /Catalog /OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >> >> endobj",
    ],
  };
  for (const [name, [mimeType, content]] of Object.entries(uploads)) {
    test(`no script of the upload ${name} runs`, async () => {
      await admin.visit("/admin/media");
      await button("New folder").waitFor();
      await admin.page.getByLabel("Files to upload").setInputFiles([{ name, mimeType, buffer: Buffer.from(content) }]);
      await admin.page.locator(".card", { hasText: name }).waitFor();
      const db = new Database(join(server.root, ".galley/content.db"), { readonly: true });
      const [[path]] = db.query("SELECT url FROM files WHERE name = ?").values(name) as [[string]];
      db.close();
      const url = new URL(path, server.address).href;
      const { headers } = await fetch(url);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      if (name === "a.pdf") expect(headers.get("content-security-policy")).toContain("script-src 'none'");
      else expect(headers.get("content-disposition")).toBe("attachment");
      // opened in a window, and used by another page of the same origin: the admin page's policy allows no scripts besides its own
      const window = await admin.page.context().newPage();
      await window.goto(url).catch(() => {});
      await window.goto(new URL("/api/none", server.address).href);
      await window.evaluate(`new Promise((done) => {
        const frame = document.createElement("iframe");
        frame.src = ${JSON.stringify(url)};
        const script = document.createElement("script");
        script.src = ${JSON.stringify(url)};
        script.onload = script.onerror = () => setTimeout(done, 500);
        document.body.append(frame, script);
      })`);
      expect(await window.evaluate("window.ran ?? null")).toBeNull();
      expect((await window.context().cookies()).map((cookie) => cookie.name)).not.toContain("ran");
      await window.close();
    }, 60_000);
  }
});
