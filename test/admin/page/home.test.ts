/** The first page, the navigation beside every page, the palette and the list of keys. */
import { describe, expect, test } from "bun:test";
import { typeFile } from "../../project.ts";
import { findProblems } from "../../ui/axe.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";

const NOTE = "api::note.note";
const files = {
  ...typeFile("note", { title: { type: "string" } }, { draftAndPublish: true }),
  ...typeFile("about", { text: { type: "string" } }, { kind: "singleType" }),
};

describe.skipIf(!hasBrowser)("the first page and the navigation", () => {
  let server: AdminServer;
  let admin: AdminPage;

  openPage(files, (page) => {
    ({ server, admin } = page);
  });

  const navigation = () => admin.page.getByRole("navigation", { name: "Content and project" });
  const palette = () => admin.page.getByRole("dialog", { name: "Go to" });
  const home = async (): Promise<void> => {
    await admin.visit("/admin");
    await admin.page.getByRole("heading", { level: 1 }).waitFor();
  };

  test("a project without content says how to begin", async () => {
    await home();
    await admin.page.getByRole("heading", { name: "First steps" }).waitFor();
    expect(await admin.page.getByText(/^curl /).textContent()).toBe(`curl "${server.address}/api/about"`);
    expect(await findProblems(admin.page)).toEqual([]);
  });

  test("what was edited last and what waits lead to their documents", async () => {
    const notes = server.galley.documents(NOTE);
    for (const title of ["Waits", "Is out"])
      await notes.create({ data: { title }, ...(title === "Is out" ? { status: "published" } : {}) });
    const card = (name: string) =>
      admin.page.locator(".home-card").filter({ has: admin.page.getByRole("heading", { name }) });
    // the open page hears of it
    await card("Recently edited")
      .getByRole("link", { name: /Is out/ })
      .waitFor();
    await card("Drafts that wait").getByRole("link", { name: /Waits/ }).waitFor();
    expect(await card("Drafts that wait").getByRole("link").count()).toBe(1);
    // a request for what is published
    expect(await admin.page.getByText(/^curl /).textContent()).toBe(`curl "${server.address}/api/notes"`);
    expect(await findProblems(admin.page)).toEqual([]);
    await card("Recently edited").getByRole("link", { name: /Waits/ }).click();
    await admin.page.getByLabel(/^Title/).waitFor();
    await navigation().locator(".nav-count").getByText("2").waitFor();
  });

  test("nothing waits for what the server failed to list", async () => {
    await admin.page.route(/\/admin\/api\/home/, (route) => route.fulfill({ status: 500, json: {} }));
    try {
      await home();
      await admin.page.getByRole("alert").getByText("The server failed").waitFor();
      expect(await admin.page.locator(".skeleton").count()).toBe(0);
      // the failure, which the browser reports
      expect(admin.complaints.splice(0)).toEqual([expect.stringContaining("500")]);
    } finally {
      await admin.page.unroute(/\/admin\/api\/home/);
    }
  });

  test("a favourite comes first in the navigation, until it is none", async () => {
    await admin.visit(`/admin/content/${NOTE}`);
    const button = admin.page.getByRole("button", { name: "Favourite" });
    await button.click();
    const links = navigation().getByRole("link", { name: "note" });
    await links.nth(1).waitFor();
    await admin.page.reload();
    await links.nth(1).waitFor();
    expect(await button.getAttribute("aria-pressed")).toBe("true");
    await button.click();
    await links.nth(1).waitFor({ state: "detached" });
  });

  test("the palette goes to types, documents and settings with keys alone, and begins with what was open last", async () => {
    await home();
    await admin.press("Control+k");
    await palette().getByRole("option").first().getByText("Waits").waitFor();
    const input = palette().getByRole("combobox");
    await admin.type("is ou", input);
    await palette()
      .getByRole("option", { name: /Is out/ })
      .waitFor();
    expect(await findProblems(admin.page)).toEqual([]);
    await admin.press("Enter");
    await admin.page.getByRole("heading", { name: "Is out" }).waitFor();
    await admin.press("Control+k");
    await admin.type("tok", input);
    await admin.press("Enter");
    await admin.page
      .getByRole("link", { name: "API tokens", exact: true })
      .and(admin.page.locator("[aria-current]"))
      .waitFor();
    await admin.press("Control+k");
    await admin.type("new no", input);
    await admin.press("ArrowDown", "ArrowUp", "Enter");
    await admin.page.getByRole("heading", { name: "New note" }).waitFor();
    await admin.press("Control+k");
    await admin.type("nothing at all", input);
    await palette().getByText("Nothing has this name.").waitFor();
    await admin.press("Escape");
    await palette().waitFor({ state: "detached" });
  });

  test("a question mark lists the keys, except where it is typed", async () => {
    await admin.visit(`/admin/content/${NOTE}/new`);
    await admin.type("Why?", admin.page.getByLabel(/^Title/));
    expect(await admin.page.getByRole("dialog").count()).toBe(0);
    await home();
    await admin.press("?");
    const keys = admin.page.getByRole("dialog", { name: "Keys" });
    await keys.getByText("Publish").waitFor();
    expect(await findProblems(admin.page)).toEqual([]);
    expect(admin.complaints).toEqual([]);
  });
});
