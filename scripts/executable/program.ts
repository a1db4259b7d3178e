/**
 * What each start evaluates, as one module: `program.js` has all chunks that `main.js` imports, which would take longer to
 * load and link separately. Other chunks import from `program.js` what they share with it, so that nothing exists twice.
 */
import { basename, join } from "node:path";
import type { BunPlugin } from "bun";
import { type Chunks, findClosure } from "./chunks.ts";

export const PROGRAM = "program.js";
const MAIN = "main.js";

/** Chunks load each other when the executable runs; `inlined` are bundled with their importers. */
const chunkImports = (inlined: ReadonlyMap<string, string>): BunPlugin => ({
  name: "imports of chunks",
  setup: (build) => {
    build.onResolve({ filter: /^\.\// }, ({ path, kind }) => {
      if (kind.startsWith("entry") || !path.endsWith(".js")) return undefined;
      const name = path.slice("./".length);
      return inlined.has(name) ? { path: name, namespace: "chunk" } : { path, external: true };
    });
    build.onLoad({ filter: /.*/, namespace: "chunk" }, ({ path }) => ({ contents: inlined.get(path)!, loader: "js" }));
  },
});

export interface Program {
  /** The chunks that are in it. */
  readonly chunks: ReadonlySet<string>;
  readonly text: string;
  /** For builds of other chunks: their imports from chunks of the program become imports from it, all others stay. */
  readonly imports: BunPlugin;
}

/** Throws with the bundler's messages, and when a start would still evaluate chunks beside the program. `folder` is for its entry. */
export async function joinProgram(chunks: Chunks, folder: string): Promise<Program> {
  const { imports } = chunks.get(MAIN)!;
  const transpiler = new Bun.Transpiler({ loader: "js" });
  // first in the order of evaluation
  const names = [...new Set([...imports, ...findClosure(chunks, imports)])];
  const entry: string[] = [];
  /** Modules that stand for chunks of the program, by their names. */
  const reexports = new Map<string, string>();
  for (const [i, name] of names.entries()) {
    // the bundler's list is without names that it made itself
    const { exports } = transpiler.scan(chunks.get(name)!.text);
    const renamed = exports.map((key, j) => [key, `c${i}_${j}`] as const);
    const list = (pairs: readonly string[]): string => `{ ${pairs.join(", ")} }`;
    entry.push(`export ${list(renamed.map(([key, unique]) => `${key} as ${unique}`))} from "./${name}";`);
    reexports.set(name, `export ${list(renamed.map(([key, unique]) => `${unique} as ${key}`))} from "./${PROGRAM}";`);
  }
  const file = join(folder, PROGRAM);
  await Bun.write(file, entry.join("\n"));
  const { success, logs, outputs } = await Bun.build({
    entrypoints: [file],
    target: "bun",
    format: "esm",
    minify: true,
    plugins: [chunkImports(new Map(names.map((name) => [name, chunks.get(name)!.text])))],
    throw: false,
  });
  if (!success) throw new Error(`the chunks of a start were not joined:\n${logs.join("\n")}`);
  const text = await outputs[0]!.text();
  const beside = transpiler
    .scanImports(text)
    .filter(({ kind, path }) => kind === "import-statement" && path.startsWith("./"));
  if (beside.length > 0) throw new Error(`a start evaluates ${beside.map(({ path }) => path).join(", ")} separately`);
  return { chunks: new Set(names), text, imports: chunkImports(reexports) };
}

/** `names` as they are in an executable: with imports from the program. Throws with the bundler's messages. */
export async function importFromProgram(
  chunks: Chunks,
  names: readonly string[],
  { imports }: Program,
  folder: string,
): Promise<ReadonlyMap<string, string>> {
  for (const name of names) await Bun.write(join(folder, name), chunks.get(name)!.text);
  const { success, logs, outputs } = await Bun.build({
    entrypoints: names.map((name) => join(folder, name)),
    naming: { entry: "[name].[ext]" },
    target: "bun",
    format: "esm",
    minify: true,
    plugins: [imports],
    throw: false,
  });
  if (!success) throw new Error(`chunks were not changed to import from ${PROGRAM}:\n${logs.join("\n")}`);
  return new Map(
    await Promise.all(outputs.map(async (output) => [basename(output.path), await output.text()] as const)),
  );
}
