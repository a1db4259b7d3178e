#!/usr/bin/env bun
/**
 * What an executable has in it besides the runtime, by package and by folder of the source: kilobytes of code that has
 * bytecode, of that bytecode, and of code that is compressed.
 *
 *   bun scripts/size.ts [--chunks]
 *
 * --chunks  also what each chunk is made of, as the bundler splits the program
 */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { layOutTable } from "./bench/table.ts";
import { writeModules } from "./build.ts";
import type { Chunk } from "./executable/chunks.ts";
import { externalChunks } from "./executable/compressed.ts";
import { PROGRAM } from "./executable/program.ts";

const { values: options } = parseArgs({ options: { chunks: { type: "boolean", default: false } } });
const root = join(import.meta.dir, "..");

/** The compiler writes no bytecode beside ES modules; that of CommonJS modules is as large. */
async function bytecodeSizes(folder: string, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { success, logs, outputs } = await Bun.build({
    entrypoints: names.map((name) => join(folder, name)),
    naming: { entry: "[name].[ext]" },
    outdir: join(folder, "bytecode"),
    target: "bun",
    format: "cjs",
    bytecode: true,
    minify: true,
    plugins: [externalChunks],
    throw: false,
  });
  if (!success) throw new Error(`no bytecode was made:\n${logs.join("\n")}`);
  const made = outputs.filter(({ kind }) => kind === "bytecode");
  return new Map(made.map(({ path, size }) => [path.replace(/.*[\\/]/, "").replace(/(?:\.js)?\.jsc$/, ".js"), size]));
}

/** The package of a source file, or its folder. */
function findPart(path: string): string {
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  return name ?? /src\/[^/]+(?=\/)/.exec(path)?.[0] ?? "src";
}

interface Size {
  source: number;
  bytecode: number;
  compressed: number;
}

const none = (): Size => ({ source: 0, bytecode: 0, compressed: 0 });
const total = ({ source, bytecode, compressed }: Size): number => source + bytecode + compressed;
const kilobytes = (bytes: number): string => (bytes === 0 ? "" : (bytes / 1000).toFixed(1));

function print(name: string, sizes: ReadonlyMap<string, Size>): void {
  const rows = [...sizes].sort(([, a], [, b]) => total(b) - total(a));
  const cells = (title: string, size: Size): string[] => [
    title,
    ...[size.source, size.bytecode, size.compressed, total(size)].map(kilobytes),
  ];
  const sum = none();
  for (const [, size] of rows) for (const key of ["source", "bytecode", "compressed"] as const) sum[key] += size[key];
  const head = [name, "source kB", "bytecode kB", "compressed kB", "total kB"];
  console.log(`${layOutTable([head, ...rows.map(([title, size]) => cells(title, size)), cells("total", sum)])}\n`);
}

mkdirSync(join(root, "dist"), { recursive: true });
const folder = mkdtempSync(join(root, "dist/modules-"));
try {
  const { names, chunks, program, compressed, files } = await writeModules(folder);
  // by its chunks, the program is as large as in one module
  for (const name of program.chunks) writeFileSync(join(folder, name), chunks.get(name)!.text);
  // the entry awaits, which CommonJS cannot
  const separate = names.filter((name) => name !== "main.js" && name !== PROGRAM);
  const bytecode = await bytecodeSizes(folder, [...separate, ...program.chunks]);
  const parts = new Map<string, Size>();
  const add = (part: string, size: Partial<Size>): void => {
    const sum = parts.get(part) ?? none();
    for (const key of ["source", "bytecode", "compressed"] as const) sum[key] += size[key] ?? 0;
    parts.set(part, sum);
  };
  const shown = new Map<string, Size>();
  const computeSize = (name: string, { text }: Chunk): Size => {
    const packed = compressed.sizes.get(name);
    return packed === undefined
      ? { source: text.length, bytecode: bytecode.get(name) ?? 0, compressed: 0 }
      : { ...none(), compressed: packed };
  };
  for (const [name, chunk] of chunks) {
    const size = computeSize(name, chunk);
    const bytes = Object.values(chunk.sources).reduce((sum, count) => sum + count, 0) || 1;
    for (const [path, count] of Object.entries(chunk.sources)) {
      const share = (key: keyof Size): number => (size[key] * count) / bytes;
      add(findPart(path), { source: share("source"), bytecode: share("bytecode"), compressed: share("compressed") });
    }
    const [largest = name] = Object.entries(chunk.sources).sort(([, a], [, b]) => b - a)[0] ?? [];
    shown.set(`${name.replace(/\.js$/, "")} (${largest.replace(/.*(?:node_modules|src)\//, "")})`, size);
  }
  for (const name of separate.filter((item) => !chunks.has(item) || compressed.sizes.has(item)))
    add("leads to compressed chunks and files", {
      source: statSync(join(folder, name)).size,
      bytecode: bytecode.get(name) ?? 0,
    });
  for (const path of files.paths) add(`file ${path.replace(/.*[\\/]/, "")}`, { compressed: statSync(path).size });
  if (options.chunks) print("chunk", shown);
  print("part", parts);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
