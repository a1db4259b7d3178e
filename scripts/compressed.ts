/**
 * What few people need takes less room in an executable: files of pages and texts are compressed, and so are packages that
 * share nothing with other modules. Those have no bytecode, which is four times as large as their source.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { BunPlugin } from "bun";

const root = join(import.meta.dir, "..");
const folder = join(root, "dist/compressed");

/** Lazily loaded modules by which nothing is shared with the rest, as `lazy-modules.ts` names them. */
const separate: ReadonlySet<string> = new Set([
  "@eslint-community/regexpp",
  "cli-progress",
  "lodash",
  "lodash/fp",
  "mime-types",
  "nodemailer",
  "re2js",
  "tar-stream",
  "yup",
  "zod/v4",
  join(root, "src/project-code/knex/library.ts"),
]);

export const isSeparate = (module: string): boolean => separate.has(module);

/** Starts with an empty folder. */
export function clearCompressed(): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}

/**
 * Bundles a module, and returns the text of one that loads it. The bundle is a function of a CommonJS module's parameters.
 * Throws with the bundler's messages.
 */
export async function loaderOf(module: string, name: string): Promise<string> {
  const { success, logs, outputs } = await Bun.build({
    entrypoints: [Bun.resolveSync(module, root)],
    target: "bun",
    format: "cjs",
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
    throw: false,
  });
  if (!success) throw new Error(`${module} was not bundled:\n${logs.join("\n")}`);
  const file = join(folder, `${name}.zst`);
  writeFileSync(file, Bun.zstdCompressSync(await outputs[0]!.text(), { level: 19 }));
  return `
import { readFileSync } from "node:fs";
import path from ${JSON.stringify(file)} with { type: "file" };
const module = { exports: {} };
const make = (0, eval)(Bun.zstdDecompressSync(readFileSync(path)).toString());
make(module.exports, import.meta.require, module, path, "");
const all = module.exports;
export { all as "module.exports" };
`;
}

/** Files that are imported for their paths, apart from those that are compressed already. */
const COMPRESSIBLE = /node_modules\/.*\.(?:js|css)$|\/licenses\.txt$/;

/** Puts the compressed file in the place of a file whose path is imported; its name ends in `.gz`. */
export const compressFiles: BunPlugin = {
  name: "compress files",
  setup: (build) =>
    void build.onResolve({ filter: COMPRESSIBLE }, async ({ path, importer, kind }) => {
      if (kind !== "import-statement" && kind !== "dynamic-import") return undefined;
      if (!importer.startsWith(join(root, "src")) || !path.startsWith(".")) return undefined;
      const source = join(importer, "..", path);
      const file = join(folder, `${basename(source)}.gz`);
      writeFileSync(file, Bun.gzipSync(await Bun.file(source).bytes(), { level: 9 }));
      return { path: file };
    }),
};
