/** What was typed and not saved comes back beside what others have saved since. */
import { describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { componentFile, configFile, typeFile } from "../../project.ts";
import { hasBrowser } from "../ui/browser.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";

const NOTE = "api::note.note";
/** Changes are stored 300 ms after the last one. */
const STORED_MS = 600;

describe.skipIf(!hasBrowser)("unsaved changes", () => {
  let server: AdminServer;
  let admin: AdminPage;

  openPage(
    {
      ...componentFile("parts.door", { label: { type: "string" }, code: { type: "password" } }),
      ...typeFile("note", {
        title: { type: "string" },
        text: { type: "text" },
        secret: { type: "password" },
        doors: { type: "component", component: "parts.door", repeatable: true },
      }),
      ...configFile(),
    },
    (page) => {
      ({ server, admin } = page);
    },
  );

  const notes = () => server.galley.documents(NOTE);
  const field = (name: string): Locator => admin.page.locator(`[name="${name}"]`);
  const make = async (data: Record<string, unknown>): Promise<string> =>
    String((await notes().create({ data })).documentId);
  const open = async (documentId: string): Promise<void> => {
    await admin.goTo(`/admin/content/${NOTE}/${documentId}`);
    await field("title").waitFor();
  };
  const read = (documentId: string) => notes().findOne({ documentId, populate: "*" });
  const storage = (): Promise<unknown> => admin.page.evaluate("JSON.stringify(localStorage)");

  test("only what was changed is restored, and written", async () => {
    const id = await make({ title: "First", text: "Text", doors: [{ label: "front" }] });
    await open(id);
    await field("title").fill("Mine");
    await admin.page.waitForTimeout(STORED_MS);
    await admin.goTo("/admin/media");
    await notes().update({ documentId: id, data: { text: "Theirs", doors: [{ label: "back" }] } });
    await open(id);
    await admin.page.getByText("were restored").waitFor();
    expect([await field("title").inputValue(), await field("text").inputValue()]).toEqual(["Mine", "Theirs"]);
    await admin.press("Control+s");
    await admin.message("Saved");
    expect(await read(id)).toMatchObject({ title: "Mine", text: "Theirs", doors: [{ label: "back" }] });
  }, 60_000);

  test("entries that somebody else removed meanwhile are written again", async () => {
    const id = await make({ title: "Doors", doors: [{ label: "front" }, { label: "back" }] });
    await open(id);
    await field("label").first().fill("main");
    await admin.page.waitForTimeout(STORED_MS);
    await admin.goTo("/admin/media");
    await notes().update({ documentId: id, data: { doors: [] } });
    await open(id);
    await admin.page.getByText("were restored").waitFor();
    await admin.press("Control+s");
    await admin.message("Saved");
    expect(await read(id)).toMatchObject({ doors: [{ label: "main" }, { label: "back" }] });
  }, 60_000);

  test("entries that somebody else removed while the form was open can be written over theirs", async () => {
    const id = await make({ title: "Doors", doors: [{ label: "front" }] });
    await open(id);
    await field("label").fill("main");
    await notes().update({ documentId: id, data: { doors: [] } });
    await admin.page.getByText("Somebody else saved this document at").waitFor();
    await admin.press("Control+s");
    await admin.page.getByRole("button", { name: "Save mine over theirs" }).click();
    await admin.message("Saved");
    expect(await read(id)).toMatchObject({ doors: [{ label: "main" }] });
  }, 60_000);

  test("passwords are not in the browser's storage", async () => {
    const id = await make({ title: "Secret", doors: [{ label: "front" }] });
    await open(id);
    await field("secret").fill("correct horse");
    await field("code").fill("battery staple");
    await field("label").fill("main");
    await admin.page.waitForTimeout(STORED_MS);
    const stored = String(await storage());
    expect([stored.includes("main"), /correct horse|battery staple/.test(stored)]).toEqual([true, false]);
  }, 60_000);

  test("nothing is restored where the changes were undone", async () => {
    const id = await make({ title: "Same" });
    await open(id);
    await field("title").fill("Other");
    await admin.page.waitForTimeout(STORED_MS);
    expect(await storage()).toContain("Other");
    await field("title").fill("Same");
    await admin.page.waitForTimeout(STORED_MS);
    await admin.page.reload();
    await field("title").waitFor();
    expect(await admin.page.getByText("were restored").count()).toBe(0);
  }, 60_000);
});
