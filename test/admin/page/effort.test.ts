/** What frequent tasks take: clicks, and the browser's time for a key in long documents. */
import { describe, expect, test } from "bun:test";
import { componentFile, typeFile } from "../../project.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";

const NOTE = "api::note.note";
const LONG = "api::long.long";
const COMPONENTS = 100;
const BLOCKS = 2_000;
const KEYS = 20;
const TRIES = 4;
const TEXT = "A paragraph of a long text, which is as long as those of most articles are. ".repeat(2).slice(0, 100);

const files = {
  ...typeFile("note", { title: { type: "string", required: true } }, { draftAndPublish: true }),
  ...componentFile("text.part", { heading: { type: "string" }, text: { type: "text" } }),
  ...typeFile("long", {
    title: { type: "string" },
    body: { type: "blocks" },
    parts: { type: "component", component: "text.part", repeatable: true },
  }),
};

describe.skipIf(!hasBrowser)("in the admin page", () => {
  let server: AdminServer;
  let admin: AdminPage;
  let manyParts: string;
  let manyBlocks: string;

  openPage(
    files,
    (page) => {
      ({ server, admin } = page);
    },
    async ({ galley }) => {
      const make = async (data: object): Promise<string> =>
        String((await galley.documents(LONG).create({ data: { title: "Long", ...data } })).documentId);
      const block = { type: "paragraph", children: [{ type: "text", text: TEXT }] };
      manyBlocks = await make({ body: Array(BLOCKS).fill(block) });
      const parts = Array.from({ length: COMPONENTS }, (_, index) => ({ heading: `Part ${index}`, text: "Words" }));
      manyParts = await make({ body: [block], parts });
    },
  );

  const button = (name: string | RegExp) =>
    admin.page.getByRole("button", { name, exact: typeof name === "string" }).first();

  /** Counts what a person does with the pointer; Playwright's `fill` is typing. */
  const countClicks = async (path: string, task: () => Promise<void>): Promise<number> => {
    await admin.goTo(path);
    await admin.page.evaluate(`{
      globalThis.clicks = 0;
      document.addEventListener("click", ({ detail }) => { if (detail > 0) clicks++; }, { capture: true });
    }`);
    await task();
    return (await admin.page.evaluate("clicks")) as number;
  };

  test("a new type with an attribute takes five clicks, and each further attribute two", async () => {
    const { page } = admin;
    /** Clicks from the list of types to a served one with so many attributes. */
    const clicksFor = (name: string, attributes: number): Promise<number> =>
      countClicks("/admin/types", async () => {
        await page.getByRole("main").getByRole("link", { name: "New content-type" }).last().click();
        await page.getByLabel("Display name").fill(name);
        await button("Add an attribute").click();
        for (let index = 1; index <= attributes; index++) {
          await page.getByLabel("Name", { exact: true }).fill(`attribute${index}`);
          if (index > 1) await page.getByRole("radio", { name: /^Integer/ }).check();
          await button(index < attributes ? "Add and another" : "Add").click();
        }
        await button("Review changes…").click();
        await page.getByRole("dialog", { name: `New content-type: ${name}` }).waitFor();
        await button("Write the files").click();
        await admin.message("Saved: the API serves the new schema");
      });
    const one = await clicksFor("Parcel", 1);
    expect(one).toBeLessThanOrEqual(5);
    expect(await clicksFor("Letter", 3)).toBeLessThanOrEqual(one + 2 * 2);
    for (const path of ["parcels", "letters"])
      expect((await fetch(`${server.address}/api/${path}`)).status).not.toBe(404);
  }, 180_000);

  test("a new entry is published with two clicks, and a deleted one is back with three", async () => {
    const { page } = admin;
    const made = await countClicks(`/admin/content/${NOTE}`, async () => {
      await page.getByRole("link", { name: "New", exact: true }).click();
      await admin.type("A note", page.getByLabel(/^Title/).first());
      await button("Publish").click();
      await admin.message("Published");
    });
    expect(made).toBeLessThanOrEqual(2);
    const [note] = await server.galley.documents(NOTE).findMany({ status: "published" });
    expect(note).toMatchObject({ title: "A note" });
    await button("More actions").click();
    await page.getByRole("menuitem", { name: "Delete", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("No documents yet").waitFor();
    const restored = await countClicks("/admin", async () => {
      await page.getByRole("link", { name: "Trash" }).click();
      await button(/^Restore/).click();
      await admin.message("estored");
    });
    expect(restored).toBeLessThanOrEqual(3);
    expect(await server.galley.documents(NOTE).findMany({})).toMatchObject([{ title: "A note" }]);
  }, 180_000);

  /** Milliseconds of the main thread's processor time for a key, painting included, at its quickest. */
  const keyCost = async (limit: number): Promise<number> => {
    const session = await admin.context.newCDPSession(admin.page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const time = async (): Promise<number> => {
      const { metrics } = await session.send("Performance.getMetrics");
      return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1_000;
    };
    let least = Number.POSITIVE_INFINITY;
    for (let tried = 0; tried < TRIES && least > limit; tried++) {
      await admin.page.waitForTimeout(1_000);
      const before = await time();
      for (let key = 0; key < KEYS; key++) {
        await admin.page.keyboard.press(key % 6 === 5 ? "Space" : "a");
        await admin.page.waitForTimeout(40);
      }
      least = Math.min(least, ((await time()) - before) / KEYS);
    }
    return least;
  };

  /** What a key costs in the same browser, at the same time, without an editor. */
  const plainCost = async (): Promise<number> => {
    await admin.page.goto("data:text/html,<textarea autofocus></textarea>");
    await admin.page.locator("textarea").click();
    return await keyCost(0);
  };

  test("a key takes 8 ms beside 100 components, and in 2,000 blocks", async () => {
    const { page } = admin;
    // on a machine with much else to do, all of it is slower
    const limit = Math.max(8, 3 * (await plainCost()));
    await admin.goTo(`/admin/content/${LONG}/${manyParts}`);
    await button("Expand all").click();
    await page
      .getByLabel("Heading")
      .nth(COMPONENTS / 2)
      .focus();
    expect(await keyCost(limit)).toBeLessThanOrEqual(limit);
    await page.locator(".ProseMirror").click();
    expect(await keyCost(limit)).toBeLessThanOrEqual(limit);
    await admin.goTo(`/admin/content/${LONG}/${manyBlocks}`);
    await page
      .locator(".ProseMirror p")
      .nth(BLOCKS / 2)
      .click();
    expect(await keyCost(limit)).toBeLessThanOrEqual(limit);
    expect(admin.complaints).toEqual([]);
  }, 180_000);

  test("the tools stay in sight in a long text, and the cursor below them", async () => {
    const { page } = admin;
    await admin.goTo(`/admin/content/${LONG}/${manyBlocks}`);
    await page
      .locator(".ProseMirror p")
      .nth(BLOCKS / 2)
      .click();
    for (let line = 0; line < 40; line++) await admin.press("ArrowUp");
    const tools = (await page.locator(".editor-head").boundingBox())!;
    expect(tools.y).toBeGreaterThanOrEqual(0);
    expect(await page.evaluate("getSelection().getRangeAt(0).getBoundingClientRect().top")).toBeGreaterThanOrEqual(
      tools.y + tools.height,
    );
    await admin.press("Control+k");
    expect((await page.getByLabel("URL").boundingBox())!.y).toBeGreaterThan(0);
  }, 180_000);
});
