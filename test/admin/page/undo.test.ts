/** Undo in forms: of what was added, removed and moved, and of texts, each in its own field. */
import { describe, expect, test } from "bun:test";
import { hasBrowser } from "../../ui/browser.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";
import { EVERYTHING, files, makeTags } from "./everything.ts";
import { pixelFile } from "./pixel.ts";

const UNDO = "Control+z";
const REDO = "Control+Shift+z";

describe.skipIf(!hasBrowser)("undo in a form", () => {
  let server: AdminServer;
  let admin: AdminPage;
  let tags: readonly { readonly id: number; readonly name: string }[];

  openPage(
    files,
    (page) => {
      ({ server, admin } = page);
    },
    async (started) => {
      tags = (await makeTags(started)) as never;
    },
  );

  const make = async (data: Record<string, unknown> = {}): Promise<string> => {
    const documents = server.galley.documents(EVERYTHING);
    const quotes = ["a", "b", "c"].map((text) => ({ text }));
    const zone = [{ __component: "parts.image", caption: "i", tags: [tags[0]!.id, tags[1]!.id] }];
    const all = { title: "Undone", quotes, zone, tags: tags.map(({ id }) => id), ...data };
    return String((await documents.create({ data: all })).documentId);
  };
  const read = async (documentId: string) => {
    const populate = {
      tags: true,
      files: true,
      quotes: true,
      zone: { on: { "parts.image": { populate: "*" }, "parts.quote": true } },
    };
    const found = await server.galley.documents(EVERYTHING).findOne({ documentId, populate } as never);
    const { tags, quotes, zone, files, ...rest } = found as Record<string, Record<string, unknown>[]>;
    const names = (list: Record<string, unknown>[] = []) => list.map(({ name }) => name).join();
    return {
      ...rest,
      tags: names(tags),
      files: names(files),
      quotes: quotes?.map(({ text }) => text).join(),
      zone: zone?.map(({ text, caption, tags }) => [text ?? caption, names(tags as never)].join(":")).join(" "),
    };
  };
  const original = { tags: "red,green,blue", quotes: "a,b,c", zone: "i:red,green" };
  const open = async (id: string): Promise<void> => {
    await admin.visit(`/admin/content/${EVERYTHING}/${id}`);
    await button("Remove blue").waitFor();
  };
  const save = async (): Promise<void> => {
    await admin.press("Control+s");
    await admin.message("Saved");
  };
  const button = (name: string) => admin.page.getByRole("button", { name, exact: true }).first();
  const field = (label: string) => admin.page.getByLabel(new RegExp(`^${label}\\*?$`)).first();

  test("moves, removals and additions of entries, links and files are taken back and made again", async () => {
    const id = await make();
    await open(id);
    await button("Move Quotes 3: arrow keys").focus();
    await admin.press("ArrowUp", "ArrowUp");
    await button("Remove Quotes 2").click();
    const zone = admin.page.getByRole("group", { name: "Zone", exact: true });
    await zone.getByRole("button", { name: "Add to zone" }).click();
    await admin.page.getByRole("menuitem").first().click();
    await zone.getByLabel("Text").fill("new");
    await button("Remove green").click();
    await button("Move blue: arrow keys").focus();
    await admin.press("ArrowUp");
    const many = admin.page.getByRole("group", { name: "Files" });
    await many.getByRole("button", { name: "Choose, drop or paste" }).click();
    const dialog = admin.page.getByRole("dialog");
    await dialog.getByLabel("Files to upload").setInputFiles(pixelFile("dot.png"));
    await button("Use 1 file").or(many.getByLabel("Alternative text of dot.png")).first().waitFor();
    if (await button("Use 1 file").isVisible()) await button("Use 1 file").click();
    await many.getByLabel("Alternative text of dot.png").waitFor();
    await button("Remove dot.png").click();
    const changed = { tags: "blue,red", quotes: "c,b", zone: "i:red,green new:", files: "" };
    await button("Move blue: arrow keys").focus();
    await admin.press(UNDO);
    await many.getByLabel("Alternative text of dot.png").waitFor();
    await admin.press(REDO);
    await many.getByLabel("Alternative text of dot.png").waitFor({ state: "detached" });
    await save();
    expect(await read(id)).toMatchObject(changed);
    await admin.press(...Array(10).fill(UNDO));
    await save();
    expect(await read(id)).toMatchObject(original);
    await admin.press(...Array(10).fill(REDO));
    await save();
    expect(await read(id)).toMatchObject(changed);
    // back over what was saved: what was removed is made again, with its content and place
    await admin.press(...Array(10).fill(UNDO));
    await save();
    expect(await read(id)).toMatchObject(original);
    expect(admin.complaints).toEqual([]);
  }, 180_000);

  test("a link that was found is taken back in the search, an entry with its links after it was removed and saved", async () => {
    const id = await make({ tags: [tags[2]!.id] });
    await open(id);
    const search = admin.page.getByRole("combobox", { name: "Tags" }).first();
    await search.click();
    await search.fill("green");
    await admin.page.getByRole("option", { name: "green", exact: true }).click();
    await admin.page.locator(".related-list").first().getByText("green").waitFor();
    await admin.press("Escape", UNDO);
    await admin.page
      .getByRole("group", { name: "Zone", exact: true })
      .getByRole("button", { name: "Remove Image" })
      .click();
    await save();
    expect(await read(id)).toMatchObject({ tags: "blue", zone: "" });
    await admin.press(UNDO);
    await save();
    expect(await read(id)).toMatchObject({ tags: "blue", zone: "i:red,green" });
  }, 180_000);

  test("what it changes in a folded entry is shown, and nothing is taken back below a dialog", async () => {
    const id = await make();
    await open(id);
    const entry = admin.page.getByRole("group", { name: "Zone", exact: true }).locator(".entry").first();
    await entry.getByRole("button", { name: "Remove green" }).click();
    await entry.locator(".entry-toggle").click();
    await admin.press("Control+k");
    await admin.page.getByRole("dialog").waitFor();
    await admin.press(UNDO, "Escape");
    await admin.page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await entry.getByRole("button", { name: "Remove green" }).count()).toBe(0);
    await button("Remove blue").focus();
    await admin.press(UNDO);
    await entry.getByRole("button", { name: "Remove green" }).waitFor();
  }, 180_000);

  test("what somebody else has saved ends it", async () => {
    const id = await make();
    await open(id);
    await button("Remove Quotes 1").click();
    await admin.press(UNDO);
    await save();
    await server.galley.documents(EVERYTHING).update({ documentId: id, data: { quotes: [{ text: "theirs" }] } });
    await admin.message("Somebody else saved this document");
    await button("Remove blue").focus();
    await admin.press(UNDO, REDO);
    expect(await admin.page.getByText("Not saved", { exact: true }).count()).toBe(0);
  }, 180_000);

  test("each text has its own, and none is changed out of sight", async () => {
    await open(await make());
    const values = async (): Promise<readonly unknown[]> => [
      await field("Title").inputValue(),
      await field("Summary").inputValue(),
      await admin.page.locator(".ProseMirror").first().textContent(),
    ];
    await field("Title").focus();
    await admin.press("End");
    await admin.page.keyboard.type(" one");
    await field("Summary").focus();
    await admin.page.keyboard.type("two");
    await admin.page.locator(".ProseMirror").first().click();
    await admin.page.keyboard.type("three");
    await field("Title").focus();
    await admin.press(UNDO);
    expect(await values()).toEqual(["Undone", "two", "three"]);
    await admin.press(UNDO, UNDO);
    expect(await values()).toEqual(["Undone", "two", "three"]);
    await admin.press(REDO, REDO);
    expect(await values()).toEqual(["Undone one", "two", "three"]);
    // the cursor is where it was
    await admin.page.keyboard.type("!");
    await admin.press("Backspace", UNDO, UNDO);
    expect(await values()).toEqual(["Undone one", "two", "three"]);
    await button("Remove blue").focus();
    await admin.press(UNDO, UNDO, REDO);
    expect(await values()).toEqual(["Undone one", "two", "three"]);
    await admin.page.locator(".ProseMirror").first().focus();
    await admin.press(UNDO, UNDO, UNDO);
    expect(await values()).toEqual(["Undone one", "two", ""]);
    await field("Summary").focus();
    await admin.press(UNDO, UNDO);
    expect(await values()).toEqual(["Undone one", "", ""]);
    await field("Contact").fill("a@b.c");
    await admin.press(UNDO);
    expect(await field("Contact").inputValue()).toBe("");
    expect(admin.complaints).toEqual([]);
  }, 180_000);
});
