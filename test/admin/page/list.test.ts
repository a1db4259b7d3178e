/** Lists in a browser: all documents are reached, everything is in the URL, many are changed at once, keys are enough. */
import { describe, expect, test } from "bun:test";
import { relation, typeFile } from "../../project.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { selectOption } from "../../ui/select-option.ts";
import { until } from "../../until.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";

const NOTE = "api::note.note";
const COUNT = 2000;
const files = {
  ...typeFile("writer", { name: { type: "string" }, at: { type: "time" } }),
  ...typeFile(
    "note",
    {
      name: { type: "string", required: true },
      rank: { type: "integer" },
      writer: relation("manyToOne", "writer"),
    },
    { draftAndPublish: true },
  ),
};

describe.skipIf(!hasBrowser)("a list in the admin page", () => {
  let server: AdminServer;
  let admin: AdminPage;

  openPage(
    files,
    (page) => {
      ({ server, admin } = page);
    },
    async ({ galley }) => {
      const writer = await galley.documents("api::writer.writer").create({ data: { name: "Ann" } });
      const notes = galley.documents(NOTE);
      const last = await notes.create({ data: { name: "note 0000", rank: 0, writer: writer.documentId } });
      // rows like that one, without the time that creating each of them takes
      const db = galley.database();
      const columns = (db.query("SELECT name FROM pragma_table_info('notes')").all() as { name: string }[])
        .map(({ name }) => name)
        .filter((name) => name !== "id");
      const values = columns.map(
        (name) => ({ name: "printf('note %04d', n)", rank: "n", document_id: "printf('%024d', n)" })[name] ?? name,
      );
      db.run(
        `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${COUNT - 1})
         INSERT INTO notes (${columns.map((name) => `"${name}"`).join()})
         SELECT ${values.map((value) => (columns.includes(value) ? `notes."${value}"` : value)).join()}
         FROM numbers, notes WHERE notes.document_id = '${last.documentId}'`,
      );
    },
  );

  const row = (name: string) => admin.page.getByRole("row", { name: new RegExp(name) });
  const shown = async (): Promise<number> => admin.page.locator("tbody tr[aria-rowindex]").count();
  const open = async (search = ""): Promise<void> => {
    await admin.goTo(`/admin/content/${NOTE}${search}`);
    await admin.page.locator("tbody a").first().waitFor();
  };
  const params = (): URLSearchParams => new URL(admin.page.url()).searchParams;

  test("all documents are reached by scrolling, and few are in the page at once", async () => {
    await open("?sort=rank:asc");
    await admin.page.getByText("2,000 documents").waitFor();
    await row("note 0000").waitFor();
    const scroller = admin.page.locator(".table-scroller");
    await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
    await row("note 1000").waitFor();
    await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await row("note 1999").waitFor();
    expect(await shown()).toBeLessThan(60);
  }, 180_000);

  test("rows that have not come have lines in their place", async () => {
    await admin.goTo("/admin/media");
    const answered = Promise.withResolvers<void>();
    await admin.page.route("**/lists/**", async (route) => {
      await answered.promise;
      await route.continue();
    });
    await admin.page.getByRole("navigation").getByRole("link", { name: /^note/ }).click();
    const waiting = admin.page.locator(".row-loading[aria-hidden]");
    await waiting.first().waitFor();
    expect([await waiting.count(), (await waiting.first().boundingBox())!.height]).toEqual([8, 40]);
    answered.resolve();
    await row("note 0001").first().waitFor();
    expect(await waiting.count()).toBe(0);
    await admin.page.unroute("**/lists/**");
  });

  test("a page that was opened without a server goes on when it is back", async () => {
    const requests = "**/admin/api/**";
    await admin.page.route(requests, (route) => route.abort("connectionrefused"));
    await admin.goTo(`/admin/content/${NOTE}`);
    await admin.page.getByText("The server does not respond").waitFor();
    await admin.page.unroute(requests);
    await admin.page.locator("tbody a").first().waitFor();
  }, 180_000);

  test.each([
    ["", "updated_at"],
    ["?sort=rank:desc&q=1&filters[rank][$gt]=5&columns=rank,name", "rank"],
  ])(
    "the first requests of a list%s are sent once, with the document",
    async (search, column) => {
      // the first list that is sorted by a column has an index made of it, which the page cannot tell from a change of content
      await open(search);
      const index = server.galley.database().query("SELECT 1 FROM sqlite_schema WHERE name = ?");
      await until("the index is there", () => index.get(`notes_${column}_listed`) !== null);
      const other = await admin.another();
      const sent: string[] = [];
      const warnings: string[] = [];
      other.page.on("request", (request) => sent.push(new URL(request.url()).pathname));
      other.page.on("console", (message) => warnings.push(message.text()));
      await other.goTo(`/admin/content/${NOTE}${search}`);
      // the last that the page shows
      await other.page.getByRole("status").filter({ hasText: "documents" }).waitFor();
      await other.page.locator('link[rel="icon"][href*="assets/"]').waitFor({ state: "attached" });
      const rows = `/admin/api/lists/${encodeURIComponent(NOTE)}`;
      // the last two come when the page is drawn
      const later = ["/admin/api/events", "/admin/api/counts"];
      const api = sent.filter((path) => path.startsWith("/admin/api/") && !later.includes(path));
      expect(api.toSorted()).toEqual([rows, "/admin/api/start"]);
      const script = sent.findIndex((path) => path.endsWith(".js"));
      expect(sent.findLastIndex((path) => api.includes(path))).toBeLessThanOrEqual(script + 2);
      expect(warnings).toEqual([]);
      await other.page.close();
    },
    180_000,
  );

  test("rows are reached, selected and opened with keys", async () => {
    await open("?sort=rank:asc");
    await admin.page.locator("tbody tr[aria-rowindex='2']").focus();
    await admin.press("ArrowDown", "Space", "Shift+ArrowDown", "End");
    await row("note 1999").waitFor();
    await admin.page.getByText("2 selected").waitFor();
    await admin.press("Home");
    await row("note 0000").waitFor();
    await admin.press("Enter");
    await admin.page.getByRole("heading", { name: "note 0000" }).waitFor();
    await admin.page.goBack();
    await row("note 0000").waitFor();
    expect(params().get("sort")).toBe("rank:asc");
  }, 180_000);

  test("a click anywhere in a row opens its document; one on its box does not", async () => {
    await open("?sort=rank:asc");
    await row("note 0001").getByRole("checkbox").click();
    await admin.page.getByText("1 selected").waitFor();
    await row("note 0001").getByRole("cell").last().click();
    await admin.page.getByRole("heading", { name: "note 0001" }).waitFor();
  }, 180_000);

  test("rows are sent compressed", async () => {
    const answer = admin.page.waitForResponse(/\/admin\/api\/lists\//);
    await open("?sort=rank:desc");
    expect((await (await answer).allHeaders())["content-encoding"]).toMatch(/^(br|gzip)$/);
  }, 180_000);

  test("ranges and all documents are selected, given up, and deleted, with keys and the pointer", async () => {
    await open("?sort=rank:asc");
    expect(await admin.page.title()).toMatch(/^note · .+ · Galley$/);
    const isSelected = (count: string) => admin.page.getByText(`${count} selected`, { exact: true }).waitFor();
    await admin.page.getByLabel("Select note 0001").click();
    await admin.page.getByLabel("Select note 0004").click({ modifiers: ["Shift"] });
    await isSelected("4");
    expect(await admin.page.getByLabel("Select note 0003").isChecked()).toBe(true);
    await admin.press("Escape");
    await admin.page.getByText("4 selected", { exact: true }).waitFor({ state: "detached" });
    await admin.page.locator("tbody tr[aria-rowindex='3']").focus();
    await admin.press("Shift+End");
    await isSelected("1,999");
    await admin.press("Control+a");
    await isSelected("2,000");
    await admin.press("Delete");
    await admin.page.getByRole("dialog", { name: "Delete 2,000 documents?" }).waitFor();
    await admin.press("Escape");
    // it has closed the dialog alone
    await isSelected("2,000");
    await admin.press("Escape");
    await admin.page.getByText("2,000 selected", { exact: true }).waitFor({ state: "detached" });
  }, 180_000);

  test("search, sort, status and columns are in the URL, and come back with it", async () => {
    await open();
    await admin.press("/");
    await admin.type("note 0042", admin.page.getByRole("searchbox"));
    await admin.page.getByText("1 document", { exact: true }).waitFor();
    await admin.page.getByRole("button", { name: "Rank" }).click();
    await selectOption(admin.page.getByLabel("Status"), "draft");
    await admin.page.getByRole("button", { name: "Columns" }).click();
    const dialog = admin.page.getByRole("dialog", { name: "Columns" });
    await dialog.getByRole("checkbox", { name: "Updated at" }).uncheck();
    await dialog.getByRole("button", { name: "Apply" }).click();
    expect(Object.fromEntries(params())).toEqual({
      q: "note 0042",
      sort: "rank:asc",
      status: "draft",
      columns: "name,rank,writer",
    });
    await admin.page.reload();
    await row("note 0042").waitFor();
    expect(await admin.page.getByRole("searchbox").inputValue()).toBe("note 0042");
    expect(await admin.page.getByRole("columnheader", { name: "Updated at" }).count()).toBe(0);
  }, 180_000);

  test("filters go through relations, and stay as they are while they are written", async () => {
    await open();
    await admin.page.getByRole("button", { name: "Filter" }).click();
    const dialog = admin.page.getByRole("dialog", { name: "Filter note" });
    const field = dialog.getByLabel("Field", { exact: true });
    await field.and(admin.page.locator(":focus")).waitFor();
    await selectOption(field, "writer");
    await selectOption(dialog.getByLabel("Field of Writer"), "name");
    await selectOption(dialog.getByLabel("Comparison"), "$startsWithi");
    expect(await dialog.getByLabel("Match").count()).toBe(0);
    await dialog.getByRole("button", { name: "Add a condition" }).click();
    await field.nth(1).and(admin.page.locator(":focus")).waitFor();
    expect(await dialog.getByLabel("Match").inputValue()).toBe("all of these");
    expect(await dialog.getByLabel("Comparison").first().inputValue()).toBe("starts with");
    await dialog.getByLabel("Value").first().fill("A");
    await selectOption(dialog.getByLabel("Field", { exact: true }).nth(1), "rank");
    await selectOption(dialog.getByLabel("Comparison").nth(1), "$between");
    await dialog.getByLabel("From").fill("0");
    await dialog.getByLabel("To").fill("5");
    await dialog.getByRole("button", { name: "Apply" }).click();
    await admin.page.getByText("1 document", { exact: true }).waitFor();
    expect(params().get("filters[$and][0][writer][name][$startsWithi]")).toBe("A");
    await admin.page.reload();
    // a filter is changed, and only its own button removes it
    await admin.page.getByRole("button", { name: "Rank is between 0, 5", exact: true }).click();
    await dialog.getByLabel("To").fill("6");
    await dialog.getByRole("button", { name: "Apply" }).click();
    await admin.page.getByRole("button", { name: "Rank is between 0, 6", exact: true }).waitFor();
    await admin.page.getByText("1 document", { exact: true }).waitFor();
    await admin.page.getByRole("button", { name: /Remove: Writer/ }).click();
    await admin.page.getByText("7 documents").waitFor();
    // incomplete ones are not applied; times are compared as they are stored
    await admin.page.getByRole("button", { name: "Filter", exact: true }).click();
    await selectOption(dialog.getByLabel("Field", { exact: true }), "writer");
    await selectOption(dialog.getByLabel("Field of Writer"), "at");
    await selectOption(dialog.getByLabel("Comparison"), "$eq");
    await dialog.getByRole("button", { name: "Apply" }).click();
    expect(await dialog.locator(":invalid:not(form)").count()).toBe(1);
    await dialog.getByLabel("Value").fill("09:30");
    await dialog.getByRole("button", { name: "Apply" }).click();
    await admin.page.getByText("No documents match.").waitFor();
    expect(params().get("filters[$and][0][writer][at][$eq]")).toBe("09:30:00.000");
    await admin.visit(`/admin/content/${NOTE}?filters[$and][0][updatedAt][$lte]=2020-01-01T12:00:00.000Z`);
    const day = new Date("2020-01-01T12:00:00.000Z");
    const time = [day.getHours(), day.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
    await admin.page.getByRole("button", { name: `Updated at is not after 2020-01-01 ${time}`, exact: true }).click();
    expect(await dialog.getByLabel("Comparison").inputValue()).toBe("is not after");
    expect(await admin.page.getByRole("alert").count()).toBe(0);
  }, 180_000);

  test.each(["link", "history"])(
    "going back from a document by %s leads to the same rows of the same list",
    async (way) => {
      await open("?sort=rank:asc&filters[$and][0][rank][$gte]=100");
      await admin.page.getByText("1,900 documents").waitFor();
      const scroller = admin.page.locator(".table-scroller");
      await scroller.evaluate((element) => element.scrollTo(0, 40 * 900));
      await row("note 1005").getByRole("link").click();
      await admin.page.getByRole("heading", { name: "note 1005" }).waitFor();
      if (way === "history") await admin.page.goBack();
      else await admin.page.getByRole("navigation", { name: "Back" }).getByRole("link").click();
      await row("note 1005").waitFor();
      await row("note 1005").and(admin.page.locator(":focus")).waitFor();
      expect(params().get("filters[$and][0][rank][$gte]")).toBe("100");
    },
    180_000,
  );

  test("going back from a document that was saved leads to its row, wherever that is now", async () => {
    await open("?filters[$and][0][rank][$between][0]=300&filters[$and][0][rank][$between][1]=310&sort=updatedAt:DESC");
    await row("note 0305").getByRole("link").click();
    await admin.page.locator('[name="name"]').fill("renamed 0305");
    await admin.press("Control+s");
    await admin.message("Saved");
    await admin.page.goBack();
    await row("renamed 0305").and(admin.page.locator(":focus")).waitFor();
    expect(await row("renamed 0305").getAttribute("aria-rowindex")).toBe("2");
  }, 180_000);

  test("a filter that the form cannot show is kept and applied", async () => {
    await open("?filters[$and][0][$or][0][rank][$eq]=1&filters[$and][0][$or][1][rank][$eq]=2");
    await admin.page.getByText("2 documents").waitFor();
    await admin.page.getByText("A filter from the URL").waitFor();
  }, 180_000);

  test("many documents are published, unpublished and deleted", async () => {
    await open("?q=note 01&sort=rank:asc");
    await admin.page.getByLabel("Select note 0100").check();
    await admin.page.getByRole("button", { name: "Select all 100" }).click();
    await admin.page.getByText("100 selected").waitFor();
    const bar = admin.page.getByRole("region", { name: "Selected documents" });
    await bar.getByRole("button", { name: "Publish", exact: true }).click();
    await admin.message("Published: 100 documents");
    const published = () => server.galley.documents(NOTE).count({ status: "published" });
    expect(await published()).toBe(100);
    for (const name of ["note 0100", "note 0101"]) await admin.page.getByLabel(`Select ${name}`).check();
    await bar.getByRole("button", { name: "Unpublish" }).click();
    await admin.message("Unpublished: 2 documents");
    expect(await published()).toBe(98);
    for (const name of ["note 0100", "note 0101"]) await admin.page.getByLabel(`Select ${name}`).check();
    await bar.getByRole("button", { name: "Delete" }).click();
    await admin.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await admin.message("Deleted: 2 documents");
    await admin.page.getByText("98 documents").waitFor();
  }, 180_000);

  test("documents whose rules do not allow it are named, and the others are published", async () => {
    const { documentId } = await server.galley.documents(NOTE).create({ data: { rank: 5000 } });
    await open("?filters[$and][0][rank][$gte]=1990&sort=rank:asc");
    await admin.page.getByText("11 documents").waitFor();
    await admin.page.locator("tbody tr[aria-rowindex='2']").focus();
    await admin.press("Control+a");
    const bar = admin.page.getByRole("region", { name: "Selected documents" });
    await bar.getByText("11 selected").waitFor();
    await bar.getByRole("button", { name: "Publish", exact: true }).click();
    const outcome = "Published: 10 documents. Refused: 1 document. What is not done stays selected";
    await bar.getByRole("alert").getByText(outcome).waitFor();
    await bar.getByText(`Name: Required: ${documentId}`).waitFor();
    await bar.getByText("1 selected", { exact: true }).waitFor();
    // the rows are read again after the outcome is told
    await until(
      "10 rows are published",
      async () => (await admin.page.locator("tbody").getByText("Published").count()) === 10,
    );
    await server.galley.documents(NOTE).delete({ documentId: String(documentId) });
  }, 180_000);

  test("a batch without an answer ends it, with what was done, and the rest is tried again", async () => {
    await open("?filters[$and][0][rank][$between][0]=200&filters[$and][0][rank][$between][1]=449&sort=rank:asc");
    await admin.page.getByLabel("Select note 0200").check();
    await admin.page.getByRole("button", { name: "Select all 250" }).click();
    await admin.page.getByText("250 selected").waitFor();
    const bar = admin.page.getByRole("region", { name: "Selected documents" });
    let batches = 0;
    // the server writes, and its answer is lost
    await admin.page.route("**/actions/bulkDelete", async (route) => {
      if (++batches !== 2) return route.continue();
      await route.fetch();
      await route.fulfill({ status: 502, body: "Bad Gateway" });
    });
    const remove = async (): Promise<void> => {
      await bar.getByRole("button", { name: "Delete" }).click();
      await admin.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    };
    await remove();
    await bar
      .getByRole("alert")
      .getByText(
        "The server failed (502): its log has the reason. Deleted: 100 documents. Not known, since there was no answer: 100 documents. " +
          "Left as before: 50 documents. What is not done stays selected",
      )
      .waitFor();
    await bar.getByText("150 selected").waitFor();
    await remove();
    await admin.message("Deleted: 50 documents. No longer there: 100 documents");
    await bar.waitFor({ state: "detached" });
    await admin.page.unroute("**/actions/bulkDelete");
    expect(await server.galley.documents(NOTE).count({ filters: { rank: { $between: [200, 449] } } })).toBe(0);
    expect(admin.complaints.splice(0)).toEqual([expect.stringContaining("502")]);
  }, 180_000);

  test("what changes on the server is shown in the open list", async () => {
    const notes = server.galley.documents(NOTE);
    const { documentId } = await notes.create({ data: { name: "seen 1" } });
    await open("?q=seen");
    await admin.page.getByText("1 document", { exact: true }).waitFor();
    await notes.create({ data: { name: "seen 2" } });
    await admin.page.getByText("2 documents").waitFor();
    await notes.update({ documentId: documentId as string, data: { name: "seen anew" } });
    await row("seen anew").waitFor();
    await notes.delete({ documentId: documentId as string });
    await admin.page.getByText("1 document", { exact: true }).waitFor();
    await row("seen anew").waitFor({ state: "detached" });
  }, 180_000);

  test("a window that is hidden keeps no connection, and shows what it has missed when it is seen again", async () => {
    const hide = (isHidden: boolean) =>
      admin.page.evaluate(
        `Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true });
         document.dispatchEvent(new Event("visibilitychange"))`,
      );
    const isFollowed = admin.page.waitForResponse((response) => response.url().endsWith("/events"));
    await admin.goTo(`/admin/content/${NOTE}?q=missed`);
    await admin.page.getByText("No documents match.").waitFor();
    await isFollowed;
    const isLeft = admin.page.waitForEvent("requestfailed", (request) => request.url().endsWith("/events"));
    await hide(true);
    await isLeft;
    await server.galley.documents(NOTE).create({ data: { name: "missed 1" } });
    expect(await row("missed 1").count()).toBe(0);
    await hide(false);
    await row("missed 1").waitFor();
  }, 180_000);

  test("the browser has nothing to complain about", () => {
    expect(admin.complaints).toEqual([]);
  });
});
