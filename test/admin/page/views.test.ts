/** The form of a type is configured, and shown so. */
import { describe, expect, test } from "bun:test";
import { findProblems } from "../../ui/axe.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { selectOption } from "../../ui/select-option.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";
import { EVERYTHING, files } from "./everything.ts";

describe.skipIf(!hasBrowser)("the view of a form", () => {
  let server: AdminServer;
  let admin: AdminPage;
  openPage(files, (page) => {
    ({ server, admin } = page);
  });

  test("a label, a hint, a width, another place, and a field that is not shown", async () => {
    const documents = server.galley.documents(EVERYTHING);
    const { documentId } = await documents.create({ data: { title: "Viewed", slug: "viewed" } });
    await admin.visit(`/admin/content/${EVERYTHING}`);
    await admin.page.getByRole("button", { name: "More actions" }).click();
    await admin.page.getByRole("menuitem", { name: "Configure the form" }).click();
    await admin.page.getByLabel("Label of Summary").fill("Teaser");
    await admin.page.getByLabel("Hint of Summary").fill("Two sentences at most");
    // somebody else writes meanwhile
    const readAgain = admin.page.waitForResponse(/\/configuration/);
    await documents.update({ documentId, data: { summary: "Changed" } });
    await readAgain;
    // what nobody has arranged has rows of its own
    expect(await admin.page.getByLabel("Width of Count").inputValue()).toBe("Full width");
    await selectOption(admin.page.getByLabel("Width of Count"), "A third");
    await admin.page.getByRole("listitem").filter({ hasText: "Big" }).getByLabel("Shown").uncheck();
    await admin.page.getByRole("button", { name: "Move Count" }).press("ArrowUp");
    expect(await findProblems(admin.page)).toEqual([]);
    await admin.page.getByRole("button", { name: "Save", exact: true }).click();
    await admin.message("Saved");
    await admin.visit(`/admin/content/${EVERYTHING}/${documentId}`);
    await admin.page.getByLabel("Teaser", { exact: true }).waitFor();
    await admin.page.getByText("Two sentences at most").waitFor();
    expect(await admin.page.getByLabel("Big", { exact: true }).count()).toBe(0);
    const widths = await Promise.all(
      ["Count", "Teaser"].map(
        async (name) => (await admin.page.getByLabel(name, { exact: true }).boundingBox())!.width,
      ),
    );
    // a third, and all of it, as before
    expect(widths[0]! * 1.4).toBeLessThan(widths[1]!);
    await admin.visit(`/admin/content/${EVERYTHING}/${documentId}?locale=fr`);
    await admin.page.getByLabel("Teaser", { exact: true }).waitFor();
    await admin.page.getByRole("button", { name: "More actions" }).click();
    await admin.page.getByRole("menuitem", { name: "Show English beside" }).click();
    expect(await admin.page.getByLabel("Teaser English").inputValue()).toBe("Changed");
    expect(admin.complaints).toEqual([]);
  });
});
