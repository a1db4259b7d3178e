/**
 * How fast the admin page is in a browser: what it loads, how soon rows are there, what a key costs in a large document, and
 * whether memory stays as it is while 10,000 documents are scrolled through. Times are also ratios to an empty page's first
 * paint in the same browser, since machines differ.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, CDPSession, Page } from "playwright-core";
import { createGalley } from "../../src/index.ts";
import { launchBrowser } from "../../test/admin/ui/browser.ts";
import { median } from "./median.ts";

const ARTICLE = "api::article.article";
const COUNT = 10_000;
const COMPONENTS = 100;
const KEYS = 60;
const KEY_INTERVAL_MS = 60;

interface Wanted {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  /** Undefined: printed without a limit. */
  readonly most?: number;
}

const scalars = [
  "string",
  "text",
  "email",
  "uid",
  "integer",
  "biginteger",
  "float",
  "decimal",
  "boolean",
  "date",
  "time",
  "datetime",
];

const schema = {
  kind: "collectionType",
  collectionName: "articles",
  info: { singularName: "article", pluralName: "articles", displayName: "Article" },
  options: { draftAndPublish: true },
  attributes: {
    title: { type: "string" },
    ...Object.fromEntries(scalars.map((type) => [`a_${type}`, { type }])),
    mood: { type: "enumeration", enum: ["calm", "loud"] },
    body: { type: "blocks" },
    cover: { type: "media", multiple: true },
    related: { type: "relation", relation: "manyToMany", target: ARTICLE },
    parts: { type: "component", component: "text.part", repeatable: true },
    zone: { type: "dynamiczone", components: ["text.part"] },
  },
};

const part = {
  collectionName: "components_text_parts",
  info: { displayName: "Part" },
  attributes: { heading: { type: "string" }, text: { type: "text" } },
};

