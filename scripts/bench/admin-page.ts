/**
 * How fast the admin page is in a browser: what it loads, how soon rows are there, what a key costs in a large document, and
 * whether memory stays as it is while 10,000 documents are scrolled through. Times are also ratios to an empty page's first
 * paint in the same browser, since machines differ.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchBrowser } from "../../test/ui/browser.ts";
import type { Wanted } from "./admin-page/browser.ts";
import { measureEdit } from "./admin-page/edit.ts";
import { measureList } from "./admin-page/list.ts";
import { makeProject } from "./admin-page/project.ts";
import { type Served, serve } from "./admin-page/serve.ts";

/** Prints what was measured; returns whether all of it is good. */
export async function benchAdminPage(executable: string | undefined, rounds: number): Promise<boolean> {
  const root = mkdtempSync(join(tmpdir(), "galley-bench-page-"));
  const browser = await launchBrowser();
  try {
    const ids = await makeProject(root);
    const results: Wanted[] = [];
    for (const measure of [
      (served: Served) => measureList(browser, served, rounds),
      (served: Served) => measureEdit(browser, served, ids),
    ]) {
      // a link works once, so that each has a server of its own
      const served = await serve(root, executable);
      try {
        results.push(...(await measure(served)));
      } finally {
        await served.stop();
      }
    }
    for (const { name, unit, value, most } of results) {
      const limit =
        most === undefined ? "" : value <= most ? `  ok, at most ${most.toFixed(1)}` : `  MORE than ${most.toFixed(1)}`;
      console.log(`${name.padEnd(76)} ${value.toFixed(1).padStart(8)} ${unit}${limit}`);
    }
    return results.every(({ value, most }) => most === undefined || value <= most);
  } finally {
    await browser.close();
    rmSync(root, { recursive: true, force: true });
  }
}
