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

export async function problemsOf(page: Page): Promise<string[]> {
  await page.evaluate(source());
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<Results> } }).axe.run(),
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
