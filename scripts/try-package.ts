#!/usr/bin/env bun
/**
 * Installs the npm packages of this machine's platform into an empty folder, offline, and uses them as a newcomer would:
 * with npm and with Bun, the command and the library. Prints the time of each step; the first that fails ends it.
 *
 *   bun scripts/try-package.ts [--executable FILE]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { version } from "../package.json" with { type: "json" };
import { freePort } from "../test/free-port.ts";
import { compile } from "./build.ts";
import { writePackages } from "./package.ts";
import { executableName, thisPlatform } from "./targets.ts";

const QUICK_GZIP = 1;
const ANSWER_MS = 20_000;

/** Runs a command to its end; returns what it has printed. Throws with that when the exit code is another one. */
function run(command: readonly string[], cwd: string, expected = 0): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd, env: { ...process.env, NO_COLOR: "1" } });
  const output = `${stdout}${stderr}`;
  if (exitCode !== expected) throw new Error(`${command.join(" ")} ended with ${exitCode}:\n${output.slice(-3_000)}`);
  return output;
}

async function step<T>(name: string, work: () => T | Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  console.log(`${`${name} `.padEnd(60, ".")} ${((performance.now() - start) / 1000).toFixed(2)} s`);
  return result;
}

function expect(what: string, holds: boolean, seen: unknown): void {
  if (!holds) throw new Error(`${what}: ${Bun.inspect(seen)}`);
}

const answersAt = (url: string): Promise<Response | undefined> => fetch(url).catch(() => undefined);

/** Who gets the signal: the process alone, or all that it has started, as from a terminal. npx passes none on. */
type Receiver = "process" | "group";

/** Serves until the first answer, then sends a signal. */
async function serve(command: readonly string[], cwd: string, receiver: Receiver): Promise<void> {
  const port = freePort();
  const args = ["serve", "magazine", "--quiet", "--port", String(port)];
  const child = Bun.spawn([...command, ...args], { cwd, stdin: "ignore", detached: receiver === "group" });
  const url = `http://127.0.0.1:${port}/api/articles?fields=title`;
  try {
    const deadline = Date.now() + ANSWER_MS;
    let titles: unknown;
    while (titles === undefined && Date.now() < deadline && child.exitCode === null) {
      const response = await answersAt(url);
      titles = response?.ok ? ((await response.json()) as { data: unknown }).data : await Bun.sleep(20);
    }
    expect("the starter's articles are served", Array.isArray(titles) && titles.length === 10, titles);
  } finally {
    if (receiver === "group" && process.platform !== "win32") process.kill(-child.pid, "SIGTERM");
    else child.kill("SIGTERM");
  }
  const code = await child.exited;
  const isPassedOn = receiver === "process" && process.platform !== "win32";
  if (isPassedOn) expect("the exit code of the server comes back", code === 0, code);
  const deadline = Date.now() + ANSWER_MS;
  while (Date.now() < deadline && (await answersAt(url))) await Bun.sleep(50);
  expect("a signal ends the server", (await answersAt(url)) === undefined, url);
}

const LIBRARY_TEST = `import { expect, test } from "bun:test";
import { createGalley } from "galley-cms";

test("a tag is listed", async () => {
  const galley = await createGalley({ project: "magazine", publicRead: true });
  await galley.documents("api::tag.tag").create({ data: { name: "fog", slug: "fog" } });
  const response = await galley.handle(new Request("http://localhost/api/tags?filters[slug]=fog"));
  expect((await response.json()).data).toMatchObject([{ name: "fog" }]);
  await galley.close();
});
`;

const NODE_TEST = `import { createGalley } from "galley-cms/test";

const galley = await createGalley({ project: "magazine", publicRead: true });
await galley.documents("api::tag.tag").create({ data: { name: "fog", slug: "fog" } });
const response = await galley.fetch("/api/tags?filters[slug]=fog");
console.log((await response.json()).data.map(({ name }) => name).join());
await galley.close();
`;

