/**
 * What source files load with `require(...)` when they first need it. An executable is built with a file of its own for
 * each of these modules, so that a start reads none of them: bundled into one file they cost more than everything else.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import type { BunPlugin } from "bun";
import { clearCompressed, isSeparate, loaderOf } from "./compressed.ts";

const root = join(import.meta.dir, "..");
const source = join(root, "src");
const folder = join(root, "dist/lazy");

/** The module by its name, or by its path below src. Undefined for what the source does not load lazily. */
function lazyModule(kind: string, importer: string, path: string): string | undefined {
  if (kind !== "require-call" || !importer.startsWith(source) || path.startsWith("node:")) return undefined;
  // its bundle has all that it requires
  if (isSeparate(importer)) return undefined;
  return path.startsWith(".") ? resolve(importer, "..", path) : path;
}

const fileName = (module: string): string =>
  `lazy-${module.replace(source, "").replace(/\.ts$/, "").replaceAll(/\W+/g, "-").replace(/^-/, "")}`;

async function findModules(entry: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const finder: BunPlugin = {
    name: "find lazy modules",
    setup: (build) =>
      void build.onResolve({ filter: /.*/ }, ({ kind, importer, path }) => {
        const module = lazyModule(kind, importer, path);
        if (module) found.add(module);
        return undefined;
      }),
  };
  await Bun.build({ entrypoints: [entry], target: "bun", plugins: [finder] });
  return found;
}

/** A package must come out of `require` as it did without a wrapper; "module.exports" is the name for that. */
function wrapper(module: string): string {
  const from = JSON.stringify(module);
  if (isAbsolute(module)) return `export * from ${from};\n`;
  return `const all = require(${from});\nexport { all as "module.exports" };\n`;
}

/** Writes an entry for each lazy module of `entry`; returns them, and the plugin that leads `require` to them. */
export async function separateLazyModules(entry: string): Promise<{ entries: readonly string[]; plugin: BunPlugin }> {
  const modules = await findModules(entry);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  clearCompressed();
  const entries = await Promise.all(
    [...modules].map(async (module) => {
      const name = fileName(module);
      const file = join(folder, `${name}.js`);
      writeFileSync(file, isSeparate(module) ? await loaderOf(module, name) : wrapper(module));
      return file;
    }),
  );
  const plugin: BunPlugin = {
    name: "separate lazy modules",
    setup: (build) =>
      void build.onResolve({ filter: /.*/ }, ({ kind, importer, path }) => {
        const module = lazyModule(kind, importer, path);
        return module ? { path: `./${fileName(module)}.js`, external: true } : undefined;
      }),
  };
  return { entries, plugin };
}
