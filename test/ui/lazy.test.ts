/** Parts of the page that are loaded on demand. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { closeBrowser, hasBrowser, openBrowser } from "./browser.ts";

test.skipIf(!hasBrowser)("a view that is left and shown again while its part is loaded shows it", async () => {
  const [built, browser] = await Promise.all([
    Bun.build({ entrypoints: [join(import.meta.dir, "lazy-page.ts")], target: "browser" }),
    openBrowser(),
  ]);
  try {
    const page = await browser.newPage();
    await page.addScriptTag({ content: await built.outputs[0]!.text() });
    expect(await page.evaluate<string>("showAgain()")).toBe("the part");
  } finally {
    await closeBrowser(browser);
  }
});
