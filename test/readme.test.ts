/**
 * The README: the commands of its first screen print what the README shows, its list of commands is complete, its links lead
 * somewhere. Source files that the documents name exist.
 */
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readmeTable } from "../scripts/bench/readme-table.ts";
import { commands } from "../src/cli/commands/index.ts";
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
  180_000,
);

/** The list of commands, by the command: its lines, and the indented ones below. */
const listed = new Map(
  (/^```\n(galley serve[\s\S]*?)^```$/m.exec(readme)?.[1] ?? "")
    .split(/^(?=galley )/m)
    .map((text) => [/^galley ((?:(?:content|token) )?[\w-]+)/.exec(text)?.[1] ?? "", text] as const),
);

test("the list of commands has all of them, with their options and no others", () => {
  const shown = commands.filter(({ hidden }) => !hidden);
  expect([...listed.keys()].filter((name) => name !== "help").sort()).toEqual(shown.map(({ name }) => name).sort());
  const names = (text: string): string[] => [...text.matchAll(/--([a-z][\w-]*)/g)].map(([, name]) => name!).sort();
  for (const { name, options } of shown)
    expect({ [name]: [...new Set(names(listed.get(name)!))] }).toEqual({ [name]: Object.keys(options).sort() });
});

test("the table of figures has the rows and columns that the benchmark prints", () => {
  const headings = (table: string): string[] =>
    table.split("\n").map((row, index) => (index === 0 ? row : row.split("|")[1]!.trim()));
  const printed = headings(readmeTable({}));
  expect(readme).toContain(printed[0]!);
  const table = readme.slice(readme.indexOf(printed[0]!)).split("\n\n")[0]!;
  expect(headings(table)).toEqual(printed);
});

/** As GitHub makes them of headings. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

test("links lead to headings and files that are there", () => {
  const text = readme.replaceAll(/^```[\s\S]*?^```$/gm, "");
  const anchors = [...text.matchAll(/^#{1,4} (.+)$/gm)].map(([, heading]) => anchorOf(heading!));
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
  const broken = targets
    .filter((target) => !/^https?:/.test(target))
    .filter((target) =>
      target.startsWith("#") ? !anchors.includes(target.slice(1)) : !existsSync(join(import.meta.dir, "..", target)),
    );
  expect(targets.length).toBeGreaterThan(20);
  expect(broken).toEqual([]);
});

test("source files that the documents name are there", () => {
  const root = join(import.meta.dir, "..");
  const files = [...new Bun.Glob("{src,test,scripts}/**/*.{ts,tsx}").scanSync(root)].map((file) => `/${file}`);
  const documents = [
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
    ...new Bun.Glob("{src,scripts}/**/README.md").scanSync(root),
  ];
  const missing = documents.flatMap((document) => {
    const names = [...readFileSync(join(root, document), "utf8").matchAll(/`([\w./-]+\.tsx?)`/g)].map(
      ([, name]) => name!,
    );
    return names
      .filter((name) => !files.some((file) => file.endsWith(`/${name}`)))
      .map((name) => `${document}: ${name}`);
  });
  expect(missing).toEqual([]);
});
