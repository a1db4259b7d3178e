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

/** `rules`: only these; all by default. */
export async function problemsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(source());
  const { violations } = await page.evaluate(
    (values) =>
      (globalThis as unknown as { axe: { run(options: object): Promise<Results> } }).axe.run(
        values ? { runOnly: { type: "rule", values } } : {},
      ),
    rules,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
