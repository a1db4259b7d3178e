/** The first screen of the README is what a terminal shows: its commands are run, and print what stands there. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

const readme = readFileSync(join(import.meta.dir, "../README.md"), "utf8");
const screen = /^```console\n([\s\S]*?)^```$/m.exec(readme)?.[1] ?? "";

interface Step {
  readonly command: string;
  readonly output: readonly string[];
}

const steps: readonly Step[] = screen.split(/^\$ /m).flatMap((text) => {
  const [command = "", ...output] = text.split("\n").filter((line) => line !== "");
  return command === "" ? [] : [{ command, output }];
});

const folder = realpathSync(mkdtempSync(join(tmpdir(), "galley-readme-")));
const port = freePort();
const galley = `${process.execPath} ${join(import.meta.dir, "../src/main.ts")}`;
const children: Bun.Subprocess[] = [];
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await Promise.all(children.map(({ exited }) => exited));
  rmSync(folder, { recursive: true, force: true });
});

/** Without what differs from machine to machine and from run to run. */
const comparable = (line: string): string =>
  line
    .replaceAll(/localhost:\d+/g, "localhost")
    .replaceAll(/"documentId":"[a-z0-9]{24}"/g, '"documentId":""')
    .replaceAll(/(into )\S*\/magazine/g, "$1magazine")
    .replaceAll(/#link\.\S+/g, "");

const runnable = (command: string): string =>
  command.replace(/^galley/, galley).replaceAll("localhost:1337", `localhost:${port}`);

function start(command: string): { lines: string[]; child: Bun.Subprocess } {
  const env = { PATH: process.env.PATH, HOME: folder, PORT: `${port}` };
  const child = Bun.spawn(["sh", "-c", `exec ${runnable(command)}`], {
    cwd: folder,
    env,
    stdout: "pipe",
    stderr: "ignore",
  });
  children.push(child);
  const lines: string[] = [];
  void (async () => {
    let rest = "";
    for await (const chunk of child.stdout) {
      const parts = (rest + new TextDecoder().decode(chunk)).split("\n");
      rest = parts.pop() ?? "";
      lines.push(...parts);
    }
    if (rest !== "") lines.push(rest);
  })();
  return { lines, child };
}

test.skipIf(process.platform === "win32" || !Bun.which("curl"))(
  "the first screen",
  async () => {
    expect(steps.map(({ command }) => command.split(" ").slice(0, 2).join(" "))).toEqual([
      "galley init",
      "galley serve",
      "curl -g",
    ]);
    for (const { command, output } of steps) {
      const { lines } = start(command);
      await until(`${command} has printed ${output.length} lines`, () => lines.length >= output.length);
      expect(lines.slice(0, output.length).map(comparable)).toEqual(output.map(comparable));
    }
  },
  60_000,
);
