#!/usr/bin/env bun
/**
 * Compiles executables into dist/: for this machine, or with --all for every platform that Galley is made for.
 *
 *   bun scripts/build.ts [--all] [--outfile FILE]
 */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { embedAdmin } from "./embed-admin.ts";
import { embedData } from "./embed-data.ts";
import { embedLicenses } from "./embed-licenses.ts";
import { splitProgram } from "./executable/chunks.ts";
import { chunksWithBytecode, compressChunks, externalChunks, LOADER } from "./executable/compressed.ts";
import { EmbeddedFiles, FILES_MODULE } from "./executable/embedded-files.ts";
import { importFromProgram, joinProgram, PROGRAM } from "./executable/program.ts";
import { type PlatformName, platformNames, targets } from "./targets.ts";

const root = join(import.meta.dir, "..");

/** Writes the modules of an executable into `folder`: `main.js` and others that it loads. Returns their names, and what they are made of. */
export async function writeModules(folder: string) {
  await embedData();
  await embedAdmin();
  await embedLicenses();
  const files = new EmbeddedFiles(join(folder, "files"));
  const chunks = await splitProgram(join(root, "src/main.ts"), join(folder, "entries"), files);
  const compiled = chunksWithBytecode(chunks);
  const program = await joinProgram(chunks, folder);
  const compressed = await compressChunks(chunks, compiled, program.imports, folder);
  const separate = [...compiled].filter((name) => !program.chunks.has(name));
  const modules = new Map([
    ...(await importFromProgram(chunks, separate, program, join(folder, "separate"))),
    [PROGRAM, program.text],
    ...compressed.placeholders,
    [LOADER, compressed.loader],
    [FILES_MODULE, files.module],
  ]);
  for (const [name, text] of modules) writeFileSync(join(folder, name), text);
  // the first is run
  const names = ["main.js", ...[...modules.keys()].filter((name) => name !== "main.js")];
  return { names, chunks, program, compressed, files };
}

/**
 * A project's configuration finds its packages by their package.json, and its files by the paths of its tsconfig.json. Its `.env` is not
 * Bun's, which replaces `$NAME` in values and reads further files; `bunfig.toml` is for its own scripts.
 */
const RUNTIME = { autoloadPackageJson: true, autoloadTsconfig: true, autoloadDotenv: false, autoloadBunfig: false };

/** Throws with the compiler's output when it fails. `target` absent: this machine. */
export async function compile(outfile: string, target?: Bun.Build.CompileTarget): Promise<void> {
  mkdirSync(join(root, "dist"), { recursive: true });
  // others may compile at the same time
  const folder = mkdtempSync(join(root, "dist/modules-"));
  try {
    const { names } = await writeModules(folder);
    const { success, logs } = await Bun.build({
      entrypoints: names.map((name) => join(folder, name)),
      naming: { entry: "[name].[ext]" },
      compile: { ...RUNTIME, outfile, ...(target ? { target } : {}) },
      format: "esm",
      bytecode: true,
      minify: true,
      plugins: [externalChunks],
      throw: false,
    });
    if (!success) throw new Error(`${outfile} was not built:\n${logs.join("\n")}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Where `--all` puts the executable of a platform. */
export const executablePath = (platform: PlatformName): string =>
  join(root, "dist", `galley-${platform}${targets[platform].os === "win32" ? ".exe" : ""}`);

if (import.meta.main) {
  const { values } = parseArgs({ options: { all: { type: "boolean", default: false }, outfile: { type: "string" } } });
  const wanted: [file: string, target?: Bun.Build.CompileTarget][] = values.all
    ? platformNames.map((name) => [executablePath(name), targets[name].compiler])
    : [[values.outfile ?? join(root, "dist/galley")]];
  for (const [file, target] of wanted) {
    await compile(file, target);
    console.log(`${file} ${(statSync(file).size / 1e6).toFixed(0)} MB`);
  }
}
