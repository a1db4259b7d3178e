/** Messages of the admin page leave the controls below and beside them free, on every width. */
import { describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { configFile, typeFile } from "../../project.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { type AdminPage, openPage } from "./admin-page.ts";

const SIZES = [
  { width: 360, height: 640 },
  { width: 1280, height: 800 },
];
const TIMEOUT_MS = 180_000;

describe.skipIf(!hasBrowser)("messages", () => {
  let admin: AdminPage;

  openPage(
    {
      ...typeFile("note", { text: { type: "string" } }),
      ...configFile({ roles: { public: ["api::note.note.find"] } }),
    },
    (page) => {
      ({ admin } = page);
    },
  );

  const button = (name: string | RegExp): Locator => admin.page.getByRole("button", { name, exact: true });

  /** All of it is in the window, and nothing lies above it. */
  const expectFree = async (control: Locator): Promise<void> => {
    const [box, window] = [await control.boundingBox(), admin.page.viewportSize()!];
    expect(box!.y + box!.height).toBeLessThanOrEqual(window.height);
    const covered = await control.evaluate((element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      const free = (x: number, y: number): boolean => element.contains(element.ownerDocument.elementFromPoint(x, y));
      return [left + 4, (left + right) / 2, right - 4].some((x) => !free(x, top + 4) || !free(x, bottom - 4));
    });
    expect(covered).toBe(false);
  };

  for (const size of SIZES) {
    test(
      `a problem covers no button of a page or a dialog, ${size.width} px wide`,
      async () => {
        await admin.page.setViewportSize(size);
        await admin.visit("/admin/access/roles");
        // still so for the second size: it is not saved
        await admin.page.getByLabel("note: Find one", { exact: true }).check();
        const refuse = {
          status: 400,
          json: { error: { status: 400, message: `Refused. ${"Long reasons. ".repeat(12)}` } },
        };
        await admin.page.route(/admin\/api\/(access|users-permissions|content-manager)/, (route) =>
          route.request().method() === "GET" ? route.continue() : route.fulfill(refuse),
        );
        await button("Save").click();
        await admin.message("Refused");
        await expectFree(button("Save"));
        await button("New role").click();
        const dialog = admin.page.getByRole("dialog");
        await dialog.locator(".toast-problem").waitFor();
        for (const control of await dialog.locator("footer button").all()) await expectFree(control);
        await dialog.getByRole("button", { name: "Close", exact: true }).click();
        await button("Close this message").click();
        await admin.page.unrouteAll();
      },
      TIMEOUT_MS,
    );
  }

  test("changed files that cannot be served are named on every page, until they are", async () => {
    let problem: string | undefined = "src/api/note: unexpected token";
    await admin.page.route(/admin\/api\/events/, (route) => {
      const state = { project: "1", content: "1", files: "", problem };
      return route.fulfill({ contentType: "text/event-stream", body: `data: ${JSON.stringify(state)}\n\n` });
    });
    await admin.page.route(/admin\/api\/start/, async (route) => {
      const response = await route.fetch();
      const { data } = await response.json();
      const state = { project: "1", content: "1", files: "", problem };
      await route.fulfill({ response, json: { data: { ...data, served: state } } });
    });
    await admin.goTo("/admin/media");
    const notice = admin.page.getByRole("alert").getByText(problem);
    await notice.waitFor();
    problem = undefined;
    await notice.waitFor({ state: "detached" });
    await admin.page.unrouteAll();
    expect(admin.complaints).toEqual([]);
  });
});
