/** The library entries of the npm package: each one bundled with all that it needs, and declarations of their types. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { embedAdmin } from "../embed-admin.ts";
import { embedData } from "../embed-data.ts";

const root = join(import.meta.dir, "../..");

type EntryName = keyof typeof manifest.exports;

interface Paths {
  readonly types: string;
  /** Where it is another file than on Node.js. */
  readonly bun?: string;
  readonly default: string;
}

/** Where Node.js may use `require`, that has declarations of its own. */
export interface EntryPaths extends Paths {
  readonly require?: Paths;
}

/** What an entry is on Node.js, where most need Bun. */
const onNode: Partial<Record<EntryName, string>> = { "./test": "src/testing/client.ts" };

/** Entries that are part of a program which has these packages itself: two copies of them would not know each other. */
const shared: Partial<Record<EntryName, readonly string[]>> = { "./elysia": ["elysia"] };

const baseName = (source: string): string => source.replace("./src/", "").replace(/\.ts$/, "");

/** Whether an entry is for other programs, on Node.js and Bun alike, and so the same file for both. */
const isLoader = (name: EntryName): boolean => manifest.exports[name].startsWith("./src/loaders/");

/** The file of an entry for Node.js, without its ending; undefined for those that need Bun. */
function nodeFile(name: EntryName): string | undefined {
  const base = baseName(manifest.exports[name]);
  return isLoader(name) ? base : onNode[name] && `node-${base}`;
}

/** The `exports` of the package, and what the program must have for some of them. */
export const entries = Object.fromEntries(
  Object.entries(manifest.exports).map(([name, source]) => {
    const base = baseName(source);
    const types = `./types/${base}.d.ts`;
    const bun = isLoader(name as EntryName) ? {} : { bun: `./lib/${base}.js` };
    const file = nodeFile(name as EntryName);
    if (file === undefined) return [name, { types, ...bun, default: "./lib/without-bun.js" }];
    const forRequire = { types: `./types/${base}.d.cts`, ...bun, default: `./lib/${file}.cjs` };
    return [name, { require: forRequire, types, ...bun, default: `./lib/${file}.mjs` }];
  }),
) as Readonly<Record<EntryName, EntryPaths>>;

export const sharedPackages: ReadonlySet<string> = new Set(Object.values(shared).flat());

async function bundle(names: readonly EntryName[], external: readonly string[], outdir: string): Promise<void> {
  const sources = names.map((name) => join(root, manifest.exports[name]));
  const { success, logs } = await Bun.build({
    entrypoints: [...sources, join(root, "src/engine/media/images/worker.ts")],
    naming: { entry: "[name].[ext]" },
    outdir,
    target: "bun",
    splitting: true,
    minify: { whitespace: true, syntax: true },
    define: { "process.env.NODE_ENV": '"production"' },
    external: [...external],
    throw: false,
  });
  if (!success) throw new Error(`the library was not bundled:\n${logs.join("\n")}`);
}

/** Finds the executable, for the entries for Node.js. */
const EXECUTABLE_FINDER = "../bin/executable.cjs";

/** Writes an entry for Node.js, for `require` and for `import`. Throws with the compiler's messages. */
export async function bundleForNode(name: EntryName, outdir: string): Promise<void> {
  const file = nodeFile(name);
  if (file === undefined) throw new Error(`${name} needs Bun`);
  const source = onNode[name] ?? manifest.exports[name];
  const { success, logs } = await Bun.build({
    entrypoints: [join(root, source)],
    naming: `${file}.cjs`,
    outdir,
    target: "node",
    format: "cjs",
    minify: { whitespace: true, syntax: true },
    plugins: [
      {
        name: "what finds the executable stays a file of its own",
        setup: (build) =>
          void build.onResolve({ filter: /\/executable\.cjs$/ }, () => ({ path: EXECUTABLE_FINDER, external: true })),
      },
    ],
    throw: false,
  });
  if (!success) throw new Error(`${file} was not bundled:\n${logs.join("\n")}`);
  const exported = Object.keys(await import(join(root, source))).sort();
  writeFileSync(
    join(outdir, `${file}.mjs`),
    `import all from "./${basename(file)}.cjs";\nexport const { ${exported.join(", ")} } = all;\n`,
  );
}

/** Writes the declarations that can be reached from the entries. Throws with the compiler's messages. */
export function writeTypes(folder: string): void {
  const all = mkdtempSync(join(tmpdir(), "galley-types-"));
  try {
    const config = join(all, "tsconfig.json");
    const compilerOptions = {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      noCheck: true,
      outDir: join(all, "types"),
      rootDir: root,
      typeRoots: [join(root, "node_modules/@types")],
    };
    const files = Object.values(manifest.exports).map((source) => join(root, source));
    writeFileSync(
      config,
      JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, include: [], files }),
    );
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const { exitCode, stdout } = Bun.spawnSync([process.execPath, compiler, "-p", config]);
    if (exitCode !== 0) throw new Error(`the types were not written:\n${stdout}`);
    const sources = join(all, "types/src");
    for (const [name, source] of Object.entries(manifest.exports)) {
      const forms = nodeFile(name as EntryName) ? ["ts", "cts"] : ["ts"];
      for (const path of reachable(sources, `${baseName(source)}.ts`))
        for (const form of forms) {
          const text = readFileSync(join(sources, path.replace(/ts$/, "d.ts")), "utf8");
          const outfile = join(folder, "types", path.replace(/ts$/, `d.${form}`));
          mkdirSync(dirname(outfile), { recursive: true });
          writeFileSync(outfile, text.replaceAll(RELATIVE_IMPORT, `$1.${form}"`));
        }
    }
  } finally {
    rmSync(all, { recursive: true, force: true });
  }
}

const RELATIVE_IMPORT = /((?:from|import\() ?"(\.{1,2}\/[^"]+))\.ts"/g;

/** The paths of a declaration and of all that it imports, as `.ts`. */
function reachable(folder: string, path: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(path)) return found;
  found.add(path);
  const text = readFileSync(join(folder, path.replace(/ts$/, "d.ts")), "utf8");
  for (const [, , other] of text.matchAll(RELATIVE_IMPORT))
    reachable(folder, join(dirname(path), `${other}.ts`), found);
  return found;
}

/** Writes `lib/` and `types/` into a folder. Throws with the compiler's messages. */
export async function writeLibrary(folder: string): Promise<void> {
  const lib = join(folder, "lib");
  mkdirSync(lib, { recursive: true });
  await embedAdmin();
  await embedData();
  const names = Object.keys(manifest.exports) as EntryName[];
  const groups = Map.groupBy(
    names.filter((name) => !isLoader(name)),
    (name) => (shared[name] ?? []).join(),
  );
  for (const [packages, group] of groups) await bundle(group, packages === "" ? [] : packages.split(","), lib);
  for (const name of names) if (nodeFile(name) !== undefined) await bundleForNode(name, lib);
  // the bundle starts its worker by the name of the source
  writeFileSync(join(lib, "worker.ts"), 'import "./worker.js";\n');
  cpSync(join(import.meta.dir, "without-bun.js"), join(lib, "without-bun.js"));
  writeTypes(folder);
}
