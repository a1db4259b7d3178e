/** What tests of pages find at each width and in each scheme, on pages that are wrong in one of them only. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { findProblemsAtWidths } from "./axe.ts";
import { closeBrowser, hasBrowser, openBrowser } from "./browser.ts";

const NARROW = "@media (width < 720px)";
const DARK = "@media (prefers-color-scheme: dark)";

const cases: Readonly<Record<string, readonly [style: string, body: string, found: readonly string[]]>> = {
  nothing: ["", "<p>Words</p>", []],
  "a label that is missing": ["", "<input>", ["1440 light label"]],
  "a field without a label, where it is shown": [
    `input { display: none } ${NARROW} { input { display: block } }`,
    "<input>",
    ["390 light label"],
  ],
  "words that cannot be read in the dark": [
    `p { color: #111; background: #fff } ${DARK} { p { color: #777; background: #666 } }`,
    "<p>Words</p>",
    ["1440 dark color-contrast"],
  ],
  "words that cannot be read in the dark of a narrow window": [
    `${NARROW} { ${DARK} { p { color: #777; background: #666 } } }`,
    "<p>Words</p>",
    ["390 dark color-contrast"],
  ],
  "a link that only its colour tells from the words around it": [
    `p { color: #111 } ${DARK} { a { color: #222; text-decoration: none } }`,
    '<p>Words before <a href="#there">the link</a> and after</p>',
    ["1440 dark link-in-text-block"],
  ],
  "buttons that are small in a narrow window": [
    `button { width: 40px; height: 40px; padding: 0; border: 0 } ${NARROW} { button { width: 9px; height: 9px } }`,
    '<button aria-label="One"></button><button aria-label="Two"></button>',
    ["390 light target-size", "390 light target-size"],
  ],
  "a part that scrolls where keys do not reach it": [
    `div { height: 400px; overflow: auto } p { line-height: 90px } ${NARROW} { div { height: 60px } }`,
    "<div><p>Words<br>Words</p></div>",
    ["390 light scrollable-region-focusable"],
  ],
  "a part that is cut off": [
    "p { width: 600px }",
    "<p>Words</p>",
    [expect.stringMatching(/^390: cut off by \d+ pixels$/)],
  ],
};

describe.skipIf(!hasBrowser)("what axe finds", () => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await openBrowser();
    page = await browser.newPage();
  }, 180_000);
  afterAll(() => closeBrowser(browser));

  test.each(Object.entries(cases))(
    "%s",
    async (_name, [style, body, found]) => {
      await page.setContent(
        `<!doctype html><html lang="en"><title>A page</title><style>${style}</style><main><h1>A page</h1>${body}</main>`,
      );
      const problems = await findProblemsAtWidths(page);
      expect(problems.map((line) => line.match(/^\d+ \w+ [\w-]+/)?.[0] ?? line)).toEqual([...found]);
    },
    180_000,
  );
});
