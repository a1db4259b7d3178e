/** What git does to the working tree is what is served, and leaves it clean. */
import { expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openProject } from "../../../src/server/project/project.ts";
import { relation, typeFile } from "../../project.ts";
import { SyncedProject } from "./synced-project.ts";

const text = { type: "string" };
const PROJECT = {
  ...typeFile("author", { name: text }),
  ...typeFile("article", { title: text, author: relation("manyToOne", "author") }, { draftAndPublish: true }),
  ".gitignore": ".galley\npublic\n",
};
const COUNT = 20;

const git = (root: string, ...args: readonly string[]): string => {
  const user = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.editor=true"];
  const { exitCode, stdout, stderr } = Bun.spawnSync(["git", "-C", root, ...user, ...args]);
  if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${stderr.toString()}`);
  return stdout.toString();
};

/** A repository with a branch `other`, whose articles have other titles, one less, and one more. */
async function repository(): Promise<SyncedProject> {
  const project = new SyncedProject(PROJECT);
  const author = await project.create("author", { name: "Mara" });
  for (let n = 0; n < COUNT; n++)
    await project.create("article", { title: `Article ${n}`, author }, { status: "published" });
  await project.sync();
  const run = (...args: readonly string[]) => git(project.root, ...args);
  run("init", "-q", "-b", "main");
  run("add", "-A");
  run("commit", "-qm", "One");
  run("checkout", "-qb", "other");
  for (let n = 0; n < COUNT; n++) project.edit(`articles/article-${n}.yaml`, /title: .*/, `title: Other ${n}`);
  project.remove("articles/article-3.yaml");
  project.write("articles/new.yaml", "$createdAt: 2026-01-01T00:00:00.000Z\ntitle: New\nauthor: authors/mara\n");
  await project.sync();
  run("add", "-A");
  run("commit", "-qm", "Two");
  return project;
}

const statusOf = ({ root }: SyncedProject): string => git(root, "status", "--short");

async function answers(project: SyncedProject): Promise<unknown> {
  const find = (status: "draft" | "published") =>
    project.service("article").findMany({ status, populate: { author: true }, sort: "title" });
  const all = [...(await find("draft")), ...(await find("published"))];
  // rows are numbered by writes
  return JSON.parse(JSON.stringify(all, (key, value) => (key === "id" ? undefined : value)));
}

/** What a database has that was loaded from the files as they are. */
async function freshAnswers(project: SyncedProject): Promise<unknown> {
  await using fresh = new SyncedProject(PROJECT);
  rmSync(join(fresh.root, "content"), { recursive: true });
  Bun.spawnSync(["cp", "-R", join(project.root, "content"), fresh.root]);
  await fresh.pass({ writes: false });
  return answers(fresh);
}

test("a checkout is served as a fresh load of the branch, and leaves the working tree clean", async () => {
  await using project = await repository();
  for (const branch of ["main", "other", "main"]) {
    git(project.root, "checkout", "-q", branch);
    expect(await project.sync()).toMatchObject({ problems: [], conflicts: [] });
    expect(statusOf(project)).toBe("");
    expect(await answers(project)).toEqual(await freshAnswers(project));
  }
});

test("a write after a checkout, and a forced checkout that throws it away", async () => {
  await using project = await repository();
  git(project.root, "checkout", "-q", "main");
  await project.sync();
  const before = await answers(project);
  const { documentId } = (await project.service("article").findFirst({ filters: { title: "Article 5" } }))!;
  await project.update("article", documentId as string, { title: "Written" });
  await project.sync();
  expect(statusOf(project)).toBe(" M content/articles/article-5.yaml\n");
  git(project.root, "checkout", "-qf", "main");
  await project.sync();
  expect(await answers(project)).toEqual(before);
  expect(statusOf(project)).toBe("");
});

test("a stash and what it is applied to", async () => {
  await using project = await repository();
  project.edit("articles/article-5.yaml", /title: .*/, "title: Stashed");
  await project.sync();
  const changed = await answers(project);
  git(project.root, "stash", "-q");
  await project.sync();
  expect(await answers(project)).not.toEqual(changed);
  git(project.root, "stash", "pop", "-q");
  await project.sync();
  expect(await answers(project)).toEqual(changed);
});

test("nothing is read or written while git changes the files, or between the steps of a rebase or cherry-pick", async () => {
  await using project = await repository();
  project.edit("articles/article-5.yaml", /title: .*/, "title: Changed");
  const { documentId } = (await project.service("article").findFirst({ filters: { title: "Other 6" } }))!;
  await project.update("article", documentId as string, { title: "Written" });
  const marks = {
    "index.lock": "changing its files, or has left index.lock behind",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    sequencer: "cherry-pick",
  };
  for (const [mark, reason] of Object.entries(marks)) {
    const path = join(project.root, ".git", mark);
    if (mark === "index.lock") writeFileSync(path, "");
    else mkdirSync(path);
    expect((await project.pass()).waitsFor).toContain(reason);
    expect(statusOf(project)).toBe(" M content/articles/article-5.yaml\n");
    rmSync(path, { recursive: true });
  }
  expect(await project.sync()).toMatchObject({ applied: 1, written: 1 });
});

test("a rebase with conflicts is served when it is finished", async () => {
  await using project = await repository();
  git(project.root, "checkout", "-q", "main");
  project.edit("articles/article-5.yaml", /title: .*/, "title: Main");
  git(project.root, "commit", "-qam", "Three");
  git(project.root, "checkout", "-q", "other");
  await project.sync();
  const served = await answers(project);
  expect(() => git(project.root, "rebase", "main")).toThrow();
  expect((await project.pass()).waitsFor).toBe("a rebase is not finished");
  expect(await answers(project)).toEqual(served);
  git(project.root, "checkout", "--theirs", "content/articles/article-5.yaml");
  git(project.root, "add", "-A");
  git(project.root, "rebase", "--continue");
  expect(await project.sync()).toMatchObject({ problems: [] });
  expect(await answers(project)).toEqual(await freshAnswers(project));
});

test("a merge that is not resolved is named, and nothing of it is served", async () => {
  await using project = await repository();
  git(project.root, "checkout", "-q", "main");
  project.edit("articles/article-5.yaml", /title: .*/, "title: Main");
  git(project.root, "commit", "-qam", "Three");
  await project.sync();
  const served = await answers(project);
  expect(() => git(project.root, "merge", "-q", "other")).toThrow();
  const { problems } = await project.pass();
  expect(problems).toMatchObject([{ file: "articles/article-5.yaml", line: expect.any(Number) }]);
  expect(problems[0]!.reason).toContain("a merge is not resolved");
  expect(await answers(project)).toEqual(served);
});

test("a working tree of its own is recognised by the file that names git's folder", async () => {
  await using project = await repository();
  const tree = join(project.root, "..", `${project.root.split("/").at(-1)}-tree`);
  try {
    git(project.root, "worktree", "add", "-q", tree, "main");
    const other = openProject(tree, { memory: true, publicRead: true, environment: {} });
    const { ContentFolder } = await import("../../../src/server/content-sync/folder.ts");
    const { ContentSync } = await import("../../../src/server/content-sync/sync.ts");
    const pass = () => new ContentSync(other, new ContentFolder(join(tree, "content")), { writes: false }).run();
    const lock = join(git(tree, "rev-parse", "--absolute-git-dir").trim(), "index.lock");
    writeFileSync(lock, "");
    expect((await pass()).waitsFor).toContain("changing");
    rmSync(lock);
    expect(await pass()).toMatchObject({ applied: COUNT + 1, problems: [] });
    await other.close();
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
});
