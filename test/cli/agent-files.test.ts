/** `galley init --agent` and `galley types --json`. */
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commands } from "../../src/cli/commands/index.ts";
import { PROGRAM } from "../program.ts";
import { projectFolder, typeFile } from "../project.ts";

const scratch = mkdtempSync(join(tmpdir(), "galley-agent-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function galley(...args: string[]): { code: number; output: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...PROGRAM, ...args], { cwd: scratch });
  return { code: exitCode, output: stdout.toString() + stderr.toString() };
}

test("a new project has them beside the template's files", () => {
  const root = join(scratch, "new");
  expect(galley("init", root, "--template", "empty", "--agent").code).toBe(0);
  expect(existsSync(join(root, "src/api"))).toBe(true);
  const { mcpServers } = JSON.parse(readFileSync(join(root, ".mcp.json"), "utf8"));
  expect(mcpServers.galley).toEqual({ command: "galley", args: ["mcp"] });
  expect(JSON.parse(readFileSync(join(root, ".vscode/mcp.json"), "utf8")).servers.galley.type).toBe("stdio");
  const zed = JSON.parse(readFileSync(join(root, ".zed/settings.json"), "utf8"));
  expect(zed.context_servers.galley).toMatchObject({ command: "galley", args: ["mcp"] });
});

test("a project that is there gets only them, and none is overwritten", () => {
  const own = { ".zed/settings.json": '{ "tab_size": 2 }' };
  const { root, remove } = projectFolder({ ...typeFile("note", { text: { type: "string" } }), ...own });
  expect(galley("init", root, "--agent").output).toContain("wrote AGENTS.md");
  expect(readFileSync(join(root, ".zed/settings.json"), "utf8")).toBe(own[".zed/settings.json"]);
  expect(existsSync(join(root, "src/api/article"))).toBe(false);
  expect(galley("init", root, "--agent")).toMatchObject({ code: 1, output: expect.stringContaining("exists already") });
  const { code, output } = galley("types", root, "--json");
  expect(code).toBe(0);
  const { contentTypes } = JSON.parse(output);
  expect(contentTypes).toContainEqual(
    expect.objectContaining({
      uid: "api::note.note",
      attributes: expect.objectContaining({ text: { type: "string" } }),
    }),
  );
  expect(galley("types", root, "--json", "--strapi").code).toBe(1);
  remove();
});

test("the commands that AGENTS.md names exist", () => {
  const { root, remove } = projectFolder(typeFile("note", { text: { type: "string" } }));
  galley("init", root, "--agent");
  const text = readFileSync(join(root, "AGENTS.md"), "utf8");
  const named = [...text.matchAll(/`galley (\w+)/g)].map(([, name]) => name!);
  const known = new Set([...commands.map(({ name }) => name.split(" ")[0]!), "help"]);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
  remove();
});
