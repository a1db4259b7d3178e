/** A document is scheduled beside its form. */
import { describe, expect, test } from "bun:test";
import { findProblems } from "../../ui/axe.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";
import { EVERYTHING, files } from "./everything.ts";

describe.skipIf(!hasBrowser)("the schedule of a document", () => {
  let server: AdminServer;
  let admin: AdminPage;
  openPage(files, (page) => {
    ({ server, admin } = page);
  });

  test("times are set, shown again, and removed", async () => {
    const documents = server.galley.documents(EVERYTHING);
    const { documentId } = await documents.create({ data: { title: "Scheduled", slug: "scheduled" } });
    const open = async (): Promise<void> => {
      await admin.visit(`/admin/content/${EVERYTHING}/${documentId}`);
      await admin.page.locator("summary", { hasText: "Schedule" }).click();
    };
    const submit = () => admin.page.getByRole("button", { name: "Schedule", exact: true }).click();
    await open();
    await admin.page.getByLabel("Publish at", { exact: true }).fill("2999-01-02T03:04");
    await admin.page.getByLabel("Unpublish at", { exact: true }).fill("2999-01-01T00:00");
    await submit();
    await admin.message("The time to unpublish must be after the time to publish");
    await admin.page.getByLabel("Unpublish at", { exact: true }).fill("");
    await submit();
    await admin.message("Scheduled");
    // in sight: nobody would look for it
    await admin.page.reload();
    const publish = admin.page.getByLabel("Publish at", { exact: true });
    await publish.waitFor();
    expect(await publish.inputValue()).toBe("01/02/2999 03:04");
    expect(await findProblems(admin.page, undefined, ".rail")).toEqual([]);
    await publish.fill("");
    await submit();
    await admin.message("Nothing is scheduled any more");
    expect(admin.complaints.filter((text) => !text.includes("400"))).toEqual([]);
  });
});
