/** Files that leave out what a new document has by default: both sides go on to say the same, and so does an empty database that loads the files. */
import { expect, test } from "bun:test";
import { DocumentService } from "../../../src/engine/documents/document-service.ts";
import { contentType } from "../../../src/engine/schema/model.ts";
import { ContentFolder } from "../../../src/server/content-sync/folder.ts";
import { ContentSync } from "../../../src/server/content-sync/sync.ts";
import { openProject } from "../../../src/server/project/project.ts";
import { typeFile } from "../../project.ts";
import { SyncedProject } from "./synced-project.ts";

const PROJECT = typeFile(
  "article",
  { title: { type: "string" }, isShown: { type: "boolean", default: true } },
  { draftAndPublish: true },
);
const FILE = "articles/one.yaml";

async function withFile(): Promise<{ project: SyncedProject; id: string }> {
  const project = new SyncedProject(PROJECT);
  project.write(FILE, "title: One\n");
  await project.sync();
  const { documentId } = (await project.service("article").findFirst({ status: "draft" }))!;
  return { project, id: documentId as string };
}

/** Whether the article is shown, in the draft and in the published version: in the database, and in one that loads the files. */
async function readBoth(project: SyncedProject): Promise<unknown[]> {
  const loaded = openProject(project.root, { memory: true, publicRead: true, environment: {} });
  await new ContentSync(loaded, new ContentFolder(project.path("")), { writes: false }).run();
  const other = new DocumentService(loaded.context, contentType(loaded.model, "api::article.article"));
  const read = (service: DocumentService) =>
    Promise.all(["draft", "published"].map(async (status) => (await service.findFirst({ status }))?.isShown));
  const both = [await read(project.service("article")), await read(other)];
  await loaded.close();
  return both;
}

test("a document is published in its file with its default", async () => {
  const { project } = await withFile();
  await using _ = project;
  project.write(FILE, `${project.read(FILE)}$published: true\n`);
  await project.sync();
  expect(await readBoth(project)).toEqual([
    [true, true],
    [true, true],
  ]);
});

test("a document that is published over the API is published in its file as it is", async () => {
  const { project, id } = await withFile();
  await using _ = project;
  await project.service("article").publish({ documentId: id });
  await project.sync();
  expect(project.read(FILE)).toContain("$published: true\n");
  expect(project.read(FILE)).not.toContain("isShown");
  expect(await readBoth(project)).toEqual([
    [true, true],
    [true, true],
  ]);
});

test("a draft that differs from a published default leaves that published", async () => {
  const { project, id } = await withFile();
  await using _ = project;
  await project.service("article").publish({ documentId: id });
  await project.sync();
  await project.update("article", id, { isShown: false });
  await project.sync();
  expect(project.read(FILE)).toMatch(/\$published: .*"isShown":true/);
  expect(await readBoth(project)).toEqual([
    [false, true],
    [false, true],
  ]);
  await project.service("article").discardDraft({ documentId: id });
  await project.sync();
  expect(await readBoth(project)).toEqual([
    [true, true],
    [true, true],
  ]);
});

test("a value that is taken away, and that new documents have by default, is null in the file", async () => {
  const { project, id } = await withFile();
  await using _ = project;
  await project.update("article", id, { isShown: null });
  await project.sync();
  expect(project.read(FILE)).toContain("isShown: null\n");
  expect(await readBoth(project)).toEqual([
    [null, undefined],
    [null, undefined],
  ]);
});

test("an attribute that gets a default leaves documents without it, and their files say so", async () => {
  const title = { type: "string" };
  await using project = new SyncedProject(typeFile("article", { title }, { draftAndPublish: true }));
  project.write(FILE, "title: One\n");
  await project.sync();
  await project.reopen(PROJECT);
  await project.sync();
  expect(project.read(FILE)).toContain("isShown: null\n");
  expect(await readBoth(project)).toEqual([
    [null, undefined],
    [null, undefined],
  ]);
});
