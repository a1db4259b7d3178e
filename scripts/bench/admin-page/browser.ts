/** What a browser measures of a page. */
import type { CDPSession, Page } from "playwright-core";

/** A figure, and what it may be at most. */
export interface Wanted {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  /** Undefined: printed without a limit. */
  readonly most?: number;
}

/** Waits until an expression is true. The page's policy forbids what Playwright has for that. */
export async function until(page: Page, expression: string): Promise<void> {
  while (!(await page.evaluate(expression))) await Bun.sleep(10);
}

/**
 * When a part of the page was first painted, in milliseconds since the navigation began: the browser's own time, as for the first
 * paint. `block`: a selector of block containers with text, for which the browser reports it.
 */
export async function paintTime(page: Page, url: string, block: string): Promise<number> {
  await page.addInitScript(`{
    const marked = new MutationObserver(() => {
      const element = document.querySelector(${JSON.stringify(block)});
      if (!element) return;
      marked.disconnect();
      element.setAttribute("elementtiming", "");
    });
    marked.observe(document, { childList: true, subtree: true });
    const painted = new PerformanceObserver((list) => {
      globalThis.paintedAt = list.getEntries()[0].renderTime;
      painted.disconnect();
    });
    painted.observe({ type: "element", buffered: true });
  }`);
  await page.goto(url);
  await until(page, "globalThis.paintedAt !== undefined");
  return Number(await page.evaluate("globalThis.paintedAt"));
}

export async function firstPaint(page: Page, url: string): Promise<number> {
  await page.goto(url);
  await until(page, "performance.getEntriesByName('first-paint').length > 0");
  return Number(await page.evaluate("performance.getEntriesByName('first-paint')[0].startTime"));
}

/** The scripts that a page has loaded, compressed with gzip, in KB. */
export async function scriptKb(page: Page): Promise<number> {
  const urls = (await page.evaluate(
    "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js'))",
  )) as string[];
  let bytes = 0;
  for (const url of new Set(urls)) bytes += Bun.gzipSync(await (await fetch(url)).arrayBuffer(), { level: 9 }).length;
  return bytes / 1000;
}

export async function metric(session: CDPSession, name: string): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find((item) => item.name === name)?.value ?? 0;
}

export async function heapMb(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  return (await metric(session, "JSHeapUsedSize")) / 1e6;
}
