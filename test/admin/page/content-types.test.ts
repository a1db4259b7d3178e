/** Content-types in a browser: made, changed and removed, by keyboard and pointer, looked at before they are written. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { type Body, configFile, typeFile } from "../../project.ts";
import { findProblems } from "../../ui/axe.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { selectOption } from "../../ui/select-option.ts";
import { AdminPage, type AdminServer, openPage } from "./admin-page.ts";

const TIMEOUT_MS = 120_000;
const KEY = "an-admin-token";

/** Each type of attribute with the options that are chosen for it, by their labels. */
const attributes: readonly (readonly [type: string, options?: Readonly<Record<string, string | true>>])[] = [
  ["string", { "Maximum length": "80", Required: true }],
  ["text", { "Regular expression": "^a" }],
  ["richtext"],
  ["blocks"],
  ["uid", { "Generated from": "aString" }],
  ["integer", { Minimum: "1", Maximum: "9" }],
  ["biginteger", { Maximum: "9007199254740993" }],
  ["decimal", { "Default value": "0.5" }],
  ["float"],
  ["boolean", { "Default value": "true" }],
  ["date", { "Default value": "2026-11-22" }],
  ["time"],
  ["datetime", { Unique: true }],
  ["timestamp"],
  ["enumeration", { "Values, one in each line": "one\ntwo" }],
  ["email", { "Private: not in the Content API": true }],
  ["password"],
  ["json", { "Default value": '{"a":1}' }],
  ["media", { "Multiple files": true }],
  [
    "relation",
    { "Relation type": "manyToMany", "Content-type": "api::author.author", "Name of the other side": "things" },
  ],
  ["component", { Component: "page.part", Repeatable: true, Maximum: "3" }],
  ["dynamiczone", { Part: true }],
];
const nameOf = (type: string): string => `a${type[0]!.toUpperCase()}${type.slice(1)}`;

const files = {
  ...typeFile("author", { name: { type: "string" } }),
  ...typeFile("note", { title: { type: "string" }, size: { type: "string" }, extra: { type: "boolean" } }),
  "src/components/page/part.json": JSON.stringify({
    collectionName: "components_page_parts",
    info: { displayName: "Part" },
    attributes: { words: { type: "string" } },
  }),
  ...configFile({ tokens: [{ name: "admin", type: "admin", key: KEY }] }),
};

