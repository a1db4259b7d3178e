/** A document is a heading, a column and a rail: what the rail has, and where it is in a narrow window. */
import { describe, expect, test } from "bun:test";
import { relation, typeFile } from "../../project.ts";
import { findProblems } from "../../ui/axe.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";

const WRITER = "api::writer.writer";
const BOOK = "api::book.book";
const files = {
  ...typeFile("writer", { name: { type: "string", required: true }, about: { type: "text" } }),
  ...typeFile(
    "book",
    { title: { type: "string" }, writer: relation("manyToOne", "writer") },
    { draftAndPublish: true },
  ),
};

describe.skipIf(!hasBrowser)("the rail of a document", () => {
  let server: AdminServer;
  let admin: AdminPage;
  let documentId: string;

  openPage(
    files,
    (page) => {
      ({ server, admin } = page);
    },
    async ({ galley }) => {
      documentId = String((await galley.documents(WRITER).create({ data: { name: "Ann" } })).documentId);
      for (let index = 1; index <= 6; index++)
        await galley.documents(BOOK).create({ data: { title: `Book ${index}`, writer: documentId } });
    },
  );

  const title = () => admin.page.getByLabel(/^Name/);
  const rail = () => admin.page.getByRole("complementary", { name: "About this document" });
  const open = async (id = documentId): Promise<void> => {
    await admin.visit(`/admin/content/${WRITER}/${id}`);
    await title().waitFor();
  };

  test("the heading is edited in place, in one line however it is pasted", async () => {
    await open();
    expect(await title().evaluate((element) => element.matches(".fields *"))).toBe(false);
    await title().fill("Ann\nArbor");
    expect(await title().inputValue()).toBe("Ann Arbor");
    await admin.press("Enter");
    expect(await title().inputValue()).toBe("Ann Arbor");
    await admin.page.getByRole("heading", { name: "Ann Arbor" }).waitFor({ state: "attached" });
    await title().fill("");
    await admin.press("Control+s");
    await admin.message("Not saved");
    await admin.page.locator(".title .field-problem").getByText("Required").waitFor();
    await title().fill("Ann Arbor");
    await admin.press("Control+s");
    await admin.message("Saved");
    expect(await server.galley.documents(WRITER).findOne({ documentId })).toMatchObject({ name: "Ann Arbor" });
  });

  test("it tells times in words, exactly when they are pointed at, and what links here", async () => {
    await open();
    const time = rail().locator("time").first();
    await time.getByText(/now|second/).waitFor();
    expect(await time.getAttribute("title")).toContain(String(new Date().getFullYear()));
    await rail().getByText("Where it is used").click();
    await rail().getByText("book · Writer").waitFor();
    await rail().getByRole("link", { name: "Book 6" }).waitFor();
    expect(await rail().getByRole("link", { name: /^Book/ }).count()).toBe(5);
    await rail().getByRole("link", { name: "All 6" }).click();
    await admin.page.getByText("6 documents").waitFor();
  });

  test("its button opens the history", async () => {
    await open(String((await server.galley.documents(WRITER).create({ data: { name: "New" } })).documentId));
    await rail().getByRole("button", { name: "History" }).click();
    const dialog = admin.page.getByRole("dialog", { name: "History" });
    await dialog.getByText("No versions yet").waitFor();
    // without anything to compare it is as wide as a question
    expect((await dialog.locator(".dialog-box").boundingBox())!.width).toBeLessThan(500);
  });

  test("in a narrow window it is a sheet, which Escape closes; saving stays in sight", async () => {
    await admin.page.setViewportSize({ width: 390, height: 800 });
    await open();
    expect(await rail().isVisible()).toBe(false);
    await admin.page.getByRole("button", { name: "About this document" }).click();
    await rail().getByText("Changed").waitFor();
    expect(await findProblems(admin.page)).toEqual([]);
    await admin.press("Escape");
    await rail().waitFor({ state: "hidden" });
    await admin.page.locator(".form").evaluate((element) => element.scrollIntoView({ block: "end" }));
    expect(await admin.page.getByRole("button", { name: "Save" }).isVisible()).toBe(true);
    expect(admin.complaints).toEqual([]);
  });
});
