/** What is loaded has its room before it is there: nothing that one reads or presses moves away. */
import { describe, expect, test } from "bun:test";
import { hasBrowser } from "../../ui/browser.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";
import { EVERYTHING, files, makeTags } from "./everything.ts";
import { pixelFile } from "./pixel.ts";

const MOST = 0.05;
/** As over a network: each file and answer later than what asked for it. */
const FILE_MS = 40;
const ANSWER_MS = 120;

const RECORD_SHIFTS = `{
  globalThis.moved = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries())
      moved.push([value, ...sources.map(({ node }) => String(node?.className ?? ""))]);
  }).observe({ type: "layout-shift", buffered: true });
}`;

const words = (text: string) => [{ type: "paragraph", children: [{ type: "text", text: `${text} `.repeat(60) }] }];

describe.skipIf(!hasBrowser)("what is loaded moves nothing", () => {
  let server: AdminServer;
  let admin: AdminPage;
  let document: string;

  openPage(
    files,
    (page) => {
      ({ server, admin } = page);
    },
    async ({ galley }) => {
      const tags = await makeTags({ galley });
      for (let index = 0; index < 12; index++) {
        const created = await galley.documents(EVERYTHING).create({
          data: {
            title: `Document ${index}`,
            summary: "A summary",
            body: words("Body"),
            story: "A long story. ".repeat(50),
            data: { a: [1, 2, 3], b: { c: "d" } },
            tags: tags.map(({ id }) => id),
            first: tags[0]!.id,
            quotes: [{ text: "a" }, { text: "b" }],
            zone: [{ __component: "parts.image", caption: "i", tags: tags.map(({ id }) => id) }],
          },
        });
        document = String(created.documentId);
      }
    },
    { reducedMotion: "no-preference" },
  );

  /** The sum of the shifts of a page that is loaded, and what moved. */
  const shiftOf = async (path: string, width: number): Promise<{ sum: number; moved: unknown }> => {
    const page = await admin.context.newPage();
    await page.setViewportSize({ width, height: 900 });
    await page.addInitScript(RECORD_SHIFTS);
    await page.route("**/admin/**", async (route) => {
      await Bun.sleep(route.request().url().includes("/admin/api/") ? ANSWER_MS : FILE_MS);
      await route.continue().catch(() => undefined);
    });
    await page.goto(`${server.address}/admin${path}`);
    await page.locator("[aria-busy='true']").first().waitFor({ state: "detached" });
    await page.waitForTimeout(2_000);
    const moved = (await page.evaluate("moved")) as [number, ...string[]][];
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.close();
    return { sum: moved.reduce((sum, [value]) => sum + value, 0), moved };
  };

  test("the buttons of a new document stay where they are when something is typed", async () => {
    const { page } = admin;
    await page.setViewportSize({ width: 1440, height: 900 });
    await admin.goTo(`/admin/content/${EVERYTHING}/new`);
    const publish = page.getByRole("button", { name: "Publish", exact: true });
    const before = await publish.boundingBox();
    await page.getByLabel(/^Title/).fill("Words");
    await page.getByText("Not saved", { exact: true }).waitFor();
    expect(await publish.boundingBox()).toEqual(before);
  }, 180_000);

  test.each([1440, 390])(
    "%d pixels wide",
    async (width) => {
      if (width === 1440) {
        await admin.goTo("/admin/media");
        await admin.page.getByLabel("Files to upload").setInputFiles(["a.png", "b.png"].map(pixelFile));
        await admin.page
          .locator(".file-grid li")
          .nth(1)
          .or(admin.page.getByRole("link", { name: "b.png" }))
          .first()
          .waitFor();
      }
      for (const path of [
        "",
        `/content/${EVERYTHING}`,
        `/content/${EVERYTHING}/${document}`,
        "/media",
        "/trash",
        "/types",
        "/access",
        `/views/${EVERYTHING}`,
      ]) {
        const { sum, moved } = await shiftOf(path, width);
        expect({ path, isLittle: sum < MOST, moved: sum < MOST ? "" : moved }).toEqual({
          path,
          isLittle: true,
          moved: "",
        });
      }
    },
    180_000,
  );
});
