/** Commands that convert, export and import folders of content files. */
import { afterAll, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAM } from "../program.ts";
import { book, libraryWith, removeLibraries } from "../transfer/content/earlier/fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-content-folder-"));
afterAll(() => {
  removeLibraries();
  rmSync(folder, { recursive: true, force: true });
});

async function galley(...args: string[]): Promise<{ readonly code: number; readonly output: string }> {
  const child = Bun.spawn([...PROGRAM, ...args], { stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, output: out + err };
}

/** Contents by path, without the list of files, in which locales have ids of their database. */
const contents = (root: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((name) => statSync(join(root, name)).isFile() && name !== ".export.json")
      .sort()
      .map((name) => [name, readFileSync(join(root, name)).toString("base64")]),
  );

const LISTS = {
  ...book({ title: "First", author: "authors/a", cover: "covers/one.svg" }, { locales: { de: { title: "Erstes" } } }),
  "content/authors.json": [{ key: "a", data: { name: "Ann", favourite: "books/one" } }],
  "content/shop.json": { data: { name: "Shop" } },
  "content/media/covers/one.svg": `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>`,
  "content/media/index.json": { "covers/one.svg": { alternativeText: "One" } },
  "content/NOTES.txt": "mine",
};

const MIGRATED = [
  "NOTES.txt",
  "authors/a.yaml",
  "books/one.yaml",
  "media/covers/one.svg",
  "media/covers/one.svg.yaml",
  "shop.yaml",
];

test("lists become files with the names of their entries, once", async () => {
  const root = libraryWith(LISTS);
  expect(await galley("content", "migrate", root)).toMatchObject({ code: 0 });
  const content = join(root, "content");
  const first = contents(content);
  expect(Object.keys(first)).toEqual(MIGRATED);
  const text = readFileSync(join(content, "books/one.yaml"), "utf8");
  expect(text).toContain("author: authors/a\n");
  expect(text).toContain("cover: covers/one.svg\n");
  expect(readFileSync(join(content, "media/covers/one.svg.yaml"), "utf8")).toContain("alternativeText: One\n");
  const again = await galley("content", "migrate", root);
  expect(again.code).toBe(0);
  expect(again.output).toStartWith("content/ is not of an earlier version: nothing was changed\n");
  expect(contents(content)).toEqual(first);
}, 60_000);

test("a migration that was killed after its journal is finished by the next start, and one before it starts anew", async () => {
  const root = libraryWith(LISTS);
  const content = join(root, "content");
  const pending = join(content, ".migrated");
  mkdirSync(join(pending, "books"), { recursive: true });
  writeFileSync(join(pending, "books/half.yaml"), "title: Half");
  expect((await galley("content", "migrate", root)).code).toBe(0);
  expect(Object.keys(contents(content))).toEqual(MIGRATED);

  mkdirSync(join(pending, "books"), { recursive: true });
  writeFileSync(join(pending, "books/two.yaml"), "title: Second\n");
  writeFileSync(join(content, "old.json"), "[]");
  writeFileSync(join(pending, "complete.json"), JSON.stringify({ removed: ["old.json"] }));
  const { code } = await galley("content", "apply", root);
  expect([code, existsSync(pending), existsSync(join(content, "old.json"))]).toEqual([0, false, false]);
  expect(readFileSync(join(content, "books/two.yaml"), "utf8")).toContain("title: Second");
}, 60_000);

test("a journal removes nothing outside of its folder", async () => {
  const root = libraryWith({
    ...LISTS,
    "content/.migrated/complete.json": { removed: ["../config/galley.json"] },
  });
  const { code, output } = await galley("content", "migrate", root);
  expect([code, output.includes("must list paths below the folder")]).toEqual([1, true]);
  expect(existsSync(join(root, "config/galley.json"))).toBe(true);
}, 60_000);

test("an export is the same bytes again, refuses to replace changed files, and removes what is gone", async () => {
  const root = libraryWith(LISTS);
  const to = join(folder, "out");
  expect((await galley("export", "--to", to, root)).code).toBe(0);
  const first = contents(to);
  expect((await galley("export", to, "--format", "dir", root)).output).toContain("0 files written, 0 removed");
  expect(contents(to)).toEqual(first);

  const changed = join(to, "books", readdirSync(join(to, "books"))[0]!);
  writeFileSync(changed, "title: Mine\n");
  const refused = await galley("export", "--to", to, root);
  expect([refused.code, refused.output.includes("was changed since")]).toEqual([1, true]);
  expect(readFileSync(changed, "utf8")).toBe("title: Mine\n");
  expect((await galley("export", "--to", to, "--yes", root)).code).toBe(0);
  expect(contents(to)).toEqual(first);
}, 60_000);

test("a part of the content is exported without links to the rest", async () => {
  const root = libraryWith(LISTS);
  const exported = async (...options: string[]): Promise<string[]> => {
    const to = join(folder, "part");
    const { code, output } = await galley("export", to, "--format", "dir", root, ...options);
    expect([code, output]).toEqual([0, expect.stringContaining("exported ")]);
    return Object.keys(contents(to));
  };
  const media = ["media/one.svg", "media/one.svg.yaml"];
  expect(await exported("--only-content-types", "api::book.book")).toEqual(["books/first.yaml"]);
  const text = readFileSync(join(folder, "part/books/first.yaml"), "utf8");
  expect(["First", "authors/", "one.svg"].map((word) => text.includes(word))).toEqual([true, false, false]);
  expect(await exported("--exclude-content-types", "api::book.book")).toEqual([
    "authors/ann.yaml",
    ...media,
    "shop.yaml",
  ]);
  expect(await exported("--only", "files")).toEqual(media);
  expect((await galley("export", "--to", join(root, "content"), root, "--exclude", "files")).output).toContain(
    "is kept equal to all content of its project",
  );
}, 60_000);

test("an import replaces content with that of a folder, and keeps users", async () => {
  const root = libraryWith(LISTS);
  const to = join(folder, "import");
  expect((await galley("export", "--to", to, root)).code).toBe(0);
  const before = contents(to);
  const other = libraryWith(book({ title: "Other" }));
  const imported = await galley("import", to, other, "--yes");
  expect([imported.code, imported.output]).toEqual([0, expect.stringContaining("imported ")]);
  const again = join(folder, "import-again");
  expect((await galley("export", "--to", again, other)).code).toBe(0);
  expect(contents(again)).toEqual(before);

  cpSync(to, join(folder, "invalid"), { recursive: true });
  writeFileSync(join(folder, "invalid/books/bad.yaml"), "title: [");
  const refused = await galley("import", join(folder, "invalid"), other, "--yes");
  expect([refused.code, refused.output.includes("bad.yaml")]).toEqual([1, true]);
}, 60_000);
