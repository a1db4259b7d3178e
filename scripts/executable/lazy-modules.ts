/**
 * What source files load with `require(...)` when they first need it. An executable is built with an entry of its own for
 * each of these modules, so that a start reads none of them: bundled into one file they cost more than everything else.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import type { BunPlugin } from "bun";

const root = join(import.meta.dir, "../..");
const source = join(root, "src");

/**
 * Packages that are published as ES modules as well, by the exports that are used. Only those and what they need are
 * bundled then, and nothing is there twice because others import the package.
 */
const usedExports: Readonly<Record<string, readonly string[]>> = {
  "date-fns/parseISO": ["parseISO"],
  graphql: ["parse"],
  "graphql-yoga": ["createYoga"],
};

/** The module by its name, or by its path below src. Undefined for what the source does not load lazily. */
function lazyModule(kind: string, importer: string, path: string): string | undefined {
  if (kind !== "require-call" || !importer.startsWith(source) || path.startsWith("node:")) return undefined;
  return path.startsWith(".") ? resolve(importer, "..", path) : path;
}

/** The name of a lazy module's entry, without `.js`. `module`: a package, or a path. */
export const entryName = (module: string): string =>
  `lazy-${module.replace(source, "").replace(/\.ts$/, "").replaceAll(/\W+/g, "-").replace(/^-/, "")}`;

export const isLazyEntry = (file: string): boolean => file.startsWith("lazy-");

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
  const names = usedExports[module];
  if (names) return `export { ${names.join(", ")} } from ${from};\n`;
  if (isAbsolute(module)) return `export * from ${from};\n`;
  return `const all = require(${from});\nexport { all as "module.exports" };\n`;
}

/** Writes an entry for each lazy module of `main` into `folder`; returns their paths, and the plugin that leads `require` to them. */
export async function separateLazyModules(
  main: string,
  folder: string,
): Promise<{ entries: readonly string[]; plugin: BunPlugin }> {
  const modules = await findModules(main);
  mkdirSync(folder, { recursive: true });
  const entries = [...modules].map((module) => {
    const file = join(folder, `${entryName(module)}.js`);
    writeFileSync(file, wrapper(module));
    return file;
  });
  const plugin: BunPlugin = {
    name: "separate lazy modules",
    setup: (build) =>
      void build.onResolve({ filter: /.*/ }, ({ kind, importer, path }) => {
        const module = lazyModule(kind, importer, path);
        return module ? { path: `./${entryName(module)}.js`, external: true } : undefined;
      }),
  };
  return { entries, plugin };
}
