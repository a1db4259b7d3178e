/** What changes on one side is on the other, and what changes on both is merged. */
import { expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { relation, typeFile } from "../../project.ts";
import { SyncedProject } from "./synced-project.ts";

const text = { type: "string" };
const localized = { ...text, pluginOptions: { i18n: { localized: true } } };
const PROJECT = {
  ...typeFile("author", { name: text, bio: text }),
  ...typeFile(
    "article",
    { title: localized, price: { type: "integer" }, author: relation("manyToOne", "author") },
    { draftAndPublish: true, localized: true },
  ),
};
const MARA = "authors/mara.yaml";

async function withMara(): Promise<{ project: SyncedProject; id: string }> {
  const project = new SyncedProject(PROJECT);
  const id = await project.create("author", { name: "Mara", bio: "Writes" });
  await project.sync();
  return { project, id };
}

/** The states of a document in its history. */
const history = ({ context }: SyncedProject, documentId: string) =>
  context.storage
    .all("SELECT data FROM galley_history WHERE document_id = ? ORDER BY id", [documentId])
    .map(([data]) => JSON.parse(data as string));

test("a document of the database has a file with its name, and keeps it whatever the title becomes", async () => {
  const { project, id } = await withMara();
  await using _ = project;
  expect(project.read(MARA)).toMatch(new RegExp(`^\\$id: ${id}\n\\$createdAt: .*\nname: Mara\nbio: Writes\n$`));
  await project.update("author", id, { name: "Ada" });
  await project.sync();
  expect(project.list("authors")).toEqual(["mara.yaml"]);
  expect(project.read(MARA)).toContain("name: Ada\n");
});

test("a new file is a document, and gets its id once", async () => {
  await using project = new SyncedProject(PROJECT);
  project.write("authors/ada.yaml", "# by hand\nname: Ada\n");
  project.write("articles/first.yaml", "author: authors/ada\ntitle: First\n$published: true\n");
  await project.sync();
  const ada = await project.service("author").findFirst({});
  const first = await project.service("article").findFirst({ status: "published", populate: { author: true } });
  expect(first).toMatchObject({ title: "First", author: { name: "Ada" } });
  const written = project.read("authors/ada.yaml");
  expect(written).toMatch(new RegExp(`# by hand\n\\$createdAt: .*\nname: Ada\n$|^\\$id: ${ada!.documentId}\n`));
  expect(written).toContain("# by hand\n");
  expect(await project.pass()).toMatchObject({ applied: 0, written: 0 });
});

test("different attributes that both sides changed are merged without a conflict", async () => {
  const { project, id } = await withMara();
  await using _ = project;
  await project.update("author", id, { bio: "Draws" });
  project.edit(MARA, "name: Mara", "name: Mara 2");
  expect(await project.sync()).toMatchObject({ applied: 1, conflicts: [], problems: [] });
  expect(await project.find("author", id)).toMatchObject({ name: "Mara 2", bio: "Draws" });
  expect(project.read(MARA)).toContain("name: Mara 2\nbio: Draws\n");
});

test.each([true, false])(
  "of the same attribute the file's value is served, the other is in the history (writes: %p)",
  async (writes) => {
    const { project, id } = await withMara();
    await using _ = project;
    await project.update("author", id, { name: "From the API", bio: "Draws" });
    project.edit(MARA, "name: Mara", "name: From the file");
    // at a start the files are only read
    const result = await project.pass({ writes });
    expect(result.conflicts).toEqual([{ file: MARA, key: "name", reason: expect.stringContaining("history") }]);
    expect(await project.find("author", id)).toMatchObject({ name: "From the file", bio: "Draws" });
    expect(history(project, id)).toMatchObject([{ name: "From the API", bio: "Draws" }]);
    const open = () => [...project.state.withConflicts().values()].map(({ path, conflicts }) => [path, conflicts]);
    await project.sync();
    expect(open()).toEqual([[MARA, ["name"]]]);
    expect(project.read(MARA)).toContain("name: From the file\nbio: Draws\n");
    await project.update("author", id, { name: "Decided" });
    await project.sync();
    expect(open()).toEqual([]);
  },
);

test("a conflict is settled by the next change of the file, too", async () => {
  const { project, id } = await withMara();
  await using _ = project;
  await project.update("author", id, { name: "From the API" });
  project.edit(MARA, "name: Mara", "name: From the file");
  await project.sync();
  project.edit(MARA, "name: From the file", "name: Decided");
  await project.sync();
  expect(project.state.withConflicts().size).toBe(0);
});

test("a file that was deleted deletes the document, whose last state is in the history", async () => {
  const { project, id } = await withMara();
  await using _ = project;
  await project.update("author", id, { name: "Changed" });
  project.remove(MARA);
  const { conflicts, deleted } = await project.sync();
  expect(deleted).toBe(1);
  expect(conflicts).toEqual([{ file: MARA, reason: expect.stringContaining("was deleted, though") }]);
  expect(await project.find("author", id)).toBeNull();
  expect(history(project, id)).toMatchObject([{ name: "Changed" }]);
});

test("a document that was deleted deletes the file", async () => {
  const { project, id } = await withMara();
  await using _ = project;
  await project.service("author").delete({ documentId: id });
  await project.sync();
  expect(project.list("authors")).toEqual([]);
});

test("a document that was deleted, and changed in its file, is there again", async () => {
  const { project, id } = await withMara();
  await using _ = project;
  await project.service("author").delete({ documentId: id });
  project.edit(MARA, "name: Mara", "name: Still here");
  const { conflicts } = await project.sync();
  expect(conflicts).toEqual([{ file: MARA, reason: expect.stringContaining("it is there again") }]);
  expect(await project.find("author", id)).toMatchObject({ name: "Still here" });
});

test("links follow a renamed file", async () => {
  const { project, id } = await withMara();
  await using _ = project;
  await project.create("article", { title: "One", author: id }, { status: "published" });
  await project.sync();
  expect(project.read("articles/one.yaml")).toContain("author: authors/mara\n");
  const before = project.read(MARA);
  project.remove(MARA);
  project.write("authors/mara-2.yaml", before);
  await project.sync();
  expect(project.read("articles/one.yaml")).toContain("author: authors/mara-2\n");
  expect(await project.find("author", id)).toMatchObject({ name: "Mara" });
});

test("a link to a document that is deleted is taken out of a file that changes with it, too", async () => {
  const { project, id } = await withMara();
  await using _ = project;
  await project.create("article", { title: "Ferns", author: id });
  await project.sync();
  project.edit("articles/ferns.yaml", "Ferns", "Moss");
  project.remove(MARA);
  await project.sync({ deletesMany: true });
  expect(project.read("articles/ferns.yaml")).toContain("title: Moss\n");
  expect(project.read("articles/ferns.yaml")).not.toContain("authors/mara");
});

test("two files with one name, which links cannot tell apart, are refused", async () => {
  const { project } = await withMara();
  await using _ = project;
  project.write("authors/mara.json", '{ "name": "Another" }');
  const reason = "has the name of authors/mara.yaml in links; give it another";
  expect((await project.pass()).problems).toEqual([{ file: "authors/mara.json", reason }]);
});

test("links follow a renamed file also in a file that changes with it", async () => {
  const { project } = await withMara();
  await using _ = project;
  await project.create("article", { title: "Ferns" });
  await project.sync();
  project.edit("articles/ferns.yaml", "title: Ferns", "title: Moss\nauthor: authors/mara");
  renameSync(project.path(MARA), project.path("authors/mara-lind.yaml"));
  await project.sync();
  expect(project.read("articles/ferns.yaml")).toMatch(/title: Moss\nauthor: authors\/mara-lind\n/);
});

test("files and documents that never met: the file is served, the document is in the history", async () => {
  await using project = new SyncedProject(PROJECT);
  const id = await project.create("author", { name: "Database" });
  project.write(MARA, `$id: ${id}\nname: File\n`);
  const { conflicts } = await project.sync();
  expect(conflicts).toEqual([{ file: MARA, key: "name", reason: expect.any(String) }]);
  expect(await project.find("author", id)).toMatchObject({ name: "File" });
  expect(history(project, id)).toMatchObject([{ name: "Database" }]);
});

test("nothing is applied while one file is not valid, and what the API writes is in the other files", async () => {
  const { project, id } = await withMara();
  await using _ = project;
  project.write("authors/ada.yaml", "name: Ada\n");
  project.write("authors/bad.yaml", "name: [\n");
  await project.update("author", id, { bio: "Draws" });
  const { problems, applied } = await project.pass();
  expect(applied).toBe(0);
  expect(problems).toEqual([{ file: "authors/bad.yaml", line: expect.any(Number), reason: expect.any(String) }]);
  expect(project.read(MARA)).toContain("bio: Draws\n");
  project.remove("authors/bad.yaml");
  expect(await project.sync()).toMatchObject({ applied: 1, problems: [] });
});

test("a value that cannot be read stays in the file, and is told", async () => {
  await using project = new SyncedProject(typeFile("box", { name: text, data: { type: "json" } }));
  const id = await project.create("box", { name: "Box", data: { a: 1 } });
  await project.sync();
  project.context.storage.run("UPDATE boxs SET data = '{' , name = 'Changed' WHERE document_id = ?", [id]);
  const { warnings } = await project.pass();
  expect(warnings).toEqual([{ file: "boxs/box", key: "data", reason: expect.stringContaining("cannot be read") }]);
  expect(project.read("boxs/box.yaml")).toContain("name: Changed\ndata:\n  a: 1\n");
  project.edit("boxs/box.yaml", "a: 1", "a: 2");
  await project.pass();
  expect(await project.find("box", id)).toMatchObject({ data: { a: 2 } });
});