/** 10,000 documents. Returns the ids of one with two components and one with many. */
async function makeProject(root: string): Promise<{ small: string; large: string }> {
  const files: Record<string, unknown> = {
    "src/api/article/content-types/article/schema.json": schema,
    "src/components/text/part.json": part,
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), JSON.stringify(content));
  }
  mkdirSync(join(root, "public"), { recursive: true });
  writeFileSync(join(root, "public/empty.html"), "<!doctype html><title>empty</title><p>empty</p>");
  await using galley = await createGalley({ project: root, memory: false });
  const articles = galley.documents(ARTICLE);
  const body = [{ type: "paragraph", children: [{ type: "text", text: "Some words." }] }];
  const parts = Array.from({ length: COMPONENTS }, (_, index) => ({
    heading: `Part ${index}`,
    text: "Words of a part.",
  }));
  const small = await articles.create({ data: { title: "article 00000", body, parts: parts.slice(0, 2) } });
  const large = await articles.create({ data: { title: "large", body, parts } });
  const db = galley.database();
  const names = (db.query("SELECT name FROM pragma_table_info('articles')").all() as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => name !== "id");
  const others: Readonly<Record<string, string>> = {
    title: "printf('article %05d', n)",
    document_id: "printf('%024d', n)",
  };
  db.run(
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${COUNT - 2})
     INSERT INTO articles (${names.map((name) => `"${name}"`).join()})
     SELECT ${names.map((name) => others[name] ?? `articles."${name}"`).join()}
     FROM numbers, articles WHERE articles.document_id = '${small.documentId}'`,
  );
  return { small: String(small.documentId), large: String(large.documentId) };
}

interface Served {
  readonly address: string;
  readonly link: string;
  readonly stop: () => Promise<void>;
}

async function serve(root: string, executable: string | undefined): Promise<Served> {
  const command = executable ? [executable] : [process.execPath, join(import.meta.dir, "../../src/main.ts")];
  const child = Bun.spawn([...command, "serve", root, "--port", "0"], { stdout: "pipe", stderr: "inherit" });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  // read to its end: a full pipe would stop the server
  const read = async (): Promise<void> => {
    let text = "";
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const [link] = /http:\/\/\S+\/admin#\S+/.exec(text) ?? [];
      if (link) resolve(link);
    }
    reject(new Error("the server has ended"));
  };
  void read();
  const link = await promise;
  const stop = async (): Promise<void> => {
    child.kill();
    await child.exited;
  };
  return { link, address: new URL(link).origin, stop };
}

/** Waits until an expression is true. The page's policy forbids what Playwright has for that. */
async function until(page: Page, expression: string): Promise<void> {
  while (!(await page.evaluate(expression))) await Bun.sleep(10);
}

/** When a part of the page is first there and painted, in milliseconds since the navigation began. */
async function timeTo(page: Page, url: string, selector: string): Promise<number> {
  await page.addInitScript(`{
    const look = () => {
      if (!document.querySelector(${JSON.stringify(selector)})) return requestAnimationFrame(look);
      requestAnimationFrame(() => setTimeout(() => { globalThis.shownAt = performance.now(); }));
    };
    requestAnimationFrame(look);
  }`);
  await page.goto(url);
  await until(page, "globalThis.shownAt !== undefined");
  return Number(await page.evaluate("globalThis.shownAt"));
}

async function firstPaint(page: Page, url: string): Promise<number> {
  await page.goto(url);
  await until(page, "performance.getEntriesByName('first-paint').length > 0");
  return Number(await page.evaluate("performance.getEntriesByName('first-paint')[0].startTime"));
}

/** The scripts that a page has loaded, compressed with gzip, in KB. */
async function scriptKb(page: Page): Promise<number> {
  const urls = (await page.evaluate(
    "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js'))",
  )) as string[];
  let bytes = 0;
  for (const url of new Set(urls)) bytes += Bun.gzipSync(await (await fetch(url)).arrayBuffer(), { level: 9 }).length;
  return bytes / 1000;
}

async function metric(session: CDPSession, name: string): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find((item) => item.name === name)?.value ?? 0;
}

/** What a key costs in a page that has nothing else, for comparison. */
async function emptyKeyCost(page: Page, session: CDPSession): Promise<number> {
  await page.goto("data:text/html,<textarea autofocus></textarea>");
  await page.locator("textarea").focus();
  return keyCost(page, session);
}

/** Milliseconds of processor time of the main thread for a key, painting included. */
async function keyCost(page: Page, session: CDPSession): Promise<number> {
  await page.waitForTimeout(1_000);
  const before = await metric(session, "TaskDuration");
  for (let key = 0; key < KEYS; key++) {
    await page.keyboard.press(key % 6 === 5 ? "Space" : "a");
    await page.waitForTimeout(KEY_INTERVAL_MS);
  }
  return ((await metric(session, "TaskDuration")) - before) * (1000 / KEYS);
}

async function heapMb(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  return (await metric(session, "JSHeapUsedSize")) / 1e6;
}

async function measureList(browser: Browser, { link, address }: Served, rounds: number): Promise<Wanted[]> {
  const signedIn = await browser.newContext();
  const first = await signedIn.newPage();
  await first.goto(link);
  await first.locator("tbody a").first().waitFor();
  const storageState = await signedIn.storageState();
  const kb = await scriptKb(first);
  const rows: number[] = [];
  const empty: number[] = [];
  for (let round = 0; round < rounds; round++) {
    // a context of its own has no cache
    const context = await browser.newContext({ storageState });
    empty.push(await firstPaint(await context.newPage(), `${address}/empty.html`));
    rows.push(await timeTo(await context.newPage(), `${address}/admin/content/${ARTICLE}`, "tbody a"));
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
    { name: "list: JavaScript, gzipped", unit: "KB", value: kb, most: 25 },
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

async function measureEdit(browser: Browser, served: Served, ids: { small: string; large: string }): Promise<Wanted[]> {
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
  await page.goto(`${served.address}/admin/content/${ARTICLE}/${ids.large}`);
  await page.getByRole("button", { name: "Open all" }).click();
  await page.locator(".ProseMirror").waitFor();
  await page.getByLabel("Title", { exact: true }).focus();
  const title = await keyCost(page, session);
  await page.getByLabel("Heading").nth(50).focus();
  const inner = await keyCost(page, session);
  await page.locator(".ProseMirror").click();
  const blocks = await keyCost(page, session);
  const empty = await emptyKeyCost(page, session);
  await context.close();
  return [
    { name: "edit, every field but Markdown and JSON: JavaScript, gzipped", unit: "KB", value: kb, most: 130 },
    { name: "a key in a page with nothing but a textarea", unit: "ms", value: empty },
    { name: `a key in the title, ${COMPONENTS} components open`, unit: "ms", value: title, most: 8 },
    { name: `a key in a component, ${COMPONENTS} components open`, unit: "ms", value: inner, most: 8 },
    { name: `a key in blocks, ${COMPONENTS} components open`, unit: "ms", value: blocks, most: 8 },
  ];
}

/** Prints what was measured; returns whether all of it is good. */
export async function benchAdminPage(executable: string | undefined, rounds: number): Promise<boolean> {
  const root = mkdtempSync(join(tmpdir(), "galley-bench-page-"));
  const browser = await launchBrowser();
  try {
    const ids = await makeProject(root);
    const results: Wanted[] = [];
    for (const measure of [
      (served: Served) => measureList(browser, served, rounds),
      (served: Served) => measureEdit(browser, served, ids),
    ]) {
      // a link works once, so that each has a server of its own
      const served = await serve(root, executable);
      try {
        results.push(...(await measure(served)));
      } finally {
        await served.stop();
      }
    }
    for (const { name, unit, value, most } of results) {
      const limit =
        most === undefined ? "" : value <= most ? `  ok, at most ${most.toFixed(1)}` : `  MORE than ${most.toFixed(1)}`;
      console.log(`${name.padEnd(64)} ${value.toFixed(1).padStart(8)} ${unit}${limit}`);
    }
    return results.every(({ value, most }) => most === undefined || value <= most);
  } finally {
    await browser.close();
    rmSync(root, { recursive: true, force: true });
  }
}
