/** `galley init --agent` and `galley types --json`. */
import { afterAll, expect, test } from "bun:test";
import { existsSync, lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
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

test("a new project beside a site gets them beside the site's, which are kept", () => {
  const site = { "AGENTS.md": "Ours\n", ".mcp.json": '{ "mcpServers": { "other": { "command": "x" } } }' };
  const { root, remove } = projectFolder(site);
  const { code, output } = galley("init", root, "--agent");
  expect({ code, output }).toEqual({
    code: 0,
    output: expect.stringContaining("added galley to .mcp.json\nleft AGENTS.md"),
  });
  expect(readFileSync(join(root, "AGENTS.md"), "utf8")).toBe(site["AGENTS.md"]);
  const { mcpServers } = JSON.parse(readFileSync(join(root, ".mcp.json"), "utf8"));
  expect(Object.keys(mcpServers)).toEqual(["galley", "other"]);
  expect(existsSync(join(root, "src/api"))).toBe(true);
  remove();
});

test("a project that is there gets only them, and none is overwritten", () => {
  const own = {
    ".zed/settings.json": '{ "tab_size": 2 }',
    "AGENTS.md": "Ours\n",
    ".mcp.json": '{ "mcpServers": { "other": { "command": "x" } }, "more": 1 }',
    ".vscode/mcp.json": '{ "servers": {} } // ours',
  };
  const { root, remove } = projectFolder({ ...typeFile("note", { text: { type: "string" } }), ...own });
  const last = "editors that read them start galley mcp, which galley help agents describes\n";
  const left = "left AGENTS.md, .vscode/mcp.json, .zed/settings.json unchanged\n";
  expect(galley("init", root, "--agent").output).toBe(
    `wrote .cursor/mcp.json\nadded galley to .mcp.json\n${left}${last}`,
  );
  const { ".mcp.json": servers, ...others } = own;
  for (const [path, text] of Object.entries(others)) expect(readFileSync(join(root, path), "utf8")).toBe(text);
  expect(JSON.parse(readFileSync(join(root, ".mcp.json"), "utf8"))).toEqual({
    mcpServers: { galley: { command: "galley", args: ["mcp"] }, ...JSON.parse(servers).mcpServers },
    more: 1,
  });
  expect(existsSync(join(root, "src/api/article"))).toBe(false);
  expect(galley("init", root, "--agent")).toEqual({ code: 0, output: `${left}${last}` });
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

test("settings keep their indentation, and links to them stay links", () => {
  const { root, remove } = projectFolder({
    ...typeFile("note", { text: { type: "string" } }),
    "shared/mcp.json": '{\n\t"mcpServers": {}\n}\n',
  });
  symlinkSync("shared/mcp.json", join(root, ".mcp.json"));
  galley("init", root, "--agent");
  expect(lstatSync(join(root, ".mcp.json")).isSymbolicLink()).toBe(true);
  const servers = '\n\t\t"galley": {\n\t\t\t"command": "galley",\n';
  expect(readFileSync(join(root, "shared/mcp.json"), "utf8")).toStartWith(`{\n\t"mcpServers": {${servers}`);
  remove();
});

test("editors start the command of the npm package where the project has it", () => {
  const { root, remove } = projectFolder({ "package.json": '{ "devDependencies": { "galley-cms": "1" } }' });
  galley("init", root, "--agent");
  const { mcpServers } = JSON.parse(readFileSync(join(root, ".mcp.json"), "utf8"));
  expect(mcpServers.galley).toEqual({ command: "npx", args: ["galley-cms", "mcp"] });
  expect(readFileSync(join(root, "AGENTS.md"), "utf8")).toContain("Run: `npx galley-cms serve`");
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
