/** What axe finds on a page: a line for each rule and element. */
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";

interface Results {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

const source = (): string => readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** `rules`: only these; all by default. `within`: the selector of the part that is examined; the whole page by default. */
export async function findProblems(page: Page, rules?: readonly string[], within = "html"): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(source());
  const { violations } = await page.evaluate(
    ([values, part]) =>
      (globalThis as unknown as { axe: { run(part: string, options: object): Promise<Results> } }).axe.run(part, {
        // the rest of the report takes as long as the rules
        resultTypes: ["violations"],
        selectors: false,
        // WCAG 2.2, which axe leaves out unless it is asked
        ...(values ? { runOnly: { type: "rule", values } } : { rules: { "target-size": { enabled: true } } }),
      }),
    [rules, within] as const,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

export const WIDTHS = [1440, 1024, 390];

/** The rules that see colours. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];
/** The rules that see colours, places or sizes: all that can find something else in elements that are the same. */
const OF_LAYOUT = [...OF_COLOURS, "scrollable-region-focusable", "target-size"];

/** Runs in the page: what the other rules see of a part, which are its elements, and whether they are shown. */
const SHOWN = `(selector) => [...document.querySelectorAll(selector)].map((part) => [
  part.outerHTML,
  ...[part, ...part.querySelectorAll("*")].map((element) => {
    const { right, bottom } = element.getBoundingClientRect();
    return Number(element.checkVisibility({ visibilityProperty: true }) && right > 0 && bottom > 0);
  }),
].join("")).join("")`;

/**
 * What axe finds on a page of the admin at three widths, light and dark, and whether its main part is cut off: a line for each.
 * `within` and `widths`: only there. The window stays as high as it is, and has the last width afterwards.
 */
export async function findProblemsAtWidths(page: Page, within = "html", widths = WIDTHS): Promise<string[]> {
  const problems: string[] = [];
  const examined = new Set<string>();
  const { height } = page.viewportSize()!;
  for (const width of widths) {
    await page.setViewportSize({ width, height });
    // what the page shows at this width is there with the next frame
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const shown = await page.evaluate<string>(`(${SHOWN})(${JSON.stringify(within)})`);
      const rules = !examined.has(shown) ? undefined : colorScheme === "dark" ? OF_COLOURS : OF_LAYOUT;
      examined.add(shown);
      const found = await findProblems(page, rules, within);
      problems.push(...found.map((line) => `${width} ${colorScheme} ${line}`));
    }
    const over = await page
      .locator(within === "html" ? "main" : within)
      .evaluateAll((parts) => Math.max(0, ...parts.map((main) => main.scrollWidth - main.clientWidth)));
    if (over > 0) problems.push(`${width}: cut off by ${over} pixels`);
  }
  await page.emulateMedia({ colorScheme: "light" });
  return problems;
}
