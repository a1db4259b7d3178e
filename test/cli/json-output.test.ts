/** `--json`: facts alone on standard output, progress and hints on standard error, and the same exit codes. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commands } from "../../src/cli/commands/index.ts";
import { createGalley } from "../../src/index.ts";
import { PROGRAM } from "../program.ts";
import { type Body, configFile, projectFolder, typeFile } from "../project.ts";

const KEY = "test-key";
const schema = typeFile("note", { text: { type: "string" } });
const folder = projectFolder({
  ...schema,
  ...configFile({ tokens: [{ name: "reader", type: "full-access", key: KEY }], roles: {} }),
  "content/notes/a.yaml": "text: a\n",
  "content/notes/b.yaml": "text: b\n",
  "src/index.js": `console.log("own code talks"); console.group("group"); console.table([1]); console.dir({}); console.timeLog();
    process.stdout.write("own logger"); module.exports = {};`,
});
const target = projectFolder({ ...schema, ...configFile({ roles: {} }) });
const at = (...names: string[]): string => join(folder.root, "..", `${folder.root.split("/").at(-1)}-out`, ...names);
mkdirSync(at(), { recursive: true });
afterAll(() => {
  folder.remove();
  target.remove();
});

function run(...args: string[]) {
  const child = Bun.spawnSync([...PROGRAM, ...args], { cwd: folder.root, stdin: "ignore" });
  return { code: child.exitCode, output: child.stdout.toString(), errors: child.stderr.toString() };
}

function facts(...args: string[]): Body {
  const { code, output, errors } = run(...args, "--json");
  expect([code, errors.includes("galley: ") ? errors : ""]).toEqual([0, ""]);
  return JSON.parse(output);
}

/** Servers, prompts, and commands whose output is no facts: a script, licences, GraphQL's language, an exit code. */
const WITHOUT = new Set([
  ...["serve", "mirror", "run", "mcp", "console", "script", "test-server", "worker", "migrate", "load-archive"],
  ...["merge-driver", "completions", "licenses", "graphql-schema", "openapi", "health", "read-rows"],
]);

test("each command that prints facts has it", () => {
  const without = commands.filter(({ options = {} }) => !Object.hasOwn(options, "json")).map(({ name }) => name);
  expect(without.filter((name) => !WITHOUT.has(name))).toEqual([]);
});

describe("facts", () => {
  beforeAll(() => {
    facts("content", "apply");
  });

  test("export, import, and what others say of both", () => {
    const archive = at("archive.tar.gz");
    expect(facts("export", archive)).toMatchObject({ archive, rows: expect.any(Number), files: 0, leftOut: [] });
    const imported = facts("import", archive, target.root, "--yes");
    expect(imported).toMatchObject({ rows: { "api::note.note": 2 }, files: 0, leftOut: [], kept: [] });
    expect(facts("export", "--to", at("files"))).toMatchObject({ folder: at("files"), documents: 2, files: 0 });
    expect(facts("export", "--to", "content")).toEqual({ folder: join(folder.root, "content"), changed: 0 });
    expect(facts("import", at("files"), target.root, "--yes")).toMatchObject({ rows: { "api::note.note": 2 } });
  });

  test("a question that nobody sees is refused", () => {
    const { code, output, errors } = run("import", at("archive.tar.gz"), target.root, "--json");
    expect([code, output]).toEqual([1, ""]);
    expect(errors).toContain("--yes does it without asking");
  });

  test("pull", async () => {
    const galley = await createGalley({ project: folder.root, environment: {} });
    const url = galley.serve();
    const child = Bun.spawn([...PROGRAM, "pull", url, target.root, "--token", KEY, "--yes", "--json"], {
      stdout: "pipe",
      stderr: "pipe",
    });
    const pulled = JSON.parse(await new Response(child.stdout).text());
    expect(pulled.rows).toMatchObject({ "api::note.note": 2 });
    expect(Array.isArray(pulled.notes)).toBe(true);
    await galley.close();
  });

  test("settings", () => {
    const file = at("settings.json");
    const { settings } = facts("config", "dump", "--file", file);
    expect(settings).toBe(JSON.parse(readFileSync(file, "utf8")).length);
    expect(facts("config", "dump")).toHaveLength(settings);
    expect(facts("config", "restore", "--file", file, "--strategy", "keep")).toMatchObject({
      created: 0,
      existing: settings,
      strategy: "keep",
    });
  });

  test("tokens", () => {
    const made = facts("token", "create", "ci", "--type", "full-access");
    expect(made).toMatchObject({ name: "ci", type: "full-access", expiresAt: null, key: expect.any(String) });
    expect(facts("token", "list").map(({ name }: Body) => name)).toEqual(["reader", "ci"]);
    expect(facts("token", "revoke", "ci")).toEqual({ revoked: "ci" });
  });

  test("backups", () => {
    const file = at("backup.tar.gz");
    expect(facts("backup", file)).toMatchObject({ file, uploads: 0, contentFiles: 2 });
    expect(facts("restore", file, target.root, "--yes")).toMatchObject({ contentFiles: 2 });
  });

  test("content, types, routes, access, and the doctor", () => {
    expect(facts("content", "migrate")).toEqual({ documents: 0, files: 0, leftOut: [] });
    expect(facts("content", "check")).toEqual({ problems: [], warnings: [] });
    expect(facts("status")).toMatchObject({ files: [], database: [] });
    expect(facts("types").contentTypes).toContainEqual(expect.objectContaining({ uid: "api::note.note" }));
    expect(facts("routes")).toContainEqual(expect.objectContaining({ method: "GET", path: "/api/notes" }));
    expect(facts("upgrade", "--check")).toMatchObject({ changes: [] });
    expect(facts("doctor")).toMatchObject({ unreadable: [] });
    expect(JSON.parse(run("access", "--json").output)).toMatchObject({ roles: expect.any(Array) });
  });

  test("init", () => {
    const root = at("new");
    const { files } = facts("init", root, "--template", "empty", "--agent");
    expect(files.filter((name: string) => !existsSync(join(root, name)))).toEqual([]);
    expect(files).toContain("AGENTS.md");
    Bun.spawnSync(["git", "init", "--quiet"], { cwd: root });
    expect(facts("content", "setup-git", root)).toMatchObject({
      attributes: join(root, ".gitattributes"),
      isWritten: true,
    });
  });

  test("the exit code of a problem is the same", () => {
    writeFileSync(join(folder.root, "content/notes/b.yaml"), "text: [1]\n");
    const [plain, json] = [run("content", "check"), run("content", "check", "--json")];
    expect([plain.code, json.code]).toEqual([1, 1]);
    expect(JSON.parse(json.output).problems).toHaveLength(1);
  });
});

test("what own code prints is not among the facts", () => {
  const { output, errors } = run("routes", "--json");
  expect(Array.isArray(JSON.parse(output))).toBe(true);
  expect(errors).toContain("own code talks");
});
