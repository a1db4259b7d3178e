/** Webhooks and uploads in a browser: an imported webhook is confirmed on the page, and no script of an upload runs. */
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { WEBHOOKS } from "../../../src/engine/webhooks/webhook.ts";
import { typeFile } from "../../project.ts";
import { findProblems } from "../../ui/axe.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";

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

  test("an imported webhook is confirmed, disabled, enabled and deleted", async () => {
    await admin.goTo("/admin/access/webhooks");
    const item = admin.page.locator(".access-item", { hasText: "build" });
    await item.getByText("Not confirmed").waitFor();
    expect(await item.textContent()).toContain("http://localhost:29999/hook");
    expect(await item.textContent()).toContain("entry.publish, media.create");
    // the others are called, or are not called whether they are confirmed or not
    for (const { url } of others) expect(await admin.page.locator(".access-list").textContent()).toContain(url);
    expect(await admin.page.getByText("Not confirmed").count()).toBe(1);
    expect(await findProblems(admin.page)).toEqual([]);
    await button("Confirm build").click();
    await admin.message("Confirmed build");
    const { unconfirmed: _, ...confirmed } = imported;
    expect(stored()).toEqual([confirmed, ...others]);
    await button("Confirm build").waitFor({ state: "detached" });
    await button("Disable build").click();
    await admin.message("Disabled build");
    expect(stored()).toEqual([{ ...confirmed, enabled: false }, ...others]);
    await button("Enable build").click();
    await admin.message("Enabled build");
    expect(stored()).toEqual([confirmed, ...others]);
    for (const name of ["build", "public", "named", "private"]) {
      await button(`Delete ${name}`).click();
      await button("Delete").click();
      await admin.message(`Deleted ${name}`);
    }
    await admin.page.getByText("There are no webhooks.").waitFor();
    expect(stored()).toEqual([]);
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
      await admin.goTo("/admin/media");
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
