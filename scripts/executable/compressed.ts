/**
 * Bytecode is four times as large as its source, and the compiler makes it of everything or of nothing. So an executable is
 * compiled from the chunks that a start and most requests need; the others are in it as compressed source, in one file.
 * `compressed-chunks.js` evaluates one of them when it is first needed, from memory.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { BunPlugin } from "bun";
import { type Chunks, findClosure } from "./chunks.ts";
import { entryName } from "./lazy-modules.ts";

const source = join(import.meta.dir, "../../src");

/**
 * Lazy modules that have bytecode: what a start needs, first or after edits of schemas and settings, and what requests of
 * REST do. `bun scripts/size.ts` shows what each costs.
 */
const WITH_BYTECODE = [
  ...[
    "engine/access/apply.ts",
    "engine/access/auth.ts",
    "engine/access/mail.ts",
    "engine/access/roles.ts",
    "engine/access/user-admin.ts",
    "admin/session/session.ts",
    "api/rest/fallback.ts",
    "api/rest/multipart.ts",
    "api/rest/upload-form.ts",
    "engine/config/galley-file.ts",
    "engine/documents/document-writes.ts",
    "engine/media/media-service.ts",
    "engine/schema/check.ts",
    "engine/storage/migrate.ts",
  ].map((path) => join(source, path)),
  "date-fns/parseISO",
  "nanoid",
  "qs",
];

export const LOADER = "compressed-chunks.js";

/** The chunks that have bytecode. Throws when a module of the table is not lazily loaded any more. */
export function chunksWithBytecode(chunks: Chunks): ReadonlySet<string> {
  const entries = WITH_BYTECODE.map((module) => `${entryName(module)}.js`);
  const missing = entries.filter((name) => !chunks.has(name));
  if (missing.length > 0) throw new Error(`not loaded lazily: ${missing.join(", ")}`);
  return findClosure(chunks, ["main.js", ...entries]);
}

/** Chunks load each other when the executable runs. */
export const externalChunks: BunPlugin = {
  name: "external chunks",
  setup: (build) =>
    void build.onResolve({ filter: /^\.\// }, ({ path, kind }) =>
      kind.startsWith("entry") || !path.endsWith(".js") ? undefined : { path, external: true },
    ),
};

/**
 * Has other chunks loaded with the function's parameter: `import()` would look for files, and so would the bundler's own
 * name for `require`, which comes from a chunk with bytecode.
 */
const withLoader = (text: string, chunks: Chunks): string =>
  text.replaceAll(/([\w$.]+|\(0,[\w$.]+\))\("\.\/([^"]+\.js)"\)/g, (found, called: string, name: string) => {
    if (!chunks.has(name)) return found;
    return called === "import" ? `Promise.resolve().then(()=>require("./${name}"))` : `require("./${name}")`;
  });

/** Functions of a CommonJS module's parameters, by the names of the chunks. Throws with the bundler's messages. */
async function asFunctions(
  chunks: Chunks,
  names: readonly string[],
  imports: BunPlugin,
  folder: string,
): Promise<Map<string, string>> {
  for (const name of names) writeFileSync(join(folder, name), chunks.get(name)!.text);
  const { success, logs, outputs } = await Bun.build({
    entrypoints: names.map((name) => join(folder, name)),
    naming: { entry: "[name].[ext]" },
    target: "bun",
    format: "cjs",
    minify: true,
    define: { "import.meta.require": "require", "import.meta.dir": '""', "import.meta.url": '""' },
    plugins: [imports],
    throw: false,
  });
  if (!success) throw new Error(`chunks were not converted:\n${logs.join("\n")}`);
  const functions = new Map<string, string>();
  for (const output of outputs) {
    // ES modules are strict
    functions.set(basename(output.path), `"use strict";${withLoader(await output.text(), chunks)}`);
  }
  return functions;
}

/** The module that evaluates chunks. The file is read once for a chunk and all that it needs, and not kept. */
const loaderModule = (pack: string, index: Readonly<Record<string, readonly [number, number]>>): string => `
import { readFileSync } from "node:fs";
import path from ${JSON.stringify(pack)} with { type: "file" };
const places = new Map(Object.entries(${JSON.stringify(index)}));
const modules = new Map();
let pack;
const exportsOf = ({ exports }) => ("module.exports" in exports ? exports["module.exports"] : exports);
function evaluate(name, [start, end]) {
  const isFirst = pack === undefined;
  pack ??= readFileSync(path);
  const module = { exports: {} };
  modules.set(name, module);
  try {
    const text = Bun.zstdDecompressSync(pack.subarray(start, end)).toString();
    (0, eval)(text + "\\n//# sourceURL=" + name)(module.exports, load, module, name, "");
    return module;
  } catch (error) {
    modules.delete(name);
    throw error;
  } finally {
    if (isFirst) pack = undefined;
  }
}
export function load(name) {
  const place = places.get(name);
  return place ? exportsOf(modules.get(name) ?? evaluate(name, place)) : import.meta.require(name);
}
`;

/** What stands in the place of a compressed chunk for those that have bytecode. */
function placeholder(name: string, exports: readonly string[]): string {
  const lines = [`import { load } from "./${LOADER}"; const all = load("./${name}");`];
  if (exports.includes("module.exports")) lines.push('export { all as "module.exports" };');
  else
    for (const [i, key] of exports.map((text) => JSON.stringify(text)).entries())
      lines.push(`const value${i} = all[${key}]; export { value${i} as ${key} };`);
  return lines.join("\n");
}

export interface CompressedChunks {
  readonly loader: string;
  /** By the names of the chunks. */
  readonly placeholders: ReadonlyMap<string, string>;
  /** The bytes of each, by the names of the chunks. */
  readonly sizes: ReadonlyMap<string, number>;
}

/** Everything but `compiled`. The file is written into `folder`. `imports`: of the program. */
export async function compressChunks(
  chunks: Chunks,
  compiled: ReadonlySet<string>,
  imports: BunPlugin,
  folder: string,
): Promise<CompressedChunks> {
  const names = [...chunks.keys()].filter((name) => !compiled.has(name));
  const functions = join(folder, "functions");
  mkdirSync(functions, { recursive: true });
  const index: Record<string, readonly [start: number, end: number]> = {};
  const parts: Uint8Array[] = [];
  const sizes = new Map<string, number>();
  let end = 0;
  for (const [name, text] of await asFunctions(chunks, names, imports, functions)) {
    const part = Bun.zstdCompressSync(text, { level: 19 });
    index[`./${name}`] = [end, end + part.length];
    sizes.set(name, part.length);
    end += part.length;
    parts.push(part);
  }
  const pack = join(folder, "chunks.zst");
  writeFileSync(pack, Buffer.concat(parts));
  const compiledText = [...compiled].map((name) => chunks.get(name)!.text).join("\n");
  const placed = names.filter((name) => compiledText.includes(`"./${name}"`));
  return {
    loader: loaderModule(pack, index),
    placeholders: new Map(placed.map((name) => [name, placeholder(name, chunks.get(name)!.exports)])),
    sizes,
  };
}
