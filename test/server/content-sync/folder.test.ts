/** What a folder may hold, and what may happen to it: nothing is lost, and what is not served is told. */
import { expect, test } from "bun:test";
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { relation, typeFile } from "../../project.ts";
import { SyncedProject } from "./synced-project.ts";

const text = { type: "string" };
const PROJECT = {
  ...typeFile("author", { name: text, bio: text }),
  ...typeFile("article", { title: text, author: relation("manyToOne", "author"), cover: { type: "media" } }),
  ...typeFile("home", { title: text }, { kind: "singleType" }),
};
const MARA = "authors/mara.yaml";

async function withAuthors(...names: readonly string[]): Promise<SyncedProject> {
  const project = new SyncedProject(PROJECT);
  for (const name of names) await project.create("author", { name });
  await project.sync();
  return project;
}

const namesIn = async (project: SyncedProject): Promise<unknown[]> =>
  (await project.service("author").findMany({ sort: "name" })).map(({ name }) => name);

test("files of editors, file managers and merge tools are not content", async () => {
  await using project = await withAuthors("Mara");
  const names = [".mara.yaml.swp", "mara.yaml~", "#mara.yaml#", ".#mara.yaml", ".1.x.part"];
  for (const name of [...names, "Thumbs.db", "desktop.ini", "mara.yaml.orig", "mara.yaml.rej"])
    for (const folder of ["authors", "media"]) project.write(`${folder}/${name}`, "name: [");
  expect(await project.sync()).toMatchObject({ applied: 0, problems: [], warnings: [] });
});

test("what a killed process has not finished to write is removed, and nothing else that begins with a dot", async () => {
  await using project = new SyncedProject(PROJECT);
  await project.sync();
  const part = `authors/.123.${crypto.randomUUID()}.part`;
  for (const file of [part, "authors/.a.part"]) project.write(file, "name: Mar");
  await project.pass({ writes: false });
  expect(project.exists(part)).toBe(true);
  await project.pass();
  expect([project.exists(part), project.exists("authors/.a.part")]).toEqual([false, true]);
});

test("a file in another encoding than UTF-8 is refused, and stays as it is", async () => {
  await using project = await withAuthors("Mara");
  const latin = Buffer.from("name: J\xf6rg\n", "latin1");
  project.write("authors/joerg.yaml", latin);
  project.write("authors/eve.yaml", "name: \u{fffd}\n");
  expect((await project.pass()).problems).toEqual([
    { file: "authors/joerg.yaml", reason: "is not in UTF-8, with which content files are read" },
  ]);
  expect(readFileSync(project.path("authors/joerg.yaml"))).toEqual(latin);
  project.write("authors/joerg.yaml", "name: J\u{f6}rg\n");
  expect(await project.sync()).toMatchObject({ problems: [] });
  expect(await namesIn(project)).toEqual(["J\u{f6}rg", "Mara", "\u{fffd}"]);
});

test("all links of a file that lead nowhere are named at once", async () => {
  await using project = await withAuthors("Mara");
  project.write("articles/one.yaml", "title: One\nauthor: mara\ncover: none.jpg\n");
  expect((await project.pass()).problems).toEqual([
    {
      file: "articles/one.yaml",
      line: 2,
      key: "author",
      reason: 'there is no document "mara"; did you mean authors/mara?',
    },
    { file: "articles/one.yaml", line: 3, key: "cover", reason: "there is no file media/none.jpg" },
  ]);
});

test("a file that an editor has truncated deletes nothing", async () => {
  await using project = await withAuthors("Mara");
  const before = project.read(MARA);
  project.write(MARA, "");
  expect((await project.pass()).problems).toMatchObject([{ file: MARA, reason: "the file is empty" }]);
  expect(await namesIn(project)).toEqual(["Mara"]);
  project.write(MARA, before);
  expect(await project.sync()).toMatchObject({ problems: [] });
});

