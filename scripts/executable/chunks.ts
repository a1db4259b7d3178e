/** The program as the bundler splits it: what several entries need is in a chunk that they share. */
import { basename, join } from "node:path";
import type { BunPlugin } from "bun";
import type { EmbeddedFiles } from "./embedded-files.ts";
import { isLazyEntry, separateLazyModules } from "./lazy-modules.ts";

const root = join(import.meta.dir, "../..");

export interface Chunk {
  readonly text: string;
  /** What is evaluated before it: names of other chunks. */
  readonly imports: readonly string[];
  readonly exports: readonly string[];
  /** The bytes of each source file that are left in it. */
  readonly sources: Readonly<Record<string, number>>;
}

/** By the names of their files. */
export type Chunks = ReadonlyMap<string, Chunk>;

/** Packages that have no ES modules are required by their entries. */
const EVALUATED: ReadonlySet<string> = new Set(["import-statement", "require-call"]);

/** Yoga's `fetch` is Bun's own; its package has another one for Node.js, which would never run. */
const nativeFetch: BunPlugin = {
  name: "native fetch",
  setup: (build) =>
    void build.onResolve({ filter: /^@whatwg-node\/fetch$/ }, ({ resolveDir }) => ({
      path: join(Bun.resolveSync("@whatwg-node/fetch/package.json", resolveDir), "../dist/global-ponyfill.js"),
    })),
};

/** `folder` is empty, and for files that are bundled. Throws with the bundler's messages. */
export async function splitProgram(main: string, folder: string, files: EmbeddedFiles): Promise<Chunks> {
  const { entries, plugin } = await separateLazyModules(main, folder);
  const { success, logs, outputs, metafile } = await Bun.build({
    entrypoints: [main, ...entries],
    root,
    naming: { entry: "[name].[ext]", chunk: "[name]-[hash].[ext]" },
    target: "bun",
    format: "esm",
    splitting: true,
    minify: true,
    metafile: true,
    // packages leave out what they check for developers
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [nativeFetch, files.plugin, plugin],
    throw: false,
  });
  if (!success || !metafile) throw new Error(`${main} was not bundled:\n${logs.join("\n")}`);
  const chunks = new Map<string, Chunk>();
  for (const output of outputs) {
    const name = basename(output.path);
    const { imports, exports, inputs } = metafile.outputs[`./${name}`]!;
    const needed = imports.filter(({ kind, path }) => EVALUATED.has(kind) && path in metafile.outputs);
    chunks.set(name, {
      text: await output.text(),
      imports: needed.map(({ path }) => path.slice(2)).filter((name) => !isLazyEntry(name)),
      exports,
      sources: Object.fromEntries(Object.entries(inputs).map(([path, { bytesInOutput }]) => [path, bytesInOutput])),
    });
  }
  return chunks;
}

/** `names`, and all chunks that are evaluated with them. */
export function findClosure(chunks: Chunks, names: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const pending = [...names];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    pending.push(...(chunks.get(name)?.imports ?? []));
  }
  return found;
}
