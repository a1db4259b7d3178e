/** What was typed and not saved comes back beside what others have saved since. */
import { describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { componentFile, configFile, relation, typeFile } from "../../project.ts";
import { hasBrowser } from "../../ui/browser.ts";
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
      ...typeFile("key", { name: { type: "string" } }),
      ...typeFile("note", {
        title: { type: "string" },
        text: { type: "text" },
        secret: { type: "password" },
        keys: relation("manyToMany", "key"),
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
    await admin.visit(`/admin/content/${NOTE}/${documentId}`);
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
  }, 180_000);

  test("who leaves a document without saving is told so, also on the first page, and comes back to it", async () => {
    const [id, deleted] = [await make({ title: "Left" }), await make({ title: "Deleted" })];
    for (const documentId of [deleted, id]) {
      await open(documentId);
      await field("text").fill("Half a sentence");
      await admin.page.getByRole("link", { name: "Media library" }).click();
      await admin.message("Not saved, but kept in this browser");
    }
    await notes().delete({ documentId: deleted });
    await admin.page.getByRole("button", { name: "Back to it" }).last().click();
    await field("title").and(admin.page.locator(":enabled")).waitFor();
    expect([await field("title").inputValue(), await field("text").inputValue()]).toEqual(["Left", "Half a sentence"]);
    const unsaved = admin.page.locator(".home-card", { hasText: "Not saved" });
    const links = async (): Promise<string[]> => {
      await admin.goTo("/admin");
      await admin.page.locator(".home-card").first().waitFor();
      return unsaved.locator(".home-name").allTextContents();
    };
    expect((await links()).slice(0, 2)).toEqual(["Left", "Deleted"]);
    await unsaved.getByRole("link", { name: /^Deleted/ }).click();
    await admin.page.getByText("There is no such document").waitFor();
    expect(await links()).not.toContain("Deleted");
    await unsaved.getByRole("link", { name: /^Left/ }).click();
    await admin.page.getByText("were restored").waitFor();
    await admin.press("Control+s");
    await admin.message("Saved");
    expect(await links()).not.toContain("Left");
  }, 180_000);

  test("what was changed in a document that is deleted then is not kept", async () => {
    const id = await make({ title: "Gone" });
    await open(id);
    await field("text").fill("Never saved");
    await admin.page.getByRole("button", { name: "More actions" }).click();
    await admin.page.getByRole("menuitem", { name: "Delete" }).click();
    await admin.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await admin.message("Deleted");
    await field("text").waitFor({ state: "detached" });
    expect(await admin.page.locator(".toast", { hasText: "Not saved" }).count()).toBe(0);
    expect(await storage()).not.toContain("Never saved");
  }, 180_000);

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
  }, 180_000);

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
  }, 180_000);

  test("a save whose response was lost is not a change by somebody else", async () => {
    const id = await make({ title: "Lost" });
    await open(id);
    const path = `**/admin/api/content-manager/collection-types/${NOTE}/${id}?*`;
    await admin.page.route(path, async (route) => {
      if (route.request().method() === "GET") return route.continue();
      await route.fetch();
      await route.abort("connectionreset");
    });
    await field("title").fill("Found");
    await admin.press("Control+s");
    await admin.message("Saved");
    await admin.page.unrouteAll();
    expect(await admin.page.getByText("Not saved", { exact: true }).count()).toBe(0);
    expect(await admin.page.getByText("Somebody else").count()).toBe(0);
    expect(await read(id)).toMatchObject({ title: "Found" });
  }, 180_000);

  test("a document that somebody else deleted is saved as a new one", async () => {
    const key = String((await server.galley.documents("api::key.key").create({ data: { name: "brass" } })).documentId);
    const id = await make({ title: "Deleted", doors: [{ label: "front" }], keys: [key] });
    await open(id);
    await admin.page.getByRole("button", { name: "brass", exact: true }).waitFor();
    await field("text").fill("Hours of work");
    await notes().delete({ documentId: id });
    await admin.page.getByText("Somebody else deleted this document.").waitFor();
    await admin.page.getByRole("button", { name: "Save it as a new one" }).click();
    await admin.message("Saved");
    await admin.page.waitForURL((url) => !url.pathname.endsWith(id));
    const copy = new URL(admin.page.url()).pathname.split("/").at(-1)!;
    const data = { title: "Deleted", text: "Hours of work", doors: [{ label: "front" }], keys: [{ name: "brass" }] };
    expect(await read(copy)).toMatchObject(data);
    expect(await storage()).not.toContain("Hours of work");
  }, 180_000);

  test("an error without a reason leads to the server's log, and goes with the next attempt", async () => {
    const id = await make({ title: "Broken" });
    await open(id);
    await admin.page.route("**/admin/api/content-manager/**", (route) =>
      route.request().method() === "GET" ? route.continue() : route.fulfill({ status: 502, body: "<html>" }),
    );
    await field("title").fill("Mended");
    await admin.press("Control+s");
    await admin.message("The server failed (502): its log has the reason");
    await admin.page.unrouteAll();
    await admin.press("Control+s");
    await admin.message("Saved");
    expect(await admin.page.locator(".toast-problem").count()).toBe(0);
  }, 180_000);

  test("passwords are not in the browser's storage", async () => {
    const id = await make({ title: "Secret", doors: [{ label: "front" }] });
    await open(id);
    await field("secret").fill("correct horse");
    await field("code").fill("battery staple");
    await field("label").fill("main");
    await admin.page.waitForTimeout(STORED_MS);
    const stored = String(await storage());
    expect([stored.includes("main"), /correct horse|battery staple/.test(stored)]).toEqual([true, false]);
  }, 180_000);

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
  }, 180_000);

  test("what others delete while it is linked here is said at its field, or taken away", async () => {
    const keys = server.galley.documents("api::key.key");
    const [own, other] = [await keys.create({ data: { name: "own" } }), await keys.create({ data: { name: "other" } })];
    const id = await make({ title: "Links", keys: [own.documentId] });
    await open(id);
    await admin.page.getByRole("combobox", { name: "Keys" }).click();
    await admin.page.getByRole("option", { name: "other" }).click();
    await admin.page.getByRole("button", { name: "Remove other" }).waitFor();
    await admin.page.getByRole("button", { name: "Remove own" }).click();
    for (const { documentId } of [own, other]) await keys.delete({ documentId: String(documentId) });
    await admin.press("Control+s");
    await admin.message("Not saved");
    await admin.page.getByText("other no longer exists: remove before saving").waitFor();
    await admin.page.getByRole("button", { name: "Remove other" }).click();
    await field("title").fill("Free");
    await admin.press("Control+s");
    await admin.message("Saved");
    expect(await read(id)).toMatchObject({ title: "Free", keys: [] });
  }, 180_000);

  test("what was typed into a field that the type has lost is shown, and there again when the type has it", async () => {
    const id = await make({ title: "Kept" });
    await open(id);
    await field("text").fill("typed here");
    await admin.page.waitForTimeout(STORED_MS);
    const rename = async (from: string, to: string): Promise<void> => {
      await admin.page.evaluate(
        ([old, name]) => {
          for (const key of Object.keys(localStorage))
            localStorage.setItem(
              key,
              localStorage.getItem(key)!.replace(`"${old}":"typed here"`, `"${name}":"typed here"`),
            );
        },
        [from, to] as const,
      );
    };
    // as if the attribute had another name when it was typed
    await admin.goTo("/admin/media");
    await rename("text", "formerText");
    await open(id);
    await admin.page.getByText("The type has no formerText any more, which was: typed here").waitFor();
    await field("title").fill("Changed");
    await admin.page.waitForTimeout(STORED_MS);
    await admin.goTo("/admin/media");
    await rename("formerText", "text");
    await open(id);
    await admin.page.getByText("were restored").waitFor();
    expect([await field("title").inputValue(), await field("text").inputValue()]).toEqual(["Changed", "typed here"]);
  }, 180_000);
});
