#!/usr/bin/env bun
/**
 * Compiles executables into dist/: for this machine, or with --all for every platform that Galley is made for.
 *
 *   bun scripts/build.ts [--all] [--outfile FILE]
 */
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compressFiles } from "./compressed.ts";
import { embedAdmin } from "./embed-admin.ts";
import { embedLicenses } from "./embed-licenses.ts";
import { embedStarter } from "./embed-starter.ts";
import { separateLazyModules } from "./lazy-modules.ts";
import { type PlatformName, platformNames, targets } from "./targets.ts";

const root = join(import.meta.dir, "..");

/** Throws with the compiler's output when it fails. `target` absent: this machine. */
export async function compile(
  outfile: string,
  target?: Bun.Build.CompileTarget,
  main = join(root, "src/main.ts"),
): Promise<void> {
  await embedStarter();
  await embedAdmin();
  await embedLicenses();
  const { entries, plugin } = await separateLazyModules(main);
  const { success, logs } = await Bun.build({
    entrypoints: [main, ...entries],
    naming: { entry: "[name].[ext]" },
    // a project's configuration finds its packages by their package.json, and its files by the paths of its tsconfig.json
    compile: { outfile, autoloadPackageJson: true, autoloadTsconfig: true, ...(target ? { target } : {}) },
    format: "esm",
    splitting: true,
    bytecode: true,
    minify: true,
    // packages leave out what they check for developers
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [plugin, compressFiles],
    throw: false,
  });
  if (!success) throw new Error(`${outfile} was not built:\n${logs.join("\n")}`);
}

/** Where `--all` puts the executable of a platform. */
export const executablePath = (platform: PlatformName): string =>
  join(root, "dist", `galley-${platform}${targets[platform].os === "win32" ? ".exe" : ""}`);

if (import.meta.main) {
  const { values } = parseArgs({ options: { all: { type: "boolean", default: false }, outfile: { type: "string" } } });
  mkdirSync(join(root, "dist"), { recursive: true });
  const wanted: [file: string, target?: Bun.Build.CompileTarget][] = values.all
    ? platformNames.map((name) => [executablePath(name), targets[name].compiler])
    : [[values.outfile ?? join(root, "dist/galley")]];
  for (const [file, target] of wanted) {
    await compile(file, target);
    console.log(`${file} ${(statSync(file).size / 1e6).toFixed(0)} MB`);
  }
}
