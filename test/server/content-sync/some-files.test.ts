/** A pass that looks at the files that have changed only, and does what one that looks at all does. */
import { expect, test } from "bun:test";
import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { ContentSync, type SyncResult } from "../../../src/server/content-sync/sync.ts";
import { relation, typeFile } from "../../project.ts";
import { SyncedProject } from "./synced-project.ts";

const PROJECT = {
  ...typeFile("author", { name: { type: "string" }, friend: relation("oneToOne", "author") }),
  ...typeFile("homepage", { title: { type: "string" } }, { kind: "singleType" }),
};
const NAMES = ["ada", "eve", "ida", "mara", "nora"];

const passOf = (project: SyncedProject, ...paths: readonly string[]): Promise<SyncResult> =>
  new ContentSync(project.project, project.folder, { writes: true }).run(new Set(paths));

async function synced(): Promise<SyncedProject> {
  const project = new SyncedProject(PROJECT);
  for (const name of NAMES) project.write(`authors/${name}.yaml`, `name: ${name}\n`);
  project.write("homepage.yaml", "title: Home\n");
  project.write("media/note.txt", "note");
  await project.sync();
  return project;
}

interface Case {
  readonly edit: (project: SyncedProject) => void;
  readonly paths: readonly string[];
  readonly result: Partial<SyncResult>;
}

const cases: Readonly<Record<string, Case>> = {
  "a changed file": {
    edit: (project) => project.edit("authors/ada.yaml", "name: ada", "name: Ada"),
    paths: ["authors/ada.yaml"],
    result: { applied: 1, deleted: 0 },
  },
  "a new file that links to one that was not looked at": {
    edit: (project) => project.write("authors/zoe.yaml", "name: Zoe\nfriend: authors/eve\n"),
    paths: ["authors/zoe.yaml"],
    result: { applied: 1, deleted: 0, warnings: [] },
  },
  "a removed file": {
    edit: (project) => project.remove("authors/ada.yaml"),
    paths: ["authors/ada.yaml"],
    result: { applied: 0, deleted: 1 },
  },
  "a renamed file": {
    edit: (project) => renameSync(project.path("authors/ada.yaml"), project.path("authors/lady.yaml")),
    paths: ["authors/ada.yaml", "authors/lady.yaml"],
    result: { applied: 1, deleted: 0 },
  },
  "a single type": {
    edit: (project) => project.edit("homepage.yaml", "Home", "Start"),
    paths: ["homepage.yaml"],
    result: { applied: 1 },
  },
  "a file of media": {
    edit: (project) => project.write("media/note.txt", "other"),
    paths: ["media/note.txt"],
    result: { media: 1 },
  },
  "the folder of a type": {
    edit: (project) => project.edit("authors/ada.yaml", "name: ada", "name: Ada"),
    paths: ["authors"],
    result: { applied: 1 },
  },
  "what is no document": {
    edit: (project) => {
      project.write("authors/README.md", "x");
      project.write("authors/ada.yaml~", "x");
      project.write("authors/.ada.yaml.swp", "x");
    },
    paths: ["authors/README.md", "authors/ada.yaml~", "authors/.ada.yaml.swp", "authors/none.yaml"],
    result: { applied: 0, deleted: 0, warnings: [], problems: [] },
  },
};

for (const [name, { edit, paths, result }] of Object.entries(cases))
  test(`${name} is applied, and a look at all files finds nothing more`, async () => {
    await using project = await synced();
    edit(project);
    expect(await passOf(project, ...paths)).toMatchObject(result);
    expect(await project.pass()).toMatchObject({ applied: 0, deleted: 0, media: 0, problems: [] });
  });

test("files that were not looked at are not applied", async () => {
  await using project = await synced();
  project.edit("authors/ada.yaml", "name: ada", "name: Ada");
  project.edit("authors/eve.yaml", "name: eve", "name: Eve");
  expect(await passOf(project, "authors/ada.yaml")).toMatchObject({ applied: 1 });
  expect(await passOf(project, "authors/eve.yaml")).toMatchObject({ applied: 1 });
});

test("many removed files are a mass deletion", async () => {
  await using project = await synced();
  for (const name of NAMES.slice(0, 4)) project.remove(`authors/${name}.yaml`);
  const paths = NAMES.map((name) => `authors/${name}.yaml`);
  const { problems, held } = await passOf(project, ...paths);
  expect(problems).toMatchObject([{ reason: expect.stringContaining("and 3 more of 5 files of authors are gone") }]);
  expect(held).toEqual(new Set(paths.slice(0, 4)));
});

test("an id of a file that was not looked at is not taken", async () => {
  await using project = await synced();
  project.write("authors/copy.yaml", project.read("authors/ada.yaml"));
  const { problems } = await passOf(project, "authors/copy.yaml");
  expect(problems).toMatchObject([{ file: "authors/copy.yaml", key: "$id" }]);
});

test("a link in the place of a file or its folder deletes nothing, and is told", async () => {
  await using project = await synced();
  mkdirSync(project.path("../elsewhere"));
  renameSync(project.path("authors/ada.yaml"), project.path("../elsewhere/ada.yaml"));
  symlinkSync(project.path("../elsewhere/ada.yaml"), project.path("authors/ada.yaml"));
  const file = await passOf(project, "authors/ada.yaml");
  expect(file).toMatchObject({ deleted: 0, warnings: [{ file: "authors/ada.yaml" }] });
  renameSync(project.path("authors"), project.path("../elsewhere/authors"));
  symlinkSync(project.path("../elsewhere/authors"), project.path("authors"));
  const folder = await passOf(project, "authors/eve.yaml");
  expect(folder).toMatchObject({ applied: 0, deleted: 0, warnings: [{ file: "authors" }] });
});
