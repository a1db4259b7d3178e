/** What editing loads, and what a key costs in each kind of field, most of them in a large document. */
import type { Browser, CDPSession, Page } from "playwright-core";
import { metric, scriptKb, type Wanted } from "./browser.ts";
import { keyPlaces } from "./key-fields.ts";
import { ARTICLE } from "./project.ts";
import type { Served } from "./serve.ts";

const KEYS = 40;
const WORDS = [..."aaaaa", "Space"];
const KEY_INTERVAL_MS = 60;
const MOST_MS = 8;

/** Milliseconds of processor time of the main thread for a key, painting included. */
async function keyCost(
  page: Page,
  session: CDPSession,
  keys: readonly string[] = WORDS,
  intervalMs = KEY_INTERVAL_MS,
): Promise<number> {
  await page.waitForTimeout(1_000);
  const before = await metric(session, "TaskDuration");
  for (let key = 0; key < KEYS; key++) {
    await page.keyboard.press(keys[key % keys.length]!);
    await page.waitForTimeout(intervalMs);
  }
  return ((await metric(session, "TaskDuration")) - before) * (1000 / KEYS);
}

/** What a key costs in a page that has nothing else, for comparison. */
async function emptyKeyCost(page: Page, session: CDPSession): Promise<number> {
  await page.goto("data:text/html,<textarea autofocus></textarea>");
  await page.locator("textarea").focus();
  return keyCost(page, session);
}

async function keyCosts(
  page: Page,
  session: CDPSession,
  address: string,
  ids: { readonly large: string },
): Promise<Wanted[]> {
  const costs: Wanted[] = [];
  for (const { name: place, path, open, fields } of keyPlaces) {
    await page.goto(`${address}/admin/${path(ids)}`);
    await open?.(page);
    for (const [name, { focus, keys, intervalMs }] of Object.entries(fields)) {
      await focus(page);
      const value = await keyCost(page, session, keys, intervalMs);
      costs.push({ name: `a key in ${name} of ${place}`, unit: "ms", value, most: MOST_MS });
    }
  }
  return costs;
}

export async function measureEdit(
  browser: Browser,
  served: Served,
  ids: { readonly small: string; readonly large: string },
): Promise<Wanted[]> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(served.link);
  await page.getByRole("navigation").first().waitFor();
  await page.goto(`${served.address}/admin/content/${ARTICLE}/${ids.small}`);
  await page.locator(".ProseMirror").waitFor();
  const kb = await scriptKb(page);
  const session = await context.newCDPSession(page);
  // processor time, which other programs do not lengthen
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const costs = await keyCosts(page, session, served.address, ids);
  const empty = await emptyKeyCost(page, session);
  await context.close();
  return [
    { name: "edit, every field but Markdown and JSON: JavaScript, gzipped", unit: "KB", value: kb, most: 150 },
    { name: "a key in a page with nothing but a textarea", unit: "ms", value: empty },
    ...costs,
  ];
}
