#!/usr/bin/env bun
/**
 * Everything that must hold before a change lands: types, format and lint, the tests, and the compiled executable.
 * Prints the names of all failures at the end, and one closing line, "N passed, N failed".
 *
 *   bun scripts/test.ts [--everything]
 *
 * --everything  more generated requests and killed servers, the npm packages, tests under other runners, a site's build, and
 *               the recordings on executables of other platforms. Debian's packages that are needed are installed meanwhile. CI
 *               runs this on Linux x64
 */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compile } from "./build.ts";
import { memoryDisk } from "./memory-disk.ts";
import { readRun, Tally, type TestRun } from "./test/results.ts";

const root = join(import.meta.dir, "..");
/** A package of Debian, and its program. */
const BROWSER = "chromium-headless-shell";
const bin = (name: string): string => join(root, "node_modules/.bin", name);
const tally = new Tally();

/** `started`: when it began, by `performance.now()`. */
function count(name: string, ok: boolean, output = "", started?: number): void {
  tally.count(name, ok);
  const time = started === undefined ? "" : ` (${Math.round((performance.now() - started) / 1_000)} s)`;
  console.log(`${ok ? "ok  " : "FAIL"} ${name}${time}${ok ? "" : `\n${output}`}`);
}

/** Resolves with what it has printed. */
async function command(name: string, args: readonly string[]): Promise<string> {
  const started = performance.now();
  const child = Bun.spawn([...args], { cwd: root, stdin: "ignore", stdout: "pipe", stderr: "pipe", env: process.env });
  const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  count(name, (await child.exited) === 0, `${out}${errors}`, started);
  return out;
}

/** Types, format and lint, one after the other: beside the compilation and the tests, which leave the processors some time. */
async function staticChecks(): Promise<void> {
  await command("types", [bin("tsc"), "--noEmit"]);
  await command("types of the page", [bin("tsc"), "--noEmit", "-p", "src/ui"]);
  await command("types of the loaders", [bin("tsc"), "--noEmit", "-p", "src/loaders"]);
  await command("format and lint", [bin("biome"), "check", "."]);
}

/** More processes than this do not make it faster: some tests start several of their own. */
const MAX_PROCESSES = 4;
/** Beyond one for each processor, since tests wait for browsers, other processes and timers. */
const WAITING_PROCESSES = 1;
/** For machines with other work; a test that is too slow says so itself. */
const TIMEOUT_MS = 180_000;

/** For all files that run once more: a change that breaks everything need not be shown twice. */
const AGAIN_MS = 600_000;

