/** The manual as a site: whole, small, without anything from elsewhere, and usable by keyboard. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { commands } from "../../src/cli/commands/index.ts";
import { createGalley } from "../../src/index.ts";
import { readManual } from "../../src/server/docs/manual.ts";
import { configFile, projectFolder, typeFile } from "../project.ts";
import { findProblems, findProblemsAtWidths, WIDTHS } from "../ui/axe.ts";
import { closeBrowser, hasBrowser, openBrowser } from "../ui/browser.ts";

const site = new Map([...(await readManual())].map(([name, content]) => [name, new TextDecoder().decode(content)]));
const pages = [...site.keys()].filter((name) => name.endsWith(".html"));
const MOST_BYTES = 60_000;

const project = projectFolder({
  ...typeFile("tag", { name: { type: "string" } }),
  ...configFile({ docs: true }),
  "public/llms.txt": "the project's own",
});
const galley = await createGalley({ project: project.root });
afterAll(async () => {
  await galley.close();
  project.remove();
});

describe.each(pages)("%s", (name) => {
  const html = site.get(name)!;
  const addresses = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);

  test("is at most 60 KB, with style and script", () => {
    const sizes = [html, site.get("manual.css")!, site.get("manual.js")!].map((text) => Buffer.byteLength(text));
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(MOST_BYTES);
  });

  test("leads to pages and headings that are there, and loads nothing from elsewhere", () => {
    const broken = addresses
      .filter((address) => address !== "data:," && !/^https?:/.test(address))
      .filter((address) => {
        const [file = "", anchor] = address.split("#");
        const target = site.get(file === "" ? name : file);
        return target === undefined || (anchor !== undefined && !target.includes(`id="${anchor}"`));
      });
    expect(broken).toEqual([]);
    expect([...html.matchAll(/ src="([^"]+)"/g)].map(([, address]) => address)).toEqual(["manual.js"]);
  });
});

test("no page has the name of a command, so that galley help tells both", () => {
  const names = new Set(commands.map((command) => command.name.split(" ")[0]!));
  expect(pages.map((page) => page.replace(".html", "")).filter((page) => names.has(page))).toEqual([]);
});

test("llms.txt lists every page, and llms-full.txt has their texts", () => {
  for (const name of [...site.keys()].filter((file) => file.endsWith(".md"))) {
    expect(site.get("llms.txt")).toContain(`(/docs/manual/${name})`);
    expect(site.get("llms-full.txt")).toContain(site.get(name)!);
  }
});

describe("a server", () => {
  test.each([
    ["/docs/manual/", "text/html; charset=utf-8"],
    ["/docs/manual/rest.html", "text/html; charset=utf-8"],
    ["/docs/manual/rest.md", "text/markdown; charset=utf-8"],
    ["/docs/manual/manual.css", "text/css; charset=utf-8"],
    ["/docs/manual/search.js", "text/javascript; charset=utf-8"],
    ["/llms-full.txt", "text/plain; charset=utf-8"],
  ])("serves %s", async (path, type) => {
    const response = await galley.fetch(path);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, type]);
    expect(response.headers.get("content-security-policy")).toStartWith("default-src 'none'; script-src 'self'");
  });

  test("leads to its first page, and has no other files", async () => {
    const response = await galley.fetch("/docs/manual", { redirect: "manual" });
    expect([response.status, response.headers.get("location")]).toEqual([302, "../docs/manual/"]);
    for (const path of ["/docs/manual/nothing.html", "/docs/manual/../../package.json", "/docs/manual/constructor"])
      expect((await galley.fetch(path)).status).toBe(404);
  });

  test("leaves llms.txt to the project's public folder", async () => {
    expect(await (await galley.fetch("/llms.txt")).text()).toBe("the project's own");
  });
});

interface Visit {
  readonly name: string;
  readonly asked: readonly string[];
  /** The parts that are shown on paper, and the texts there that are cut off. */
  readonly printed: readonly string[];
  readonly cut: readonly string[];
  readonly problems: readonly string[];
  /** The widths of windows that the page does not fit in. */
  readonly tooWide: readonly number[];
}

/** Shows another page of the manual in one that is loaded, whose styles and axe stay: its script changes nothing before a key. */
async function showPage(page: Page, name: string): Promise<void> {
  await page.evaluate(`{
    const next = new DOMParser().parseFromString(${JSON.stringify(site.get(name)!)}, "text/html");
    document.title = next.title;
    document.body.replaceWith(next.body);
    scrollTo(0, 0);
  }`);
}

async function print(page: Page): Promise<Pick<Visit, "printed" | "cut">> {
  await page.setViewportSize({ width: 794, height: 1123 });
  await page.emulateMedia({ media: "print" });
  const printed = await page.evaluate<string[]>(
    "[...document.querySelectorAll('header, nav, main')].filter((part) => part.offsetParent !== null || part.tagName === 'MAIN' && part.offsetHeight > 0).map((part) => part.tagName)",
  );
  const cut = await page.evaluate<string[]>(
    "[...document.querySelectorAll('main pre, main table, main p')].filter((part) => part.getBoundingClientRect().right > innerWidth + 1).map((part) => part.textContent.slice(0, 60))",
  );
  await page.emulateMedia({ media: null });
  return { printed, cut };
}

/** Those with what most pages do not have, in each way; of the others, each next page in the next way. */
const WHOLE = ["rest.html", "contact-form.html"];
const WAYS = WIDTHS.flatMap((width) => [
  { width, colorScheme: "light" as const },
  { width, colorScheme: "dark" as const },
]);

