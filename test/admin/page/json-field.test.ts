/** JSON in a document's form: a text that need not be JSON while it is typed. */
import { describe, expect, test } from "bun:test";
import { componentFile, typeFile } from "../../project.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";

const SHOP = "api::shop.shop";

const files = {
  ...componentFile("parts.opening", { hours: { type: "json" } }),
  ...typeFile("shop", {
    name: { type: "string" },
    data: { type: "json" },
    story: { type: "richtext" },
    openings: { type: "component", component: "parts.opening", repeatable: true },
  }),
};

describe.skipIf(!hasBrowser)("JSON in the admin page", () => {
  let server: AdminServer;
  let admin: AdminPage;

  openPage(files, (page) => {
    ({ server, admin } = page);
  });

  const documents = () => server.galley.documents(SHOP);
  const make = async (data: Record<string, unknown>): Promise<string> =>
    (await documents().create({ data })).documentId as string;
  const read = (documentId: string) => documents().findOne({ documentId, populate: "*" });

  const textbox = (name: string) => admin.page.getByRole("textbox", { name, exact: true });
  const problem = (text: string) => admin.page.locator(".field-problem", { hasText: text });
  const open = async (id: string): Promise<void> => {
    await admin.visit(`/admin/content/${SHOP}/${id}`);
    await textbox("Data").waitFor();
  };
  /** Replaces the whole text. */
  const enter = async (name: string, text: string): Promise<void> => {
    await textbox(name).last().click();
    await admin.press("Control+a");
    await admin.page.keyboard.insertText(text);
  };
  const enterAndSave = async (text: string): Promise<void> => {
    await enter("Data", text);
    await admin.page.keyboard.press("Control+s");
  };

  test("the latest text is saved, without a pause after the last key", async () => {
    const id = await make({ name: "Latest", data: { a: 1 } });
    await open(id);
    await enter("Story", "The *latest* words");
    await enterAndSave('{ "a": [1,2] }');
    await admin.message("Saved");
    expect(await read(id)).toMatchObject({ data: { a: [1, 2] }, story: "The *latest* words" });
    // laid out as it was typed
    expect(await textbox("Data").textContent()).toBe('{ "a": [1,2] }');
  }, 180_000);

  test("what is not JSON is refused at its field, and saved once it is corrected", async () => {
    const id = await make({ name: "Wrong", data: { a: 1 } });
    await open(id);
    await enterAndSave('{ "a": x }');
    await admin.message("Not saved");
    await problem("This is not JSON: “x” is not expected here (line 1, column 8)").waitFor();
    expect(await textbox("Data").textContent()).toBe('{ "a": x }');
    expect((await read(id))!.data).toEqual({ a: 1 });
    await enterAndSave('{ "a": 2 }');
    await admin.message("Saved");
    await problem("This is not JSON").waitFor({ state: "detached" });
    expect((await read(id))!.data).toEqual({ a: 2 });
  }, 180_000);

  test("a folded entry whose text is not JSON is unfolded", async () => {
    const id = await make({ name: "Folded", openings: [{ hours: [1] }, { hours: [2] }] });
    await open(id);
    await enter("Hours", "[2, ");
    const toggle = admin.page.getByRole("button", { name: "Openings 2", exact: true });
    await toggle.click();
    await textbox("Hours").nth(1).waitFor({ state: "detached" });
    await admin.press("Control+s");
    await admin.message("Not saved");
    await problem("it ends too early (line 1, column 5)").waitFor();
    expect(await textbox("Hours").last().textContent()).toBe("[2, ");
  }, 180_000);

  test("text that is not JSON is there again after the tab was closed", async () => {
    const id = await make({ name: "Closed", data: { a: 1 } });
    await open(id);
    await enter("Data", '{ "a": 1, "b');
    const other = await admin.another();
    // closing runs what the page does when it is left
    await admin.page.close({ runBeforeUnload: true });
    admin = other;
    await open(id);
    await admin.page.getByText("were restored.").waitFor();
    expect(await textbox("Data").textContent()).toBe('{ "a": 1, "b');
    await problem("This is not JSON").waitFor();
    await admin.press("Control+s");
    await admin.message("Not saved");
    expect((await read(id))!.data).toEqual({ a: 1 });
    await admin.page.getByRole("button", { name: "Discard them" }).click();
    await admin.page.getByText("Not saved", { exact: true }).waitFor({ state: "detached" });
    expect(JSON.parse((await textbox("Data").textContent())!)).toEqual({ a: 1 });
  }, 180_000);

  test("the browser has nothing to complain about", () => {
    expect(admin.complaints).toEqual([]);
  });
});
