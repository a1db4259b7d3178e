/** Schema files that an import writes, and processes that are killed while it does. */
import { afterAll, expect, test } from "bun:test";
import {
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
import { openProject } from "../../src/server/project/project.ts";
import { readModel, schemaJournal } from "../../src/server/project/project-source.ts";
import { beginSchemaChange, recoverSchemaFiles } from "../../src/transfer/import/schema-change.ts";
import { typeFile } from "../project.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-schema-change-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const POST = "src/api/post/content-types/post/schema.json";
const PAGE = "src/api/page/content-types/page/schema.json";
const schemaText = (name: string, attribute: string): string =>
  Object.values(typeFile(name, { [attribute]: { type: "string" } }))[0]!;
const BEFORE = schemaText("post", "before");
const AFTER = new Map([
  [POST, schemaText("post", "after")],
  [PAGE, schemaText("page", "title")],
]);

function newProject(name: string): string {
  const root = join(folder, name);
  mkdirSync(join(root, "src/api/post/content-types/post"), { recursive: true });
  writeFileSync(join(root, POST), BEFORE);
  return root;
}

/** Contents below `src` by path; null for folders. */
const filesOf = (root: string): Record<string, string | null> =>
  Object.fromEntries(
    readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).map((name) => {
      const path = join(root, "src", name);
      return [name, statSync(path).isDirectory() ? null : readFileSync(path, "utf8")];
    }),
  );

const typesOf = (root: string): string[] =>
  [...readModel(root, {}).model.types.values()]
    .filter(({ uid }) => uid.startsWith("api::"))
    .map(({ singularName, attributes }) => `${singularName}:${[...attributes.keys()][0]}`)
    .sort();

/** Begins a change in another process, which then runs `text` and kills itself. */
async function killed(root: string, text: string): Promise<void> {
  const source = (path: string): string => JSON.stringify(join(import.meta.dir, "../../src", path));
  const program = join(root, "killed.ts");
  writeFileSync(
    program,
    `import { writeFileSync } from "node:fs";
    import { openProject } from ${source("server/project/project.ts")};
    import { beginSchemaChange } from ${source("transfer/import/schema-change.ts")};
    const root = ${JSON.stringify(root)};
    const open = () => openProject(root, { memory: false, publicRead: false, environment: {} }).context.storage;
    const change = beginSchemaChange(root, ${JSON.stringify(schemaJournal(root))}, new Map(${JSON.stringify([...AFTER])}));
    ${text}
    process.kill(process.pid, "SIGKILL");`,
  );
  const child = Bun.spawn([process.execPath, program], { stdout: "ignore", stderr: "pipe" });
  const errors = await new Response(child.stderr).text();
  await child.exited;
  expect([errors, child.signalCode]).toEqual(["", "SIGKILL"]);
  rmSync(program);
}

const moments: readonly (readonly [name: string, text: string, types: readonly string[]])[] = [
  ["before the database is opened", "", ["post:before"]],
  [
    "in the middle of a file",
    `writeFileSync(root + ${JSON.stringify(`/${PAGE}`)}, ${JSON.stringify(AFTER.get(PAGE)!.slice(0, 20))});`,
    ["post:before"],
  ],
  [
    "and again while a file was put back",
    `writeFileSync(root + ${JSON.stringify(`/${POST}`)}, ${JSON.stringify(BEFORE.slice(0, -20))});`,
    ["post:before"],
  ],
  ["before the transaction ends", `const db = open(); db.run("BEGIN"); change.commit(db);`, ["post:before"]],
  ["after the transaction", "change.commit(open());", ["page:title", "post:after"]],
];

for (const [name, text, types] of moments)
  test(`killed ${name}`, async () => {
    const root = newProject(name.replaceAll(" ", "-"));
    const before = filesOf(root);
    await killed(root, text);
    expect(existsSync(schemaJournal(root))).toBe(true);
    expect(typesOf(root)).toEqual([...types]);
    if (types.length === 1) expect(filesOf(root)).toEqual(before);
    expect(existsSync(schemaJournal(root))).toBe(false);
    expect(existsSync(`${schemaJournal(root)}.lock`)).toBe(false);
    const project = openProject(root, { memory: false, publicRead: false, environment: {} });
    expect(project.model.types.has("api::page.page")).toBe(types.length === 2);
    await project.close();
  }, 180_000);

test("what somebody has edited since stays", async () => {
  const root = newProject("edited");
  await killed(root, "");
  const edited = schemaText("post", "edited");
  writeFileSync(join(root, POST), edited);
  writeFileSync(join(root, "src/api/page/notes.txt"), "mine");
  expect(typesOf(root)).toEqual(["post:edited"]);
  expect(readFileSync(join(root, POST), "utf8")).toBe(edited);
  expect(existsSync(join(root, PAGE))).toBe(false);
  expect(readFileSync(join(root, "src/api/page/notes.txt"), "utf8")).toBe("mine");
}, 180_000);

test("while an import runs, nobody else ends it or begins another", () => {
  const root = newProject("running");
  const journal = schemaJournal(root);
  const change = beginSchemaChange(root, journal, AFTER);
  recoverSchemaFiles(root, journal);
  expect(readFileSync(join(root, POST), "utf8")).toBe(AFTER.get(POST)!);
  expect(() => beginSchemaChange(root, journal, AFTER)).toThrow("another import changes its schemas");
  change.finish();
  change.undo();
  expect(readFileSync(join(root, POST), "utf8")).toBe(AFTER.get(POST)!);
});

test("a file that cannot be written puts back those before it", () => {
  const root = newProject("unwritable");
  const before = filesOf(root);
  const files = new Map([...AFTER, ["src/api/post/content-types/post/schema.json/below.json", "{}"]]);
  expect(() => beginSchemaChange(root, schemaJournal(root), files)).toThrow();
  expect(filesOf(root)).toEqual(before);
  expect(existsSync(schemaJournal(root))).toBe(false);
});

test("a journal from elsewhere writes and removes nothing outside the project's schemas", () => {
  const root = newProject("hostile");
  const victim = join(folder, "victim.json");
  writeFileSync(victim, "kept");
  const change = { before: "overwritten", after: "kept" };
  const journals: unknown[] = [
    "{",
    null,
    [],
    { id: 1, files: {}, folders: [] },
    { id: "x", files: { "../victim.json": change }, folders: [] },
    { id: "x", files: { "src/../../victim.json": change }, folders: [] },
    { id: "x", files: { [victim]: change }, folders: [] },
    { id: "x", files: { "src\\..\\..\\victim.json": change }, folders: [] },
    { id: "x", files: { ".env": change }, folders: [] },
    { id: "x", files: {}, folders: [".."] },
    { id: "x", files: { [POST]: { after: 5 } }, folders: [] },
  ];
  mkdirSync(join(root, ".galley"), { recursive: true });
  for (const journal of journals) {
    writeFileSync(schemaJournal(root), typeof journal === "string" ? journal : JSON.stringify(journal));
    expect(() => readModel(root, {})).toThrow("cannot be put back");
    expect(readFileSync(victim, "utf8")).toBe("kept");
    expect(readFileSync(join(root, POST), "utf8")).toBe(BEFORE);
  }
});
