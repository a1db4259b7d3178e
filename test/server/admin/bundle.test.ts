/** What the admin page loads, and when. Sizes are compressed. */
import { beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bundlePage, DOCUMENT, SOURCE } from "../../../src/server/admin/bundle.ts";

let files: Awaited<ReturnType<typeof bundlePage>>;

beforeAll(async () => {
  files = await bundlePage();
});

const textOf = (name: string): string => String(files.get(name));

/** The file and all that it imports at once. */
function withImports(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, other] of textOf(name).matchAll(/(?:from|import)"\.\/([^"]+)"/g)) withImports(other!, found);
  return found;
}

const named = (pattern: RegExp): string => [...files.keys()].find((name) => pattern.test(name))!;
const sizeOf = (names: Iterable<string>): number =>
  [...names].reduce((sum, name) => sum + Bun.gzipSync(files.get(name)!, { level: 9 }).length, 0);
const first = (): Set<string> => withImports(/src="\/admin\/assets\/(main-[^"]+\.js)"/.exec(textOf(DOCUMENT))![1]!);

test("the first load is 45 KB of code, and 75 KB with the font, which it preloads and its styles name", () => {
  const code = sizeOf([...first(), named(/^index-.*\.css$/), DOCUMENT]);
  expect(code).toBeLessThanOrEqual(45 * 1024);
  const [, font] = /as="font"[^>]* href="\/admin\/assets\/([^"]+)"/.exec(textOf(DOCUMENT))!;
  const { length } = files.get(font!)!;
  expect(length).toBeLessThanOrEqual(30 * 1024);
  expect(code + length).toBeLessThanOrEqual(75 * 1024);
  expect(textOf(named(/^index-.*\.css$/))).toContain(`url(./${font})`);
});

test("the first script asks for all of it to be compiled while it is loaded", () => {
  const [script] = first();
  expect(textOf(script!)).toStartWith("//# allFunctionsCalledOnLoad\n");
});

test("a form with a blocks editor needs 150 KB", () => {
  const parts = [/^part-edit-page-/, /^part-blocks-/].flatMap((pattern) => [...withImports(named(pattern))]);
  expect(sizeOf(new Set([...first(), ...parts]))).toBeLessThanOrEqual(150 * 1024);
});

test("editors of text, and what reads pasted HTML and Markdown, come when they are used", () => {
  const early = new Set([
    ...first(),
    ...withImports(named(/^part-edit-page-/)),
    ...withImports(named(/^part-blocks-/)),
  ]);
  for (const late of [/^part-markdown-/, /^part-json-/, /^part-html-/, /^part-preview-/]) {
    expect(early.has(named(late))).toBe(false);
  }
});

test("each file that is imported is there", () => {
  for (const name of files.keys()) {
    if (!name.endsWith(".js")) continue;
    for (const [, other] of textOf(name).matchAll(/(?:from|import|import\()"\.\/([^"]+\.js)"/g)) {
      expect([name, files.has(other!)]).toEqual([name, true]);
    }
  }
});

test("every style sheet of the source is part of the page", () => {
  const sheets = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".css"));
  const index = readFileSync(join(SOURCE, "styles/index.css"), "utf8");
  const imported = [...index.matchAll(/@import "([^"]+)"/g)].map(([, path]) => join("styles", path!));
  expect(imported.toSorted()).toEqual(sheets.filter((name) => name !== "styles/index.css").toSorted());
});
