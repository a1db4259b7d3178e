#!/usr/bin/env bun
/**
 * Everything that must hold before a change lands: types, format and lint, the tests, and the compiled executable.
 * Prints one closing line, "N passed, N failed".
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile } from "./build.ts";

const root = join(import.meta.dir, "..");
const bin = (name: string): string => join(root, "node_modules/.bin", name);
let passed = 0;
let failed = 0;

function count(name: string, ok: boolean, output = ""): void {
  if (ok) passed++;
  else failed++;
  console.log(`${ok ? "ok  " : "FAIL"} ${name}${ok ? "" : `\n${output}`}`);
}

function command(name: string, args: readonly string[]): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...args], { cwd: root });
  count(name, exitCode === 0, `${stdout}${stderr}`);
}

/** Runs the tests, shows what is not passed, and adds their numbers. */
async function tests(): Promise<void> {
  const child = Bun.spawn([process.execPath, "test"], { cwd: root, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  await child.exited;
  const output = out + err;
  const number = (word: string): number => Number(new RegExp(`^ *(\\d+) ${word}$`, "m").exec(output)?.[1] ?? 0);
  console.log(
    output
      .split("\n")
      .filter((line) => !/^\((pass|todo|skip)\)/.test(line))
      .join("\n")
      .replace(/\n{3,}/g, "\n\n"),
  );
  passed += number("pass");
  failed += number("fail");
  if (child.exitCode !== 0 && number("fail") === 0) count("bun test ended as it should", false, output.slice(-2_000));
}

/** The executable for this machine, used as a newcomer would. */
async function executable(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "galley-smoke-"));
  const file = join(folder, "galley");
  try {
    await compile(file);
    const { runSmoke } = await import("../test/executable.ts");
    for (const [name, problem] of await runSmoke(file, folder))
      count(`executable: ${name}`, problem === undefined, problem);
  } catch (error) {
    count("executable", false, Bun.inspect(error));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (!existsSync(bin("tsc"))) throw new Error("bun install has not run");
command("types", [bin("tsc"), "--noEmit"]);
command("format and lint", [bin("biome"), "check", "."]);
await tests();
await executable();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
