#!/usr/bin/env bun
/**
 * Replays the recordings on executables of other platforms, under emulators: Windows x64 under Wine, Linux arm64 under qemu.
 * On Linux x64, with Debian's packages; what is missing is named.
 *
 *   bun scripts/platforms.ts [--platform NAME]… [--only TEXT | --short] [--built] [--packages]
 *
 * --only      recordings whose names have this in them
 * --short     the few that touch files, paths, pictures and both APIs
 * --built     the executables are in dist/, where scripts/build.ts --all puts them
 * --packages  prints the Debian packages that are missing, and ends
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { compareAnswers } from "../test/conformance/compare.ts";
import { deviations } from "../test/conformance/deviations.ts";
import { play } from "../test/conformance/play.ts";
import type { Recording } from "../test/conformance/scenario.ts";
import { freePort } from "../test/free-port.ts";
import { compile, executablePath } from "./build.ts";
import { type Emulated, type EmulatedPlatform, type Emulator, emulators } from "./platforms/emulators.ts";
import { targets } from "./targets.ts";

const CONFORMANCE = join(import.meta.dir, "../test/conformance");
/** An emulated start on a machine with other work. */
const START_MS = 180_000;
/** More than any recording takes on a busy machine. */
const RECORDING_MS = 900_000;
const ALIVE_MS = 1_000;
const EMULATED_TURN_MS = 10_000;
/** Files, paths and pictures; reads, writes, locales and users over REST and GraphQL; qemu takes a minute for a few of them. */
const short = {
  "windows-x64":
    /^(smoke|upload-basic|upload-images|upload-names|upload-serve|rest-crud-collection|docs-i18n-sync|gql-crud|auth-login|own-code-routes|admin-types)\.json$/,
  "linux-arm64": /^(upload-images|rest-crud-collection|gql-crud|auth-login)\.json$/,
} as const satisfies Record<EmulatedPlatform, RegExp>;

const { values } = parseArgs({
  options: {
    platform: { type: "string", multiple: true, default: [] },
    only: { type: "string", default: "" },
    short: { type: "boolean", default: false },
    built: { type: "boolean", default: false },
    packages: { type: "boolean", default: false },
  },
});

function parsePlatforms(names: readonly string[]): readonly EmulatedPlatform[] {
  const known = Object.keys(emulators) as EmulatedPlatform[];
  const unknown = names.find((name) => !Object.hasOwn(emulators, name));
  if (unknown !== undefined) throw new Error(`--platform must be one of ${known.join(", ")}, not "${unknown}"`);
  return names.length > 0 ? (names as EmulatedPlatform[]) : known;
}

const isInstalled = (program: string): boolean =>
  program.startsWith("/") ? existsSync(program) : Bun.which(program) !== null;

const missingFor = (platform: EmulatedPlatform): readonly string[] =>
  Object.entries((emulators[platform] as Emulator).packages).flatMap(([program, names]) =>
    isInstalled(program) ? [] : names,
  );

async function waitFor(url: string, child: Bun.Subprocess): Promise<void> {
  for (const end = Date.now() + START_MS; Date.now() < end; await Bun.sleep(25)) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    if (
      await fetch(`${url}/_health`).then(
        () => true,
        () => false,
      )
    )
      return;
  }
  throw new Error("the server did not answer in time");
}

interface Replay {
  /** The steps that are not answered as recorded. */
  readonly failures: readonly string[];
  /** What the server and its emulator have printed as errors. */
  readonly errors: string;
}

const LEFT_BEHIND = "the emulator has ended, and left threads behind";

/** Whether the main thread of a process has ended, but not all of them: Wine's do so without their server. */
const isHalfEnded = (pid: number): boolean =>
  /^State:\s+Z/m.test(existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, "utf8") : "");

/** Collects what is printed; calls `matched` with the first line that matches. */
async function watch(output: ReadableStream<Uint8Array>, pattern: RegExp, matched: () => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of output) {
    const before = pattern.test(text);
    text += decoder.decode(chunk, { stream: true });
    if (!before && pattern.test(text)) matched();
  }
  return text;
}

/** Emulated work takes a multiple of the processor time that a request is given; the first of each kind, cold, even more. */
function allowForEmulation(root: string): void {
  const path = join(root, "config/galley.json");
  const config = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  const limits = { ...config.limits, uninterrupted: EMULATED_TURN_MS };
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ ...config, limits }));
}