describe.skipIf(!hasBrowser)("content-types", () => {
  let server: AdminServer;
  let browser: Browser;
  let admin: AdminPage;

  openPage(files, (page) => {
    ({ server, browser, admin } = page);
  });

  const request = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
    return (await server.galley.handle(new Request(server.address + path, init))).json() as Promise<Body>;
  };
  const schemaOf = (name: string) =>
    JSON.parse(readFileSync(join(server.root, `src/api/${name}/content-types/${name}/schema.json`), "utf8"));
  const button = (name: string): Locator => admin.page.getByRole("button", { name, exact: true });
  const dialog = (): Locator => admin.page.getByRole("dialog");
  const label = (name: string): Locator => dialog().getByLabel(name, { exact: true });

  async function choose(name: string, value: string | true): Promise<void> {
    const field = label(name);
    if (value === true) await field.check();
    else if ((await field.getAttribute("role")) === "combobox") await selectOption(field, value);
    else await field.fill(value);
  }

  /** By its name in the schema file. */
  async function pickType(type: string): Promise<void> {
    const change = dialog().getByText("Change the type");
    const radio = dialog().locator(`input[type=radio][value=${type}]`);
    await change.or(radio).first().waitFor();
    if (await change.isVisible()) await change.click();
    await radio.check();
  }

  async function write(): Promise<void> {
    await button("Review changes…").click();
    await dialog().locator(".diff-lines").first().waitFor();
    await button("Write the files").click();
    await admin.message("Saved: the API serves the new schema");
    await admin.page.locator(".toast button[aria-label]").first().click();
  }

  test(
    "one with every type of attribute is made, and served at once",
    async () => {
      await admin.visit("/admin/types/new-type");
      await admin.type("Big thing", admin.page.getByLabel("Display name"));
      expect(await admin.page.getByLabel("API ID, plural").inputValue()).toBe("big-things");
      for (const [type, options = {}] of attributes) {
        await button("Add an attribute").click();
        await label("Name").fill(nameOf(type));
        await pickType(type);
        for (const [name, value] of Object.entries(options)) await choose(name, value);
        await button("Add").click();
      }
      await write();
      expect(schemaOf("big-thing").attributes).toMatchObject({
        aString: { type: "string", maxLength: 80, required: true },
        aText: { type: "text", regex: "^a" },
        aUid: { type: "uid", targetField: "aString" },
        aInteger: { type: "integer", min: 1, max: 9 },
        aBiginteger: { type: "biginteger", max: "9007199254740993" },
        aDecimal: { default: 0.5 },
        aBoolean: { default: true },
        aDate: { default: "2026-11-22" },
        aDatetime: { unique: true },
        aEnumeration: { enum: ["one", "two"] },
        aEmail: { private: true },
        aJson: { default: { a: 1 } },
        aMedia: { multiple: true, allowedTypes: ["images", "files", "videos", "audios"] },
        aRelation: { relation: "manyToMany", target: "api::author.author", inversedBy: "things" },
        aComponent: { component: "page.part", repeatable: true, max: 3 },
        aDynamiczone: { components: ["page.part"] },
      });
      expect(Object.keys(schemaOf("big-thing").attributes)).toEqual(attributes.map(([type]) => nameOf(type)));
      expect(schemaOf("author").attributes.things).toMatchObject({ relation: "manyToMany", mappedBy: "aRelation" });
      const made = await request("POST", "/content-manager/collection-types/api::big-thing.big-thing", {
        aString: "a",
      });
      expect(made.data).toMatchObject({ aString: "a", aBoolean: true, aDecimal: 0.5 });
      await admin.page.getByRole("navigation", { name: "Types and components" }).getByText("Big thing").waitFor();
      expect(admin.complaints).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test(
    "names of the API are fixed, and what is written again is the same",
    async () => {
      await admin.visit("/admin/types/api::big-thing.big-thing");
      const singular = admin.page.getByLabel("API ID, singular");
      expect(await singular.getAttribute("readonly")).not.toBeNull();
      const before = schemaOf("big-thing");
      await admin.page.getByLabel("Display name").fill("Large thing");
      await write();
      expect(schemaOf("big-thing")).toEqual({ ...before, info: { ...before.info, displayName: "Large thing" } });
      await button("Edit aString").click();
      await label("Name").fill("aTitle");
      await button("Done").click();
      await write();
      expect(schemaOf("big-thing").attributes).toMatchObject({
        aTitle: { maxLength: 80 },
        aUid: { targetField: "aTitle" },
      });
      expect(schemaOf("author").attributes.things).toMatchObject({ mappedBy: "aRelation" });
    },
    TIMEOUT_MS,
  );

  test(
    "renamed, converted and removed attributes: told with numbers, and values are kept",
    async () => {
      for (const size of ["1", "2", "many"])
        await request("POST", "/content-manager/collection-types/api::note.note", {
          title: `n${size}`,
          size,
          extra: true,
        });
      await admin.visit("/admin/types/api::note.note");
      await button("Edit title").click();
      await label("Name").fill("headline");
      await dialog().getByText("Was title. Its values are kept.").waitFor();
      await button("Done").click();
      await button("Edit size").click();
      await pickType("integer");
      await button("Done").click();
      await button("Remove extra").click();
      await button("Review changes…").click();
      await dialog().locator(".type-effects li").first().waitFor();
      expect(await dialog().locator(".type-effects li").allTextContents()).toEqual([
        "headline keeps its 3 values under the new name.",
        "size becomes Integer instead of Short text: 2 of 3 values convert; 1 does not, and is empty until the type is what it was.",
        "extra is no longer served: 3 values are kept, and shown again when it is back.",
      ]);
      expect(await dialog().locator(".diff-removed").count()).toBeGreaterThan(0);
      await button("Write the files").click();
      await admin.message("Saved: the API serves the new schema");
      const { results } = await request("GET", "/content-manager/collection-types/api::note.note?sort=id");
      expect(results.map(({ headline, size }: Body) => [headline, size])).toEqual([
        ["n1", 1],
        ["n2", 2],
        ["nmany", null],
      ]);
      expect(admin.complaints).toEqual([]);
    },
    TIMEOUT_MS,
  );

  const order = async () => {
    const names = admin.page.locator(".type-table tbody code");
    await names.first().waitFor();
    return names.allTextContents();
  };

  test(
    "an attribute is dragged to another place",
    async () => {
      await admin.visit("/admin/types/api::author.author");
      const [first, second] = await order();
      const row = admin.page.getByRole("row", { name: second! });
      const { height } = (await row.boundingBox())!;
      await button(`Move ${first}: arrow keys`).hover();
      await admin.page.mouse.down();
      await row.hover({ position: { x: 30, y: height - 9 } });
      await row.hover({ position: { x: 30, y: height - 3 } });
      await admin.page.locator(".dragged").waitFor();
      expect(await findProblems(admin.page)).toEqual([]);
      await admin.page.mouse.up();
      await row.and(admin.page.locator("tr:first-child")).waitFor();
      expect((await order()).slice(0, 2)).toEqual([second!, first!]);
    },
    TIMEOUT_MS,
  );

  test(
    "by keyboard alone: an attribute is added and moved",
    async () => {
      await admin.visit("/admin/types/page.part");
      await button("Add an attribute").waitFor();
      await button("Add an attribute").focus();
      await admin.press("Enter");
      await admin.type("more", label("Name"));
      await admin.press("Enter");
      await button("Move more up").focus();
      await admin.press("Enter");
      // the first leads no further up: the focus is not lost with the button
      expect(await admin.page.locator(":focus").getAttribute("aria-label")).toBe("Move more down");
      await button("Move more: arrow keys").focus();
      await admin.press("ArrowDown");
      expect(await order()).toEqual(["words", "more"]);
      expect(await admin.page.locator(":focus").getAttribute("aria-label")).toBe("Move more: arrow keys");
      await admin.press("ArrowUp");
      await button("Review changes…").focus();
      await admin.press("Enter");
      await dialog().locator(".diff-lines").first().waitFor();
      await button("Write the files").focus();
      await admin.press("Enter");
      await admin.message("Saved: the API serves the new schema");
      const part = JSON.parse(readFileSync(join(server.root, "src/components/page/part.json"), "utf8"));
      expect(Object.keys(part.attributes)).toEqual(["more", "words"]);
      // nobody has changed them
      expect(part).not.toHaveProperty("pluginOptions");
    },
    TIMEOUT_MS,
  );

  test(
    "a refusal is shown in its words, and loses nothing",
    async () => {
      await admin.visit("/admin/types/new-type");
      await admin.page.getByLabel("Display name").fill("Note");
      await button("Review changes…").click();
      expect(await dialog().getByRole("alert").textContent()).toContain("already being used");
      expect(await button("Write the files").isDisabled()).toBe(true);
      await button("Back").click();
      expect(await admin.page.getByLabel("Display name").inputValue()).toBe("Note");
      await admin.page.getByLabel("Display name").fill("Other");
      await button("Add an attribute").click();
      // told while it is typed, and not added
      await label("Name").fill("id");
      await dialog().getByText("id is a reserved name").waitFor();
      await pickType("integer");
      await label("Minimum").fill("3");
      await label("Maximum").fill("2");
      await dialog().getByText("The maximum is below the minimum").waitFor();
      await button("Add").click();
      expect(await dialog().count()).toBe(1);
      // without a question
      await button("Cancel").click();
      await dialog().waitFor({ state: "detached" });
      await button("Discard changes").click();
      expect(await admin.page.getByLabel("Display name").inputValue()).toBe("");
    },
    TIMEOUT_MS,
  );

  test(
    "several attributes are added one after another, a relation in words",
    async () => {
      await admin.visit("/admin/types/new-type");
      await button("Add an attribute").click();
      await label("Name").fill("first");
      await button("Add and another").click();
      await label("Name").and(admin.page.locator(":focus")).waitFor();
      expect(await label("Name").inputValue()).toBe("");
      await label("Name").fill("second");
      await pickType("relation");
      await button("Add").click();
      await dialog().getByText("Choose a content-type").waitFor();
      await selectOption(label("Content-type"), "api::author.author");
      await selectOption(label("Relation type"), "oneToMany");
      await dialog().getByText("a document has many authors, which do not know of it.").waitFor();
      await button("Add").click();
      await admin.page.getByRole("row", { name: /Relation author, one to many/ }).waitFor();
      await button("Edit first").waitFor();
      await button("Discard changes").click();
    },
    TIMEOUT_MS,
  );

  test(
    "a type is removed after a look at what that hides",
    async () => {
      await admin.visit("/admin/types/api::note.note");
      await button("Remove…").click();
      expect(await dialog().locator(".type-effects").textContent()).toContain(
        "note is no longer served: 3 documents are kept",
      );
      await button("Write the files").click();
      await admin.message("note is removed");
      expect(existsSync(join(server.root, "src/api/note"))).toBe(false);
    },
    TIMEOUT_MS,
  );

  test.each(["light", "dark"] as const)(
    "axe finds nothing, %s",
    async (colorScheme) => {
      const window = await AdminPage.open(browser, server, { colorScheme });
      await window.visit("/admin/types/api::big-thing.big-thing");
      await window.page.getByRole("button", { name: "Add an attribute" }).waitFor();
      expect(await findProblems(window.page)).toEqual([]);
      await window.page.getByRole("button", { name: "Edit aRelation" }).click();
      await window.page.getByLabel("Relation type").waitFor();
      expect(await findProblems(window.page)).toEqual([]);
      await window.page.getByLabel("Name", { exact: true }).fill("other");
      await window.page.getByRole("button", { name: "Done" }).click();
      await window.page.getByRole("button", { name: "Review changes…" }).click();
      await window.page.locator(".diff-lines").first().waitFor();
      expect(await findProblems(window.page)).toEqual([]);
      await window.context.close();
    },
    TIMEOUT_MS,
  );

  test(
    "two windows change one type: the second is told, and nothing of either is lost",
    async () => {
      const uid = "api::author.author";
      await admin.visit(`/admin/types/${uid}`);
      const other = await admin.another();
      await other.visit(`/admin/types/${uid}`);
      const add = async ({ page }: AdminPage, name: string): Promise<void> => {
        await page.getByRole("button", { name: "Add an attribute" }).click();
        await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill(name);
        await page.getByRole("button", { name: "Add", exact: true }).click();
      };
      await add(other, "second");
      await admin.page.bringToFront();
      await add(admin, "first");
      await write();
      await other.page.bringToFront();
      await other.page.getByText("Your changes are kept").waitFor();
      await other.page.getByRole("button", { name: "Edit first" }).waitFor();
      expect(await findProblems(other.page)).toEqual([]);
      await other.page.getByRole("button", { name: "Review changes…" }).click();
      await other.page.locator(".diff-added").first().waitFor();
      expect(await other.page.locator(".diff-removed").filter({ hasText: "first" }).count()).toBe(0);
      await other.page.getByRole("button", { name: "Write the files" }).click();
      await other.message("Saved: the API serves the new schema");
      expect(Object.keys(schemaOf("author").attributes)).toEqual(expect.arrayContaining(["first", "second"]));
      expect(other.complaints).toEqual([]);
      await other.page.close();
    },
    TIMEOUT_MS,
  );

  test(
    "discarded changes come back, a click beside a dialog loses nothing, and what is not a value is not added",
    async () => {
      await admin.visit("/admin/types/api::author.author");
      const displayName = admin.page.getByLabel("Display name");
      const before = await displayName.inputValue();
      await displayName.fill("By mistake");
      await button("Discard changes").click();
      expect(await displayName.inputValue()).toBe(before);
      await button("Undo").click();
      expect(await displayName.inputValue()).toBe("By mistake");
      await button("Discard changes").click();

      await button("Add an attribute").click();
      await label("Name").fill("typed");
      await admin.page.mouse.click(5, 5);
      expect(await label("Name").inputValue()).toBe("typed");
      await pickType("json");
      await label("Default value").fill("{");
      await button("Add").click();
      await dialog().getByText("This is not JSON").waitFor();
      await label("Default value").fill("{}");
      await button("Add").click();
      await button("Edit typed").waitFor();
      const names = await order();
      await button(`Remove ${names[0]}`).click();
      await admin.page
        .locator(".toast", { hasText: `${names[0]} was removed` })
        .getByText("Undo")
        .click();
      await button(`Remove ${names[0]}`).waitFor();
      expect(await order()).toEqual(names);
      await button("Discard changes").click();
      expect(admin.complaints).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test(
    "unsaved changes survive a reload, and tell of files that changed meanwhile",
    async () => {
      await admin.visit("/admin/types/api::author.author");
      const displayName = admin.page.getByLabel("Display name");
      await displayName.fill("Person");
      await button("Add an attribute").click();
      await label("Name").fill("age");
      await pickType("integer");
      await button("Add").click();
      // before the pause after which it is stored
      await admin.page.reload();
      await admin.page.getByText("were restored").waitFor();
      expect(await displayName.inputValue()).toBe("Person");
      await admin.page.getByRole("main").getByText("age", { exact: true }).waitFor();
      expect(await admin.page.getByText("The files have changed since").count()).toBe(0);

      const { data } = await request("GET", "/content-type-builder/content-types/api::author.author");
      const { attributes, ...properties } = data.schema;
      const contentType = { ...properties, attributes: { ...attributes, city: { type: "string" } } };
      await request("PUT", "/content-type-builder/content-types/api::author.author", { contentType });
      expect(schemaOf("author").attributes).toHaveProperty("city");
      await admin.page.reload();
      await admin.page.getByText("The files have changed since").waitFor();
      // what was added meanwhile is there, beside what is unsaved
      await button("Edit city").waitFor();
      await button("Edit age").waitFor();
      await button("Discard them").click();
      expect(await displayName.inputValue()).toBe("author");
      await admin.page.reload();
      await admin.page.getByRole("main").getByText("city", { exact: true }).waitFor();
      expect(await displayName.inputValue()).toBe("author");
      expect(await admin.page.getByText("were restored").count()).toBe(0);
      expect(admin.complaints).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test(
    "what becomes localized has every attribute different in each locale, new ones too, but relations",
    async () => {
      await admin.visit("/admin/types/api::author.author");
      await admin.page.getByLabel("Documents in several locales").check();
      await button("Add an attribute").click();
      await label("Name").fill("bio");
      expect(await label("Different in each locale").isChecked()).toBe(true);
      await button("Add").click();
      await write();
      const { attributes } = schemaOf("author");
      const localized = { i18n: { localized: true } };
      expect(attributes).toMatchObject({ name: { pluginOptions: localized }, bio: { pluginOptions: localized } });
      expect(attributes.things).not.toHaveProperty("pluginOptions");
    },
    TIMEOUT_MS,
  );
});
