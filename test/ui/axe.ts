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

/** What rules look at, as hashes: elements and whether they are shown, their places and sizes, and their colours. */
interface Look {
  readonly elements: number;
  readonly layout: number;
  readonly colours: number;
}

/** Runs in the page. */
const READ_LOOK = `(selector) => {
  const hash = (texts) => {
    let value = 0;
    for (const text of texts)
      for (const character of text + "\\n") value = (Math.imul(value, 31) + character.codePointAt(0)) | 0;
    return value;
  };
  const parts = [...document.querySelectorAll(selector)];
  const all = parts.flatMap((part) => [part, ...part.querySelectorAll("*")]);
  const boxes = all.map((element) => element.getBoundingClientRect());
  const shown = all.map((element, index) =>
    element.checkVisibility({ visibilityProperty: true }) && boxes[index].right > 0 && boxes[index].bottom > 0);
  const colours = all.map((element) => {
    const style = getComputedStyle(element);
    return ["color", "backgroundColor", "backgroundImage", "opacity", "fontSize", "fontWeight", "textDecorationLine"]
      .map((name) => style[name]);
  });
  return {
    elements: hash([...parts.map(({ outerHTML }) => outerHTML), ...shown]),
    layout: hash(boxes.map(({ x, y, width, height }) => [x, y, width, height])),
    colours: hash(colours),
  };
}`;

/** What was examined of a part. */
class Examined {
  readonly #elements = new Set<number>();
  readonly #layouts = new Set<string>();
  readonly #colours = new Set<string>();

  /** The rules that may find something else than before; undefined: all. */
  rulesFor({ elements, layout, colours }: Look): readonly string[] | undefined {
    const isKnown = this.#elements.has(elements);
    const [place, paint] = [`${elements} ${layout}`, `${elements} ${colours}`];
    const rules = !this.#layouts.has(place) ? OF_LAYOUT : !this.#colours.has(paint) ? OF_COLOURS : [];
    this.#elements.add(elements);
    this.#layouts.add(place);
    this.#colours.add(paint);
    return isKnown ? rules : undefined;
  }
}

/**
 * What axe finds on a page of the admin at three widths, light and dark, and whether its main part is cut off: a line for each.
 * `within` and `widths`: only there. The window stays as high as it is, and has the last width afterwards.
 */
export async function findProblemsAtWidths(page: Page, within = "html", widths = WIDTHS): Promise<string[]> {
  const problems: string[] = [];
  const examined = new Examined();
  const { height } = page.viewportSize()!;
  for (const width of widths) {
    await page.setViewportSize({ width, height });
    // what the page shows at this width is there with the next frame
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const rules = examined.rulesFor(await page.evaluate<Look>(`(${READ_LOOK})(${JSON.stringify(within)})`));
      const found = rules?.length === 0 ? [] : await findProblems(page, rules, within);
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
