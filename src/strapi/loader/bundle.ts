/**
 * Bundles a project's code into one module per generation, so that a file that failed can be loaded again after a change. A
 * source map lets errors name the original files. Each file is evaluated separately.
 */
import { rmdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, resolve } from "node:path";
import type { BunPlugin } from "bun";
import { makeSystemFolder } from "../../engine/storage/temporary-folder.ts";
import { findErrorCode } from "../../lib/error-code.ts";
import { ProjectError } from "../../lib/errors.ts";
import { refuseExit } from "../../lib/process-exit.ts";
import { sourceFiles } from "./code-files.ts";
import { createScopes, fileProperties, forgetLoadedFiles, unmarked, withFileScopes } from "./file-scope.ts";
import { timerFunctions } from "./handles.ts";
import {
  createLoaders,
  finder,
  type ImportOptions,
  isInPackage,
  loadInstalled,
  type MissingImport,
  packages,
} from "./imports.ts";
import { findMixedModules, mixedModules } from "./mixed-modules.ts";
import { Repairs } from "./repairs.ts";
import { sortFolders } from "./sort-folders.ts";

/** The runtime's error has a code; others, such as those of timeouts and invalid URLs, are the same as on Node but for their words. */
const isConnection = (error: unknown): boolean => error instanceof Error && /^E[A-Z]+$/.test(findErrorCode(error));

const nodeFetch: typeof fetch = Object.assign(
  async (...args: Parameters<typeof fetch>): Promise<Response> => {
    // the runtime's error does not name the code that has called
    const call = new Error();
    try {
      return await fetch(...args);
    } catch (error) {
      const failure = isConnection(error) ? new TypeError("fetch failed", { cause: error }) : error;
      const [, , ...frames] = call.stack?.split("\n") ?? [];
      if (failure instanceof Error && frames.length > 0) failure.stack = [failure.stack, ...frames].join("\n");
      throw failure;
    }
  },
  { preconnect: fetch.preconnect },
);

const functions = { fetch: nodeFetch, ...timerFunctions };

interface LoadedBundle {
  /** Evaluate a file, and resolve with its exports. */
  readonly files: Readonly<Record<string, () => Promise<Record<string, unknown>>>>;
  /** Evaluate a file, by absolute path. */
  readonly modules: Readonly<Record<string, () => unknown>>;
}

export interface Bundle {
  readonly load: (file: string) => Promise<Record<string, unknown>>;
  /** Whether the code contains a word. */
  readonly contains: (word: string) => boolean;
  readonly missing: readonly MissingImport[];
}

export interface BundleOptions extends ImportOptions {
  /** Relative to the project. */
  readonly files: readonly string[];
  /** The name of the global variable that is `strapi` in the code. It is needed while the bundle is evaluated. */
  readonly global: string;
  /** Bundle files that cannot be parsed as modules that throw; otherwise an error is thrown. */
  readonly skipsFailures: boolean;
  /** The file that is started, absolute: its `module` is `require.main`. */
  readonly main?: string;
  /** Whether `process.exit` ends the process; false by default. */
  readonly mayExit?: boolean;
}

/** Replaces `process.exit` in the code. */
const EXIT = "__galley_exit__";
/** Name of a global variable with functions that the code has instead of those of the runtime. */
const FUNCTIONS = "__galley_functions__";

