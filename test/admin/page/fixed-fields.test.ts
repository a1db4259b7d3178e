/** Fields that schema files declare as not editable, in a browser. */
import { describe, expect, test } from "bun:test";
import { componentFile, typeFile } from "../../project.ts";
import { findProblems } from "../../ui/axe.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";

const SHEET = "api::sheet.sheet";
const fixed = { pluginOptions: { "content-manager": { editable: false } } };

const files = {
  ...componentFile("sheet.part", { text: { type: "string" } }),
  ...typeFile("sheet", {
    name: { type: "string" },
    code: { type: "string", ...fixed },
    kind: { type: "enumeration", enum: ["one", "two"], ...fixed },
    likes: { type: "integer", default: 3, ...fixed },
    unseen: { type: "string", pluginOptions: { "content-manager": { visible: false } } },
    parts: { type: "component", component: "sheet.part", repeatable: true, ...fixed },
  }),
};

describe.skipIf(!hasBrowser)("fields that are not editable", () => {
  let server: AdminServer;
  let admin: AdminPage;

  openPage(files, (page) => {
    ({ server, admin } = page);
  });

  const field = (label: string) => admin.page.getByLabel(label, { exact: true });

  test("are shown with the reason, and stay as they are", async () => {
    const data = { name: "Sheet", code: "c-1", kind: "two", unseen: "u", parts: [{ text: "first" }] };
    const { documentId } = await server.galley.documents(SHEET).create({ data });
    await admin.visit(`/admin/content/${SHEET}/${documentId}`);
    expect(await field("Code").inputValue()).toBe("c-1");
    expect(await field("Code").getAttribute("readonly")).not.toBeNull();
    expect(await field("Likes").getAttribute("readonly")).not.toBeNull();
    expect(await field("Kind").isDisabled()).toBe(true);
    expect(await field("Unseen").count()).toBe(0);
    const reasons = admin.page.getByText("read-only: its schema says that it is not editable");
    expect(await reasons.count()).toBe(4);
    const parts = admin.page.getByRole("group", { name: "Parts" });
    expect(await parts.getByRole("button", { name: /^(Add|Remove)/ }).count()).toBe(0);
    expect(await field("Text").getAttribute("readonly")).not.toBeNull();
    expect(await findProblems(admin.page)).toEqual([]);
    await field("Name").fill("Changed");
    await admin.press("Control+s");
    await admin.message("Saved");
    const saved = await server.galley.documents(SHEET).findOne({ documentId: String(documentId), populate: "*" });
    expect(saved).toMatchObject({ ...data, name: "Changed", likes: 3 });
  }, 180_000);

  test("get no values in bulk", async () => {
    await admin.visit(`/admin/content/${SHEET}`);
    await admin.page.locator("td > a").first().waitFor();
    await admin.page.locator("tbody").getByRole("checkbox").first().check();
    await admin.page.getByRole("button", { name: "Edit a field" }).click();
    const choices = admin.page.getByRole("dialog").getByRole("combobox", { name: "Field", exact: true });
    await choices.waitFor();
    await choices.click();
    const names = await admin.page.getByRole("option").allTextContents();
    expect(names).toContain("Name");
    for (const name of ["Code", "Kind", "Likes"]) expect(names).not.toContain(name);
    await admin.press("Escape", "Escape");
  }, 180_000);
});
