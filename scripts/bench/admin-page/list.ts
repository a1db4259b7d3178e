/** How soon a list of 10,000 documents is there, and whether memory stays as it is while they are scrolled through. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { median } from "../median.ts";
import { firstPaint, heapMb, paintTime, scriptKb, type Wanted } from "./browser.ts";
import { ARTICLE } from "./project.ts";
import type { Served } from "./serve.ts";

/** The browser starts more parts of a window after it has opened it, and would do so beside the page. */
const SETTLE_MS = 700;

async function newWindow(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await Bun.sleep(SETTLE_MS);
  return page;
}

export async function measureList(browser: Browser, { link, address }: Served, rounds: number): Promise<Wanted[]> {
  const signedIn = await browser.newContext();
  const first = await signedIn.newPage();
  await first.goto(link);
  await first.getByRole("navigation").first().waitFor();
  const storageState = await signedIn.storageState();
  // what signing in opens is not the list
  await first.goto(`${address}/admin/content/${ARTICLE}`);
  await first.locator("td > a").first().waitFor();
  const kb = await scriptKb(first);
  const rows: number[] = [];
  const empty: number[] = [];
  for (let round = 0; round < rounds; round++) {
    // a context of its own has no cache
    const context = await browser.newContext({ storageState });
    empty.push(await firstPaint(await newWindow(context), `${address}/empty.html`));
    rows.push(await paintTime(await newWindow(context), `${address}/admin/content/${ARTICLE}`, "td > a"));
    await context.close();
  }
  const session = await signedIn.newCDPSession(first);
  await session.send("Performance.enable");
  const before = await heapMb(session);
  const scroller = first.locator(".table-scroller");
  for (let step = 0; step <= 100; step++) {
    await scroller.evaluate((element, part) => element.scrollTo(0, element.scrollHeight * part), step / 100);
    await first.waitForTimeout(80);
  }
  const after = await heapMb(session);
  await signedIn.close();
  return [
    { name: "list: JavaScript, gzipped", unit: "KB", value: kb, most: 32 },
    { name: "list: cold to rows", unit: "ms", value: median(rows) },
    { name: "an empty page's first paint", unit: "ms", value: median(empty) },
    {
      name: "list: cold to rows, by an empty page's first paint",
      unit: "×",
      value: median(rows) / median(empty),
      most: 4.5,
    },
    { name: "list: heap before scrolling", unit: "MB", value: before },
    { name: "list: heap after scrolling through 10,000", unit: "MB", value: after, most: before + 3 },
  ];
}
