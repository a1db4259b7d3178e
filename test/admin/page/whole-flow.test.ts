/**
 * From a new content-type to a refused request, with the keyboard alone: each element is reached with Tab, each choice is made
 * with keys.
 */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { type Body, componentFile, configFile, typeFile } from "../../project.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";
import { Keyboard } from "./keyboard.ts";
import { pixelFile } from "./pixel.ts";

const STORY = "api::story.story";

const files = {
  ...componentFile("parts.quote", { text: { type: "string" } }),
  ...typeFile("tag", { name: { type: "string" } }),
  ...configFile({
    locales: [
      { code: "en", name: "English", isDefault: true },
      { code: "fr", name: "French" },
    ],
  }),
};

/** What is chosen for an attribute: the text of a field, the label of a choice, or a box that is ticked. */
type Setting = { readonly text: string } | { readonly choice: string } | "ticked";

/** Each type of attribute by its label, with its name and the options that are chosen. */
const attributes: readonly (readonly [label: string, name: string, settings?: Readonly<Record<string, Setting>>])[] = [
  ["Short text", "title", { Required: "ticked" }],
  ["UID", "slug", { "Generated from": { choice: "title" } }],
  ["Long text", "summary"],
  ["Rich text (Markdown)", "story"],
  ["Rich text (blocks)", "body"],
  ["Integer", "count"],
  ["Big integer", "big"],
  ["Decimal", "price"],
  ["Float", "ratio"],
  ["Boolean", "open"],
  ["Date", "day"],
  ["Time", "at"],
  ["Date and time", "moment"],
  ["Enumeration", "mood", { "Values, one in each line": { text: "calm\nloud" } }],
  ["Email", "contact"],
  ["Password", "secret"],
  ["JSON", "data"],
  ["Media", "cover", { "Multiple files": "ticked" }],
  ["Relation", "tags", { "Relation type": { choice: "many to many" }, "Content-type": { choice: "tag" } }],
  ["Component", "lead", { Component: { choice: "quote" } }],
  ["Component", "quotes", { Component: { choice: "quote" }, Repeatable: "ticked" }],
  ["Dynamic zone", "zone", { quote: "ticked" }],
];

