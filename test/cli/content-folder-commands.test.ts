/** Commands that export and import folders of content files. */
import { afterAll, expect, test } from "bun:test";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAM } from "../program.ts";
import { libraryWith, removeLibraries } from "../server/library.ts";

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

const FILES = {
  "content/books/first.yaml":
    "title: First\nauthor: authors/ann\ncover: one.svg\n$published: true\n$locales:\n  de: { title: Erstes, $published: true }\n",
  "content/authors/ann.yaml": "name: Ann\nfavourite: books/first\n",
  "content/shop.yaml": "name: Shop\n",
  "content/media/one.svg": `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>`,
  "content/media/one.svg.yaml": "alternativeText: One\n",
};

test("an export is the same bytes again, refuses to replace changed files, and removes what is gone", async () => {
  const root = libraryWith(FILES);
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
  const root = libraryWith(FILES);
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
  const root = libraryWith(FILES);
  const to = join(folder, "import");
  expect((await galley("export", "--to", to, root)).code).toBe(0);
  const before = contents(to);
  const other = libraryWith({ "content/books/other.yaml": "title: Other\n" });
  expect((await galley("content", "apply", other)).code).toBe(0);
  rmSync(join(other, "content"), { recursive: true });
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
