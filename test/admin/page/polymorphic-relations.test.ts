/** Relations to documents of several types, and their other sides, in the form of a document. */
import { describe, expect, test } from "bun:test";
import { relation, typeFile } from "../../project.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { selectOption } from "../../ui/select-option.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";

const [APPLE, PLUM, BOX, NODE] = ["api::apple.apple", "api::plum.plum", "api::box.box", "api::node.node"];
const files = {
  ...typeFile("apple", { name: { type: "string" }, boxes: { ...relation("morphMany", "box"), morphBy: "items" } }),
  ...typeFile("plum", { label: { type: "string" } }, { draftAndPublish: true }),
  ...typeFile("box", {
    name: { type: "string" },
    items: { type: "relation", relation: "morphToMany" },
    best: { type: "relation", relation: "morphToOne" },
  }),
  ...typeFile("node", { name: { type: "string" }, near: relation("manyToMany", "node") }),
};

interface Linked {
  readonly __type: string;
  readonly name?: string;
  readonly label?: string;
}

describe.skipIf(!hasBrowser)("relations to several types in the admin page", () => {
  let server: AdminServer;
  let admin: AdminPage;
  let box: string;

  openPage(
    files,
    (page) => {
      ({ server, admin } = page);
    },
    async ({ galley }) => {
      for (const name of ["red", "green", "yellow"]) await galley.documents(APPLE).create({ data: { name } });
      await galley.documents(PLUM).create({ data: { label: "blue" } });
      box = (await galley.documents(BOX).create({ data: { name: "A box" } })).documentId as string;
    },
  );

  const button = (name: string) => admin.page.getByRole("button", { name, exact: true });
  const linked = async (): Promise<string[]> => {
    const found = await server.galley.documents(BOX).findOne({ documentId: box, populate: "*", status: "draft" });
    return [...new Map((found!.items as Linked[]).map((item) => [item.name ?? item.label!, item])).keys()];
  };
  const add = async (field: string, type: string, name: string): Promise<void> => {
    await selectOption(admin.page.getByLabel(`${field}: type to add`), type);
    const search = admin.page.getByRole("combobox", { name: field });
    await search.and(admin.page.getByPlaceholder(new RegExp(`${type}…$`))).click();
    await admin.page.getByRole("option", { name: "Create a new one…" }).waitFor();
    await admin.page.getByRole("option", { name }).click();
    await button(`Remove ${name}`).last().waitFor();
  };
  const save = async (): Promise<void> => {
    await admin.press("Control+s");
    await admin.page.getByText("Not saved", { exact: true }).waitFor({ state: "detached" });
  };

  test("documents of several types are added, ordered with keys, and removed", async () => {
    await admin.visit(`/admin/content/${BOX}/${box}`);
    await add("Items", "apple", "red");
    await add("Items", "plum", "blue");
    await add("Items", "apple", "green");
    await save();
    expect(await linked()).toEqual(["red", "blue", "green"]);
    await admin.page.reload();
    await button("Move green: arrow keys").focus();
    await admin.press("ArrowUp", "ArrowUp");
    await button("Remove blue").click();
    await save();
    expect(await linked()).toEqual(["green", "red"]);
    expect(admin.complaints).toEqual([]);
  }, 180_000);

  test("a relation to one document of any type is replaced by one of another type", async () => {
    await admin.visit(`/admin/content/${BOX}/${box}`);
    await add("Best", "apple", "red");
    await save();
    await add("Best", "plum", "blue");
    await save();
    await admin.page.reload();
    await button("Remove blue").last().waitFor();
    const found = await server.galley.documents(BOX).findOne({ documentId: box, populate: ["best"] });
    expect(found!.best).toMatchObject({ __type: PLUM, label: "blue" });
  }, 180_000);

  test("the other side links documents, and shows those that it has linked", async () => {
    const [yellow] = await server.galley.documents(APPLE).findMany({ filters: { name: "yellow" } });
    await admin.visit(`/admin/content/${APPLE}/${yellow!.documentId}`);
    await admin.page.getByRole("combobox", { name: "Boxes" }).click();
    await admin.page.getByRole("option", { name: "A box" }).click();
    await save();
    expect(await linked()).toContain("yellow");
    await admin.page.reload();
    await button("Remove A box").click();
    await save();
    expect(await linked()).not.toContain("yellow");
  }, 180_000);
  test("after one is removed, the rest of many is still loaded", async () => {
    const near: unknown[] = [];
    for (let number = 1; number <= 120; number++)
      near.push((await server.galley.documents(NODE).create({ data: { name: `node ${number}` } })).documentId);
    const { documentId } = await server.galley.documents(NODE).create({ data: { name: "centre", near } });
    await admin.visit(`/admin/content/${NODE}/${documentId}`);
    await button("Remove node 100").click();
    const shown = admin.page.locator(".related");
    for (const count of [99, 119]) {
      await admin.page.getByRole("button", { name: /^Show more/ }).click();
      await shown.nth(count - 1).waitFor();
    }
    expect(await admin.page.getByRole("button", { name: /^Show more/ }).count()).toBe(0);
  }, 180_000);

  test("a new document beside a new one of its type has nothing of it", async () => {
    await admin.visit(`/admin/content/${NODE}/new`);
    await admin.page.getByLabel("Name").fill("outer");
    await admin.page.getByRole("combobox", { name: "Near" }).click();
    await admin.page.getByRole("option", { name: "Create a new one…" }).click();
    const dialog = admin.page.getByRole("dialog", { name: "node" });
    expect(await dialog.getByLabel("Name").inputValue()).toBe("");
    await dialog.getByLabel("Name").fill("inner");
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await button("Remove inner").waitFor();
    // saving it has not forgotten what is typed in the other
    await admin.page.reload();
    await admin.page.getByText(/^Unsaved changes were restored/).waitFor();
    expect(await admin.page.getByLabel("Name").inputValue()).toBe("outer");
    await button("Remove inner").waitFor();
    await button("Discard them").click();
  }, 180_000);
});
