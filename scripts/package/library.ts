/** The library entries of the npm package: each one bundled with all that it needs, and declarations of their types. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { embedAdmin } from "../embed-admin.ts";

const root = join(import.meta.dir, "../..");

type EntryName = keyof typeof manifest.exports;

export interface EntryPaths {
  readonly types: string;
  readonly bun: string;
  readonly default: string | { readonly require: string; readonly default: string };
}

/** What an entry is on Node.js, where most need Bun. */
const onNode: Partial<Record<EntryName, string>> = { "./test": "src/testing/client.ts" };

/** Entries that are part of a program which has these packages itself: two copies of them would not know each other. */
const shared: Partial<Record<EntryName, readonly string[]>> = { "./elysia": ["elysia"] };

const baseName = (source: string): string => source.replace("./src/", "").replace(/\.ts$/, "");

/** The `exports` of the package, and what the program must have for some of them. */
export const entries = Object.fromEntries(
  Object.entries(manifest.exports).map(([name, source]) => [
    name,
    {
      types: `./types/src/${baseName(source)}.d.ts`,
      bun: `./lib/${baseName(source)}.js`,
      default:
        onNode[name as EntryName] === undefined
          ? "./lib/without-bun.js"
          : { require: `./lib/node-${baseName(source)}.cjs`, default: `./lib/node-${baseName(source)}.mjs` },
    },
  ]),
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

/** What the launcher is to the entries for Node.js, which find the executable with it. */
const LAUNCHER = "../bin/galley.cjs";

/** Writes an entry for Node.js, for `require` and for `import`. Throws with the compiler's messages. */
export async function bundleForNode(name: EntryName, outdir: string): Promise<void> {
  const source = onNode[name];
  if (source === undefined) throw new Error(`${name} needs Bun`);
  const file = `node-${baseName(manifest.exports[name])}`;
  const { success, logs } = await Bun.build({
    entrypoints: [join(root, source)],
    naming: `${file}.cjs`,
    outdir,
    target: "node",
    format: "cjs",
    minify: { whitespace: true, syntax: true },
    plugins: [
      {
        name: "the launcher stays a file of its own",
        setup: (build) =>
          void build.onResolve({ filter: /\/galley\.cjs$/ }, () => ({ path: LAUNCHER, external: true })),
      },
    ],
    throw: false,
  });
  if (!success) throw new Error(`${file} was not bundled:\n${logs.join("\n")}`);
  const exported = Object.keys(await import(join(root, source))).sort();
  writeFileSync(
    join(outdir, `${file}.mjs`),
    `import all from "./${file}.cjs";\nexport const { ${exported.join(", ")} } = all;\n`,
  );
}

/** Throws with the compiler's messages. */
function writeTypes(folder: string): void {
  const config = join(folder, "tsconfig.json");
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    outDir: join(folder, "types"),
    rootDir: root,
    typeRoots: [join(root, "node_modules/@types")],
  };
  writeFileSync(
    config,
    JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, include: [join(root, "src")] }),
  );
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const { exitCode, stdout } = Bun.spawnSync([process.execPath, compiler, "-p", config]);
  rmSync(config);
  if (exitCode !== 0) throw new Error(`the types were not written:\n${stdout}`);
}

/** Writes `lib/` and `types/` into a folder. Throws with the compiler's messages. */
export async function writeLibrary(folder: string): Promise<void> {
  const lib = join(folder, "lib");
  mkdirSync(lib, { recursive: true });
  await embedAdmin();
  const names = Object.keys(manifest.exports) as EntryName[];
  const groups = Map.groupBy(names, (name) => (shared[name] ?? []).join());
  for (const [packages, group] of groups) await bundle(group, packages === "" ? [] : packages.split(","), lib);
  for (const name of Object.keys(onNode) as EntryName[]) await bundleForNode(name, lib);
  // the bundle starts its worker by the name of the source
  writeFileSync(join(lib, "worker.ts"), 'import "./worker.js";\n');
  cpSync(join(import.meta.dir, "without-bun.js"), join(lib, "without-bun.js"));
  writeTypes(folder);
}