async function tryNpm(packages: readonly string[], folder: string): Promise<void> {
  const flags = ["--offline", "--no-audit", "--no-fund", "--loglevel=error", "--cache", join(folder, "../npm-cache")];
  await step("npm install", () => run(["npm", "install", ...flags, "-D", ...packages], folder));
  const told = await step("npx galley --version", () => run(["npx", "--offline", "galley", "--version"], folder));
  expect("the version", told.split("\n").includes(version), told);
  await step("npx galley init", () => run(["npx", "--offline", "galley", "init", "magazine"], folder));
  await step("npx galley serve, first answer, stop", () => serve(["npx", "--offline", "galley"], folder, "group"));
  await step("node launcher, first answer, stop", () =>
    serve([join(folder, "node_modules/.bin/galley")], folder, "process"),
  );
  run(["npx", "--offline", "galley", "serve", "nowhere"], folder, 1);
  const refused = run(["node", "-e", 'import("galley-cms").catch((e) => console.log(e.message))'], folder);
  expect("Node.js is told what to do", refused.includes("npx galley serve"), refused);
  writeFileSync(join(folder, "wrong.mjs"), 'import { createGalley } from "galley-cms";\ncreateGalley();\n');
  const named = run(["node", "wrong.mjs"], folder, 1);
  expect("Node.js is told of galley-cms/test", named.includes("from galley-cms/test"), named);
  const loaders = ["astro", "next", "gatsby", "eleventy"].map((name) => `galley-cms/${name}`).join('", "');
  run(["node", "-e", `for (const name of ["${loaders}"]) { require(name); import(name); }`], folder);
  writeFileSync(join(folder, "galley.test.mjs"), NODE_TEST);
  const listed = await step("node with galley-cms/test", () => run(["node", "galley.test.mjs"], folder));
  expect("the tag is listed", listed.trim() === "fog", listed);
  await step("without the platform's package", () => {
    rmSync(join(folder, `node_modules/galley-cms-${thisPlatform()}`), { recursive: true });
    const output = run([join(folder, "node_modules/.bin/galley"), "--version"], folder, 1);
    expect("what is missing is named", output.includes("npm install galley-cms-"), output);
  });
  await step("npm uninstall", () => run(["npm", "uninstall", ...flags, "galley-cms"], folder));
}

async function tryBun(packages: readonly string[], folder: string): Promise<void> {
  const bun = process.execPath;
  const dependencies = Object.fromEntries(
    packages.map((file) => [/(galley-cms.*)-\d+\.\d+\.\d+[^/\\]*\.tgz$/.exec(file)![1]!, `file:${file}`]),
  );
  // the other platforms' packages are not there to be asked for
  const overrides = dependencies;
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies, overrides }));
  await step("bun install", () => run([bun, "install", "--no-summary"], folder));
  await step("bunx galley init", () => run([bun, "x", "galley", "init", "magazine"], folder));
  await step("bunx galley serve, first answer, stop", () => serve([bun, "x", "galley"], folder, "group"));
  writeFileSync(join(folder, "galley.test.ts"), LIBRARY_TEST);
  await step("bun test with createGalley", () => run([bun, "test", "--timeout", `${ANSWER_MS}`], folder));
}

/** Whether every way of importing the package finds types that fit. CommonJS gets no more than a message of the entries for Bun. */
async function tryTypes(file: string): Promise<void> {
  const checker = join(import.meta.dir, "../node_modules/@arethetypeswrong/cli/dist/index.js");
  const options = ["--profile", "node16", "--ignore-rules", "cjs-resolves-to-esm", "--no-emoji"];
  await step("the types of the archive", () => run([process.execPath, checker, file, ...options], scratch));
}

const { values } = parseArgs({ options: { executable: { type: "string" } } });
const scratch = mkdtempSync(join(tmpdir(), "galley-try-"));
try {
  const platform = thisPlatform();
  const given = values.executable ?? join(scratch, executableName(platform));
  if (!values.executable) await step("compile", () => compile(given));
  const options = { out: join(scratch, "packages"), platforms: [platform], executable: () => given, level: QUICK_GZIP };
  const packages = await step("pack", () => writePackages(options));
  await tryTypes(packages[0]!);
  for (const [name, attempt] of Object.entries({ npm: tryNpm, bun: tryBun })) {
    const folder = join(scratch, name);
    mkdirSync(folder);
    await attempt(packages, folder);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
