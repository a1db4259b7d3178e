/** Media files and what stands beside them, when both sides change, and when files claim what others have. */
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { FILE } from "../../../src/engine/schema/builtin/index.ts";
import { contentType } from "../../../src/engine/schema/model.ts";
import { ContentSync } from "../../../src/server/content-sync/sync.ts";
import { typeFile } from "../../project.ts";
import { SyncedProject } from "./synced-project.ts";

const AUTHOR = typeFile("author", { name: { type: "string" } });

async function withMedia() {
  const project = new SyncedProject(AUTHOR);
  const id = await project.addMedia("note.txt");
  await project.sync();
  const library = project.project.media().own;
  const uploaded = (row = id): string => {
    const { hash, ext } = library.records.find(row)!;
    return readFileSync(join(project.project.uploads.path!, `${hash}${ext}`), "utf8");
  };
  /** What a write of the database does, before anybody has looked at the files. */
  const writeOut = () => new ContentSync(project.project, project.folder, { writes: true }).run(new Set());
  return { project, id, library, uploaded, writeOut };
}

test("new bytes of a file are not replaced by what the library has", async () => {
  const { project, id, library, uploaded, writeOut } = await withMedia();
  await using _ = project;
  project.write("media/note.txt", "from the editor");
  await library.update(id, { caption: "from the page" });
  await writeOut();
  expect(project.read("media/note.txt")).toBe("from the editor");
  await project.sync();
  expect(project.read("media/note.txt")).toBe("from the editor");
  expect(uploaded()).toBe("from the editor");
  expect(project.read("media/note.txt.yaml")).toContain("caption: from the page\n");
});

test("texts that were edited beside a file are merged with those of the library", async () => {
  const { project, id, library, writeOut } = await withMedia();
  await using _ = project;
  project.write("media/note.txt.yaml", `${project.read("media/note.txt.yaml")}alternativeText: A note\n`);
  await library.update(id, { caption: "Written" });
  await writeOut();
  expect(project.read("media/note.txt.yaml")).toContain("alternativeText: A note\n");
  await project.sync();
  expect(library.records.find(id)).toMatchObject({ alternativeText: "A note", caption: "Written" });
  expect(project.read("media/note.txt.yaml")).toMatch(
    /alternativeText: A note\n[\s\S]*caption: Written|caption: Written\n[\s\S]*alternativeText: A note/,
  );
});

test("a file that is moved without the one beside it is the same file, and links follow", async () => {
  await using project = new SyncedProject(typeFile("author", { name: { type: "string" }, picture: { type: "media" } }));
  const id = await project.addMedia("note.txt");
  await project.create("author", { name: "Mara", picture: id });
  await project.sync();
  const library = project.project.media().own;
  await library.update(id, { caption: "A note" });
  await project.sync();
  mkdirSync(project.path("media/notes"));
  renameSync(project.path("media/note.txt"), project.path("media/notes/moved.txt"));
  expect(await project.sync()).toMatchObject({ deleted: 0, problems: [] });
  expect(project.list("media")).toEqual(["notes"]);
  expect(project.list("media/notes")).toEqual(["moved.txt", "moved.txt.yaml"]);
  expect(project.read("media/notes/moved.txt.yaml")).toContain("caption: A note\n");
  expect(project.read("authors/mara.yaml")).toContain("picture: notes/moved.txt\n");
  expect(library.records.find(id)).toMatchObject({ caption: "A note" });
});

test("links follow a file that is moved while another one is not valid", async () => {
  await using project = new SyncedProject(typeFile("author", { name: { type: "string" }, picture: { type: "media" } }));
  await project.create("author", { name: "Mara", picture: await project.addMedia("note.txt") });
  await project.sync();
  project.write("authors/ada.yaml", "name: [");
  renameSync(project.path("media/note.txt"), project.path("media/moved.txt"));
  expect((await project.pass()).problems).toHaveLength(1);
  project.remove("authors/ada.yaml");
  await project.sync();
  expect(project.read("authors/mara.yaml")).toContain("picture: moved.txt\n");
});

test("a pointer of Git LFS does not take the place of its file", async () => {
  const { project, uploaded } = await withMedia();
  await using _ = project;
  project.write("media/note.txt", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n");
  const reason = "is a pointer of Git LFS, not the file: git lfs pull fetches it";
  expect((await project.pass()).problems).toEqual([{ file: "media/note.txt", reason }]);
  expect(uploaded()).toBe("note.txt");
});

test("a file that was changed stays when its record is deleted", async () => {
  const { project, id, library, writeOut } = await withMedia();
  await using _ = project;
  project.write("media/note.txt", "from the editor");
  await library.deleteMany([id]);
  await writeOut();
  expect(project.read("media/note.txt")).toBe("from the editor");
});

test("a copy with the id of another file is refused, and nothing changes", async () => {
  const { project, id, library } = await withMedia();
  await using _ = project;
  project.write("media/copy.txt", "a copy");
  project.write("media/copy.txt.yaml", project.read("media/note.txt.yaml"));
  const { problems } = await project.pass();
  expect(problems).toEqual([
    {
      file: "media/copy.txt.yaml",
      key: "$id",
      reason: "is the id of media/note.txt; without it, the file is another one",
    },
  ]);
  expect(library.records.find(id)).toMatchObject({ name: "note.txt" });
});

test("a file does not take the place of another's upload", async () => {
  const { project, id, library, uploaded } = await withMedia();
  await using _ = project;
  const { hash, ext } = library.records.find(id)!;
  project.write("media/other.txt", "other bytes");
  project.write("media/other.txt.yaml", `name: other.txt\nhash: ${hash}\next: ${ext}\n`);
  expect((await project.pass()).problems).toEqual([]);
  expect(uploaded()).toBe("note.txt");
  const { table } = contentType(project.project.model, FILE);
  const rows = project.context.storage.all(`SELECT id FROM ${table} WHERE id <> ?`, [id]);
  expect(rows.map(([row]) => uploaded(row as number))).toEqual(["other bytes"]);
});

test("a file that is gone when it is read stops nothing", async () => {
  const { project } = await withMedia();
  await using _ = project;
  project.write("media/short.txt", "x");
  project.write("authors/ada.yaml", "name: Ada\n");
  const listing = project.folder.list(project.project.model);
  rmSync(join(project.root, "content/media/short.txt"));
  expect(listing.media.has("short.txt")).toBe(true);
  expect(await project.pass()).toMatchObject({ applied: 1, problems: [] });
});