/** Runs test files, all of them without `files`, and shows what is not passed. */
async function runTests(folder: string, env: Record<string, string>, flags: readonly string[]): Promise<TestRun> {
  const results = join(folder, "results.xml");
  // a process that dies writes none: that of the run before is not its own
  rmSync(results, { force: true });
  const reporter = ["--reporter=junit", `--reporter-outfile=${results}`];
  const child = Bun.spawn([process.execPath, "test", `--timeout=${TIMEOUT_MS}`, ...reporter, ...flags], {
    cwd: root,
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, ...env },
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  await child.exited;
  const output = out + err;
  console.log(
    output
      .split("\n")
      .filter((line) => !/^\((pass|todo|skip)\)/.test(line))
      .join("\n")
      .replace(/\n{3,}/g, "\n\n"),
  );
  return readRun(output, child.exitCode, existsSync(results) ? readFileSync(results, "utf8") : "", root);
}

/** Runs the tests and adds their numbers. Those of a file that runs once more have nothing beside them. Both runs are shown. */
async function tests(executable: string | undefined, folder: string): Promise<void> {
  const processes = Math.min(MAX_PROCESSES, availableParallelism() + WAITING_PROCESSES);
  const env: Record<string, string> = executable ? { GALLEY_EXECUTABLE: executable } : {};
  const all = await runTests(folder, env, [
    `--parallel=${processes}`,
    // files of a process share the modules that they import, whose evaluation takes a third of the time of small files
    "--no-isolate",
    `--timings=${join(root, "test/timings.json")}`,
  ]);
  const end = performance.now() + AGAIN_MS;
  const again = (file: string): Promise<TestRun> => {
    console.log(`once more, alone: ${file}`);
    // a path, not a part of other files' names
    return runTests(folder, env, [`./${file}`]);
  };
  await tally.countTests(all, again, () => performance.now() > end);
}

/** Generated requests, or as many as the time allows, in two processes. */
async function fuzz(requests: number, seconds: number, ...flags: readonly string[]): Promise<void> {
  const started = performance.now();
  const script = [process.execPath, "scripts/fuzz.ts", "--requests", `${requests}`, "--processes", "2", ...flags];
  const limit = ["--seconds", `${seconds}`, "--quiet"];
  const child = Bun.spawn([...script, ...limit], { cwd: root, stdout: "pipe", stderr: "ignore", env: process.env });
  const output = await new Response(child.stdout).text();
  const last = output.trim().split("\n").at(-1);
  count(`generated requests ${flags.join(" ")}: ${last}`, (await child.exited) === 0, output.slice(0, 20_000), started);
}

/** Servers and imports that are killed at random moments: more than the tests do. */
async function kills(executable: string): Promise<void> {
  const amounts = ["--kills", "70", "--imports", "5", "--content", "20"];
  const output = await command("kills", [process.execPath, "scripts/kill.ts", ...amounts, "--executable", executable]);
  console.log(output.trim());
}

/** Its speed beside servers written by hand, in processor time, which a busy machine changes little. */
async function speed(executable: string): Promise<void> {
  const amounts = ["--articles", "1000", "--rounds", "1", "--seconds", "0.4", "--executable", executable];
  await command("speed", [process.execPath, "scripts/bench.ts", "--check", ...amounts]);
}

/** The executable for this machine; undefined, and counted, when it cannot be made. */
async function compileTo(file: string): Promise<string | undefined> {
  try {
    await compile(file);
    return file;
  } catch (error) {
    count("executable", false, Bun.inspect(error));
    return undefined;
  }
}

/** Uses the executable as a newcomer would. */
async function smoke(file: string, folder: string): Promise<void> {
  try {
    const { runSmoke } = await import("../test/executable.ts");
    for (const [name, problem] of await runSmoke(file, folder))
      count(`executable: ${name}`, problem === undefined, problem);
  } catch (error) {
    count("executable", false, Bun.inspect(error));
  }
}

/** Whether Debian's packages are there now. `packages`: their names; empty: nothing is missing. */
async function installPackages(packages: string): Promise<boolean> {
  if (packages === "") return true;
  const install = `apt-get update --quiet && apt-get install --yes --quiet --no-install-recommends ${packages}`;
  const shell = ["sh", "-c", process.getuid?.() === 0 ? install : `sudo --non-interactive sh -c '${install}'`];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return (await Bun.spawn(shell, { env, stdio: ["ignore", "ignore", "ignore"] }).exited) === 0;
}

/** Installs the browser in which the admin page is tested. Where it cannot be, those tests fail under CI=true and are skipped otherwise. */
async function installBrowser(): Promise<void> {
  const missing = Bun.which(BROWSER) ? "" : BROWSER;
  if (!(await installPackages(missing))) console.log(`${BROWSER} could not be installed`);
}

/** Whether the emulators of other platforms are there now. */
function installEmulators(): Promise<boolean> {
  const { stdout } = Bun.spawnSync([process.execPath, "scripts/platforms.ts", "--packages"], { cwd: root });
  return installPackages(`${stdout}`.trim());
}

const script = (name: string, ...args: readonly string[]): string[] => [
  process.execPath,
  join("scripts", name),
  ...args,
];

/** The npm packages with the executable of this machine, and what uses them. */
async function packages(executable: string): Promise<void> {
  await command("npm packages", script("try-package.ts", "--executable", executable));
  await command("tests under Vitest, Jest, Playwright and Bun", script("runners.ts", "--executable", executable));
  await command("a site's build", script("sites.ts", "--only", "plain"));
}

/** The recordings on executables of other platforms. */
async function otherPlatforms(): Promise<void> {
  console.log((await command("recordings on other platforms", script("platforms.ts", "--short"))).trim());
}

const { values } = parseArgs({ options: { everything: { type: "boolean", default: false } } });
if (!existsSync(bin("tsc"))) throw new Error("bun install has not run");
// tests create and remove so many files that a disk takes a third of their time; TMPDIR chooses another place
const disk = process.env.TMPDIR ? undefined : memoryDisk();
const folder = mkdtempSync(join(disk ?? tmpdir(), "galley-smoke-"));
// some tests run the executable as another user
chmodSync(folder, 0o711);
// also the place of what a process that is ended leaves
process.env.TMPDIR = folder;
try {
  const browser = values.everything ? installBrowser() : undefined;
  const installed = browser?.then(installEmulators);
  const checks = staticChecks();
  const file = await compileTo(join(folder, "galley"));
  await browser;
  await Promise.all([checks, tests(file, folder)]);
  await fuzz(values.everything ? 50_000 : 10_000, 45);
  // one starts a server after the other, and waits for most of the time
  await Promise.all([fuzz(values.everything ? 10_000 : 1_000, 20, "--own-code"), file && smoke(file, folder)]);
  if (file && values.everything) {
    // the processors are not busy with either
    await Promise.all([kills(file), packages(file)]);
    await speed(file);
    if (await installed) await otherPlatforms();
    else console.log("skip recordings on other platforms: their Debian packages cannot be installed");
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(tally.closing);
process.exit(tally.failures.length > 0 ? 1 : 0);
