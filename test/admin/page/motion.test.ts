/** Nothing moves or fades for those who ask their system for less motion. */
import { describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { hasBrowser } from "../../ui/browser.ts";
import { AdminPage, type AdminServer, openPage } from "./admin-page.ts";
import { EVERYTHING, files } from "./everything.ts";

/** Runs in each page. Animations and transitions that take time, as they start. */
const WATCH = `(() => {
  globalThis.moved = [];
  for (const name of ["animationstart", "transitionrun"])
    document.addEventListener(name, ({ target, pseudoElement, animationName, propertyName }) => {
      const style = getComputedStyle(target, pseudoElement || undefined);
      const times = name === "animationstart" ? style.animationDuration : style.transitionDuration;
      if (times.split(",").some((time) => parseFloat(time) > 0))
        moved.push((animationName ?? propertyName) + " of " + target.tagName + "." + target.className + pseudoElement);
    }, { capture: true });
})()`;

describe.skipIf(!hasBrowser)("motion", () => {
  let server: AdminServer;
  let browser: Browser;
  let documentId: string;

  openPage(
    files,
    (page) => {
      ({ server, browser } = page);
    },
    async ({ galley }) => {
      documentId = String((await galley.documents(EVERYTHING).create({ data: { title: "Everything" } })).documentId);
    },
  );

  /** What moved in panels, dialogs, menus, and what stands for what has not come. */
  async function motions(reducedMotion: "reduce" | "no-preference"): Promise<string[]> {
    const admin = await AdminPage.open(browser, server, { reducedMotion });
    const { page } = admin;
    await page.addInitScript(WATCH);
    const found: string[] = [];
    const collect = async (): Promise<void> => {
      found.push(...((await page.evaluate("moved.splice(0)")) as string[]));
    };
    let release = Promise.withResolvers<void>();
    await page.route(/\/admin\/api\/(lists|upload\/files|content-manager\/collection-types)/, async (route) => {
      await release.promise;
      await route.continue().catch(() => {});
    });
    const slowly = async (path: string, waiting: string, there: string): Promise<void> => {
      release = Promise.withResolvers();
      await admin.goTo(path);
      await page.locator(waiting).first().waitFor({ state: "attached" });
      // past the time after which what stands for it is seen
      await page.waitForTimeout(700);
      release.resolve();
      await page.locator(there).first().waitFor();
      await collect();
    };
    const button = (name: string) => page.getByRole("button", { name, exact: true }).first();
    const opened = async (selector = "dialog[open]"): Promise<void> => {
      await page.locator(selector).last().waitFor();
      await admin.press("Escape");
      await page.locator(selector).last().waitFor({ state: "hidden" });
      await collect();
    };
    await slowly(`/admin/content/${EVERYTHING}`, ".row-loading", ".row-link");
    await button("Columns").click();
    await opened();
    await button("More actions").click();
    await opened("[role=menu]");
    await admin.press("Control+k");
    await opened();
    await slowly(`/admin/content/${EVERYTHING}/${documentId}`, ".waiting-form", ".ProseMirror");
    await button("More actions").click();
    await page.getByRole("menuitem", { name: "History" }).click();
    await opened();
    await page.locator('[name="day"]').focus();
    await admin.press("Alt+ArrowDown");
    await opened("[role=dialog]");
    await page.setViewportSize({ width: 390, height: 800 });
    await button("About this document").click();
    await opened(".rail");
    await slowly("/admin/media", ".file-grid[aria-hidden]", "#main .empty");
    await button("Navigation").click();
    await opened(".nav");
    expect(admin.complaints).toEqual([]);
    await admin.context.close();
    return found;
  }

  test("is there by default, and not where the system asks for less", async () => {
    const usual = (await motions("no-preference")).join("\n");
    for (const part of [
      "enter of DIALOG",
      "enter of NAV",
      "enter of ASIDE",
      "appear of TD",
      "appear of DIV.skeleton",
      "pass of ",
    ])
      expect(usual).toContain(part);
    expect(await motions("reduce")).toEqual([]);
  }, 240_000);
});
