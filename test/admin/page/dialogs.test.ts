/** Every dialog, menu and combobox of the admin page with the keyboard alone, on a telephone's width, light and dark. */

import { describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { findProblems, findProblemsAtWidths, WIDTHS } from "../../ui/axe.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { patience, until } from "../../until.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";
import { EVERYTHING, files, TAG } from "./everything.ts";
import { pixelFile } from "./pixel.ts";
import { walkWithTab } from "./tab-walk.ts";

const TELEPHONE = { width: 360, height: 780 };
const WIDE = WIDTHS.filter((width) => width > 1_000);
const OPENED = "dialog[open]:last-of-type";
const LIST = `/admin/content/${EVERYTHING}`;

/** Too many for a menu. */
const LOCALES = { fr: "French", de: "German", es: "Spanish", it: "Italian", pt: "Portuguese" };
const settings = JSON.parse(files["config/galley.json"]);

const project = {
  ...files,
  "config/galley.json": JSON.stringify({
    ...settings,
    locales: [settings.locales[0], ...Object.entries(LOCALES).map(([code, name]) => ({ code, name }))],
    roles: { editor: [] },
    users: [{ username: "ann", email: "ann@example.com", password: "secret of Ann" }],
    tokens: [{ name: "build", type: "read-only", key: "0123456789abcdef0123456789abcdef" }],
  }),
};

interface OpenedDialog {
  /** Where it is opened. */
  readonly path: string;
  /** What opens it, with Enter. */
  readonly opener: () => Locator;
  /** The item of the opener's menu. */
  readonly item?: string;
  /** Done before. */
  readonly before?: () => Promise<void>;
  /** Its accessible name. */
  readonly dialog: string | RegExp;
  /** What has the focus once it is closed; the opener by default. */
  readonly afterwards?: () => Locator;
}

describe.skipIf(!hasBrowser)("dialogs with the keyboard alone", () => {
  let server: AdminServer;
  let admin: AdminPage;
  let documentId: string;

  openPage(
    project,
    (page) => {
      ({ server, admin } = page);
    },
    async ({ galley }) => {
      const tag = await galley.documents(TAG).create({ data: { name: "red" } });
      const documents = galley.documents(EVERYTHING);
      const data = { title: "Everything", tags: [String(tag.documentId)], quotes: [{ text: "One" }, { text: "Two" }] };
      documentId = String((await documents.create({ data, status: "published" })).documentId);
      for (const locale of Object.keys(LOCALES))
        await documents.update({ documentId, locale, data: { title: `Everything (${locale})` } });
    },
  );

  const button = (name: string): Locator => admin.page.getByRole("button", { name, exact: true });
  const menu = (): Locator => button("More actions");
  const inGroup = (group: string, name: string): Locator =>
    admin.page.getByRole("group", { name: group, exact: true }).getByRole("button", { name, exact: true });
  const check = (label: string): Promise<void> => admin.page.getByLabel(label, { exact: true }).press(" ");

  const dialogs: readonly OpenedDialog[] = [
    { path: LIST, opener: () => button("Filter"), dialog: "Filter everything" },
    { path: LIST, opener: menu, item: "Columns", dialog: "Columns" },
    { path: LIST, opener: menu, item: "Request", dialog: "API request" },
    { path: LIST, opener: menu, item: "Paste rows", dialog: "Paste rows into everything" },
    { path: LIST, opener: menu, item: "Create sample content", dialog: "Sample content for everything" },
    { path: `${LIST}?status=draft`, opener: menu, item: "Save view", dialog: "Save view" },
    {
      path: LIST,
      before: () => check("Select Everything"),
      opener: () => button("Edit a field"),
      dialog: "Edit a field of 1 document",
    },
    {
      path: LIST,
      before: () => check("Select Everything"),
      opener: () => button("Delete"),
      dialog: "Delete 1 document?",
    },
    { path: "document", opener: menu, item: "Compare with the published version", dialog: "Draft and published" },
    { path: "document", opener: menu, item: "Unpublish", dialog: "Unpublish this document?" },
    { path: "document", opener: menu, item: "Discard the draft's changes", dialog: "Discard the draft's changes?" },
    { path: "document", opener: menu, item: "History", dialog: "History" },
    {
      path: "document",
      before: async () => {
        await menu().press("Enter");
        await choose(admin.page.getByRole("menuitem", { name: "History", exact: true }));
      },
      opener: () => button("Restore this version"),
      dialog: /^Restore the version of/,
    },
    { path: "document", opener: menu, item: "Fill in from another locale", dialog: "Fill in from another locale" },
    { path: "document", opener: menu, item: "API request", dialog: "API request" },
    { path: "document", opener: menu, item: "Delete this locale", dialog: "Delete this locale of the document?" },
    { path: "document", opener: () => inGroup("Cover", "Choose, drop or paste"), dialog: "Choose a file" },
    { path: "document", opener: () => inGroup("Files", "Choose, drop or paste"), dialog: "Choose files" },
    { path: "document", opener: () => button("red"), dialog: "tag" },
    {
      path: "document",
      opener: () => inGroup("Body", "Image"),
      dialog: "Choose files",
      afterwards: () => admin.page.locator(".ProseMirror"),
    },
    { path: "document", opener: () => inGroup("Story", "Image"), dialog: "Choose files" },
    { path: `/admin/types/${TAG}`, opener: () => button("Add an attribute"), dialog: "New attribute" },
    { path: `/admin/types/${TAG}`, opener: () => button("Edit name"), dialog: "Attribute name" },
    { path: `/admin/types/${TAG}`, opener: () => button("Remove…"), dialog: "Remove tag" },
    {
      path: `/admin/types/${TAG}`,
      before: () => admin.page.getByLabel("Display name").fill("Label"),
      opener: () => button("Review changes…"),
      dialog: "Changes to Label",
    },
    { path: "/admin/media", opener: () => button("New folder"), dialog: "New folder" },
    { path: "/admin/media?folder=1", opener: () => button("Rename"), dialog: "Rename Covers" },
    {
      path: "/admin/media",
      opener: () => admin.page.locator(".file-card a", { hasText: "words.txt" }),
      dialog: "words.txt",
    },
    { path: "/admin/media", before: () => check("Select words.txt"), opener: () => button("Move"), dialog: "Move" },
    {
      path: "/admin/media",
      before: () => check("Select words.txt"),
      opener: () => button("Delete"),
      dialog: "Delete 1 file?",
    },
    { path: "/admin/media?file=2", opener: () => button("Crop"), dialog: "Crop pixel.png" },
    { path: "/admin/media?file=1", opener: () => button("Move"), dialog: "Move" },
    { path: "/admin/media?file=1", opener: () => button("Delete"), dialog: "Delete words.txt?" },
    { path: "/admin/access/roles", opener: () => button("New role"), dialog: "New role" },
    { path: "/admin/access/roles?role=editor", opener: () => button("Rename"), dialog: /^Rename / },
    { path: "/admin/access/roles?role=editor", opener: () => button("Delete"), dialog: /^Delete the role / },
    {
      path: "/admin/access/roles",
      before: () => check("tag: Find"),
      opener: () => button("Save"),
      dialog: /Public/,
    },
    { path: "/admin/access/users", opener: () => button("New user"), dialog: "New user" },
    {
      path: "/admin/access/users",
      opener: () => button("Actions for ann"),
      item: "Change password",
      dialog: "Change the password of ann",
    },
    { path: "/admin/access/users", opener: () => button("Actions for ann"), item: "Delete", dialog: "Delete ann?" },
    { path: "/admin/access/tokens", opener: () => button("New token"), dialog: "New token" },
    { path: "/admin/access/tokens", opener: () => button("Edit build"), dialog: "build" },
    { path: "/admin/access/tokens", opener: () => button("Revoke build"), dialog: "Revoke build?" },
    { path: "/admin/access/tokens", opener: () => button("Revoke web"), dialog: "Revoke web?" },
    { path: "/admin/access/tokens", opener: () => button("New key for web"), dialog: "Create a new key for web?" },
    { path: "/admin/locales", opener: () => button("Delete French"), dialog: "Delete French?" },
    { path: "/admin/trash", opener: () => button("Delete for good: blue"), dialog: "Delete for good?" },
    { path: "/admin/settings/webhooks", opener: () => button("New webhook"), dialog: "New webhook" },
    { path: "/admin/settings/webhooks/1", opener: () => button("Edit"), dialog: "Edit site" },
    { path: "/admin/settings/webhooks/1", opener: menu, item: "Delete", dialog: "Delete site?" },
    {
      path: "/admin/settings/providers",
      opener: () => admin.page.getByRole("button", { name: /^GitHub/i }),
      dialog: /^GitHub$/i,
    },
  ];

  /** Of the last dialog. A test that fails leaves its own. */
  let shownPath: string | undefined;
  /** A dialog that was closed leaves the page as it was. */
  let isAsLoaded = false;

  const open = (path: string): Promise<void> => admin.visit(path === "document" ? `${LIST}/${documentId}` : path);
  const focused = (element: Locator): Locator => element.and(admin.page.locator(":focus"));

  /** Goes to an item of an open menu or list with the arrow keys, and chooses it. */
  async function choose(item: Locator): Promise<void> {
    await item.waitFor();
    for (let key = 0; key < 12 && (await item.getAttribute("data-highlighted")) === null; key++)
      await admin.press("ArrowDown");
    await admin.press("Enter");
  }

  /** What is wrong with the dialog that is open, by kind; empty for a good one. In wider windows, the page below has other buttons. */
  async function faults(): Promise<object> {
    const { missed, unseen, outside } = await walkWithTab(admin.page);
    const axe = await findProblemsAtWidths(admin.page, OPENED, [TELEPHONE.width, ...WIDE]);
    await admin.page.setViewportSize(TELEPHONE);
    return Object.fromEntries(Object.entries({ missed, unseen, outside, axe }).filter(([, list]) => list.length > 0));
  }

  test("there are a file, a folder and a token", async () => {
    await admin.page.setViewportSize(TELEPHONE);
    await admin.goTo("/admin/media");
    const words = { name: "words.txt", mimeType: "text/plain", buffer: Buffer.from("words") };
    for (const [index, file] of [words, pixelFile("pixel.png")].entries()) {
      await admin.page.getByLabel("Files to upload").setInputFiles(file);
      await admin.page.locator(".file-card").nth(index).waitFor();
    }
    await button("New folder").press("Enter");
    await admin.type("Covers", admin.page.getByLabel("Name"));
    await admin.press("Enter");
    await admin.page.locator(".folder-card").waitFor();
    await admin.goTo("/admin/access/tokens");
    await button("New token").press("Enter");
    await admin.type("web", admin.page.getByLabel("Name"));
    await admin.press("Enter");
    await admin.page.getByRole("dialog", { name: "The key of web" }).waitFor();
    expect(await faults()).toEqual({});
    await admin.press("Escape");
    await button("Revoke web").waitFor();
    await focused(button("New token")).waitFor();
    await admin.goTo(`${LIST}/${documentId}`);
    await admin.page.getByLabel("Count").fill("7");
    await admin.press("Control+s");
    await admin.message("Saved");
    await admin.page.evaluate(
      async ({ blue, webhook }) => {
        const headers = { "content-type": "application/json", "x-galley-admin": "1" };
        const content = "/admin/api/content-manager/collection-types/api::tag.tag";
        const answers = [
          await fetch(`${content}/${blue}`, { method: "DELETE", headers }),
          await fetch("/admin/api/admin/webhooks", { method: "POST", headers, body: JSON.stringify(webhook) }),
        ];
        for (const answer of answers)
          if (!answer.ok) throw new Error(`${answer.url} ${answer.status} ${await answer.text()}`);
      },
      {
        blue: String((await server.galley.documents(TAG).create({ data: { name: "blue" } })).documentId),
        webhook: { name: "site", url: "https://example.com/hook", headers: {}, events: ["entry.create"] },
      },
    );
  }, 180_000);

  test.each(dialogs.map((row) => [`${row.path}: ${row.item ?? row.dialog}`, row] as const))(
    "%s: it opens with Enter, keeps Tab inside, and gives the focus back after Escape",
    async (_name, { path, opener, item, before, dialog: name, afterwards }) => {
      if (path !== shownPath || !isAsLoaded || before) await open(path);
      shownPath = path;
      isAsLoaded = false;
      await before?.();
      // a button may wait for what its dialog needs
      await opener().and(admin.page.locator(":not(:disabled)")).waitFor();
      await opener().focus();
      await admin.press("Enter");
      if (item) await choose(admin.page.getByRole("menuitem", { name: item, exact: true }));
      const dialog = admin.page.getByRole("dialog", { name, exact: true });
      await dialog.waitFor();
      await dialog.locator(":focus").or(focused(dialog)).first().waitFor();
      // Tab may be through before the files are there
      await dialog.locator(".skeleton").first().waitFor({ state: "detached" });
      expect(await faults()).toEqual({});
      await admin.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await focused((afterwards ?? opener)()).waitFor({ timeout: patience() });
      expect(admin.complaints).toEqual([]);
      isAsLoaded = before === undefined;
    },
    180_000,
  );

  test("the first field of a dialog without a form has the focus, too, not the button that closes it", async () => {
    await open(LIST);
    await menu().press("Enter");
    await choose(admin.page.getByRole("menuitem", { name: "Columns", exact: true }));
    const dialog = admin.page.getByRole("dialog", { name: "Columns", exact: true });
    await focused(dialog.locator("input").first()).waitFor();
    await admin.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  const menus: Readonly<Record<string, readonly [path: string, opener: () => Locator]>> = {
    "of a list": [LIST, menu],
    "of a document": ["document", menu],
    "of a dynamic zone": ["document", () => button("Add to zone")],
    "of a user": ["/admin/access/users", () => button("Actions for ann")],
  };

  test.each(Object.entries(menus))(
    "the menu %s opens with an arrow key, and closes with Escape",
    async (_name, row) => {
      const [path, opener] = row;
      await open(path);
      await opener().focus();
      await admin.press("ArrowDown");
      const list = admin.page.getByRole("menu");
      await focused(list).waitFor();
      expect(await findProblems(admin.page, undefined, "[role=menu]")).toEqual([]);
      await admin.press("Escape");
      await list.waitFor({ state: "hidden" });
      await focused(opener()).waitFor();
    },
  );

  const selects: Readonly<Record<string, readonly [path: string, select: () => Locator]>> = {
    "Status of a list": [LIST, () => admin.page.getByLabel("Status", { exact: true })],
    "Locale of a list": [LIST, () => admin.page.getByLabel("Locale", { exact: true })],
    "Locale of a document": ["document", () => admin.page.getByLabel("Locale", { exact: true })],
    "Block type of Body": ["document", () => admin.page.getByLabel("Block type", { exact: true })],
    "Order of files": ["/admin/media", () => admin.page.getByLabel("Order", { exact: true })],
    "Role of a user": ["/admin/access/users", () => admin.page.getByLabel("Role of ann")],
    "Caller of a request": ["/admin/access/why", () => admin.page.getByRole("combobox", { name: "As", exact: true })],
  };

  test.each(Object.entries(selects))(
    "%s: arrow keys and letters open the list, and only Enter chooses",
    async (name, row) => {
      const [path, select] = row;
      await open(path);
      // that of a document is in the sheet of its rail
      if (name === "Locale of a document") await button("About this document").click();
      await select().focus();
      const before = await select().inputValue();
      const opened = select().and(admin.page.locator("[aria-expanded=true]"));
      for (const key of ["ArrowDown", "End", "f"]) {
        await admin.press(key);
        await opened.waitFor();
        await admin.press("ArrowDown", "ArrowUp", "Escape");
        await opened.waitFor({ state: "detached" });
        expect(await select().inputValue()).toBe(before);
      }
      await admin.press("ArrowUp", "End");
      const last = await admin.page.getByRole("option").last().textContent();
      await admin.press("Enter");
      // that of a user who is in a file is asked about first
      if (name === "Role of a user") return admin.page.getByRole("dialog", { name: "The user ann" }).waitFor();
      await until("the last one is chosen", async () => (await select().inputValue()) === last);
    },
    180_000,
  );

  test("a combobox opens with an arrow key, closes with Escape, and makes a new document in a dialog", async () => {
    await open("document");
    const combobox = admin.page.getByRole("combobox", { name: "First" });
    await combobox.focus();
    await admin.press("ArrowDown");
    await admin.page.getByRole("option", { name: "red" }).waitFor();
    await admin.press("Escape");
    await admin.page.getByRole("option").first().waitFor({ state: "hidden" });
    await focused(combobox).waitFor();
    await admin.press("ArrowDown");
    await admin.page.getByRole("option", { name: "red" }).waitFor();
    await choose(admin.page.getByRole("option").last());
    const dialog = admin.page.getByRole("dialog", { name: "tag" });
    await dialog.getByLabel("Name").waitFor();
    expect(await faults()).toEqual({});
    await admin.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await focused(combobox).waitFor();
  }, 180_000);

  test("a newer version of somebody else is overwritten from a dialog, or stays", async () => {
    await open("document");
    const count = admin.page.getByLabel("Count");
    await count.fill("8");
    await server.galley.documents(EVERYTHING).update({ documentId, data: { count: 9 } });
    await admin.page.getByText("Somebody else saved this document at").waitFor();
    await admin.press("Control+s");
    const dialog = admin.page.getByRole("dialog", { name: "Somebody else saved this document" });
    await dialog.locator(":focus").waitFor();
    expect(await faults()).toEqual({});
    await admin.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await focused(count).waitFor();
    expect(await count.inputValue()).toBe("8");
    await admin.press("Control+s");
    await dialog.getByRole("button", { name: "Save mine over theirs" }).press("Enter");
    await admin.message("Saved");
    await focused(count).waitFor();
    expect(await server.galley.documents(EVERYTHING).findOne({ documentId })).toMatchObject({ count: 8 });
  }, 180_000);

  test("the line for a link opens with its button, and Escape leads back to the text", async () => {
    // an earlier test chose another kind of block
    await server.galley.documents(EVERYTHING).update({ documentId, data: { body: null } });
    await open("document");
    const text = admin.page.getByRole("textbox", { name: "Body" });
    await text.focus();
    await admin.type("a link", text);
    await admin.press("Control+a");
    const body = admin.page.getByRole("group", { name: "Body", exact: true });
    await body.getByRole("button", { name: "Link", exact: true }).press("Enter");
    const line = admin.page.getByRole("group", { name: "Link" });
    const url = line.getByLabel("URL");
    await admin.type("nowhere", url);
    await admin.press("Enter");
    await line.getByRole("alert").waitFor();
    expect(await findProblems(admin.page, undefined, ".link-form")).toEqual([]);
    await admin.press("Tab");
    await focused(line.getByRole("button", { name: "Set link" })).waitFor();
    await admin.press("Escape");
    await line.waitFor({ state: "detached" });
    await focused(text).waitFor();
  }, 180_000);

  test("what is done in a dialog is reported in it, since the page below is inert", async () => {
    await open("document");
    await button("red").press("Enter");
    const dialog = admin.page.getByRole("dialog", { name: "tag" });
    await dialog.getByLabel("Name").fill("scarlet");
    await admin.press("Control+s");
    await dialog.getByRole("status").getByText("Saved").waitFor();
    await admin.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await button("scarlet").waitFor();
    await admin.message("Saved");
  }, 180_000);

  test("the navigation opens with Enter, and closes with Escape", async () => {
    await open(LIST);
    const opener = button("Navigation");
    await opener.press("Enter");
    const navigation = admin.page.getByRole("navigation", { name: "Content and project" });
    await navigation.waitFor();
    await admin.press("Tab");
    await navigation.locator(":focus").waitFor();
    expect(await findProblems(admin.page, undefined, "#navigation")).toEqual([]);
    await admin.press("Escape");
    await navigation.waitFor({ state: "hidden" });
    await focused(opener).waitFor();
  });
});