/** Plays one recording on a server of its own. `failure`: what the emulator prints when it gives up. */
async function replay(recording: Recording, executable: string, emulated: Emulated, failure: RegExp): Promise<Replay> {
  const root = mkdtempSync(join(tmpdir(), "galley-platform-"));
  cpSync(join(CONFORMANCE, recording.project), root, { recursive: true });
  allowForEmulation(root);
  const port = freePort();
  const { command, environment, path } = emulated;
  const args = ["serve", path(root), "--port", `${port}`, "--host", "127.0.0.1", "--admin", "--quiet"];
  const child = Bun.spawn([...command, executable, ...args], {
    // Strapi was asked in production
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: "production", ...environment },
    cwd: root,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  const url = `http://127.0.0.1:${port}`;
  // a server without its emulator would keep a request waiting
  const printed = watch(child.stderr, failure, () => child.kill("SIGKILL"));
  const deadline = setTimeout(() => child.kill("SIGKILL"), RECORDING_MS);
  let leftBehind = "";
  const alive = setInterval(() => {
    if (child.exitCode !== null || child.signalCode !== null || !isHalfEnded(child.pid)) return;
    leftBehind = `${LEFT_BEHIND}\n`;
    child.kill("SIGKILL");
  }, ALIVE_MS);
  const end = async (): Promise<string> => {
    child.kill("SIGKILL");
    return leftBehind + (await printed);
  };
  try {
    await waitFor(url, child);
    const { answers } = await play(recording, url, join(CONFORMANCE, "files"));
    const failures = recording.steps.flatMap(({ id, answer }, index) => {
      const differences = compareAnswers(answer, answers[index]!);
      const deviation = deviations[recording.name]?.[id];
      const holds = deviation ? deviation.holds(answers[index]!, differences, answer) : differences.length === 0;
      return holds ? [] : [`${recording.name} / ${id}: ${Bun.inspect(differences.slice(0, 2))}`];
    });
    return { failures, errors: await end() };
  } catch (error) {
    const errors = await end();
    const reason = `${recording.name}: ${(error as Error).message} ${errors.slice(-500)}`;
    const failures = recording.steps.map(({ id }, index) =>
      index === 0 ? reason : `${recording.name} / ${id}: was not played`,
    );
    return { failures, errors };
  } finally {
    clearTimeout(deadline);
    clearInterval(alive);
    child.kill("SIGKILL");
    await child.exited;
    rmSync(root, { recursive: true, force: true });
  }
}

/** How often a recording is played that the emulator does not get to the end of. */
const ATTEMPTS = 3;

/** Plays a recording again when its steps failed because the emulator did. `died` is called each time, with what it printed. */
async function replayDespite(
  died: (line: string) => void,
  ...[recording, executable, emulated, failure]: Parameters<typeof replay>
): Promise<readonly string[]> {
  for (let attempt = 1; ; attempt++) {
    const { failures, errors } = await replay(recording, executable, emulated, failure);
    const line = errors.split("\n").find((text) => text === LEFT_BEHIND || failure.test(text));
    if (failures.length === 0 || line === undefined) return failures;
    died(`${recording.name}: ${line.trim()}`);
    if (attempt === ATTEMPTS) return failures;
  }
}

const isWanted = (platform: EmulatedPlatform, file: string): boolean =>
  values.short ? short[platform].test(file) : file.includes(values.only);

/** Returns whether every step is answered as recorded. */
async function tryPlatform(platform: EmulatedPlatform, folder: string): Promise<boolean> {
  const began = performance.now();
  mkdirSync(folder);
  const executable = values.built
    ? executablePath(platform)
    : join(folder, platform === "windows-x64" ? "galley.exe" : "galley");
  if (!values.built) await compile(executable, targets[platform].compiler);
  const emulated = await emulators[platform].prepare(folder);
  const files = readdirSync(join(CONFORMANCE, "recordings"))
    .filter((file) => isWanted(platform, file))
    .sort();
  if (files.length === 0) throw new Error("no recording has such a name");
  let steps = 0;
  let wrong = 0;
  const deaths: string[] = [];
  try {
    for (const file of files) {
      const recording = JSON.parse(readFileSync(join(CONFORMANCE, "recordings", file), "utf8")) as Recording;
      const failures = await replayDespite(
        (line) => deaths.push(line),
        recording,
        executable,
        emulated,
        emulators[platform].failure,
      );
      steps += recording.steps.length;
      wrong += failures.length;
      for (const failure of failures) console.log(`FAIL ${platform}: ${failure}`);
    }
  } finally {
    await emulated.stop();
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  console.log(
    `${platform}: ${steps - wrong} of ${steps} steps of ${files.length} recordings as recorded, ${seconds} s`,
  );
  if (deaths.length > 0)
    console.log(`${platform}: the emulator failed ${deaths.length} times, after which the recording was played again:`);
  for (const line of deaths) console.log(`  ${line}`);
  return wrong === 0;
}

const platforms = parsePlatforms(values.platform);
const missing = platforms.flatMap(missingFor);
if (values.packages) {
  console.log(missing.join(" "));
  process.exit(0);
}
if (missing.length > 0) throw new Error(`these packages are needed: apt-get install ${missing.join(" ")}`);
const folder = mkdtempSync(join(tmpdir(), "galley-platforms-"));
try {
  const held = await Promise.all(platforms.map((platform) => tryPlatform(platform, join(folder, platform))));
  process.exitCode = held.every(Boolean) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
