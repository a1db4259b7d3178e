/** A save that is refused: all that is wrong is said at once, where it belongs, and goes once it is corrected. */
import { describe, expect, test } from "bun:test";
import { componentFile, relation, typeFile } from "../../project.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";

const STRICT = "api::strict.strict";
const strict = typeFile(
  "strict",
  {
    name: { type: "string", required: true },
    code: { type: "string", regex: "^[a-z]+$" },
    mail: { type: "email" },
    big: { type: "biginteger" },
    others: relation("manyToMany", "strict"),
  },
  { draftAndPublish: true },
);
const cover = { cover: { type: "media", multiple: false, allowedTypes: ["images"], required: true } };
const files = {
  ...strict,
  ...componentFile("parts.picture", cover),
  ...typeFile(
    "covered",
    { name: { type: "string" }, ...cover, picture: { type: "component", component: "parts.picture" } },
    { draftAndPublish: true },
  ),
};

describe.skipIf(!hasBrowser)("a refused save", () => {
  let server: AdminServer;
  let admin: AdminPage;
  openPage(files, (page) => {
    ({ server, admin } = page);
  });
  const problems = () => admin.page.locator(".field-problem:not(:empty)");
  const toCorrect = () => admin.page.getByRole("navigation", { name: "Fields to correct" });

  test("a pattern, a mail, a big integer and what is missing are reported together, and go one by one", async () => {
    await admin.visit(`/admin/content/${STRICT}/new`);
    const values = { code: ["A1", "a"], mail: ["nobody", "a@example.com"], big: ["1x", "1"], name: ["", "Strict"] };
    const field = (name: string) => admin.page.locator(`[name="${name}"]`);
    await field("code").waitFor();
    for (const [name, [wrong]] of Object.entries(values)) await field(name).fill(wrong!);
    await admin.press("Control+Shift+Enter");
    await admin.message("Not saved");
    expect(await toCorrect().getByRole("button").allTextContents()).toEqual(["Name", "Code", "Mail", "Big"]);
    expect(await problems().allTextContents()).toEqual([
      "Required",
      'Must match the following: "/^[a-z]+$/"',
      "Must be a valid email",
      "Must be a valid integer",
    ]);
    let left = 4;
    for (const [name, [, right]] of Object.entries(values)) {
      await field(name).fill(right!);
      await problems().nth(--left).waitFor({ state: "detached" });
      expect(await field(name).getAttribute("aria-invalid")).not.toBe("true");
    }
    await toCorrect().waitFor({ state: "detached" });
    await admin.press("Control+Shift+Enter");
    await admin.message("Published");
    const [stored] = await server.galley.documents(STRICT).findMany({ status: "published" });
    expect(stored).toMatchObject({ name: "Strict", code: "a", mail: "a@example.com", big: "1" });
  }, 120_000);

  test("a required file may be missing in a draft, and keeps a document from being published", async () => {
    await admin.visit("/admin/content/api::covered.covered/new");
    await admin.page.locator('[name="name"]').fill("Covered");
    await admin.page.getByRole("button", { name: "Add Picture" }).click();
    await admin.press("Control+s");
    await admin.message("Saved");
    await admin.press("Control+Shift+Enter");
    await admin.message("Not saved");
    expect(await toCorrect().getByRole("button").allTextContents()).toEqual(["Cover", "Picture › Cover"]);
    expect(await problems().allTextContents()).toEqual(["Required", "Required"]);
    expect(await server.galley.documents("api::covered.covered").count({ status: "published" })).toBe(0);
  }, 120_000);

  test("what is wrong in a panel is said there, and of the page's document on the page", async () => {
    const { documentId: other } = await server.galley.documents(STRICT).create({ data: { name: "Other" } });
    const { documentId } = await server.galley
      .documents(STRICT)
      .create({ data: { name: "Page", others: [other as string] } });
    await admin.visit(`/admin/content/${STRICT}/${documentId}`);
    const bar = admin.page.getByText("Not saved: some fields are invalid");
    const opener = admin.page.getByRole("button", { name: "Other", exact: true });
    const panel = admin.page.getByRole("dialog", { name: "strict" });
    await opener.waitFor();
    await admin.page.locator('[name="big"]').fill("1x");
    await admin.press("Control+s");
    await bar.waitFor();
    await opener.click();
    await panel.locator('[name="mail"]').waitFor();
    expect([await bar.count(), await toCorrect().count()]).toEqual([0, 1]);
    await panel.locator('[name="mail"]').fill("nobody");
    await admin.press("Control+Shift+Enter");
    await panel.getByText("Not saved: some fields are invalid").waitFor();
    expect(
      await panel.getByRole("navigation", { name: "Fields to correct" }).getByRole("button").allTextContents(),
    ).toEqual(["Mail"]);
    await panel.locator('[name="mail"]').fill("");
    await admin.press("Escape");
    await panel.waitFor({ state: "detached" });
    expect(await toCorrect().getByRole("button").allTextContents()).toEqual(["Big"]);
    expect(await bar.count()).toBe(0);
    expect(admin.complaints).toEqual([]);
  }, 120_000);
});
