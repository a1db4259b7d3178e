/** How a list looks and is kept: its order, images, widths and places of columns, views, and cards in a narrow window. */
import { describe, expect, test } from "bun:test";
import { typeFile } from "../../project.ts";
import { findProblems } from "../../ui/axe.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { selectOption } from "../../ui/select-option.ts";
import { type AdminPage, openPage } from "./admin-page.ts";

const STORY = "api::story.story";
const WIDE = "api::wide.wide";
const files = {
  ...typeFile(
    "story",
    { title: { type: "string" }, picture: { type: "media", multiple: false }, rank: { type: "integer" } },
    { draftAndPublish: true },
  ),
  ...typeFile("wide", {
    title: { type: "string" },
    picture: { type: "media", multiple: false },
    readingMinutes: { type: "integer" },
    beginsAt: { type: "date" },
    kind: { type: "enumeration", enum: ["long", "short"] },
  }),
};

describe.skipIf(!hasBrowser)("the layout of a list", () => {
  let admin: AdminPage;

  openPage(
    files,
    (page) => {
      ({ admin } = page);
    },
    async ({ galley }) => {
      for (const [index, title] of ["First", "Second", "Third"].entries())
        await galley.documents(STORY).create({ data: { title, rank: 3 - index } });
    },
  );

  const open = async (search = ""): Promise<void> => {
    await admin.visit(`/admin/content/${STORY}${search}`);
    await admin.page.locator("tbody a").first().waitFor();
  };
  const names = (): Promise<string[]> => admin.page.locator("tbody .row-link").allTextContents();
  const heads = (): Promise<string[]> => admin.page.locator("thead th[draggable]").allInnerTexts();
  const head = (name: string) => admin.page.getByRole("columnheader", { name });
  const params = () => Object.fromEntries(new URL(admin.page.url()).searchParams);
  const select = (name: string) => admin.page.getByLabel(name, { exact: true });

  test("what was changed last comes first, and its head says so", async () => {
    await open();
    expect(await names()).toEqual(["Third", "Second", "First"]);
    expect(await head("Updated at").getAttribute("aria-sort")).toBe("descending");
    // beside the name
    expect((await admin.page.locator("thead th").allInnerTexts()).slice(1, 3)).toEqual(["Title", "Status"]);
    expect(await head("Picture").count()).toBe(0);
    expect(await admin.page.locator("tbody .row-image").count()).toBe(3);
    await admin.page.locator("tbody time[title]").first().waitFor();
  });

  test("one box selects all documents, and gives them up", async () => {
    await open();
    await select("Select First").check();
    expect(
      await select("Select all").evaluate((box) => (box as unknown as { indeterminate: boolean }).indeterminate),
    ).toBe(true);
    await select("Select all").check();
    await admin.page.getByText("3 selected").waitFor();
    await select("Select all").uncheck();
    await admin.page.getByText("3 selected").waitFor({ state: "detached" });
  });

  test("columns are made wider and moved, with the pointer and with keys, and stay so", async () => {
    await open();
    const width = async (): Promise<number> => (await head("Rank").boundingBox())!.width;
    const before = await width();
    const edge = (await head("Rank").locator(".column-edge").boundingBox())!;
    await admin.page.mouse.move(edge.x + edge.width / 2, edge.y + 5);
    await admin.page.mouse.down();
    await admin.page.mouse.move(edge.x + edge.width / 2 + 80, edge.y + 5, { steps: 4 });
    await admin.page.mouse.up();
    const dragged = await width();
    expect(Math.round(dragged - before)).toBe(80);
    await head("Rank").getByRole("button").focus();
    await admin.press("Alt+ArrowLeft");
    expect(Math.round(dragged - (await width()))).toBe(24);
    await admin.page.reload();
    await head("Rank").waitFor();
    expect(Math.round(dragged - (await width()))).toBe(24);
    await head("Updated at").dragTo(head("Rank"));
    expect(await heads()).toEqual(
      ["Title", "Updated at ↓", "Rank"].map((text) => expect.stringContaining(text.slice(0, 4))),
    );
    expect(params().columns).toBe("title,updatedAt,rank");
    await head("Rank").getByRole("button").focus();
    await admin.press("Alt+Shift+ArrowLeft");
    expect(params().columns).toBe("title,rank,updatedAt");
  });

  test("a view keeps a query under a name, until it is removed", async () => {
    await open("?filters[$and][0][rank][$gt]=1");
    const top = async (): Promise<number> => (await admin.page.locator(".table").boundingBox())!.y;
    const before = await top();
    await head("Rank").getByRole("button").click();
    await head("Rank").and(admin.page.locator("[aria-sort=ascending]")).waitFor();
    // nothing has moved below the pointer
    expect(await top()).toBe(before);
    await admin.page.getByRole("button", { name: "Save view" }).click();
    const dialog = admin.page.getByRole("dialog", { name: "Save view" });
    await dialog.getByLabel("Name").fill("Ranked");
    expect(await findProblems(admin.page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    const views = admin.page.getByRole("navigation", { name: "Views" });
    await views.locator("[aria-current]", { hasText: "Ranked" }).waitFor();
    await views.getByRole("link", { name: "All" }).click();
    await admin.page.getByText("3 documents").waitFor();
    await admin.page.reload();
    await views.getByRole("link", { name: "Ranked" }).click();
    await admin.page.getByText("2 documents").waitFor();
    expect(params()).toEqual({ sort: "rank:asc", "filters[$and][0][rank][$gt]": "1" });
    await admin.page.setViewportSize({ width: 390, height: 800 });
    await selectOption(admin.page.getByLabel("Sort"), "title:asc");
    await admin.page.getByRole("button", { name: "More actions" }).click();
    await admin.page.getByRole("menuitem", { name: "Save view" }).click();
    await dialog.waitFor();
    await admin.press("Escape");
    await admin.page.setViewportSize({ width: 1280, height: 800 });
    await views.getByRole("link", { name: "Ranked" }).click();
    await views.getByRole("button", { name: "Remove the view Ranked" }).click();
    await views.waitFor({ state: "detached" });
  });

  test("columns are as wide as what they say, who changed it included; a medium window is not scrolled to the side", async () => {
    await admin.visit(`/admin/content/${WIDE}/new`);
    await admin.page.getByLabel("Title").fill("Written here");
    await admin.press("Control+s");
    await admin.message("Saved");
    await admin.visit(`/admin/content/${WIDE}`);
    const clipped = (): Promise<number> =>
      admin.page
        .locator(".table :is(th[draggable], .cell-when)")
        .evaluateAll((cells) => cells.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length);
    await admin.page
      .locator(".cell-when", { hasText: /· Admin$/ })
      .first()
      .waitFor();
    expect(await clipped()).toBe(0);
    await admin.page.setViewportSize({ width: 1024, height: 800 });
    await head("Begins at").waitFor({ state: "detached" });
    const over = ({ scrollWidth, clientWidth }: { scrollWidth: number; clientWidth: number }) =>
      scrollWidth - clientWidth;
    expect([await clipped(), await admin.page.locator(".table-scroller").evaluate(over)]).toEqual([0, 0]);
    await admin.page.setViewportSize({ width: 1280, height: 800 });
  });

  test("ids are columns for developers", async () => {
    await open();
    await admin.page.getByRole("button", { name: "Columns" }).click();
    const dialog = admin.page.getByRole("dialog", { name: "Columns" });
    await dialog.getByLabel("Created at").waitFor();
    expect(await dialog.getByLabel("Document id").count()).toBe(0);
    await admin.press("Escape");
    await admin.page.getByLabel("Developer details").check();
    await admin.page.getByRole("button", { name: "Columns" }).click();
    await dialog.getByLabel("Document id").waitFor();
    await admin.press("Escape");
    await admin.page.getByLabel("Developer details").uncheck();
  });

  test("in a narrow window a document is a card, with its status and time, and its order is chosen from a list", async () => {
    await admin.page.setViewportSize({ width: 390, height: 800 });
    await open();
    const card = admin.page.locator("tbody tr[aria-rowindex]").first();
    expect((await card.boundingBox())?.height).toBe(64);
    await card.getByText("Draft").waitFor();
    await card.locator("time").waitFor();
    expect(await card.getByText("1", { exact: true }).isVisible()).toBe(false);
    await selectOption(admin.page.getByLabel("Sort"), "title:asc");
    await admin.page.locator("tbody .row-link", { hasText: "First" }).first().waitFor();
    expect(await names()).toEqual(["First", "Second", "Third"]);
    expect(await findProblems(admin.page)).toEqual([]);
    expect(admin.complaints).toEqual([]);
  });
});
