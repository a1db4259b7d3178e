/** What holds for each command: its help, exit codes, output without colours; and where commands find their project. */
import { afterAll, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json" with { type: "json" };
import { commands } from "../../src/cli/commands/index.ts";
import { PROGRAM } from "../program.ts";
import { configFile, projectFolder, typeFile } from "../project.ts";

const project = projectFolder({
  ...typeFile("note", { title: { type: "string" } }),
  ...configFile({ roles: {} }),
  "content/notes/a.yaml": "title: a\n",
  "web/src/pages/index.html": "",
});
afterAll(project.remove);

async function run(words: readonly string[], cwd = project.root) {
  const child = Bun.spawn([...PROGRAM, ...words], {
    cwd,
    env: { PATH: process.env.PATH, HOME: project.root },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, output, errors };
}

describe.each(commands.map((command) => [command.name, command] as const))("galley %s", (name, { options = {} }) => {
  test("--help exits with 0, and lists the options", async () => {
    const { code, output, errors } = await run([...name.split(" "), "--help"]);
    expect([code, errors]).toEqual([0, ""]);
    expect(output).toContain(`Usage: galley ${name}`);
    for (const option of Object.keys(options)) expect(output).toContain(`--${option}`);
    expect(output).not.toContain("\u001b");
  });

  test("an unknown option exits with 1, one line, and nothing on standard output", async () => {
    const line = `galley: unknown option --no-such-option (galley ${name} --help lists the options)\n`;
    expect(await run([...name.split(" "), "--no-such-option"])).toEqual({ code: 1, output: "", errors: line });
  });
});

test.each([
  [[], 2, "Usage: galley <command>"],
  [["token"], 2, "token create"],
  [["help"], 0, "Usage: galley <command>"],
  [["version"], 0, version],
  [["--version"], 0, version],
  [["-v"], 0, version],
] as const)("galley %j exits with %i", async (words, code, shown) => {
  // a folder without a project
  const { output, ...rest } = await run(words, join(project.root, ".."));
  expect([rest, output]).toEqual([{ code, errors: "" }, expect.stringContaining(shown)]);
});

test("an unknown command exits with 1", async () => {
  expect(await run(["serv"])).toMatchObject({
    code: 1,
    output: "",
    errors: expect.stringContaining("did you mean serve?"),
  });
});

test.each(["types", "status", "content check", "token list", "routes", "doctor", "upgrade --check"])(
  "galley %s finds the project that a folder is in",
  async (name) => {
    const within = await run(name.split(" "), join(project.root, "web/src/pages"));
    const hint = /^galley serve .*\n/m;
    const at = await run(name.split(" "));
    expect(within.code).toBe(0);
    expect(within.output.replace(hint, "")).toBe(at.output.replace(hint, ""));
    rmSync(join(project.root, ".galley"), { recursive: true, force: true });
  },
);
