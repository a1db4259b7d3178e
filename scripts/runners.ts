#!/usr/bin/env bun
/**
 * Runs the examples of tests, and one suite of thirty tests in parallel, under Vitest, Jest and Playwright, which npm installs, on Node.js:
 * `galley-cms/test` as it is packed, with the executable, or Galley from source in its place. Under `bun test` it is Galley from source.
 *
 *   bun scripts/runners.ts [--executable FILE] [--work DIR]
 *
 * DIR keeps what npm has installed; a temporary folder by default.
 */
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { bundleForNode } from "./package/library.ts";
import { mainManifest } from "./package.ts";

const { values: options } = parseArgs({ options: { executable: { type: "string" }, work: { type: "string" } } });
const examples = join(import.meta.dir, "runners");

/** For machines with other work. */
const TIMEOUT_MS = "60000";

/** What each runner prints when every test has passed. */
const runners: Readonly<Record<string, { readonly command: readonly string[]; readonly passed: RegExp }>> = {
  vitest: {
    command: ["vitest", "run", "--testTimeout", TIMEOUT_MS, "--hookTimeout", TIMEOUT_MS],
    passed: /Tests\s+34 passed/,
  },
  jest: {
    command: ["jest", "--testMatch", "**/*.test.cjs", "--testTimeout", TIMEOUT_MS],
    passed: /Tests:\s+33 passed, 33 total/,
  },
  playwright: { command: ["playwright", "test", "--timeout", TIMEOUT_MS], passed: /\b32 passed/ },
  bun: { command: [process.execPath, "test", "--timeout", TIMEOUT_MS], passed: /\b30 pass\n\s*0 fail/ },
};

async function run(command: readonly string[], cwd: string, environment: Record<string, string> = {}) {
  const env = { ...process.env, NO_COLOR: "1", CI: "true", PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1", ...environment };
  const child = Bun.spawn([...command], { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, output: out + errors };
}

/** Galley from source, as a file that can be run. */
function fromSource(work: string): string {
  const file = join(work, "galley");
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${join(import.meta.dir, "../src/main.ts")}" "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}

/** The package with what Node.js loads of it. */
async function installPackage(work: string): Promise<void> {
  const folder = join(work, "node_modules/galley-cms");
  mkdirSync(join(folder, "lib"), { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify(mainManifest()));
  await bundleForNode("./test", join(folder, "lib"));
  const source = JSON.stringify(join(import.meta.dir, "../src/test.ts"));
  writeFileSync(join(folder, "lib/test.js"), `export * from ${source};\n`);
}

const work = options.work === undefined ? mkdtempSync(join(tmpdir(), "galley-runners-")) : resolve(options.work);
let failed = 0;
try {
  cpSync(examples, work, { recursive: true });
  cpSync(join(import.meta.dir, "../data/starter"), join(work, "magazine"), { recursive: true });
  if (!existsSync(join(work, "node_modules/vitest"))) {
    const { code, output } = await run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"], work);
    if (code !== 0) throw new Error(`npm install ended with ${code}:\n${output}`);
  }
  await installPackage(work);
  const executable = options.executable === undefined ? fromSource(work) : resolve(options.executable);
  for (const [name, { command, passed }] of Object.entries(runners)) {
    const began = performance.now();
    const [program, ...args] = command;
    const path = resolve(work, "node_modules/.bin", program!);
    const { code, output } = await run([path, ...args], join(work, name), { GALLEY_EXECUTABLE: executable });
    const isPassed = code === 0 && passed.test(output);
    console.log(`${name}: ${isPassed ? "passed" : "failed"} in ${((performance.now() - began) / 1_000).toFixed(1)} s`);
    if (isPassed) continue;
    console.log(output.slice(-3_000));
    failed++;
  }
} finally {
  if (options.work === undefined) rmSync(work, { recursive: true, force: true });
}
process.exit(failed > 0 ? 1 : 0);
