/** The admin page for everybody: what axe finds, light and dark, and how narrow it may be. */
import { describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { typeFile } from "../../project.ts";
import { findProblems, findProblemsAtWidths } from "../../ui/axe.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { selectOption } from "../../ui/select-option.ts";
import { AdminPage, type AdminServer, openPage } from "./admin-page.ts";
import { EVERYTHING, files, TAG } from "./everything.ts";
import { pixelFile } from "./pixel.ts";

const CRATE = "api::crate.crate";
const LONG = "anAttributeWhoseNameIsLongerThanAnythingThatFitsIntoTheWidthOfATelephone";

describe.skipIf(!hasBrowser)("the admin page", () => {
  let server: AdminServer;
  let browser: Browser;
  let documentId: string;
  let crateId: string;

  openPage(
    {
      ...files,
      ...typeFile("crate", { [LONG]: { type: "string" }, items: { type: "relation", relation: "morphToMany" } }),
    },
    (page) => {
      ({ server, browser } = page);
    },
    async ({ galley }) => {
      const tag = await galley.documents(TAG).create({ data: { name: "red" } });
      const quote = { text: "Said", source: "Somebody" };
      const data = {
        title: "Everything",
        story: "A line.\n\n".repeat(200),
        tags: [tag.documentId],
        lead: quote,
        quotes: [quote, quote],
        zone: [{ __component: "parts.quote", ...quote }],
      };
      documentId = (await galley.documents(EVERYTHING).create({ data })).documentId as string;
      await galley.documents(EVERYTHING).create({ data: { title: "Published" }, status: "published" });
      const crate = await galley.documents(CRATE).create({ data: { [LONG]: LONG.repeat(3) } });
      crateId = crate.documentId as string;
    },
  );

  /** What is looked at, by how one gets there from a page that is signed in; dialogs where they show more than in dialogs.test.ts. */
  const views: Readonly<Record<string, (admin: AdminPage) => Promise<void>>> = {
    "a list": async (admin) => {
      await admin.visit(`/admin/content/${EVERYTHING}`);
      await admin.page.getByLabel("Select Everything").check();
      await admin.page.getByText("1 selected").waitFor();
    },
    "a document with long names": async (admin) => {
      await admin.visit(`/admin/content/${CRATE}/${crateId}`);
      await admin.page.getByLabel("Items: type to add").waitFor();
    },
    "a list without documents": async (admin) => {
      await admin.visit(`/admin/content/${EVERYTHING}?locale=fr`);
      await admin.page.getByText("No documents yet").waitFor();
    },
    "a document that is not there": async (admin) => {
      await admin.visit(`/admin/content/${EVERYTHING}/${"a".repeat(24)}`);
      await admin.page.getByText("There is no such document").waitFor();
    },
    "a path without a page": async (admin) => {
      await admin.visit("/admin/nothing/at/all");
      await admin.page.getByRole("heading", { name: "Not found" }).waitFor();
      await admin.page.getByRole("main").getByRole("link", { name: "Media library" }).waitFor();
    },
    "filters where links lead to any type": async (admin) => {
      await admin.visit(`/admin/content/${CRATE}`);
      await admin.page.getByRole("button", { name: "Filter", exact: true }).click();
      await admin.page.getByRole("dialog").getByText("Not filtered by: Items").waitFor();
    },
    "the filters of a list": async (admin) => {
      await admin.visit(`/admin/content/${EVERYTHING}?filters[$and][0][title][$in][0]=a`);
      await admin.page.getByRole("button", { name: "Filter", exact: true }).click();
      await admin.page.getByRole("dialog").getByLabel("Comparison").waitFor();
    },
    "pasted rows": async (admin) => {
      await admin.visit(`/admin/content/${EVERYTHING}`);
      await admin.page.getByRole("button", { name: "More actions" }).click();
      await admin.page.getByRole("menuitem", { name: "Paste rows" }).click();
      const dialog = admin.page.getByRole("dialog", { name: "Paste rows into everything" });
      await dialog.getByRole("textbox", { name: "Rows" }).fill("Title,Count,Other\nA row,four,x\nAnother row,5,y");
      await dialog.getByText('Row 2, Count: "four" is not a whole number').waitFor();
    },
    "a field of many documents": async (admin) => {
      await admin.visit(`/admin/content/${EVERYTHING}`);
      await admin.page.getByLabel("Select Everything").check();
      await admin.page.getByRole("button", { name: "Edit a field" }).click();
      const dialog = admin.page.getByRole("dialog", { name: "Edit a field of 1 document" });
      await selectOption(dialog.getByRole("combobox", { name: "Field", exact: true }), "body");
      await dialog.getByRole("textbox", { name: "Body" }).waitFor();
    },
    "a document": async (admin) => {
      await admin.visit(`/admin/content/${EVERYTHING}/${documentId}`);
      await admin.page.getByRole("button", { name: "Remove red" }).waitFor();
      await admin.page.getByRole("textbox", { name: "Body" }).waitFor();
    },
    "a document that was refused": async (admin) => {
      await admin.visit(`/admin/content/${EVERYTHING}/new`);
      await admin.page.getByLabel(/^Title/).fill("a");
      await admin.press("Control+Shift+Enter");
      await admin.message("Not saved");
    },
    "a menu": async (admin) => {
      await admin.visit(`/admin/content/${EVERYTHING}/${documentId}`);
      await admin.page.getByRole("button", { name: "More actions" }).click();
      await admin.page.getByRole("menuitem").first().waitFor();
    },
    "the history of a document": async (admin) => {
      await admin.visit(`/admin/content/${EVERYTHING}/${documentId}`);
      await admin.page.getByLabel(/^Count/).fill("7");
      await admin.press("Control+s");
      await admin.message("Saved");
      await admin.page.getByRole("button", { name: "More actions" }).click();
      await admin.page.getByRole("menuitem", { name: "History" }).click();
      const dialog = admin.page.getByRole("dialog", { name: "History" });
      await dialog.getByLabel("Show equal fields").check();
      await dialog.getByRole("group", { name: "Quotes" }).nth(1).waitFor();
    },
    "a search for related documents": async (admin) => {
      await admin.visit(`/admin/content/${EVERYTHING}/${documentId}`);
      await admin.page.getByRole("combobox", { name: "First" }).click();
      await admin.page.getByRole("option", { name: "red" }).waitFor();
    },
    "the choice of files": async (admin) => {
      await admin.visit(`/admin/content/${EVERYTHING}/${documentId}`);
      await admin.page.getByRole("group", { name: "Cover" }).getByRole("button").first().click();
      await admin.page.getByRole("dialog", { name: "Choose a file" }).getByText("No files yet").waitFor();
    },
    "the attributes of a type": async (admin) => {
      await admin.visit(`/admin/types/${EVERYTHING}`);
      await admin.page.getByRole("row", { name: /many to many/ }).waitFor();
    },
    "the view of a form": async (admin) => {
      await admin.visit(`/admin/content/${EVERYTHING}`);
      await admin.page.getByRole("button", { name: "More actions" }).click();
      await admin.page.getByRole("menuitem", { name: "Configure the form" }).click();
      await admin.page.getByLabel("Label of Summary").waitFor();
    },
    "a calendar": async (admin) => {
      await admin.visit(`/admin/content/${EVERYTHING}/${documentId}`);
      await admin.page.locator('[name="day"]').focus();
      await admin.press("Alt+ArrowDown");
      await admin.page.getByRole("dialog", { name: "Choose a date" }).waitFor();
    },
    "what a slash offers": async (admin) => {
      await admin.visit(`/admin/content/${EVERYTHING}/new`);
      await admin.page.getByRole("textbox", { name: "Body" }).focus();
      await admin.press("/");
      await admin.page.getByRole("option", { name: "Heading 2" }).waitFor();
    },
    "a choice from a list": async (admin) => {
      await admin.visit(`/admin/content/${EVERYTHING}`);
      await admin.page.getByLabel("Status", { exact: true }).click();
      await admin.page.getByRole("option").first().waitFor();
    },
    "the palette": async (admin) => {
      await admin.visit("/admin/types");
      await admin.page.getByRole("heading", { name: "Content-types" }).waitFor();
      await admin.press("Control+k");
      await admin.page.getByRole("dialog", { name: "Go to" }).getByRole("option").first().waitFor();
    },
    "the keys": async (admin) => {
      await admin.visit("/admin/types");
      await admin.page.getByRole("heading", { name: "Content-types" }).waitFor();
      await admin.press("?");
      await admin.page.getByRole("dialog", { name: "Keys" }).waitFor();
    },
    "the media library": async (admin) => {
      await admin.visit("/admin/media");
      await admin.page.getByLabel("Files to upload").setInputFiles(pixelFile("pixel.png"));
      await admin.page.locator(".file-card").waitFor();
      await admin.page.getByLabel("Select pixel.png").check();
      // it would cover buttons
      await admin.page.locator(".toast").waitFor({ state: "detached" });
    },
    "the roles": async (admin) => {
      await admin.visit("/admin/access/roles");
      await admin.page.getByRole("region", { name: "Content-types" }).waitFor();
    },
    "the users": async (admin) => {
      await admin.visit("/admin/access/users");
      await admin.page.getByRole("button", { name: "New user" }).waitFor();
    },
    "the tokens": async (admin) => {
      await admin.visit("/admin/access/tokens");
      await admin.page.getByRole("button", { name: "New token" }).waitFor();
    },
    "why a request is refused": async (admin) => {
      await admin.visit("/admin/access/why");
      await admin.page.getByLabel("URL").fill("/api/tags");
      await admin.press("Enter");
      await admin.page.getByRole("region", { name: "Response", exact: true }).waitFor();
    },
    "the locales": async (admin) => {
      await admin.visit("/admin/locales");
      await admin.page.getByRole("button", { name: "Delete French" }).waitFor();
    },
    home: async (admin) => {
      await admin.visit("/admin");
      await admin.page.getByRole("main").getByRole("heading").first().waitFor();
    },
    "the trash": async (admin) => {
      await admin.visit("/admin/trash");
      await admin.page.getByText("Nothing was deleted").waitFor();
    },
    "the way in": async (admin) => {
      await admin.context.clearCookies();
      await admin.goTo("/admin");
      await admin.page.getByRole("button", { name: "Sign in" }).waitFor();
    },
  };

  test("axe finds nothing, light and dark, at three widths", async () => {
    const admin = await AdminPage.open(browser, server);
    const problems: Record<string, string[]> = {};
    for (const [name, show] of Object.entries(views)) {
      await admin.page.setViewportSize({ width: 1440, height: 900 });
      await show(admin);
      const found = await findProblemsAtWidths(admin.page);
      if (found.length > 0) problems[name] = found;
    }
    expect(problems).toEqual({});
    expect(admin.complaints).toEqual([]);
    await admin.context.close();
  }, 240_000);

  test("nothing is cut off, from 360 to 2,560 pixels", async () => {
    const admin = await AdminPage.open(browser, server);
    const overflow = (selector: string): Promise<number> =>
      admin.page.locator(selector).evaluate((element) => element.scrollWidth - element.clientWidth);
    const scrolledDocument = (): Promise<number> =>
      admin.page.locator("html").evaluate((element) => element.scrollHeight - element.clientHeight);
    const scrolledSideways = async (): Promise<unknown> =>
      admin.page.evaluate(`[...document.querySelectorAll("main *")]
        .filter((part) => /auto|scroll/.test(getComputedStyle(part).overflowX) && part.scrollWidth > part.clientWidth)
        .map((part) => part.className)`);
    for (const name of [
      "a list",
      "a list without documents",
      "a document",
      "a document with long names",
      "the attributes of a type",
      "the roles",
    ]) {
      await views[name]!(admin);
      for (const width of [360, 720, 1280, 2560]) {
        await admin.page.setViewportSize({ width, height: 800 });
        expect([name, width, await overflow("html"), await overflow("main")]).toEqual([name, width, 0, 0]);
        for (const table of await admin.page.locator(".type-table-frame").all())
          expect([width, await table.evaluate((element) => element.scrollWidth - element.clientWidth)]).toEqual([
            width,
            0,
          ]);
        // a wide window has room for all of a table, to the pixel
        if (width >= 1280) expect([name, width, await scrolledSideways()]).toEqual([name, width, []]);
        // only the page below the navigation scrolls
        expect([name, width, await scrolledDocument()]).toEqual([name, width, 0]);
      }
    }
    await admin.context.close();
  }, 180_000);

  test("the way past the navigation hides no logo, button or title", async () => {
    const admin = await AdminPage.open(browser, server);
    for (const width of [1280, 360]) {
      await admin.page.setViewportSize({ width, height: 800 });
      await views["a list"]!(admin);
      const skip = admin.page.getByRole("button", { name: "Skip to content" });
      await skip.focus();
      const link = (await skip.boundingBox())!;
      for (const part of await admin.page.locator(".nav-project, .top-bar button, h1").all()) {
        const box = await part.boundingBox();
        const isBeside =
          !box || box.x + box.width <= link.x || link.x + link.width <= box.x || box.y > link.y + link.height;
        expect([width, await part.textContent(), isBeside]).toEqual([width, await part.textContent(), true]);
      }
    }
    await admin.press("Enter");
    await admin.page.locator("#main:focus").waitFor();
    await admin.context.close();
  }, 180_000);

  test("the rows of a list are reached at four times the size", async () => {
    const admin = await AdminPage.open(browser, server);
    await admin.page.setViewportSize({ width: 320, height: 256 });
    await views["a list"]!(admin);
    const row = admin.page.getByRole("row", { name: "Everything", exact: false }).first();
    await row.scrollIntoViewIfNeeded();
    const { height } = (await admin.page.locator(".table-scroller").boundingBox())!;
    expect(height).toBeGreaterThan(150);
    await row.getByRole("link").click();
    await admin.page.getByRole("heading", { name: "Everything" }).waitFor();
    await admin.context.close();
  }, 180_000);

  test("a title without spaces leaves a dialog in its place, and what scrolls can be scrolled with keys", async () => {
    const admin = await AdminPage.open(browser, server);
    await admin.goTo(`/admin/types/${TAG}`);
    await admin.page.getByLabel("Display name").fill(LONG.repeat(4));
    await admin.page.getByRole("button", { name: "Review changes" }).click();
    const dialog = admin.page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Write the files" }).waitFor();
    for (const width of [360, 1280]) {
      await admin.page.setViewportSize({ width, height: 740 });
      const over = await dialog
        .locator(".dialog-box")
        .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      expect([width, over]).toEqual([width, 0]);
    }
    // what the server could not write is tried again from the same dialog
    let sent = 0;
    const error = { status: 507, name: "InsufficientStorageError", message: "There is no space left on the disk" };
    await admin.page.route("**/content-types/apply", (route) =>
      ++sent === 1 ? route.fulfill({ status: 507, json: { data: null, error } }) : route.continue(),
    );
    await dialog.getByRole("button", { name: "Write the files" }).click();
    await dialog.getByRole("alert").getByText(error.message).waitFor();
    await dialog.getByRole("button", { name: "Write the files" }).click();
    await admin.message("Saved: the API serves the new schema");
    await admin.page.setViewportSize({ width: 360, height: 740 });
    await admin.goTo(`/admin/content/${EVERYTHING}/${documentId}`);
    await admin.page.getByRole("textbox", { name: "Story" }).waitFor();
    expect(await findProblems(admin.page, ["scrollable-region-focusable"])).toEqual([]);
    await admin.context.close();
  }, 180_000);
});
