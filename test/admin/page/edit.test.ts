/** Documents are edited in a browser: every type of attribute, publishing, locales, and what must not be lost. */
import { describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { findProblems } from "../../ui/axe.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { selectOption } from "../../ui/select-option.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";
import { EVERYTHING, files, makeTags, TAG } from "./everything.ts";
import { pixelFile } from "./pixel.ts";

const path = (id: string, search = ""): string => `/admin/content/${EVERYTHING}/${id}${search}`;

describe.skipIf(!hasBrowser)("a document in the admin page", () => {
  let server: AdminServer;
  let admin: AdminPage;

  openPage(
    files,
    (page) => {
      ({ server, admin } = page);
    },
    async (started) => void (await makeTags(started)),
  );

  const documents = () => server.galley.documents(EVERYTHING);
  const make = async (data: Record<string, unknown>): Promise<string> =>
    (await documents().create({ data })).documentId as string;
  const read = async (documentId: string, params: object = {}): Promise<Record<string, unknown>> =>
    (await documents().findOne({ documentId, populate: "*", ...params })) as Record<string, unknown>;

  const field = (label: string, page = admin) => page.page.getByLabel(new RegExp(`^${label}\\*?$`)).first();
  /** Opens a document and waits for its form. */
  const open = async (id: string, search = "", page = admin): Promise<void> => {
    await page.visit(path(id, search));
    await field("Title", page).waitFor();
  };
  const button = (name: string, page = admin) => page.page.getByRole("button", { name, exact: true });
  const idInUrl = (): string => new URL(admin.page.url()).pathname.split("/").at(-1)!;

  test("no key is lost where the page is slower than the fingers", async () => {
    const id = await make({ title: "Slow", slug: "slow" });
    await open(id);
    await admin.page.getByRole("textbox", { name: "Body" }).click();
    const devtools = await admin.page.context().newCDPSession(admin.page);
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: 6 });
    const text = "the quick brown fox jumps over the lazy dog";
    await admin.page.keyboard.type(text);
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: 1 });
    await admin.press("Control+s");
    await admin.message("Saved");
    expect((await read(id)).body).toEqual([{ type: "paragraph", children: [{ type: "text", text }] }]);
  }, 180_000);

  test("keys with Ctrl save and undo in keyboard layouts of other scripts, too", async () => {
    const id = await make({ title: "Layout", slug: "layout", summary: "before" });
    await open(id);
    const cyrillic = (key: string, code: string): Promise<void> =>
      field("Summary").dispatchEvent("keydown", { key, code, ctrlKey: true });
    await field("Summary").fill("after");
    await cyrillic("ы", "KeyS");
    await admin.message("Saved");
    expect((await read(id)).summary).toBe("after");
    await cyrillic("я", "KeyZ");
    expect(await field("Summary").inputValue()).toBe("before");
    await cyrillic("л", "KeyK");
    await admin.page.getByRole("dialog").waitFor();
    await admin.press("Escape");
  }, 180_000);

  test("Enter in a field sends nothing", async () => {
    const id = await make({ title: "Enter", slug: "enter" });
    await open(id);
    const url = admin.page.url();
    const requests: string[] = [];
    const onRequest = (request: { method(): string; url(): string }): number =>
      requests.push(`${request.method()} ${request.url()}`);
    await field("Title").fill("Entered");
    admin.page.on("request", onRequest);
    // the page reads again what it hears was made
    do {
      requests.length = 0;
      await admin.page.waitForTimeout(500);
    } while (requests.length > 0);
    await field("Title").press("Enter");
    await admin.page.waitForTimeout(200);
    admin.page.off("request", onRequest);
    expect(requests).toEqual([]);
    expect(admin.page.url()).toBe(url);
    expect(await field("Title").inputValue()).toBe("Entered");
    await admin.press("Control+s");
    await admin.message("Saved");
    expect((await read(id)).title).toBe("Entered");
  });

  test("the pointer and the keys highlight in turn what a search has found", async () => {
    await open(await make({ title: "Pointer", slug: "pointer" }));
    await admin.page.getByRole("combobox", { name: "Tags" }).click();
    const options = admin.page.locator(".menu-item");
    const highlighted = admin.page.locator(".menu-item[data-highlighted]");
    const isHighlighted = async (index: number): Promise<void> => {
      const text = await options.nth(index).textContent();
      await highlighted.filter({ hasText: text ?? "" }).waitFor();
      expect(await highlighted.count()).toBe(1);
    };
    await options.nth(2).waitFor();
    await options.nth(1).hover();
    await isHighlighted(1);
    await admin.page.keyboard.press("ArrowDown");
    await isHighlighted(2);
    await options.nth(0).hover();
    await isHighlighted(0);
    await admin.page.keyboard.press("Escape");
  });

  test("every type of attribute is written, saved, and there again", async () => {
    await open("new");
    await admin.type("Everything at once", field("Title"));
    await field("Summary").fill("Two\nlines");
    await field("Count").fill("42");
    await field("Big").fill("9007199254740993");
    await field("Price").fill("1.50");
    await field("Ratio").fill("-2.5e3");
    await admin.page.getByRole("group", { name: "Open" }).getByText("No").click();
    await field("Day").fill("2026-11-22");
    await field("At").fill("09:30");
    await field("When").fill("2026-11-22T10:00");
    await selectOption(field("Mood"), "loud");
    await field("Contact").fill("a@example.com");
    await field("Hidden").fill("not for the API");
    await admin.page.getByRole("textbox", { name: "Body" }).click();
    await admin.page.keyboard.type("Written in blocks");
    const lead = admin.page.getByRole("group", { name: "Lead" });
    await lead.getByRole("button", { name: "Add quote" }).click();
    await lead.getByLabel("Text").fill("Said once");
    // the uid follows the title until somebody types one
    await admin.page.getByText("Available").waitFor();
    await admin.press("Control+s");
    await admin.message("Saved");
    const saved = await read(idInUrl());
    expect(saved).toMatchObject({
      title: "Everything at once",
      slug: "everything-at-once",
      summary: "Two\nlines",
      count: 42,
      big: "9007199254740993",
      price: 1.5,
      ratio: -2500,
      open: false,
      day: "2026-11-22",
      at: "09:30:00.000",
      when: new Date("2026-11-22T10:00").toISOString(),
      mood: "loud",
      contact: "a@example.com",
      body: [{ type: "paragraph", children: [{ type: "text", text: "Written in blocks" }] }],
      lead: { text: "Said once" },
      publishedAt: null,
    });
    await admin.page.reload();
    await field("Count").waitFor();
    expect(await field("Count").inputValue()).toBe("42");
    expect(await field("At").inputValue()).toStartWith("09:30");
    expect(await field("Hidden").inputValue()).toBe("not for the API");
    expect(admin.complaints).toEqual([]);
  }, 180_000);

  test("relations are found on the server, ordered with keys and by dragging, and removed", async () => {
    const id = await make({ title: "Related" });
    await open(id);
    const search = admin.page.getByRole("combobox", { name: "Tags" });
    for (const name of ["red", "green", "blue"]) {
      await search.click();
      await admin.page.getByRole("option", { name: "Create a new one…" }).waitFor();
      await search.fill(name);
      await admin.page.getByRole("option", { name, exact: true }).click();
      await admin.page.getByRole("button", { name: `Remove ${name}` }).waitFor();
    }
    await button("Move blue: arrow keys").focus();
    await admin.press("ArrowUp", "ArrowUp");
    await button("Remove red").click();
    await admin.press("Control+s");
    await admin.message("Saved");
    const names = async () => ((await read(id)).tags as { name: string }[]).map(({ name }) => name);
    expect(await names()).toEqual(["blue", "green"]);
    await admin.page.reload();
    await button("Move green: arrow keys").focus();
    await admin.press("ArrowUp");
    await admin.press("Control+s");
    await admin.message("Saved");
    expect(await names()).toEqual(["green", "blue"]);
    // the published version has the order of the draft, the second time as well
    const published = async () =>
      ((await read(id, { status: "published" })).tags as { name: string }[]).map(({ name }) => name);
    await admin.press("Control+Shift+Enter");
    await admin.message("Published");
    expect(await published()).toEqual(["green", "blue"]);
    await button("Move blue: arrow keys").focus();
    await admin.press("ArrowUp");
    await admin.page.getByText("Not saved", { exact: true }).waitFor();
    await admin.press("Control+Shift+Enter");
    await admin.page.getByText("Not saved", { exact: true }).waitFor({ state: "detached" });
    expect(await published()).toEqual(["blue", "green"]);
    expect(await names()).toEqual(["blue", "green"]);
    const first = button("Move blue: arrow keys");
    await button("Move green: arrow keys").dragTo(first, { targetPosition: { x: 5, y: 2 } });
    await admin.page.getByText("Not saved", { exact: true }).waitFor();
    await admin.press("Control+s");
    await admin.page.getByText("Not saved", { exact: true }).waitFor({ state: "detached" });
    expect(await names()).toEqual(["green", "blue"]);
  }, 180_000);

  test("links that are loaded while a document is saved are not changes of it", async () => {
    const [red] = await server.galley.documents(TAG).findMany({ filters: { name: "red" } });
    const id = await make({ title: "Slow links", tags: [red!.id] });
    const isSaved = Promise.withResolvers<void>();
    const isLoaded = Promise.withResolvers<void>();
    await admin.page.route("**/relations/**/tags?**", async (route) => {
      await isSaved.promise;
      await route.continue();
    });
    await admin.page.route(`**/collection-types/**/${id}?**`, async (route) => {
      const isWrite = route.request().method() === "PUT";
      if (isWrite) {
        isSaved.resolve();
        await isLoaded.promise;
      }
      await route.continue();
    });
    await open(id);
    await field("Summary").fill("Saved meanwhile");
    await admin.press("Control+s");
    await button("Remove red").waitFor();
    isLoaded.resolve();
    await admin.message("Saved");
    await admin.page.getByText("Not saved", { exact: true }).waitFor({ state: "detached" });
    await admin.page.unrouteAll({ behavior: "wait" });
    expect(await button("Remove red").count()).toBe(1);
  }, 180_000);

  test("a document that is not there is said to be missing, and not offered to be saved", async () => {
    await admin.visit(path("a".repeat(24)));
    await admin.page.getByText("There is no such document").waitFor();
    expect(await button("Save").isVisible()).toBe(false);
    await admin.page.getByRole("main").getByRole("link", { name: "everything" }).click();
    await admin.page.getByRole("heading", { name: "everything" }).waitFor();
  }, 180_000);

  test("a related document is made in place, and opened beside", async () => {
    const id = await make({ title: "Beside" });
    await open(id);
    const search = admin.page.getByRole("combobox", { name: "First" });
    await search.click();
    await admin.page.getByRole("option", { name: "Create a new one…" }).waitFor();
    await search.fill("violet");
    await admin.page.getByRole("option", { name: "Create a new one…" }).click();
    const dialog = admin.page.getByRole("dialog", { name: "tag" });
    await dialog.getByText("Not saved").waitFor();
    expect(await dialog.getByLabel("Name").inputValue()).toBe("violet");
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await admin.page.getByRole("button", { name: "violet", exact: true }).waitFor();
    await admin.press("Control+s");
    await admin.message("Saved");
    expect((await read(id)).first).toMatchObject({ name: "violet" });
  }, 180_000);

  test("no letter of a search is lost or moved, however fast it is typed, from the first one on", async () => {
    const text = "the quick brown fox";
    const input = admin.page.getByRole("combobox", { name: "Tags" });
    for (let round = 0; round < 3; round++) {
      await open(await make({ title: "Fast search" }));
      await input.focus();
      await admin.page.keyboard.type(text);
      await admin.page.getByRole("option", { name: "Create a new one…" }).waitFor();
      expect(await input.inputValue()).toBe(text);
      await admin.press("Escape");
      await input.fill("");
      await admin.page.keyboard.type(text);
      expect(await input.inputValue()).toBe(text);
    }
  }, 180_000);

  test("components and zones are added, ordered with keys, folded and removed", async () => {
    const quotes = [1, 2, 3, 4].map((number) => ({ text: `Quote ${number}` }));
    const id = await make({ title: "Components", quotes });
    await open(id);
    await admin.page.getByRole("group", { name: "Quotes" }).getByRole("button", { name: "Expand all" }).waitFor();
    await button("Move Quotes 4: arrow keys").focus();
    await admin.press("ArrowUp", "ArrowUp", "ArrowUp");
    await button("Remove Quotes 2").click();
    const zone = admin.page.getByRole("group", { name: "Zone" });
    await zone.getByRole("button", { name: "Add to zone" }).click();
    await admin.page.getByRole("menuitem").nth(1).click();
    await zone.getByLabel("Caption").fill("In the zone");
    await button("Add above image").click();
    await admin.page.getByRole("menuitem").first().click();
    await admin.type("Before it", zone.getByLabel("Text"));
    await button("Add above Quotes 2").click();
    await admin.type("Quote 1.5", admin.page.getByRole("group", { name: "Quotes" }).getByLabel("Text").first());
    await admin.press("Control+s");
    await admin.message("Saved");
    const saved = await read(id);
    const texts = (saved.quotes as { text: string }[]).map(({ text }) => text);
    expect(texts).toEqual(["Quote 4", "Quote 1.5", "Quote 2", "Quote 3"]);
    expect(saved.zone).toMatchObject([
      { __component: "parts.quote", text: "Before it" },
      { __component: "parts.image", caption: "In the zone" },
    ]);
  }, 180_000);

  test("what is dropped just below the last entry or link comes last", async () => {
    const tags = await server.galley.documents(TAG).findMany({ filters: { name: ["red", "green", "blue"] } });
    const id = await make({
      title: "Dropped below",
      quotes: ["a", "b", "c"].map((text) => ({ text })),
      zone: ["d", "e"].map((text) => ({ __component: "parts.quote", text })),
      tags: tags.map(({ id }) => id),
    });
    await open(id);
    await button("Remove blue").waitFor();
    /** Drags a handle over the upper half of the last item, to a place below it. */
    const dragBelow = async (from: Locator, last: Locator): Promise<void> => {
      await from.scrollIntoViewIfNeeded();
      await last.evaluate((element) => element.scrollIntoView({ block: "center" }));
      const [start, end] = [(await from.boundingBox())!, (await last.boundingBox())!];
      await admin.page.mouse.move(start.x + 8, start.y + 8);
      await admin.page.mouse.down();
      await admin.page.mouse.move(start.x + 8, start.y + 20, { steps: 2 });
      await admin.page.mouse.move(end.x + 30, end.y + 4, { steps: 3 });
      await admin.page.mouse.move(end.x + 30, end.y + end.height + 6);
      await admin.page.mouse.up();
    };
    const entries = (name: string) => admin.page.getByRole("group", { name }).locator(".entry");
    for (const name of ["Quotes", "Zone"])
      await admin.page.getByRole("group", { name }).getByRole("button", { name: "Collapse all" }).click();
    await dragBelow(button("Move Quotes 1: arrow keys"), entries("Quotes").last());
    await dragBelow(entries("Zone").first().getByRole("button", { name: /^Move/ }), entries("Zone").last());
    await dragBelow(admin.page.locator(".related .drag-handle").first(), admin.page.locator(".related").nth(2));
    await admin.press("Control+s");
    await admin.message("Saved");
    const saved = (await read(id)) as Record<"quotes" | "zone" | "tags", Record<string, string>[]>;
    expect(saved.quotes.map(({ text }) => text)).toEqual(["b", "c", "a"]);
    expect(saved.zone.map(({ text }) => text)).toEqual(["e", "d"]);
    const names = tags.map(({ name }) => name as string);
    expect(saved.tags.map(({ name }) => name!)).toEqual([...names.slice(1), names[0]!]);
  }, 180_000);

  test("files are dropped, described and used again", async () => {
    const id = await make({ title: "Files" });
    await open(id);
    const cover = admin.page.getByRole("group", { name: "Cover" });
    await cover.getByRole("button", { name: "Choose, drop or paste" }).click();
    const dialog = admin.page.getByRole("dialog", { name: "Choose a file" });
    await dialog.getByLabel("Files to upload").setInputFiles(pixelFile("dot.png"));
    await dialog.waitFor({ state: "detached" });
    await cover.getByLabel("Alternative text of dot.png").fill("A dot");
    await admin.press("Tab");
    const many = admin.page.getByRole("group", { name: "Files" });
    await many.getByRole("button", { name: "Choose, drop or paste" }).click();
    await admin.page.getByRole("dialog").getByRole("button", { name: "dot.png" }).click();
    await button("Use 1 file").click();
    await admin.press("Control+s");
    await admin.message("Saved");
    const saved = await read(id);
    expect(saved.cover).toMatchObject({ name: "dot.png", alternativeText: "A dot" });
    expect(saved.files).toMatchObject([{ name: "dot.png" }]);
  }, 180_000);

  test("what the server refuses is shown at its field, in folded entries, too", async () => {
    const id = await make({ title: "Refused", quotes: Array.from({ length: 5 }, () => ({ text: "fine" })) });
    await open(id);
    await field("Title").fill("ab");
    await admin.page.getByRole("button", { name: /^Quotes 5/ }).click();
    await admin.page.getByLabel("Text").last().fill("");
    await admin.page.getByRole("button", { name: /^Quotes 5/ }).click();
    await admin.press("Control+Shift+Enter");
    await admin.message("Not saved");
    expect(await admin.page.locator(".field-problem", { hasText: "Must be at least 3" }).count()).toBe(1);
    expect(await admin.page.locator(".entry .field-problem", { hasText: "Required" }).count()).toBe(1);
    expect(await admin.page.locator(":focus").getAttribute("name")).toBe("title");
    expect((await read(id)).title).toBe("Refused");
    await field("Title").fill("abc");
    await admin.page.locator(".field-problem", { hasText: "Must be at least 3" }).waitFor({ state: "detached" });
    expect(await admin.page.locator(".entry .field-problem", { hasText: "Required" }).count()).toBe(1);
  }, 180_000);

  test("a draft is published, compared, discarded and unpublished", async () => {
    const id = await make({ title: "First words" });
    await open(id);
    await admin.press("Control+Shift+Enter");
    await admin.message("Published");
    await field("Title").fill("Second words");
    await field("Summary").fill("Where nothing was");
    await admin.press("Control+s");
    await admin.message("Saved");
    expect((await read(id, { status: "published" })).title).toBe("First words");
    await button("More actions").click();
    await admin.page.getByRole("menuitem", { name: "Compare with the published version" }).click();
    const dialog = admin.page.getByRole("dialog", { name: "Draft and published" });
    const titles = dialog.getByRole("group", { name: "Title" });
    await titles.nth(1).waitFor();
    expect(await titles.allTextContents()).toEqual(["Second words", "First words"]);
    expect(await titles.locator("ins, del").allTextContents()).toEqual(["Second", "First"]);
    const summaries = dialog.getByRole("group", { name: "Summary" });
    expect(await summaries.locator("ins, del").allTextContents()).toEqual(["Where nothing was"]);
    await admin.press("Escape");
    await button("More actions").click();
    await admin.page.getByRole("menuitem", { name: "Discard the draft's changes" }).click();
    await button("Discard").click();
    await admin.message("The draft's changes were discarded");
    expect((await read(id)).title).toBe("First words");
    await button("More actions").click();
    await admin.page.getByRole("menuitem", { name: "Unpublish" }).click();
    await admin.page.getByRole("dialog").getByText("the API does not return it any more").waitFor();
    await button("Unpublish").click();
    await admin.message("Unpublished");
    expect(await read(id, { status: "published" })).toBeNull();
  }, 180_000);

  test("a version of the history is looked at beside what is there now, and restored", async () => {
    const [red] = await server.galley.documents(TAG).findMany({ filters: { name: "red" } });
    const id = await make({ title: "In the past", quotes: [{ text: "then" }], tags: [red!.id] });
    await open(id);
    for (const words of ["First words", "Second words"]) {
      await field("Summary").fill(words);
      await admin.press("Control+s");
      await admin.message("Saved");
      await admin.page.getByText("Not saved", { exact: true }).waitFor({ state: "detached" });
    }
    await button("Remove red").click();
    await button("Remove Quotes 1").click();
    await admin.press("Control+s");
    await admin.page.getByText("Not saved", { exact: true }).waitFor({ state: "detached" });
    await button("More actions").click();
    await admin.page.getByRole("menuitem", { name: "History" }).click();
    const dialog = admin.page.getByRole("dialog", { name: "History" });
    const versions = dialog.getByRole("navigation", { name: "Versions" }).getByRole("button");
    // the newest is what the form has, the oldest what was written otherwise
    await versions.nth(1).and(admin.page.locator("[aria-current=true]")).waitFor();
    expect(await versions.count()).toBe(4);
    await versions.first().click();
    await dialog.getByText("There are no differences.").waitFor();
    await versions.nth(2).click();
    const past = dialog.getByRole("region", { name: "The version" });
    await past.locator("del", { hasText: "First" }).waitFor();
    // what stays is not marked
    expect(await past.locator("ins, del").allTextContents()).toEqual(["Second", "First"]);
    await past.getByRole("button", { name: "red", exact: true }).waitFor();
    expect(await past.getByLabel("Title").count()).toBe(0);
    await dialog.getByRole("button", { name: "Restore this version" }).click();
    await admin.page
      .getByRole("dialog", { name: /^Restore the version of/ })
      .getByRole("button", { name: "Restore" })
      .click();
    await dialog.waitFor({ state: "detached" });
    await button("Remove red").waitFor();
    expect(await field("Summary").inputValue()).toBe("First words");
    const stored = await read(id);
    expect(stored).toMatchObject({ summary: "First words", quotes: [{ text: "then" }], tags: [{ name: "red" }] });
  }, 180_000);

  test("another locale begins with the text of the first", async () => {
    const tag = await server.galley.documents(TAG).create({ data: { name: "linked" } });
    const quotes = [{ text: "Said", source: "Somebody" }];
    const id = await make({ title: "In English", summary: "English summary", tags: [tag.documentId], quotes });
    await open(id);
    const locale = admin.page.getByLabel("Locale", { exact: true });
    await locale.focus();
    await admin.press("ArrowDown", "ArrowDown", "Enter");
    await admin.page.getByRole("heading", { name: "New everything" }).waitFor();
    await locale.and(admin.page.locator(":focus")).waitFor();
    expect(await locale.inputValue()).toBe("French");
    await button("More actions").click();
    await admin.page.getByRole("menuitem", { name: "Fill in from English" }).click();
    await admin.page.getByRole("heading", { name: "In English" }).waitFor();
    await button("More actions").and(admin.page.locator(":focus")).waitFor();
    await button("Remove linked").waitFor();
    await field("Title").fill("En français");
    await admin.press("Control+s");
    await admin.message("Saved");
    expect(await read(id, { locale: "fr" })).toMatchObject({
      title: "En français",
      summary: "English summary",
      tags: [{ name: "linked" }],
      quotes,
    });
    expect((await read(id, { locale: "en" })).title).toBe("In English");
  }, 180_000);

  test("a translator sees the text of the default locale beside each field, also of the next document", async () => {
    const [first, second] = [await make({ title: "In English", summary: "One" }), await make({ title: "The second" })];
    await admin.goTo(`/admin/content/${EVERYTHING}/${first}?locale=fr`);
    await admin.page.getByRole("heading", { name: "New everything" }).waitFor();
    const summary = await admin.page.locator('[name="summary"]').first().elementHandle();
    await button("More actions").click();
    await admin.page.getByRole("menuitem", { name: "Show English beside" }).click();
    const source = (name: string) => admin.page.getByLabel(`${name} English`);
    await source("Summary").waitFor();
    expect([await source("Title").inputValue(), await source("Summary").inputValue()]).toEqual(["In English", "One"]);
    expect(await summary?.evaluate((element) => element.isConnected)).toBe(true);
    expect([await source("Summary").getAttribute("lang"), await source("Summary").isEditable()]).toEqual(["en", false]);
    expect(await source("Count").count()).toBe(0);
    expect(await findProblems(admin.page)).toEqual([]);
    await admin.page.locator('[name="title"]').first().fill("En français");
    await admin.press("Control+s");
    await admin.message("Saved");
    expect((await read(first, { locale: "fr" })).title).toBe("En français");
    await admin.visit(`/admin/content/${EVERYTHING}/${second}?locale=fr`);
    await source("Summary").waitFor();
    expect(await source("Title").inputValue()).toBe("The second");
    await button("More actions").click();
    await admin.page.getByRole("menuitem", { name: "Hide English" }).click();
    await source("Summary").waitFor({ state: "detached" });
    // hidden again before it has come
    const { promise: isHidden, resolve: hide } = Promise.withResolvers<void>();
    const requests = `**/${second}?locale=en`;
    await admin.page.route(requests, async (route) => {
      await isHidden;
      await route.continue();
    });
    for (const choice of ["Show English beside", "Hide English"]) {
      await button("More actions").click();
      await admin.page.getByRole("menuitem", { name: choice }).click();
    }
    const answer = admin.page.waitForResponse(requests);
    hide();
    await (await answer).finished();
    await admin.press("Tab");
    expect(await source("Summary").count()).toBe(0);
    await admin.page.unroute(requests);
  }, 180_000);

  test("another locale begins with what all locales share, and does not reset it", async () => {
    const quotes = [{ text: "Shared" }];
    const shared = { count: 7, mood: "loud", day: "2026-02-03", style: "bold", quotes };
    const id = await make({ title: "In English", ...shared });
    await open(id);
    await selectOption(admin.page.getByLabel("Locale", { exact: true }), "fr");
    await admin.page.getByRole("heading", { name: "New everything" }).waitFor();
    expect(await field("Day").inputValue()).toBe("02/03/2026");
    expect(await field("Count").inputValue()).toBe("7");
    for (const words of ['[name="title"]', '[name="summary"]', ".ProseMirror", ".cm-content"])
      expect(await admin.page.locator(words).first().getAttribute("lang")).toBe("fr");
    await field("Title").fill("En français");
    await admin.press("Control+s");
    await admin.message("Saved");
    for (const locale of ["en", "fr"]) expect(await read(id, { locale })).toMatchObject(shared);
  }, 180_000);

  test("what is typed while another locale's text is read stays", async () => {
    const id = await make({ title: "In English", summary: "English summary" });
    await open(id);
    await selectOption(admin.page.getByLabel("Locale", { exact: true }), "fr");
    await admin.page.getByRole("heading", { name: "New everything" }).waitFor();
    const isAsked = Promise.withResolvers<void>();
    const isTyped = Promise.withResolvers<void>();
    const requests = "**/get-fill-from-locale/**";
    await admin.page.route(requests, async (route) => {
      isAsked.resolve();
      await isTyped.promise;
      await route.continue();
    });
    await button("More actions").click();
    await admin.page.getByRole("menuitem", { name: "Fill in from English" }).click();
    await isAsked.promise;
    await field("Title").fill("En français");
    isTyped.resolve();
    await admin.message("Filled in, not saved yet");
    await admin.page.unroute(requests);
    expect(await field("Title").inputValue()).toBe("En français");
    expect(await field("Summary").inputValue()).toBe("English summary");
    await admin.press("Control+s");
    await admin.message("Saved");
    expect(await read(id, { locale: "fr" })).toMatchObject({ title: "En français", summary: "English summary" });
  }, 180_000);

  test("a copy is made, and a document deleted", async () => {
    const id = await make({ title: "To be copied", count: 7 });
    await open(id);
    await button("More actions").click();
    await admin.page.getByRole("menuitem", { name: "Duplicate" }).click();
    await admin.page.waitForURL((url) => !url.pathname.endsWith(id) && !url.pathname.endsWith("new"));
    const copy = idInUrl();
    expect(await read(copy)).toMatchObject({ title: "To be copied", count: 7 });
    await field("Title").waitFor();
    await button("More actions").click();
    await admin.page.getByRole("menuitem", { name: "Delete" }).click();
    await admin.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await admin.page.getByRole("table").waitFor();
    expect(await read(copy)).toBeNull();
    expect(await read(id)).not.toBeNull();
  }, 180_000);

  test("a single type is written for the first time", async () => {
    await admin.visit("/admin/content/api::about.about");
    await field("Heading").fill("About us");
    await admin.press("Control+s");
    await admin.message("Saved");
    const about = await server.galley.documents("api::about.about").findFirst({});
    expect(about).toMatchObject({ heading: "About us" });
  }, 180_000);

  test("text that was not saved is there again after a closed tab and a stopped server", async () => {
    const id = await make({ title: "Unsaved" });
    await open(id);
    await field("Summary").fill("Hours of work");
    await admin.page.waitForTimeout(500);
    const other = await admin.another();
    await admin.page.close();
    await server.restart();
    admin = other;
    await open(id);
    expect(await field("Summary").inputValue()).toBe("Hours of work");
    await admin.page.getByText("were restored.").waitFor();
    expect((await read(id)).summary).toBeNull();
    await admin.press("Control+s");
    await admin.message("Saved");
    expect((await read(id)).summary).toBe("Hours of work");
    await admin.page.reload();
    await field("Summary").waitFor();
    expect(await admin.page.getByText("were restored").count()).toBe(0);
  }, 180_000);

  test("what is typed without a pause is in the browser's storage meanwhile", async () => {
    const id = await make({ title: "Long" });
    await open(id);
    await field("Title").focus();
    const isStored = await admin.page.evaluate(`new Promise((done) => {
      const stored = () => Object.keys(localStorage).some((key) => key.includes("${id}"));
      let keys = 0;
      const timer = setInterval(() => {
        if (!stored() && keys++ < 200) return document.execCommand("insertText", false, "a");
        clearInterval(timer);
        done(stored());
      }, 50);
    })`);
    expect(isStored).toBe(true);
  }, 180_000);

  test("a save leaves the focus where it is, and what is typed while it goes on", async () => {
    const id = await make({ title: "Typing", quotes: [{ text: "first" }] });
    await open(id);
    const { promise: isTyped, resolve: typed } = Promise.withResolvers<void>();
    await admin.page.route(`**/collection-types/**/${id}?**`, async (route) => {
      if (route.request().method() === "PUT") await isTyped;
      await route.continue();
    });
    const quotes = admin.page.getByRole("group", { name: "Quotes" });
    await quotes.getByRole("button", { name: "Add quote" }).click();
    await quotes.getByLabel("Text").nth(1).fill("second");
    await field("Summary").fill("one");
    const isSent = admin.page.waitForRequest((request) => request.method() === "PUT");
    await admin.press("Control+s");
    await isSent;
    await admin.type(" two", field("Summary"));
    typed();
    await admin.message("Saved");
    expect(await admin.page.locator(":focus").getAttribute("name")).toBe("summary");
    expect(await field("Summary").inputValue()).toBe("one two");
    expect((await read(id)).summary).toBe("one");
    await admin.page.unroute("**/*");
    await admin.press("Control+s");
    await admin.page.getByText("Not saved", { exact: true }).waitFor({ state: "detached" });
    const saved = await read(id);
    expect(saved.summary).toBe("one two");
    expect(saved.quotes).toMatchObject([{ text: "first" }, { text: "second" }]);
  }, 180_000);

  test("a save that nobody answers loses nothing", async () => {
    const id = await make({ title: "Offline" });
    await open(id);
    await admin.context.setOffline(true);
    await field("Summary").fill("Written without a server");
    await admin.press("Control+s");
    await admin.message("The server does not respond");
    expect(await field("Summary").inputValue()).toBe("Written without a server");
    await admin.context.setOffline(false);
    await admin.press("Control+s");
    await admin.message("Saved");
    expect((await read(id)).summary).toBe("Written without a server");
  }, 180_000);

  test("what was saved is not restored, however long its answer takes", async () => {
    const id = await make({ title: "Slow answer" });
    await open(id);
    // the saved version is read again, while what is not saved yet is written to the browser's storage
    await admin.page.route(`**/collection-types/${EVERYTHING}/${id}*`, async (route) => {
      if (route.request().method() === "GET") await Bun.sleep(700);
      await route.continue();
    });
    await field("Summary").fill("Saved already");
    await admin.press("Control+s");
    await admin.message("Saved");
    await admin.page.unroute(`**/collection-types/${EVERYTHING}/${id}*`);
    expect(await admin.page.evaluate(`Object.keys(localStorage).filter((key) => key.includes("${id}"))`)).toEqual([]);
    await open(id);
    expect(await admin.page.getByText("were restored").count()).toBe(0);
  }, 180_000);

  /** Saves a document as somebody else does. */
  const saveElsewhere = (documentId: string, data: Record<string, unknown>) => documents().update({ documentId, data });

  test("somebody else's newer save is told before it is overwritten", async () => {
    const id = await make({ title: "Shared", summary: "as it was" });
    await open(id);
    await field("Title").fill("Mine");
    await saveElsewhere(id, { summary: "theirs" });
    await admin.page.getByText("Somebody else saved this document at").waitFor();
    await admin.press("Control+s");
    const dialog = admin.page.getByRole("dialog", { name: "Somebody else saved this document" });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(await read(id)).toMatchObject({ title: "Shared", summary: "theirs" });
    expect(await field("Title").inputValue()).toBe("Mine");
    await admin.press("Control+s");
    await dialog.getByRole("button", { name: "Save mine over theirs" }).click();
    await admin.message("Saved");
    // only what was changed here is sent
    expect(await read(id)).toMatchObject({ title: "Mine", summary: "theirs" });
    await admin.page.getByText("Somebody else saved this document at").waitFor({ state: "detached" });
  }, 180_000);

  test("what somebody else saves is shown at once, where the focus stays, and can be taken in the place of one's own", async () => {
    const tags = await server.galley.documents(TAG).findMany({ sort: "name" });
    const id = await make({ title: "Watched", summary: "as it was", quotes: [{ text: "one" }], tags: [tags[0]!.id] });
    await open(id);
    await field("Count").focus();
    await saveElsewhere(id, { summary: "theirs", quotes: [{ text: "one" }, { text: "two" }], tags: [tags[1]!.id] });
    await admin.message("Somebody else saved this document");
    expect(await field("Summary").inputValue()).toBe("theirs");
    await admin.page.getByRole("button", { name: "Remove Quotes 2" }).waitFor();
    await button(`Remove ${tags[1]!.name}`).waitFor();
    expect(await button(`Remove ${tags[0]!.name}`).count()).toBe(0);
    await admin.type("7", field("Count"));
    await saveElsewhere(id, { summary: "theirs again" });
    await button("Discard mine and show theirs").click();
    await admin.page.getByText("Not saved", { exact: true }).waitFor({ state: "detached" });
    expect(await field("Summary").inputValue()).toBe("theirs again");
    expect(await field("Count").inputValue()).toBe("");
    await documents().delete({ documentId: id });
    await admin.page.getByText("Somebody else deleted this document").waitFor();
  }, 180_000);

  test("what somebody else has saved is shown before it can be deleted", async () => {
    const id = await make({ title: "Kept", summary: "as it was" });
    // a window that is loaded now does not hear of changes
    await admin.page.route("**/api/events", (route) => route.abort("aborted"));
    await admin.goTo(path(id));
    await field("Title").waitFor();
    await saveElsewhere(id, { summary: "theirs" });
    const remove = async (): Promise<void> => {
      await button("More actions").click();
      await admin.page.getByRole("menuitem", { name: "Delete" }).click();
      await admin.page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    };
    await remove();
    await admin.message("This document was saved by somebody else in the meantime");
    await admin.page.waitForFunction(`document.querySelector("textarea[name=summary]")?.value === "theirs"`);
    await remove();
    await admin.message("Deleted");
    expect(await read(id)).toBeNull();
    await admin.page.unroute("**/api/events");
  }, 180_000);

  test("what is given up does not come back, however slow the server is", async () => {
    const id = await make({ title: "Given up" });
    await open(id);
    await field("Summary").fill("mine");
    await saveElsewhere(id, { summary: "theirs" });
    const giveUp = button("Discard mine and show theirs");
    await giveUp.waitFor();
    const { promise: isReadable, resolve: letRead } = Promise.withResolvers<void>();
    await admin.page.route(`**/collection-types/**/${id}?**`, async (route) => {
      await isReadable;
      await route.continue();
    });
    await admin.page.evaluate("localStorage.clear()");
    await field("Summary").fill("mine, changed");
    await giveUp.click();
    // the form keeps what is not saved a moment after the last key: here while the document is read again
    const kept = async () => String(await admin.page.evaluate("Object.values(localStorage).join()"));
    while (!(await kept()).includes("mine, changed")) await Bun.sleep(20);
    letRead();
    await admin.page.getByText("Not saved", { exact: true }).waitFor({ state: "detached" });
    expect(await field("Summary").inputValue()).toBe("theirs");
    await admin.page.unroute("**/*");
    await open(id);
    expect(await field("Summary").inputValue()).toBe("theirs");
  }, 180_000);

  test("the browser has nothing to complain about", () => {
    expect(admin.complaints).toEqual([]);
  });
});