async function examine(page: Page, index: number, name: string): Promise<Pick<Visit, "problems" | "tooWide">> {
  const { width, colorScheme } = WAYS[index % WAYS.length]!;
  const isWhole = WHOLE.includes(name);
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme });
  const problems = await (isWhole ? findProblemsAtWidths(page) : findProblems(page));
  const tooWide: number[] = [];
  for (const shown of isWhole ? WIDTHS : [width, 390]) {
    await page.setViewportSize({ width: shown, height: 900 });
    if ((await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")) > 0) tooWide.push(shown);
  }
  return { problems, tooWide };
}

describe.skipIf(!hasBrowser)("in a browser", () => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await openBrowser();
    page = await browser.newPage();
    await page.goto(`${galley.serve()}/docs/manual/`);
  }, 60_000);
  afterAll(() => closeBrowser(browser));

  describe("each page, loaded once, and shown once in a page that is loaded", () => {
    const visits: Visit[] = [];

    beforeAll(async () => {
      const [other, shown] = [await browser.newPage(), await browser.newPage()];
      await shown.goto(`${galley.serve()}/docs/manual/`);
      let asked: string[] = [];
      // `data:` is in the page
      other.on("request", (request) => request.url().startsWith("data:") || asked.push(request.url()));
      for (const [index, name] of pages.entries()) {
        asked = [];
        await other.goto(`${galley.serve()}/docs/manual/${name}`);
        await showPage(shown, name);
        visits.push({ name, asked: asked.toSorted(), ...(await print(shown)), ...(await examine(shown, index, name)) });
      }
      await Promise.all([other.close(), shown.close()]);
    }, 240_000);

    test.each(pages)("%s asks for nothing but its own files", (name) => {
      const files = [name, "manual.css", "manual.js"].map((file) => `${galley.serve()}/docs/manual/${file}`);
      expect(visits.find((visit) => visit.name === name)?.asked).toEqual(files.toSorted());
    });

    test.each(pages)("%s prints its text alone, without cutting code or tables off", (name) => {
      expect(visits.find((visit) => visit.name === name)).toMatchObject({ printed: ["MAIN"], cut: [] });
    });

    test.each(pages)("%s has no problem of accessibility, and is no wider than its window", (name) => {
      expect(visits.find((visit) => visit.name === name)).toMatchObject({ problems: [], tooWide: [] });
    });
  });

  test("a search finds from a folder on the disk, without a server", async () => {
    const folder = mkdtempSync(join(tmpdir(), "galley-manual-disk-"));
    for (const [name, text] of site) writeFileSync(join(folder, name), text);
    const other = await browser.newPage();
    await other.context().setOffline(true);
    await other.goto(pathToFileURL(join(folder, "index.html")).href);
    await other.keyboard.press("/");
    await other.keyboard.type("conditional reads");
    await other.getByRole("option", { name: "REST: Conditional reads" }).waitFor();
    await other.keyboard.press("Enter");
    await other.waitForURL(/^file:.*rest\.html#conditional-reads$/);
    await other.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("a keyboard reaches the text first, then the name, the search, and each page", async () => {
    const other = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await other.goto(`${galley.serve()}/docs/manual/rest.html`);
    const reached: string[] = [];
    for (let at = 0; at < 3 + pages.length - 1; at++) {
      await other.keyboard.press("Tab");
      const name = await other.evaluate<string>(
        "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim()",
      );
      reached.push(name);
      // what is reached is seen
      expect([name, await other.locator(":focus").isVisible()]).toEqual([name, true]);
    }
    const links = [...site.get("rest.html")!.matchAll(/<li><a href="([\w-]+\.html)"[^>]*>(.*?)<\/a><\/li>/g)];
    const inOrder = [...new Set(links.map(([, , text]) => text!.replaceAll("&#x27;", "'")))];
    expect(reached.slice(0, 3)).toEqual(["Skip to the text", expect.stringContaining("Galley"), "Search the manual"]);
    expect(reached.slice(3)).toEqual(inOrder);
    await other.goto(`${galley.serve()}/docs/manual/rest.html`);
    await other.keyboard.press("Tab");
    await other.keyboard.press("Enter");
    expect(new URL(other.url()).hash).toBe("#text");
    await other.close();
  }, 60_000);

  test("a search is typed, walked and followed without a pointer", async () => {
    await page.keyboard.press("/");
    await page.keyboard.type("blurhash-nothing");
    await page.getByText("Nothing was found").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.type("conditional reads");
    await page.getByRole("option", { name: "REST: Conditional reads" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForURL(/rest\.html#conditional-reads$/);
  });

  test("a whole word is found before parts of others, and the results are whole on a narrow screen", async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`${galley.serve()}/docs/manual/`);
    await page.getByRole("combobox").fill("populate");
    const first = page.getByRole("option").first();
    await first.waitFor();
    expect(await first.textContent()).toMatch(/^REST: Reading…?\S/);
    const { x, width } = (await page.locator("#found").boundingBox())!;
    expect([x, width]).toEqual([16, 358]);
    const excerpts = await page.locator("#found span").allTextContents();
    const texts = site.get("search.js")!;
    const words = excerpts.map((text) => text.replaceAll("…", "").split(" ").at(-1)!);
    expect(
      words.filter((word) => !new RegExp(`${RegExp.escape(JSON.stringify(word).slice(1, -1))}[ "]`).test(texts)),
    ).toEqual([]);
  });
});
