/** What editing loads, and what a key costs in each kind of field of a large document. */
import type { Browser, CDPSession, Page } from "playwright-core";
import { metric, scriptKb, type Wanted } from "./browser.ts";
import { ARTICLE, COMPONENTS, ESSAY } from "./project.ts";
import type { Served } from "./serve.ts";

const KEYS = 60;
const KEY_INTERVAL_MS = 60;
const MOST_MS = 8;

interface KeyField {
  readonly focus: (page: Page) => Promise<void>;
  /** What is typed; words by default. */
  readonly keys?: string;
}

const fields: Readonly<Record<string, KeyField>> = {
  "the title": { focus: (page) => page.getByLabel("Title", { exact: true }).focus() },
  "a number": { focus: (page) => page.getByLabel("A integer", { exact: true }).focus(), keys: "12345" },
  "a uid": { focus: (page) => page.getByLabel("A uid", { exact: true }).focus() },
  "a line of the 50th component": { focus: (page) => page.getByLabel("Heading").nth(49).focus() },
  "a text of the last component": {
    focus: (page) =>
      page
        .getByLabel("Text", { exact: true })
        .nth(COMPONENTS - 1)
        .focus(),
  },
  blocks: { focus: (page) => page.locator(".ProseMirror").click() },
  Markdown: { focus: (page) => page.getByRole("textbox", { name: "Story" }).click() },
  JSON: { focus: (page) => page.getByRole("textbox", { name: "Data" }).click(), keys: "12345" },
};

/** Milliseconds of processor time of the main thread for a key, painting included. */
async function keyCost(page: Page, session: CDPSession, keys = "aaaaa "): Promise<number> {
  await page.waitForTimeout(1_000);
  const before = await metric(session, "TaskDuration");
  for (let key = 0; key < KEYS; key++) {
    await page.keyboard.press(keys[key % keys.length]!.replace(" ", "Space"));
    await page.waitForTimeout(KEY_INTERVAL_MS);
  }
  return ((await metric(session, "TaskDuration")) - before) * (1000 / KEYS);
}

/** What a key costs in a page that has nothing else, for comparison. */
async function emptyKeyCost(page: Page, session: CDPSession): Promise<number> {
  await page.goto("data:text/html,<textarea autofocus></textarea>");
  await page.locator("textarea").focus();
  return keyCost(page, session);
}

export async function measureEdit(
  browser: Browser,
  served: Served,
  ids: { readonly small: string; readonly large: string },
): Promise<Wanted[]> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(served.link);
  await page.locator("tbody a").first().waitFor();
  await page.goto(`${served.address}/admin/content/${ARTICLE}/${ids.small}`);
  await page.locator(".ProseMirror").waitFor();
  const kb = await scriptKb(page);
  const session = await context.newCDPSession(page);
  // processor time, which other programs do not lengthen
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.goto(`${served.address}/admin/content/${ESSAY}/${ids.large}`);
  await page.getByRole("button", { name: "Expand all" }).click();
  await page.locator(".ProseMirror").waitFor();
  const costs: Wanted[] = [];
  for (const [name, { focus, keys }] of Object.entries(fields)) {
    await focus(page);
    costs.push({
      name: `a key in ${name}, ${COMPONENTS} components open`,
      unit: "ms",
      value: await keyCost(page, session, keys),
      most: MOST_MS,
    });
  }
  const empty = await emptyKeyCost(page, session);
  await context.close();
  return [
    { name: "edit, every field but Markdown and JSON: JavaScript, gzipped", unit: "KB", value: kb, most: 130 },
    { name: "a key in a page with nothing but a textarea", unit: "ms", value: empty },
    ...costs,
  ];
}
