/** Relations to documents of several types, and their other sides, in the form of a document. */
import { describe, expect, test } from "bun:test";
import { relation, typeFile } from "../../project.ts";
import { hasBrowser } from "../ui/browser.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";

const [APPLE, PLUM, BOX] = ["api::apple.apple", "api::plum.plum", "api::box.box"];
const files = {
  ...typeFile("apple", { name: { type: "string" }, boxes: { ...relation("morphMany", "box"), morphBy: "items" } }),
  ...typeFile("plum", { label: { type: "string" } }, { draftAndPublish: true }),
  ...typeFile("box", {
    name: { type: "string" },
    items: { type: "relation", relation: "morphToMany" },
    best: { type: "relation", relation: "morphToOne" },
  }),
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
    await admin.page.getByLabel(`${field}: type to add`).selectOption(type);
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
    await admin.goTo(`/admin/content/${BOX}/${box}`);
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
  }, 60_000);

  test("a relation to one document of any type is replaced by one of another type", async () => {
    await admin.goTo(`/admin/content/${BOX}/${box}`);
    await add("Best", "apple", "red");
    await save();
    await add("Best", "plum", "blue");
    await save();
    await admin.page.reload();
    await button("Remove blue").last().waitFor();
    const found = await server.galley.documents(BOX).findOne({ documentId: box, populate: ["best"] });
    expect(found!.best).toMatchObject({ __type: PLUM, label: "blue" });
  }, 60_000);

  test("the other side links documents, and shows those that it has linked", async () => {
    const [yellow] = await server.galley.documents(APPLE).findMany({ filters: { name: "yellow" } });
    await admin.goTo(`/admin/content/${APPLE}/${yellow!.documentId}`);
    await admin.page.getByRole("combobox", { name: "Boxes" }).click();
    await admin.page.getByRole("option", { name: "A box" }).click();
    await save();
    expect(await linked()).toContain("yellow");
    await admin.page.reload();
    await button("Remove A box").click();
    await save();
    expect(await linked()).not.toContain("yellow");
  }, 60_000);
});
