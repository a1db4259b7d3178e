/**
 * TypeScript files that export both ways: with `export`, possibly only of types, and with `module.exports`. Compiled to CommonJS,
 * as Strapi runs them, both work. The bundler takes them for ES modules, which have no `module`, so that they get one here.
 */
import { existsSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import type { BunPlugin } from "bun";
import { MARK, PROPERTIES, unmarked } from "./file-scope.ts";

/** What the bundler makes of `module.exports` in an ES module: a variable that is not defined. */
const UNDEFINED_MODULE = /\bmodule_\w+\.exports\b/;
const EXPORT = /^[ \t]*export\b/m;
const MODULE_EXPORTS = /\bmodule\.exports\b/;

/** Name of a global function that creates `module`, and of the export that has it. */
const MODULE = "__galley_module__";
/** Name of a global function that joins both kinds of exports. */
const JOIN = "__galley_join_exports__";

interface MixedModule {
  readonly exports: unknown;
  readonly initial: object;
}

function createModule(own: object): MixedModule {
  const initial = {};
  return { ...own, exports: initial, initial };
}

/** What is assigned to `module.exports` replaces all other exports, as in CommonJS. */
function joinExports({ [MODULE]: module, ...exported }: Record<string, unknown>): unknown {
  const { exports, initial } = module as MixedModule;
  if (exports !== initial) return exports;
  return Object.defineProperty(Object.assign(initial, exported), "__esModule", { value: true });
}

/** The files among `sources` that export both ways, if the bundle's `code` has any. */
export function findMixedModules(code: string, sources: readonly string[]): readonly string[] {
  if (!UNDEFINED_MODULE.test(code)) return [];
  return sources.filter((file) => {
    // virtual modules have no file
    if (!/\.[cm]?[jt]sx?$/.test(file) || !existsSync(file)) return false;
    const text = readFileSync(file, "utf8");
    return EXPORT.test(text) && MODULE_EXPORTS.test(text);
  });
}

/** `/api/a.ts` as `/api/a.galley-mixed.ts`, in the same folder, so that relative imports are resolved as before. */
const marked = (file: string): string => file.slice(0, -extname(file).length) + MARK + extname(file);

const literally = (paths: readonly string[]): RegExp => new RegExp(`^(?:${paths.map(RegExp.escape).join("|")})$`);

/** `files`: absolute paths. */
export function mixedModules(files: readonly string[]): BunPlugin {
  Object.assign(globalThis, { [MODULE]: createModule, [JOIN]: joinExports });
  return {
    name: "mixed modules",
    setup(build) {
      const filter = literally(files.map(marked));
      build.onResolve({ filter }, ({ path }) => ({ path }));
      build.onLoad({ filter }, ({ path }) => ({
        // in one line with the source's first, so that lines keep their numbers
        contents: `var module = globalThis.${MODULE}(${PROPERTIES}.module), exports = module.exports; ${readFileSync(unmarked(path), "utf8")}\nexport { module as ${MODULE} };\n`,
        loader: /\.[cm]?ts$/.test(path) ? "ts" : path.endsWith(".tsx") ? "tsx" : "js",
      }));
      build.onLoad({ filter: literally(files) }, ({ path }) => ({
        contents: `module.exports = globalThis.${JOIN}(require(${JSON.stringify(marked(path))}));`,
        loader: "js",
      }));
    },
  };
}