test("line ends, a byte order mark and comments stay as they are", async () => {
  await using project = await withAuthors("Mara");
  project.write(MARA, `\ufeff${project.read(MARA).replaceAll("\n", "\r\n")}# end\r\n`);
  await project.sync();
  const { documentId } = (await project.service("author").findFirst({}))!;
  await project.update("author", documentId as string, { bio: "One\nTwo", name: "Ada" });
  await project.sync();
  expect(project.read(MARA)).toMatch(/^\ufeff(?:[^\r\n]*\r\n)+# end\r\n$/);
  expect(project.read(MARA)).toContain("name: Ada\r\n");
});

test("names of composed and of decomposed letters are the same in links", async () => {
  await using project = new SyncedProject(PROJECT);
  project.write(`authors/${"é".normalize("NFD")}.yaml`, "name: E\n");
  project.write("articles/one.yaml", `title: One\nauthor: authors/${"é".normalize("NFC")}\n`);
  expect(await project.sync()).toMatchObject({ problems: [] });
  expect(await project.service("article").findFirst({ populate: { author: true } })).toMatchObject({
    author: { name: "E" },
  });
});

test("a name that differs in capitals only is a renamed file", async () => {
  await using project = await withAuthors("Mara");
  renameSync(project.path(MARA), project.path("authors/Mara.yaml"));
  expect(await project.sync()).toMatchObject({ deleted: 0, problems: [] });
  expect(project.list("authors")).toEqual(["Mara.yaml"]);
  expect(await namesIn(project)).toEqual(["Mara"]);
});

test("documents whose names differ in capitals only have files that differ in more", async () => {
  await using project = new SyncedProject(PROJECT);
  project.write("authors/ADA.yaml", "name: one\n");
  await project.sync();
  await project.create("author", { name: "Ada" });
  await project.sync();
  expect(new Set(project.list("authors").map((name) => name.toLowerCase())).size).toBe(2);
});

test("symbolic links are not followed, and do not delete what they replace", async () => {
  await using project = await withAuthors("Mara", "Ada", "Eve", "Kim");
  renameSync(project.path("authors"), project.path("../elsewhere"));
  symlinkSync("../elsewhere", project.path("authors"));
  const { warnings, deleted } = await project.pass();
  expect(deleted).toBe(0);
  expect(warnings).toEqual([{ file: "authors", reason: "is a symbolic link, which is not followed" }]);
  expect(await namesIn(project)).toHaveLength(4);
  rmSync(project.path("authors"));
  renameSync(project.path("../elsewhere"), project.path("authors"));
  renameSync(project.path(MARA), project.path("../mara.yaml"));
  symlinkSync("../../mara.yaml", project.path(MARA));
  expect(await project.pass()).toMatchObject({ deleted: 0, warnings: [{ file: MARA }] });
});

test("a file in the place of a type's folder deletes nothing", async () => {
  await using project = await withAuthors("Mara");
  rmSync(project.path("authors"), { recursive: true });
  project.write("authors", "not a folder");
  const { warnings, deleted } = await project.pass();
  expect(deleted).toBe(0);
  expect(warnings).toEqual([{ file: "authors", reason: "is not a folder" }]);
});

test("a file that is far too large is not read", async () => {
  await using project = await withAuthors("Mara");
  const file = openSync(project.path("authors/large.yaml"), "w");
  ftruncateSync(file, 200_000_000);
  closeSync(file);
  expect((await project.pass()).problems).toEqual([{ file: "authors/large.yaml", reason: "is larger than 20 MB" }]);
});

test("a folder that is not there, or empty, deletes nothing and is not written", async () => {
  await using project = await withAuthors("Mara", "Ada", "Eve");
  renameSync(project.path(""), project.path("../unmounted"));
  await project.create("author", { name: "Kim" });
  await expect(project.pass()).rejects.toThrow("ENOENT");
  mkdirSync(project.path(""));
  expect((await project.pass()).problems).toMatchObject([{ reason: expect.stringContaining("is empty") }]);
  expect(project.list()).toEqual([]);
  rmSync(project.path(""), { recursive: true });
  renameSync(project.path("../unmounted"), project.path(""));
  expect(await project.sync()).toMatchObject({ problems: [], written: 1 });
  expect(await namesIn(project)).toHaveLength(4);
});

test("a mass deletion needs a confirmation", async () => {
  await using project = await withAuthors("Mara", "Ada", "Eve", "Kim", "Lea");
  project.write("home.yaml", "title: Home\n");
  await project.sync();
  for (const name of ["ada", "eve", "kim"]) project.remove(`authors/${name}.yaml`);
  expect((await project.pass()).problems).toMatchObject([
    { reason: expect.stringContaining("2 more of 5 files of authors are gone") },
  ]);
  expect(await namesIn(project)).toHaveLength(5);
  expect(await project.pass({ deletesMany: true })).toMatchObject({ deleted: 3, problems: [] });
  expect(await namesIn(project)).toEqual(["Lea", "Mara"]);
});

test("the files of a type that is removed stay, and nothing of the others is held back", async () => {
  await using project = await withAuthors("Mara", "Ada", "Eve");
  await project.create("article", { title: "First" });
  await project.sync();
  rmSync(`${project.root}/src/api/author`, { recursive: true });
  await project.reopen(typeFile("article", { title: text }));
  project.edit("articles/first.yaml", "First", "Second");
  expect(await project.sync()).toMatchObject({
    applied: 1,
    deleted: 0,
    problems: [],
    warnings: [{ file: "authors/", reason: "is named after no content-type" }],
  });
  project.remove("authors");
  expect(await project.sync()).toMatchObject({ problems: [], warnings: [] });
  await project.reopen(PROJECT);
  expect(await project.sync()).toMatchObject({ written: 3 });
  expect(await namesIn(project)).toEqual(["Ada", "Eve", "Mara"]);
});

test("nothing outside of the folder is read or written", async () => {
  await using project = await withAuthors("Mara");
  project.write("../secret.yaml", "name: secret\n");
  project.write("articles/one.yaml", "title: One\nauthor: ../secret\n");
  project.write("articles/two.yaml", "title: Two\ncover: ../../secret.yaml\n");
  project.write("authors/three.yaml", "$id: ../../x\nname: Three\n");
  const { problems } = await project.pass();
  expect(problems.map(({ file }) => file).sort()).toEqual([
    "articles/one.yaml",
    "articles/two.yaml",
    "authors/three.yaml",
  ]);
});

test("a file of media names no file outside of the uploads", async () => {
  await using project = await withAuthors("Mara");
  project.write("media/a.txt", "text");
  project.write("media/a.txt.yaml", "name: a.txt\nhash: a\next: /../../../escaped\n");
  await project.sync();
  expect(project.exists("../escaped")).toBe(false);
  expect(await project.sync()).toMatchObject({ problems: [] });
});

test.skipIf(process.getuid?.() === 0)("a folder that may not be written is told, and written later", async () => {
  await using project = await withAuthors("Mara");
  chmodSync(project.path("authors"), 0o500);
  const { documentId } = (await project.service("author").findFirst({}))!;
  await project.update("author", documentId as string, { bio: "Draws" });
  expect((await project.pass()).unwritten).toMatchObject([
    { file: MARA, reason: expect.stringContaining("cannot be written: EACCES") },
  ]);
  chmodSync(project.path("authors"), 0o700);
  expect(await project.sync()).toMatchObject({ written: 1, unwritten: [] });
  expect(project.read(MARA)).toContain("bio: Draws\n");
});

test("a type's folder that cannot be made is told, and made later", async () => {
  await using project = new SyncedProject(PROJECT);
  project.write("articles", "not a folder");
  await project.create("article", { title: "One" });
  expect((await project.pass()).unwritten).toMatchObject([{ file: "articles/one.yaml" }]);
  project.remove("articles");
  expect(await project.sync()).toMatchObject({ written: 1, unwritten: [] });
});

test("a project in memory reads files and writes none", async () => {
  await using project = new SyncedProject(PROJECT);
  project.write(MARA, "name: Mara\n");
  expect(await project.pass({ writes: false })).toMatchObject({ applied: 1, written: 0 });
  expect(project.read(MARA)).toBe("name: Mara\n");
  project.write(MARA, "name: Ada\n");
  await project.pass({ writes: false });
  expect(await namesIn(project)).toEqual(["Ada"]);
});

test("the values of an attribute that was removed are named, and stay in the files", async () => {
  await using project = new SyncedProject(PROJECT);
  const id = await project.create("author", { name: "Mara", bio: "Draws" });
  await project.sync();
  await project.reopen(typeFile("author", { name: text }));
  expect((await project.pass()).warnings).toEqual([
    { file: MARA, key: "bio", reason: "api::author.author has no such attribute" },
  ]);
  await project.update("author", id, { name: "Ada" });
  await project.sync();
  expect(project.read(MARA)).toContain("name: Ada\nbio: Draws\n");
  project.edit(MARA, "name: Ada", "name: Eve");
  await project.sync();
  expect(project.read(MARA)).toContain("name: Eve\nbio: Draws\n");
  await project.reopen(typeFile("author", { name: text, bio: text }));
  expect(await project.sync()).toMatchObject({ warnings: [] });
  expect(await project.find("author", id)).toMatchObject({ name: "Eve", bio: "Draws" });
});

test("a renamed attribute is renamed in the files", async () => {
  await using project = new SyncedProject(PROJECT);
  const id = await project.create("author", { name: "Mara", bio: "Draws" });
  await project.sync();
  const { rememberRenames } = await import("../../../src/engine/storage/attribute-renames.ts");
  rememberRenames(project.context.storage, [{ table: "authors", column: ["bio", "about"] }]);
  await project.reopen(typeFile("author", { name: text, about: text }));
  expect(await project.sync()).toMatchObject({ warnings: [] });
  expect(await project.find("author", id)).toMatchObject({ about: "Draws" });
  expect(project.read(MARA)).toContain("name: Mara\nabout: Draws\n");
});

test("a README is no document, wherever it is, and a document called so has another file", async () => {
  await using project = new SyncedProject(typeFile("author", { name: { type: "string" } }));
  project.write("README.md", "# Content");
  project.write("authors/README.md", "# People");
  project.write("authors/readme-first.yaml", "name: First");
  expect(await project.sync()).toMatchObject({ applied: 1, problems: [], warnings: [] });
  const id = await project.create("author", { name: "Readme" });
  await project.sync();
  expect(project.list("authors")).toEqual(["README.md", "readme-.yaml", "readme-first.yaml"]);
  expect(await project.find("author", id)).toMatchObject({ name: "Readme" });
});
