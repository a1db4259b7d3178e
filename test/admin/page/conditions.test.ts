/** Fields that are visible under a condition, in a browser. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { componentFile, typeFile } from "../../project.ts";
import { findProblems } from "../../ui/axe.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { selectOption } from "../../ui/select-option.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";

const CLIP = "api::clip.clip";
const shownIf = (rule: object) => ({ conditions: { visible: rule } });
const isKind = (kind: string) => shownIf({ "==": [{ var: "kind" }, kind] });

const files = {
  ...componentFile("clip.part", {
    isLong: { type: "boolean" },
    text: { type: "string", required: true, ...shownIf({ "==": [{ var: "isLong" }, true] }) },
  }),
  ...typeFile("clip", {
    name: { type: "string" },
    kind: { type: "enumeration", enum: ["video", "text"] },
    url: { type: "string", required: true, minLength: 3, ...isKind("video") },
    data: { type: "json", ...isKind("text") },
    parts: { type: "component", component: "clip.part", repeatable: true },
  }),
};

describe.skipIf(!hasBrowser)("fields under a condition", () => {
  let server: AdminServer;
  let admin: AdminPage;

  openPage(files, (page) => {
    ({ server, admin } = page);
  });

  const field = (label: string) => admin.page.getByLabel(new RegExp(`^${label}\\*?$`)).first();
  const read = async (documentId: string): Promise<Record<string, unknown>> =>
    (await server.galley.documents(CLIP).findOne({ documentId, populate: "*" })) as Record<string, unknown>;
  const idInUrl = (): string => new URL(admin.page.url()).pathname.split("/").at(-1)!;
  const saved = async (): Promise<void> => {
    await admin.press("Control+s");
    await admin.message("Saved");
    await admin.page.getByText("Not saved", { exact: true }).waitFor({ state: "detached" });
  };

  test("they appear with the value that decides them, and are checked only then", async () => {
    await admin.visit(`/admin/content/${CLIP}/new`);
    await field("Name").fill("First");
    expect(await field("Url").count()).toBe(0);
    await selectOption(field("Kind"), "text");
    await admin.page.getByRole("textbox", { name: "Data" }).click();
    await admin.page.keyboard.type("{ no JSON");
    await selectOption(field("Kind"), "video");
    await field("Url").waitFor();
    expect(await admin.page.getByRole("textbox", { name: "Data" }).count()).toBe(0);
    expect(await findProblems(admin.page)).toEqual([]);
    await field("Url").fill("http://example.com");
    await saved();
    expect(await read(idInUrl())).toMatchObject({ kind: "video", url: "http://example.com", data: null });
  }, 180_000);

  test("a change of one of them alone is checked, with the value that decides", async () => {
    await field("Url").fill("ab");
    await admin.press("Control+s");
    await admin.message("Not saved");
    await admin.page.locator(".field-problem", { hasText: "Must be at least 3" }).waitFor();
    await field("Url").fill("abc");
    await saved();
    expect(await read(idInUrl())).toMatchObject({ kind: "video", url: "abc" });
  }, 180_000);

  test("one that is not visible any more is not sent, and keeps its value", async () => {
    await selectOption(field("Kind"), "text");
    await field("Url").waitFor({ state: "detached" });
    await saved();
    expect(await read(idInUrl())).toMatchObject({ kind: "text", url: "abc" });
    await selectOption(field("Kind"), "video");
    expect(await field("Url").inputValue()).toBe("abc");
    await selectOption(field("Kind"), "text");
  }, 180_000);

  test("entries of components have conditions of their own", async () => {
    for (const _ of [1, 2]) await admin.page.getByRole("button", { name: "Add part" }).click();
    const entry = (index: number) => admin.page.locator(".entry").nth(index);
    await entry(1).getByText("Yes").click();
    await entry(1).getByLabel("Text").fill("Long words");
    expect(await entry(0).getByLabel("Text").count()).toBe(0);
    await saved();
    const { parts } = await read(idInUrl());
    expect(parts).toMatchObject([{ text: null }, { isLong: true, text: "Long words" }]);
    expect(admin.complaints).toEqual([]);
  }, 180_000);

  test("conditions are chosen with the attribute, and follow the attribute that decides to its new name", async () => {
    await admin.visit(`/admin/types/${CLIP}`);
    const button = (name: string) => admin.page.getByRole("button", { name, exact: true });
    const dialog = admin.page.getByRole("dialog");
    const label = (name: string) => dialog.getByLabel(name, { exact: true });
    await button("Edit url").click();
    expect([await label("Shown").inputValue(), await label("Value that decides").inputValue()]).toEqual([
      "If kind",
      "video",
    ]);
    await selectOption(label("Comparison"), "is not");
    await selectOption(label("Value that decides"), "text");
    expect(await findProblems(admin.page)).toEqual([]);
    await button("Done").click();
    await button("Edit data").click();
    await selectOption(label("Shown"), "Always");
    await button("Done").click();
    await button("Edit kind").click();
    await label("Name").fill("sort");
    await button("Done").click();
    await button("Review changes…").click();
    await dialog.locator(".diff-lines").first().waitFor();
    await button("Write the files").click();
    await admin.message("Saved: the API serves the new schema");
    const file = join(server.root, "src/api/clip/content-types/clip/schema.json");
    const { attributes } = JSON.parse(readFileSync(file, "utf8"));
    expect(attributes.url.conditions).toEqual({ visible: { "!=": [{ var: "sort" }, "text"] } });
    expect(attributes.data).toEqual({ type: "json" });
    expect(admin.complaints).toEqual([]);
  }, 180_000);
});
