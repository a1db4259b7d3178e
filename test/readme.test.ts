/**
 * The README and the manual: the commands of the README print what it shows, the list of commands is complete, links lead
 * somewhere, and source files that the documents name exist.
 */
import { afterAll, afterEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readmeTable } from "../scripts/bench/readme-table.ts";
import { commands } from "../src/cli/commands/index.ts";
import { codeBlocks, documents, page, ROOT, readme, readText } from "./documents.ts";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

interface Step {
  readonly command: string;
  readonly output: readonly string[];
}

const stepsOf = (screen: string): readonly Step[] =>
  screen.split(/^\$ /m).flatMap((text) => {
    const [command = "", ...output] = text.split("\n").filter((line) => line !== "");
    return command === "" ? [] : [{ command, output }];
  });

const folder = realpathSync(mkdtempSync(join(tmpdir(), "galley-readme-")));
const galley = `${process.execPath} ${join(ROOT, "src/main.ts")}`;
const children: Bun.Subprocess[] = [];

async function stopAll(): Promise<void> {
  for (const child of children) child.kill("SIGKILL");
  await Promise.all(children.splice(0).map(({ exited }) => exited));
}

afterEach(stopAll);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Without what differs from machine to machine and from run to run. */
const comparable = (line: string): string =>
  line
    .replaceAll(/localhost:\d+/g, "localhost")
    .replaceAll(/"documentId":"[a-z0-9]{24}"/g, '"documentId":""')
    .replaceAll(/(into )\S*\/(\w+:)/g, "$1$2")
    .replaceAll(/#link\.\S+/g, "");

/** Runs a command in `cwd`; its lines are added to `lines` as they are printed. */
function start(command: string, cwd: string, port: number): { lines: string[]; child: Bun.Subprocess } {
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder, PORT: `${port}` };
  const runnable = command.replace(/^galley/, galley).replaceAll("localhost:1337", `localhost:${port}`);
  const child = Bun.spawn(["sh", "-c", `exec ${runnable}`], { cwd, env, stdout: "pipe", stderr: "ignore" });
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

/** Runs the steps one after another, which print what is shown; a server keeps running. */
async function follow(steps: readonly Step[], cwd: string, port: number): Promise<void> {
  for (const { command, output } of steps) {
    const { lines, child } = start(command, cwd, port);
    await until(`${command} has printed ${output.length} lines`, () => lines.length >= output.length);
    expect(lines.slice(0, output.length).map(comparable)).toEqual(output.map(comparable));
    if (!command.startsWith("galley serve")) expect(await child.exited).toBe(0);
  }
}

const section = (heading: string): string => readme.split(`\n## ${heading}\n`)[1]!.split("\n## ")[0]!;
const canRun = process.platform !== "win32" && Bun.which("curl") !== null;

test.skipIf(!canRun)(
  "the first screen",
  async () => {
    const screen = codeBlocks(readme).find(({ language }) => language === "console")!.code;
    const steps = stepsOf(screen);
    expect(steps.map(({ command }) => command.split(" ").slice(0, 2).join(" "))).toEqual([
      "galley init",
      "galley serve",
      "curl -g",
    ]);
    await follow(steps, folder, freePort());
  },
  180_000,
);

test.skipIf(!canRun || Bun.which("node") === null)(
  "the walk of five minutes",
  async () => {
    const cwd = join(folder, "walk");
    mkdirSync(join(cwd, "node_modules"), { recursive: true });
    symlinkSync(ROOT, join(cwd, "node_modules/galley-cms"));
    const port = freePort();
    const blocks = codeBlocks(section("Five minutes"));
    expect(blocks.length).toBeGreaterThan(7);
    for (const { language, file, code } of blocks) {
      if (language === "console") await follow(stepsOf(code), cwd, port);
      else {
        mkdirSync(dirname(join(cwd, file)), { recursive: true });
        writeFileSync(join(cwd, file), code);
      }
    }
  },
  180_000,
);

/** The list of commands, by the command: its lines, and the indented ones below. */
const listed = new Map(
  (/^```\n(galley serve[\s\S]*?)^```$/m.exec(page("command-line"))?.[1] ?? "")
    .split(/^(?=galley )/m)
    .map((text) => [/^galley ((?:(?:config|content|token) )?[\w-]+)/.exec(text)?.[1] ?? "", text] as const),
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

test("the README is short, and names every page of the manual", () => {
  expect(readme.split("\n").length).toBeLessThanOrEqual(250);
  const missing = [...documents.keys()].filter((path) => path !== "README.md" && !readme.includes(`](${path})`));
  expect(missing).toEqual([]);
});

/** As GitHub makes them of headings. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, "");
const anchorsOf = (path: string): string[] =>
  [...withoutCode(readText(path)).matchAll(/^#{1,4} (.+)$/gm)].map(([, heading]) => anchorOf(heading!));

test.each([...documents.keys()])("the links of %s lead to headings and files that are there", (path) => {
  const targets = [...withoutCode(documents.get(path)!).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
  const broken = targets
    .filter((target) => !/^https?:/.test(target))
    .filter((target) => {
      const [file = "", anchor] = target.split("#");
      const found = file === "" ? path : join(dirname(path), file);
      if (!existsSync(join(ROOT, found))) return true;
      return anchor !== undefined && !anchorsOf(found).includes(anchor);
    });
  expect(broken).toEqual([]);
});

test("source files that the documents name are there", () => {
  const files = [...new Bun.Glob("{src,test,scripts}/**/*.{ts,tsx}").scanSync(ROOT)].map((file) => `/${file}`);
  const named = [
    "CONTRIBUTING.md",
    "SECURITY.md",
    ...documents.keys(),
    ...new Bun.Glob("{src,scripts}/**/README.md").scanSync(ROOT),
  ];
  const missing = named.flatMap((document) => {
    const names = [...readText(document).matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, name]) => name!);
    return names
      .filter((name) => !files.some((file) => file.endsWith(`/${name}`)))
      .map((name) => `${document}: ${name}`);
  });
  expect(missing).toEqual([]);
});