describe.skipIf(!hasBrowser)("the whole flow with the keyboard alone", () => {
  let server: AdminServer;
  let admin: AdminPage;
  let keys: Keyboard;

  openPage(
    files,
    (page) => {
      ({ server, admin } = page);
      keys = new Keyboard(admin);
    },
    async ({ galley }) => {
      for (const name of ["red", "green"]) await galley.documents("api::tag.tag").create({ data: { name } });
    },
    { reducedMotion: "no-preference" },
  );

  const dialog = (): Locator => admin.page.getByRole("dialog").last();
  const button = (name: string | RegExp, within: Locator = admin.page.getByRole("main")): Locator =>
    within.getByRole("button", { name, exact: true });
  const navigation = (name: string): Locator =>
    admin.page.getByRole("navigation", { name: "Content and project" }).getByRole("link", { name, exact: true });
  const field = (label: string): Locator => admin.page.getByLabel(new RegExp(`^${label}\\*?$`)).first();
  const group = (name: string): Locator => admin.page.getByRole("group", { name, exact: true });
  const idInUrl = (): string => new URL(admin.page.url()).pathname.split("/").at(-1)!;
  const read = async (params: object = {}): Promise<Body> =>
    (await server.galley.documents(STORY).findOne({ documentId: idInUrl(), populate: "*", ...params })) as Body;
  const save = async (): Promise<void> => {
    await admin.press("Control+s");
    await admin.message("Saved");
    await admin.page.getByText("Not saved", { exact: true }).waitFor({ state: "detached" });
    // a message may be that of an earlier save
    await admin.page.waitForURL((url) => !url.pathname.endsWith("/new"));
  };
  const settings = (): Body => JSON.parse(readFileSync(join(server.root, "config/galley.json"), "utf8"));

  async function set(label: string, setting: Setting): Promise<void> {
    const target = dialog().getByLabel(label, { exact: true });
    if (setting === "ticked") await keys.tick(target);
    else if ("choice" in setting) await keys.choose(target, setting.choice);
    else await keys.type(target, setting.text);
  }

  test("a content-type with every type of attribute", async () => {
    await keys.press(navigation("Content-types"));
    await keys.press(admin.page.getByRole("main").getByRole("link", { name: "New content-type" }).last());
    await keys.type(field("Display name"), "Story");
    await keys.tick(field("Documents in several locales"));
    for (const [label, name, chosen = {}] of attributes) {
      await keys.press(button("Add an attribute"));
      await admin.type(name, dialog().getByLabel("Name", { exact: true }));
      await keys.pick(dialog().getByRole("group", { name: "Type" }).getByRole("radio"), label);
      for (const [option, setting] of Object.entries(chosen)) await set(option, setting);
      await keys.press(button("Add", dialog()));
      await dialog().waitFor({ state: "detached" });
    }
    await keys.press(button("Review changes…"));
    await dialog().locator(".diff-lines").first().waitFor();
    await keys.press(button("Write the files", dialog()));
    await admin.message("Saved: the API serves the new schema");
    const file = join(server.root, "src/api/story/content-types/story/schema.json");
    expect(Object.keys(JSON.parse(readFileSync(file, "utf8")).attributes)).toEqual(attributes.map(([, name]) => name));
  }, 240_000);

  test("a document of it, with every field, files and links in their order", async () => {
    await keys.press(navigation("Content"));
    await keys.press(navigation("Story"));
    await keys.press(admin.page.getByRole("main").getByRole("link", { name: "New", exact: true }));
    await keys.type(field("Title"), "Once upon a time");
    await keys.type(field("Summary"), "Two\nlines");
    await keys.type(admin.page.getByRole("textbox", { name: "Story" }), "# Heading");
    await keys.type(admin.page.getByRole("textbox", { name: "Body" }), "Blocks");
    await keys.type(field("Count"), "42");
    await keys.type(field("Big"), "9007199254740993");
    await keys.type(field("Price"), "1.50");
    await keys.type(field("Ratio"), "0.25");
    await keys.tick(group("Open").getByLabel("Yes"));
    await keys.type(field("Day"), "11222026");
    await keys.type(field("At"), "093000AM");
    await keys.choose(field("Mood"), "loud");
    await keys.type(field("Contact"), "a@example.com");
    await keys.type(field("Secret"), "secret words");
    await keys.type(admin.page.getByRole("textbox", { name: "Data" }), '{"a": 1}');
    await keys.press(button("Choose, drop or paste", group("Cover")));
    const chooser = admin.page.waitForEvent("filechooser");
    await keys.press(button("Upload", dialog()));
    await (await chooser).setFiles([pixelFile("one.png"), pixelFile("two.png")]);
    await keys.press(button("Use 2 files", dialog()));
    await keys.press(button("Move two.png: arrow keys"), "ArrowUp");
    for (const name of ["red", "green"]) {
      await keys.type(admin.page.getByRole("combobox", { name: "Tags" }), name);
      await admin.page.getByRole("option", { name, exact: true }).waitFor();
      // it alone, and the offer to make a new one
      await admin.page.locator("[role=option]:nth-child(2):last-child").waitFor();
      await admin.press("ArrowDown", "Enter");
      await button(`Remove ${name}`).waitFor();
    }
    await keys.press(button("Move green: arrow keys"), "ArrowUp");
    await keys.press(button("Add quote", group("Lead")));
    await keys.type(group("Lead").getByLabel("Text"), "Led");
    for (const [index, text] of ["first", "second"].entries()) {
      await keys.press(button("Add quote", group("Quotes")));
      await keys.type(group("Quotes").getByLabel("Text").nth(index), text);
    }
    await keys.press(button("Move Quotes 2: arrow keys"), "ArrowUp");
    await keys.press(button("Add to zone"));
    await keys.pressItem("quote");
    await keys.type(group("Zone").getByLabel("Text"), "In the zone");
    await admin.page.getByText("Available").waitFor();
    await save();
    expect(await read()).toMatchObject({
      title: "Once upon a time",
      slug: "once-upon-a-time",
      summary: "Two\nlines",
      story: "# Heading",
      body: [{ type: "paragraph", children: [{ type: "text", text: "Blocks" }] }],
      count: 42,
      big: "9007199254740993",
      price: 1.5,
      ratio: 0.25,
      open: true,
      day: "2026-11-22",
      at: "09:30:00.000",
      mood: "loud",
      contact: "a@example.com",
      data: { a: 1 },
      cover: [{ name: "two.png" }, { name: "one.png" }],
      tags: [{ name: "green" }, { name: "red" }],
      lead: { text: "Led" },
      quotes: [{ text: "second" }, { text: "first" }],
      zone: [{ __component: "parts.quote", text: "In the zone" }],
    });
  }, 240_000);

  test("it is published, translated, unpublished and deleted", async () => {
    await admin.press("Control+Shift+Enter");
    await admin.message("Published");
    await keys.choose(field("Locale"), "French (new)");
    await admin.page.waitForURL("**locale=fr**");
    await keys.press(button("More actions"));
    await keys.pressItem("Fill in from English");
    await keys.type(field("Title"), " (in French)");
    await save();
    expect((await read({ locale: "fr" })).title).toBe("Once upon a time (in French)");
    expect((await read({ status: "published" })).title).toBe("Once upon a time");
    await keys.choose(field("Locale"), "English");
    await admin.page.waitForURL("**locale=en**");
    await keys.press(button("More actions"));
    await keys.pressItem("Unpublish");
    await keys.press(dialog().getByRole("button", { name: "Unpublish" }));
    await admin.message("Unpublished");
    expect(await read({ status: "published" })).toBeNull();
    const documentId = idInUrl();
    await keys.press(button("More actions"));
    await keys.pressItem("Delete this locale");
    await keys.press(button("Delete", dialog()));
    await admin.message("Deleted");
    const left = { documentId, status: "draft" };
    expect(await server.galley.documents(STORY).findOne({ ...left, locale: "en" } as never)).toBeNull();
    expect(await server.galley.documents(STORY).findOne({ ...left, locale: "fr" } as never)).not.toBeNull();
  }, 120_000);

  test("what was deleted is restored from the trash", async () => {
    const name = "Restore: Once upon a time";
    await keys.press(admin.page.getByRole("link", { name: "Trash", exact: true }));
    await keys.press(button(name));
    await admin.message("Once upon a time is restored");
    await button(name).waitFor({ state: "detached" });
    const found = await server.galley.documents(STORY).findMany({ locale: "en" } as never);
    expect(found).toMatchObject([{ title: "Once upon a time" }]);
  }, 120_000);

  test("media are uploaded, described, and used again", async () => {
    await keys.press(navigation("Media library"));
    const chooser = admin.page.waitForEvent("filechooser");
    await keys.press(button("Upload"));
    await (await chooser).setFiles([pixelFile("three.png")]);
    await keys.press(admin.page.locator(".file-card", { hasText: "three.png" }).getByRole("link"));
    await keys.type(dialog().getByLabel("Alternative text"), "A pixel");
    await admin.press("Control+s");
    await admin.message("Saved");
    await admin.press("Escape");
    await keys.press(navigation("Story"));
    await keys.press(admin.page.getByRole("main").getByRole("link", { name: "New", exact: true }));
    await keys.type(field("Title"), "Another");
    await keys.press(button("Choose, drop or paste", group("Cover")));
    await keys.press(button("three.png", dialog()));
    await keys.press(button("Use 1 file", dialog()));
    await save();
    expect((await read()).cover).toMatchObject([{ name: "three.png", alternativeText: "A pixel" }]);
  }, 120_000);

  test("a role, a token and a user are made, and a refused request has its reason", async () => {
    await keys.press(navigation("Access"));
    await keys.press(button("New role"));
    await keys.type(dialog().getByLabel("Name"), "Editor");
    await keys.press(button("Continue", dialog()));
    await keys.press(button("Write the file", dialog()));
    await admin.page.getByRole("heading", { name: "Editor" }).waitFor();
    expect(settings().roles).toHaveProperty("editor");
    await keys.press(admin.page.getByRole("main").getByRole("link", { name: /^API tokens|^Tokens/ }));
    await keys.press(button("New token"));
    await keys.type(dialog().getByLabel("Name"), "site");
    await keys.choose(dialog().getByLabel("Type"), "Read-only");
    await keys.press(button("Create", dialog()));
    const key = (await admin.page.locator(".secret code").textContent())!;
    await keys.press(button("Done", dialog()));
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`${server.address}/api/stories`, { headers })).status;
    expect([await status({ authorization: `Bearer ${key}` }), await status({})]).toEqual([200, 403]);
    await keys.press(admin.page.getByRole("main").getByRole("link", { name: /^Users/ }));
    await keys.press(button("New user"));
    await keys.type(dialog().getByLabel("Username"), "bob");
    await keys.type(dialog().getByLabel("Email"), "bob@example.com");
    await keys.type(dialog().getByLabel("Password"), "secret words");
    await keys.press(button("Create", dialog()));
    await admin.message("Created bob");
    await keys.press(admin.page.getByRole("main").getByRole("link", { name: /^Why/ }));
    await keys.type(field("URL"), "/api/stories");
    await admin.press("Enter");
    await admin.page.getByText("403: the role Public may not api::story.story.find").waitFor();
    await keys.press(admin.page.getByRole("link", { name: "Change the permission" }));
    await admin.page.locator('[aria-label="Story: Find"]:focus').waitFor();
    await admin.press(" ");
    await keys.press(button("Save"));
    await keys.press(button("Write the file", dialog()));
    await dialog().waitFor({ state: "detached" });
    expect(await status({})).toBe(200);
    expect(admin.complaints).toEqual([]);
  }, 120_000);
});