/** The beginning of the function around a bundle. */
const WRAPPER = /\(function\(exports, require, module, __filename, __dirname\) \{/;

/** Name of a global function that creates the `require` of a file, with the number of the bundle. */
const SCOPE = "__galley_scope_";
let bundles = 0;

/** The virtual module that imports all files. */
const ENTRY = "__galley_entry__.js";

/** Rejects with a ProjectError with file and line for code that cannot be parsed, unless `skipsFailures`. */
export async function bundleCode(options: BundleOptions): Promise<Bundle> {
  const { root, files, global } = options;
  const missing = new Map<string, MissingImport>();
  const entry = join(root, ENTRY);
  const repairs = new Repairs(root, options.skipsFailures);
  /** `modules`: absolute paths of files that may be required by a computed name. */
  const build = (plugins: readonly BunPlugin[], repaired = repairs, modules: readonly string[] = []) =>
    Bun.build({
      entrypoints: [entry],
      target: "bun",
      // CommonJS, as what Strapi runs: files may be written for sloppy mode
      format: "cjs",
      sourcemap: "external",
      throw: false,
      define: { "process.exit": EXIT, ...fileProperties },
      plugins: [
        ...plugins,
        entryPoint(entry, entryText(root, files, modules)),
        packages(options, modules.length > 0 ? new Map() : missing),
        ...[repaired.plugin() ?? []].flat(),
      ],
    });
  let built = await build([]);
  for (; !built.success; built = await build([])) {
    const errors = repairs.add(built.logs);
    if (errors) throw createProblem(root, errors);
  }
  let [code = "", map] = await readTexts(built);
  const mixed = findMixedModules(code, map === undefined ? [] : parseSources(map));
  const plugins = mixed.length > 0 ? [mixedModules(mixed)] : [];
  if (mixed.length > 0) {
    const again = await build(plugins);
    if (again.success) [code = "", map] = await readTexts(again);
  }
  const factory = `${SCOPE}${++bundles}__`;
  const withScopes = () => withFileScopes(code, new Set(map === undefined ? [] : parseSources(map)), factory, WRAPPER);
  let scoped = withScopes();
  if (scoped.asking.some((file) => !isInPackage(file))) {
    const tolerant = repairs.tolerant();
    const modules = sourceFiles(root);
    let again = await build(plugins, tolerant, modules);
    while (!again.success && !tolerant.add(again.logs)) again = await build(plugins, tolerant, modules);
    if (again.success) [code = "", map] = await readTexts(again);
    scoped = withScopes();
  }
  forgetLoadedFiles();
  sortFolders();
  let loaded: LoadedBundle | undefined;
  const scopes = createScopes(
    { root, main: options.main, find: finder(options), loadInstalled },
    () => loaded?.modules ?? {},
  );
  Object.assign(globalThis, {
    ...createLoaders(options),
    [EXIT]: options.mayExit ? process.exit : refuseExit,
    [FUNCTIONS]: functions,
    [factory]: scopes,
  });
  const text = withVariables(scoped.code, {
    strapi: global,
    ...Object.fromEntries(Object.keys(functions).map((name) => [name, `${FUNCTIONS}.${name}`])),
  });
  loaded = (await importText(withMap(text, map))) as LoadedBundle;
  const { files: loads } = loaded;
  Reflect.deleteProperty(globalThis, factory);
  return {
    load: (file) => loads[file]!(),
    contains: (word) => code.includes(word),
    missing: [...missing.values()],
  };
}

/**
 * Declares variables around the code of a bundle, with the values of global ones. They keep their names, which messages of errors
 * contain, and are in a function of their own, since the code may declare the same names.
 */
function withVariables(code: string, globals: Readonly<Record<string, string>>): string {
  const declared = Object.entries(globals).map(([name, from]) => `${name} = globalThis.${from}`);
  const end = code.lastIndexOf("\n})");
  return `${code.slice(0, end)}\n})()})${code.slice(end + 3)}`.replace(
    WRAPPER,
    (start) => `${start}var ${declared.join(", ")}; (() => {`,
  );
}

const readTexts = ({ outputs }: Awaited<ReturnType<typeof Bun.build>>): Promise<string[]> =>
  Promise.all(outputs.slice(0, 2).map((output) => output.text()));

/** The absolute paths of a source map's files. */
const parseSources = (map: string): string[] =>
  (JSON.parse(map) as { sources: string[] }).sources.map((source) => resolve(unmarked(source)));

function entryText(root: string, files: readonly string[], modules: readonly string[]): string {
  const imports = files.map((file) => `${JSON.stringify(file)}: () => import(${JSON.stringify(join(root, file))})`);
  const requires = modules.map((file) => `${JSON.stringify(file)}: () => require(${JSON.stringify(file)})`);
  return `export const files = { ${imports.join(", ")} }; export const modules = { ${requires.join(", ")} };`;
}

/** As the `files` of `Bun.build`, which are not found on Windows where there are plugins. */
const entryPoint = (path: string, contents: string): BunPlugin => ({
  name: "entry point",
  setup(build) {
    const filter = new RegExp(`${RegExp.escape(ENTRY)}$`);
    build.onResolve({ filter }, () => ({ path }));
    build.onLoad({ filter }, () => ({ contents, loader: "js" }));
  },
});

interface Log {
  readonly message: string;
  readonly position?: { readonly file: string; readonly line: number; readonly column: number } | null;
}

function createProblem(root: string, logs: readonly unknown[]): ProjectError {
  const first = (logs as Log[])[0];
  const { position } = first ?? {};
  const file = position ? `${relative(root, resolve(root, position.file))}:${position.line}:${position.column}` : "src";
  return new ProjectError(file, undefined, first?.message ?? "cannot be loaded");
}

/** Appends a source map with absolute paths, since the bundle is in another folder. */
function withMap(code: string, map: string | undefined): string {
  if (map === undefined) return code;
  const parsed = JSON.parse(map) as object;
  const encoded = Buffer.from(JSON.stringify({ ...parsed, sources: parseSources(map) })).toString("base64");
  const plain = code.replace(/\n\/\/# (debugId|sourceMappingURL)=.*/g, "");
  return `${plain}\n//# sourceMappingURL=data:application/json;base64,${encoded}\n`;
}

async function importText(code: string): Promise<unknown> {
  const folder = makeSystemFolder("galley-code-");
  const file = join(folder, "code.js");
  try {
    writeFileSync(file, code, { mode: 0o600 });
    return await import(file);
  } finally {
    // a module that stays registered would keep its generation in memory
    delete createRequire(file).cache[file];
    // one by one, since a recursive removal fails on Wine
    rmSync(file, { force: true });
    rmdirSync(folder);
  }
}
