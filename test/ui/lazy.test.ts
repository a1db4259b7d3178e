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
    const script = await built.outputs[0]!.text();
    // where the page's scripts are, from which it takes its own path
    await page.route("http://page.test/**", (route) =>
      new URL(route.request().url()).pathname === "/admin/assets/page.js"
        ? route.fulfill({ contentType: "text/javascript", body: script })
        : route.fulfill({
            contentType: "text/html",
            body: '<script type="module" src="/admin/assets/page.js"></script>',
          }),
    );
    await page.goto("http://page.test/admin");
    expect(await page.evaluate<string>("showAgain()")).toBe("the part");
  } finally {
    await closeBrowser(browser);
  }
});
