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
        ...(values ? { runOnly: { type: "rule", values } } : {}),
      }),
    [rules, within] as const,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
