/** What the page is told of changed content files, and what it does with them, in a real repository. */
import { afterEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { SyncState } from "../../../src/server/content-sync/state.ts";
import type { ChangesSummary, ContentChanges } from "../../../src/ui/content-changes/answers.ts";
import { componentFile, typeFile } from "../../project.ts";
import { until } from "../../until.ts";
import { type Options, type ProjectInGit, projectInGit } from "./project-in-git.ts";

const FILES = {
  ...componentFile("parts.quote", { text: { type: "text" } }),
  ...typeFile("tag", { name: { type: "string" } }),
  ...typeFile(
    "note",
    {
      title: { type: "string", required: true },
      text: { type: "text" },
      body: { type: "blocks" },
      quotes: { type: "component", component: "parts.quote", repeatable: true },
    },
    { draftAndPublish: true, localized: true },
  ),
};
const NOTE = "api::note.note";

let open: ProjectInGit | undefined;
afterEach(async () => {
  await open?.[Symbol.asyncDispose]();
  open = undefined;
});

/** With two notes, of which the last commit has the first. */
async function start(options: Options = {}) {
  open = await projectInGit(FILES, options);
  const { service, written, git } = open;
  const note = async (data: object): Promise<string> => {
    const { documentId } = await service("note").create({ data: data as never, status: "published" });
    return documentId as string;
  };
  const first = await note({ title: "First", text: "one\ntwo\n", quotes: [{ text: "a" }, { text: "b" }] });
  if (!options.memory) await written("notes/first.yaml");
  if (options.hasGit !== false) {
    git("add", ".");
    git("commit", "--quiet", "--message", "content");
  }
  const changes = async (): Promise<ContentChanges> => (await open!.ask("GET", "/content-changes")).body.data;
  const summary = async (): Promise<ChangesSummary> => (await open!.ask("GET", "/content-changes/summary")).body.data;
  const discard = (path: string) => open!.ask("POST", "/content-changes/discard", { path });
  return { ...open, note, first, changes, summary, discard };
}

test("documents that are new, changed and removed since the last commit are told by their fields", async () => {
  const { note, first, service, written, changes, summary, path } = await start();
  await service("note").update({ documentId: first, data: { text: "one\nthree\n", quotes: [{ text: "b" }] } as never });
  await note({ title: "Second" });
  await written("notes/first.yaml", "three");
  await written("notes/second.yaml");
  const { git, writes } = await changes();
  expect(writes).toBe(true);
  expect(git).toMatchObject({ hasCommits: true, total: 2, fileTotal: 0, files: [] });
  expect(git?.documents).toMatchObject([
    {
      path: "notes/first.yaml",
      uid: NOTE,
      documentId: first,
      title: "First",
      kind: "changed",
      differences: [
        { path: ["text"], before: "one\ntwo\n", after: "one\nthree\n" },
        { path: ["quotes"], entries: { added: [], removed: [{ index: 0, value: { text: "a" } }], moved: [], more: 0 } },
      ],
    },
    { path: "notes/second.yaml", title: "Second", kind: "added", differences: [] },
  ]);
  expect(await summary()).toEqual({ problems: [], conflicts: [], uncommitted: 2 });
  rmSync(path("notes/first.yaml"));
  await until("the document is gone", async () => (await service("note").count({})) === 1);
  expect((await changes()).git?.documents).toMatchObject([
    { path: "notes/first.yaml", kind: "removed", title: "First" },
    { path: "notes/second.yaml", kind: "added" },
  ]);
});

test("a renamed file is one document, and files of no document are counted apart", async () => {
  const { changes, path, write } = await start();
  renameSync(path("notes/first.yaml"), path("notes/other.yaml"));
  write("media/a.txt", "text");
  await until("both are told", async () => (await changes()).git?.fileTotal === 2);
  const { git } = await changes();
  expect(git?.total).toBe(1);
  expect(git?.documents).toMatchObject([
    { path: "notes/other.yaml", formerPath: "notes/first.yaml", kind: "changed", differences: [] },
  ]);
  expect(git?.files).toEqual(["media/a.txt", "media/a.txt.yaml"]);
});

test("a discarded document is what the last commit has, and its state before is in its history", async () => {
  const { first, service, written, changes, discard, git, read, ask } = await start({ below: "site/cms" });
  const committed = read("notes/first.yaml");
  await service("note").update({ documentId: first, data: { title: "Mine" } as never });
  await written("notes/first.yaml", "Mine");
  git("add", ".");
  expect(await discard("notes/first.yaml")).toEqual({ status: 200, body: { data: { isServed: true } } });
  expect(read("notes/first.yaml")).toBe(committed);
  expect(git("status", "--porcelain")).toBe("");
  expect(await service("note").findOne({ documentId: first })).toMatchObject({ title: "First" });
  const query = `?contentType=${NOTE}&documentId=${first}&locale=en`;
  const { body } = await ask("GET", `/content-manager/history-versions${query}`);
  expect(body.data.map((version: { data: { title: string } }) => version.data.title)).toContain("Mine");
  expect((await changes()).git?.total).toBe(0);
  expect((await discard("notes/first.yaml")).status).toBe(404);
});

test("discarding removes a new document, brings a removed one back, and undoes a new name", async () => {
  const { first, note, service, written, changes, discard, git, path } = await start();
  const second = await note({ title: "Second" });
  await written("notes/second.yaml");
  git("add", ".");
  expect((await discard("notes/second.yaml")).body.data).toEqual({ isServed: true });
  expect(await service("note").findOne({ documentId: second })).toBeNull();
  expect(git("status", "--porcelain")).toBe("");
  await service("note").delete({ documentId: first });
  await until("its file is gone", () => !existsSync(path("notes/first.yaml")));
  expect((await discard("notes/first.yaml")).body.data).toEqual({ isServed: true });
  expect(await service("note").findOne({ documentId: first })).toMatchObject({ title: "First" });
  renameSync(path("notes/first.yaml"), path("notes/other.yaml"));
  expect((await discard("notes/other.yaml")).body.data).toEqual({ isServed: true });
  expect([existsSync(path("notes/first.yaml")), existsSync(path("notes/other.yaml"))]).toEqual([true, false]);
  expect(await service("note").findOne({ documentId: first })).toMatchObject({ title: "First" });
  expect((await changes()).git?.total).toBe(0);
});

test("an invalid file is told with its line and its document, which is discarded to mend it", async () => {
  const { first, changes, summary, discard, write, read } = await start();
  const committed = read("notes/first.yaml");
  write("notes/first.yaml", committed.replace("title: First", "title: [First"));
  await until("it is told", async () => (await summary()).problems.length > 0);
  const { problems, git } = await changes();
  expect(problems).toMatchObject([{ file: "notes/first.yaml", uid: NOTE, documentId: first }]);
  expect(problems[0]!.line).toBeGreaterThan(0);
  expect(problems[0]!.reason).not.toBe("");
  expect(git?.documents).toMatchObject([{ path: "notes/first.yaml", kind: "changed", isUnreadable: true }]);
  expect((await discard("notes/first.yaml")).body.data).toEqual({ isServed: true });
  expect(read("notes/first.yaml")).toBe(committed);
  expect((await changes()).problems).toEqual([]);
});

test("a conflict is told with its attributes until it is dismissed", async () => {
  const { first, service, summary, ask, changes, atOnce, write, read } = await start();
  await atOnce(async () => {
    await service("note").update({ documentId: first, data: { title: "Mine", text: "mine" } as never });
    write("notes/first.yaml", read("notes/first.yaml").replace("title: First", "title: Theirs"));
  });
  await until("it is told", async () => (await summary()).conflicts.length > 0);
  // of the file, once the other attributes are written into it
  await until("its title is told", async () => (await changes()).conflicts[0]?.title === "Theirs");
  expect((await changes()).conflicts).toMatchObject([
    { file: "notes/first.yaml", uid: NOTE, documentId: first, title: "Theirs", attributes: [["title"]] },
  ]);
  expect(await service("note").findOne({ documentId: first })).toMatchObject({ title: "Theirs", text: "mine" });
  const key = { uid: NOTE, documentId: first };
  expect((await ask("POST", "/content-changes/resolve", key)).status).toBe(200);
  expect((await summary()).conflicts).toEqual([]);
  expect((await ask("POST", "/content-changes/resolve", key)).status).toBe(404);
  expect((await ask("POST", "/content-changes/resolve", { uid: NOTE })).status).toBe(400);
});

test("while git is busy, it is told what is waited for, and nothing is served", async () => {
  const { first, service, written, changes, discard, git, root } = await start();
  await service("note").update({ documentId: first, data: { title: "Mine" } as never });
  await written("notes/first.yaml", "Mine");
  mkdirSync(join(root, ".git/rebase-merge"));
  expect((await changes()).waitsFor).toBe("a rebase is not finished");
  expect((await discard("notes/first.yaml")).body.data).toEqual({ isServed: false });
  rmSync(join(root, ".git/rebase-merge"), { recursive: true });
  await until("it is served", async () => (await service("note").findOne({ documentId: first }))?.title === "First");
  expect(git("status", "--porcelain")).toBe("");
});

test("a new name is not undone over the file of another document", async () => {
  const { note, running, written, discard, path, read, changes } = await start();
  renameSync(path("notes/first.yaml"), path("notes/other.yaml"));
  await until("it is told", async () => (await changes()).git?.documents[0]?.formerPath === "notes/first.yaml");
  // git knows it before the old name is free
  const state = new SyncState(running.project().context.storage);
  await until("it is synchronised", () => state.files(["notes/other.yaml"]).size === 1);
  await note({ title: "First" });
  await written("notes/first.yaml");
  const text = read("notes/first.yaml");
  const { status, body } = await discard("notes/other.yaml");
  expect([status, body.error.message]).toEqual([400, "content/notes/first.yaml is the file of another document now"]);
  expect(read("notes/first.yaml")).toBe(text);
});

test("nothing but changed documents below content/ can be discarded", async () => {
  const { discard, write, root, path, git, changes } = await start();
  write("notes/notes.txt", "text");
  for (const file of ["../.gitignore", "README.md", "notes/notes.txt", "notes/../../.gitignore", "", "/etc/passwd"])
    expect([file, (await discard(file)).status]).toEqual([file, 404]);
  expect((await discard(undefined as never)).status).toBe(400);
  mkdirSync(join(root, "outside"));
  rmSync(path("notes"), { recursive: true });
  symlinkSync(join(root, "outside"), path("notes"));
  await until("it is told", async () => (await changes()).git?.documents[0]?.kind === "removed");
  const { status, body } = await discard("notes/first.yaml");
  expect([status, body.error.message]).toEqual([400, "content/notes is not a folder"]);
  expect(existsSync(join(root, "outside/first.yaml"))).toBe(false);
  expect(git("log", "--format=%s")).toBe("content\n");
});

test("without a repository there is nothing of git, and without a commit nothing to discard to", async () => {
  const { changes, discard, git, summary } = await start({ hasGit: false });
  expect((await changes()).git).toBeUndefined();
  expect(await summary()).toEqual({ problems: [], conflicts: [] });
  git("init", "--quiet");
  await until("the repository is found", async () => (await changes()).git !== undefined);
  expect((await changes()).git).toMatchObject({ hasCommits: false, total: 1 });
  expect(await discard("notes/first.yaml")).toMatchObject({
    status: 400,
    body: { error: { message: "Nothing is committed yet" } },
  });
});

test("in memory, problems are told and nothing is discarded", async () => {
  const { changes, discard, write } = await start({ memory: true });
  write("notes/first.yaml", "title: [First\n");
  await until("it is told", async () => (await changes()).problems.length > 0);
  expect((await changes()).writes).toBe(false);
  expect((await discard("notes/first.yaml")).body.error.message).toBe("The files of this project are only read");
});

test("long texts are cut around what differs, and long lists of changes are counted", async () => {
  const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index}`);
  const { first, service, written, git, changes, write } = await start();
  const text = (changed: string): string => lines.with(1_000, changed).join("\n");
  const block = (value: string) => [{ type: "paragraph", children: [{ type: "text", text: value }] }];
  const update = (changed: string) =>
    service("note").update({ documentId: first, data: { text: text(changed), body: block(changed) } as never });
  await update("old line");
  await written("notes/first.yaml", "old line");
  git("add", ".");
  git("commit", "--quiet", "--message", "long");
  await update("new line");
  await written("notes/first.yaml", "new line");
  const [document] = (await changes()).git!.documents;
  const around = (changed: string) => lines.with(1_000, changed).slice(997, 1_004).join("\n");
  expect(document?.differences).toEqual([
    { path: ["text"], before: around("old line"), after: around("new line") },
    { path: ["body"], before: "old line", after: "new line" },
  ]);
  for (let index = 0; index < 210; index++) write(`tags/tag-${index}.yaml`, `name: Tag ${index}\n`);
  await until("all are told", async () => (await changes()).git?.total === 211);
  expect((await changes()).git?.documents.length).toBe(200);
});

test("the events of open windows tell of commits and of problems", async () => {
  const { running, git, write, summary, first, service, written } = await start();
  const state = async () => (await open!.ask("GET", "/start")).body.data.served;
  await service("note").update({ documentId: first, data: { title: "Mine" } as never });
  await written("notes/first.yaml", "Mine");
  await until("it is told", async () => (await summary()).uncommitted === 1);
  const before = await state();
  git("commit", "--quiet", "--all", "--message", "mine");
  await until("files have changed", async () => (await state()).files !== before.files);
  expect(await summary()).toMatchObject({ uncommitted: 0 });
  const committed = await state();
  write("notes/bad.yaml", "title: [\n");
  await until("there is a problem", async () => (await state()).files !== committed.files);
  expect((await summary()).problems).toMatchObject([{ file: "notes/bad.yaml" }]);
  expect(running.project().reloader.contentSync?.()).toBeDefined();
});

test("an attribute that is renamed on the page is renamed in files, in components and locales, too", async () => {
  const { ask, service, first, written, read, git } = await start();
  await service("note").update({
    documentId: first,
    data: { text: "eins", quotes: [{ text: "c" }] } as never,
    locale: "de",
  });
  await written("notes/first.yaml", "eins");
  git("commit", "--quiet", "--all", "--message", "German");
  const rename = async (action: object, path: string, key: string): Promise<void> => {
    const { body } = await ask("GET", `/content-type-builder/${path}`);
    const { text, ...others } = body.data.schema.attributes;
    const changed = { category: "parts", ...body.data.schema, attributes: { ...others, words: text } };
    const applied = await ask("POST", "/content-types/apply", {
      ...action,
      [key]: changed,
      renames: { text: "words" },
    });
    expect(applied).toMatchObject({ status: 200 });
  };
  const before = read("notes/first.yaml");
  await rename({ action: "changeType", uid: NOTE }, `content-types/${NOTE}`, "contentType");
  await rename({ action: "changeComponent", uid: "parts.quote" }, "components/parts.quote", "component");
  await until("the files have the new names", () => !/\btext:/.test(read("notes/first.yaml")));
  const parse = (text: string): unknown => Bun.YAML.parse(text.replace(/\btext("?):/g, "words$1:"));
  expect(parse(read("notes/first.yaml"))).toEqual(parse(before));
});
