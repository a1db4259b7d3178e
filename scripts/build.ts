#!/usr/bin/env bun
/**
 * Compiles executables into dist/: for this machine, or with --all for every platform that Galley is made for.
 *
 *   bun scripts/build.ts [--all] [--outfile FILE]
 */
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { embedStarter } from "./embed-starter.ts";

const root = join(import.meta.dir, "..");

/** Platforms by the name of their executable. */
export const targets = {
  "galley-linux-x64": "bun-linux-x64",
  "galley-linux-arm64": "bun-linux-arm64",
  "galley-linux-x64-musl": "bun-linux-x64-musl",
  "galley-linux-arm64-musl": "bun-linux-arm64-musl",
  "galley-macos-x64": "bun-darwin-x64",
  "galley-macos-arm64": "bun-darwin-arm64",
  "galley-windows-x64.exe": "bun-windows-x64",
} as const;

/** Throws with the compiler's output when it fails. `target` absent: this machine. */
export async function compile(outfile: string, target?: string, entry = join(root, "src/main.ts")): Promise<void> {
  await embedStarter();
  const platform = target ? [`--target=${target}`] : [];
  const flags = ["--compile", "--bytecode", "--format=esm", "--minify", ...platform, "--outfile", outfile];
  const { exitCode, stderr, stdout } = Bun.spawnSync([process.execPath, "build", ...flags, entry], {
    cwd: root,
  });
  if (exitCode !== 0) throw new Error(`${outfile} was not built:\n${stdout}${stderr}`);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { all: { type: "boolean", default: false }, outfile: { type: "string" } } });
  mkdirSync(join(root, "dist"), { recursive: true });
  const wanted: [file: string, target?: string][] = values.all
    ? Object.entries(targets).map(([name, target]) => [join(root, "dist", name), target])
    : [[values.outfile ?? join(root, "dist/galley")]];
  for (const [file, target] of wanted) {
    await compile(file, target);
    console.log(`${file} ${(statSync(file).size / 1e6).toFixed(0)} MB`);
  }
}
