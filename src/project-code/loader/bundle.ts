/**
 * Bundles a project's code into one module per generation, so that a file that failed can be loaded again after a change. A
 * source map lets errors name the original files. Each file is evaluated separately.
 */
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { BunPlugin } from "bun";
import { isInstalled, packageOf, projectPaths } from "../../config/packages.ts";
import { ProjectError } from "../../errors.ts";
import { absentModule } from "./absent-module.ts";
import { isCompiled, isTypeScript, sourceFiles } from "./code-files.ts";
import { createScopes, fileProperties, forgetLoadedFiles, type ScopeOptions, withFileScopes } from "./file-scope.ts";
import { findMixedModules, mixedModules, unmarked } from "./mixed-modules.ts";
import { nodeFetch } from "./node-fetch.ts";
import { PARSE, REWORD, rewordCaughtErrors, withNodeMessage } from "./node-messages.ts";
import { isModuleFile, isNodeBuiltin, isReplaced, prepareToLoad, resolveAsNode } from "./node-resolution.ts";
import { parseJson } from "./parse-json.ts";
import { Repairs } from "./repairs.ts";

interface LoadedBundle {
  /** Evaluate a file, and resolve with its exports. */
  readonly files: Readonly<Record<string, () => Promise<Record<string, unknown>>>>;
  /** Evaluate a file, by absolute path. */
  readonly modules: Readonly<Record<string, () => unknown>>;
}

/** An import of a package or file that does not exist. */
export interface MissingImport {
  /** The file that imports it. */
  readonly file: string;
  /** "the package stripe is not installed". */
  readonly problem: string;
}

/** `specifier`: a package, a path in one, or a relative path. */
const absenceOf = (specifier: string): string =>
  specifier.startsWith(".") ? `there is no file ${specifier}` : `the package ${packageOf(specifier)} is not installed`;

export interface Bundle {
  readonly load: (file: string) => Promise<Record<string, unknown>>;
  /** Whether the code contains a word. */
  readonly contains: (word: string) => boolean;
  readonly missing: readonly MissingImport[];
}

export interface BundleOptions {
  readonly root: string;
  /** Relative to the project. */
  readonly files: readonly string[];
  /** The packages that Galley provides, by name. */
  readonly provided: Readonly<Record<string, unknown>>;
  /** Loads an import from a package that Galley provides if the project does not have it; undefined for others. */
  readonly companionOf: (path: string) => (() => unknown) | undefined;
  /** The name of the variable that replaces `strapi` in the code. While the bundle is evaluated, it is a global one. */
  readonly global: string;
  /** Bundle files that cannot be parsed as modules that throw; otherwise an error is thrown. */
  readonly skipsFailures: boolean;
  /** Whether `process.exit` ends the process; false by default. */
  readonly mayExit?: boolean;
}

/** Names of globals through which bundles load packages: provided, installed and missing ones. */
const PROVIDED = "__galley_packages__";
const COMPANIONS = "__galley_companions__";
const INSTALLED = "__galley_installed__";
const ABSENT = "__galley_absent__";
/** Replaces `process.exit` in the code. */
const EXIT = "__galley_exit__";
/** Replaces `fetch` in the code. */
const FETCH = "__galley_fetch__";

/** The beginning of the function around a bundle. */
const WRAPPER = /\(function\(exports, require, module, __filename, __dirname\) \{/;

/** Name of a global function that creates the `require` of a file, with the number of the bundle. */
const SCOPE = "__galley_scope_";
let bundles = 0;

/** The virtual module that imports all files. */
const ENTRY = "__galley_entry__.js";

/** Rejects with a ProjectError with file and line for code that cannot be parsed, unless `skipsFailures`. */
export async function bundleCode(options: BundleOptions): Promise<Bundle> {
  const { root, files, global, provided, companionOf } = options;
  const missing = new Map<string, MissingImport>();
  const entry = join(root, ENTRY);
  const repairs = new Repairs(root, options.skipsFailures);
  /** `modules`: absolute paths of files that may be required by a computed name. */
  const build = (plugins: readonly BunPlugin[], repaired = repairs, modules: readonly string[] = []) =>
    Bun.build({
      entrypoints: [entry],
      target: "bun",
      // CommonJS, as what the reference runs: files may be written for sloppy mode
      format: "cjs",
      sourcemap: "external",
      throw: false,
      define: { strapi: global, "process.exit": EXIT, fetch: FETCH, "JSON.parse": PARSE, ...fileProperties },
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
    if (errors) throw problemOf(root, errors);
  }
  let [code = "", map] = await textsOf(built);
  const mixed = findMixedModules(code, map === undefined ? [] : sourcesOf(map));
  const plugins = mixed.length > 0 ? [mixedModules(mixed)] : [];
  if (mixed.length > 0) {
    const again = await build(plugins);
    if (again.success) [code = "", map] = await textsOf(again);
  }
  const factory = `${SCOPE}${++bundles}__`;
  const withScopes = () => withFileScopes(code, new Set(map === undefined ? [] : sourcesOf(map)), factory, WRAPPER);
  let scoped = withScopes();
  if (scoped.asking.some((file) => !isInPackage(file))) {
    const tolerant = repairs.tolerant();
    const modules = sourceFiles(root);
    let again = await build(plugins, tolerant, modules);
    while (!again.success && !tolerant.add(again.logs)) again = await build(plugins, tolerant, modules);
    if (again.success) [code = "", map] = await textsOf(again);
    scoped = withScopes();
  }
  forgetLoadedFiles();
  let loaded: LoadedBundle | undefined;
  const scopes = createScopes({ root, find: finder(options), loadInstalled }, () => loaded?.modules ?? {});
  Object.assign(globalThis, {
    [PROVIDED]: provided,
    [COMPANIONS]: companionOf,
    [INSTALLED]: loadInstalled,
    [ABSENT]: absentModule,
    [EXIT]: options.mayExit ? process.exit : refuseExit,
    [FETCH]: nodeFetch,
    [PARSE]: parseJson,
    [REWORD]: withNodeMessage,
    [factory]: scopes,
  });
  const text = scoped.code.replace(WRAPPER, `$&var ${global} = globalThis.${global};`);
  loaded = (await importText(withMap(rewordCaughtErrors(text), map))) as LoadedBundle;
  const { files: loads } = loaded;
  Reflect.deleteProperty(globalThis, factory);
  return {
    load: (file) => loads[file]!(),
    contains: (word) => code.includes(word),
    missing: [...missing.values()],
  };
}

const textsOf = ({ outputs }: Awaited<ReturnType<typeof Bun.build>>): Promise<string[]> =>
  Promise.all(outputs.slice(0, 2).map((output) => output.text()));

/** The absolute paths of a source map's files. */
const sourcesOf = (map: string): string[] =>
  (JSON.parse(map) as { sources: string[] }).sources.map((source) => resolve(unmarked(source)));

/** Code must not end the process, which also serves other requests. */
function refuseExit(code: unknown = 0): never {
  throw new Error(`process.exit(${String(code)}) was called; the server keeps running`);
}

function entryText(root: string, files: readonly string[], modules: readonly string[]): string {
  const imports = files.map((file) => `${JSON.stringify(file)}: () => import(${JSON.stringify(join(root, file))})`);
  const requires = modules.map((file) => `${JSON.stringify(file)}: () => require(${JSON.stringify(file)})`);
  return `export const files = { ${imports.join(", ")} }; export const modules = { ${requires.join(", ")} };`;
}

const isInPackage = (file: string): boolean => file.split(sep).includes("node_modules");

/** As the `files` of `Bun.build`, which are not found on Windows where there are plugins. */
const entryPoint = (path: string, contents: string): BunPlugin => ({
  name: "entry point",
  setup(build) {
    const filter = new RegExp(`${RegExp.escape(ENTRY)}$`);
    build.onResolve({ filter }, () => ({ path }));
    build.onLoad({ filter }, () => ({ contents, loader: "js" }));
  },
});

/** Resolves packages. They are not bundled, but loaded at run time. */
function packages({ root, provided, companionOf }: BundleOptions, missing: Map<string, MissingImport>): BunPlugin {
  const isProjectPath = projectPaths(root);
  // several paths in a package are reported once per file; packages check for what is optional by themselves
  const remember = (specifier: string, importer: string): void => {
    if (isInPackage(importer)) return;
    const [file, problem] = [relative(root, importer), absenceOf(specifier)];
    missing.set(`${file} ${problem}`, { file, problem });
  };
  return {
    name: "packages",
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
        // absolute paths on Windows start with a letter
        if (kind === "entry-point-build" || isAbsolute(path) || isNodeBuiltin(path)) return undefined;
        // found when it is called, or an error that code catches
        if (kind === "require-resolve") return { path, external: true };
        if (path in provided) return { path, namespace: "provided" };
        const folder = dirname(importer);
        const found = isInstalled(packageOf(path), folder) ? locate(path, importer, kind) : undefined;
        // a module that awaits can only be imported
        if (found !== undefined && kind === "dynamic-import" && isModuleFile(found)) {
          prepareToLoad(found);
          return { path: found, external: true };
        }
        if (found !== undefined) return { path: found, namespace: "installed" };
        if (companionOf(path)) return { path, namespace: "companion" };
        // the bundler resolves the paths of tsconfig.json
        if (isProjectPath(path)) return undefined;
        remember(path, importer);
        return { path, namespace: "missing" };
      });
      build.onLoad({ filter: /.*/, namespace: "provided" }, ({ path }) => ({
        contents: `module.exports = globalThis.${PROVIDED}[${JSON.stringify(path)}];`,
        loader: "js",
      }));
      build.onLoad({ filter: /.*/, namespace: "companion" }, ({ path }) => ({
        contents: `module.exports = globalThis.${COMPANIONS}(${JSON.stringify(path)})();`,
        loader: "js",
      }));
      // loaded when the importing file is evaluated, so that only this file fails with them
      build.onLoad({ filter: /.*/, namespace: "installed" }, ({ path }) => ({
        contents: `module.exports = globalThis.${INSTALLED}(${JSON.stringify(path)});`,
        loader: "js",
      }));
      build.onResolve({ filter: /^\.\.?(\/|$)/ }, ({ path, importer, kind }) => {
        if (kind === "entry-point-build" || isFile(path, importer)) return undefined;
        const source = sourceOfCompiled(root, path, importer);
        if (source !== undefined) return { path: source };
        remember(path, importer);
        return { path, namespace: "missing" };
      });
      build.onLoad({ filter: /.*/, namespace: "missing" }, ({ path }) => {
        // CommonJS, so that any name can be imported from it
        return { contents: `module.exports = globalThis.${ABSENT}(${JSON.stringify(absenceOf(path))});`, loader: "js" };
      });
    },
  };
}

/** Resolves a package; undefined if it has no such file. TypeScript only requires, since Strapi compiles it to CommonJS. */
function locate(name: string, importer: string, syntax: string): string | undefined {
  const kind = syntax.startsWith("require") || isTypeScript(importer) ? "require" : "import";
  const path = resolveAsNode(name, importer, kind);
  if (path !== undefined) return path;
  if (kind === "import") return resolveFrom(importer, name) ?? resolveRequired(importer, name);
  return resolveRequired(importer, name) ?? resolveFrom(importer, name);
}

function resolveRequired(importer: string, name: string): string | undefined {
  try {
    return createRequire(importer).resolve(name);
  } catch {
    return undefined;
  }
}

/** Loads a file of a package. ES modules are marked with `__esModule`, so that bundles use their default exports. */
function loadInstalled(file: string): unknown {
  prepareToLoad(file);
  const exported = createRequire(file)(file) as object;
  const isModule = Object.prototype.toString.call(exported) === "[object Module]";
  return isModule && !("__esModule" in exported) ? { ...exported, __esModule: true } : exported;
}

/** Resolves what code imports by a computed name. */
function finder({ root, provided, companionOf }: BundleOptions): ScopeOptions["find"] {
  return (path, importer, kind) => {
    if (isNodeBuiltin(path)) return { file: path };
    if (/^\.\.?(?:[\\/]|$)/.test(path) || isAbsolute(path)) {
      const file = resolveRequired(importer, path) ?? sourceOfCompiled(root, path, importer);
      return file === undefined ? undefined : { file };
    }
    if (path in provided) return { provided: () => provided[path] };
    const file = isInstalled(packageOf(path), dirname(importer)) ? locate(path, importer, kind) : undefined;
    if (file !== undefined) return { file };
    const companion = companionOf(path);
    if (companion) return { provided: companion };
    return isReplaced(path) ? { file: path } : undefined;
  };
}

function resolveFrom(importer: string, path: string): string | undefined {
  try {
    return Bun.resolveSync(path, dirname(importer));
  } catch {
    return undefined;
  }
}

/** Where `strapi build` writes the JavaScript of a project in TypeScript. */
const COMPILED = "dist";

/**
 * The file behind a relative import that is meant for compiled code: of a file below `dist`, whose source is used instead, or
 * by its path from the compiled importer, which is one folder deeper than its source.
 */
function sourceOfCompiled(root: string, path: string, importer: string): string | undefined {
  const source = path.replace(/(^|\/)dist\//, "$1");
  if (source !== path) return resolveFrom(importer, source);
  const target = relative(root, join(root, COMPILED, relative(root, dirname(importer)), path));
  if (target.startsWith("..") || !isCompiled(root)) return undefined;
  const inSource = target.startsWith(`${COMPILED}${sep}`) ? target.slice(COMPILED.length + 1) : target;
  return resolveFrom(importer, join(root, inSource));
}

const isFile = (path: string, importer: string): boolean => resolveFrom(importer, path) !== undefined;

interface Log {
  readonly message: string;
  readonly position?: { readonly file: string; readonly line: number; readonly column: number } | null;
}

function problemOf(root: string, logs: readonly unknown[]): ProjectError {
  const first = (logs as Log[])[0];
  const { position } = first ?? {};
  const file = position ? `${relative(root, resolve(root, position.file))}:${position.line}:${position.column}` : "src";
  return new ProjectError(file, undefined, first?.message ?? "cannot be loaded");
}

/** Appends a source map with absolute paths, since the bundle is in another folder. */
function withMap(code: string, map: string | undefined): string {
  if (map === undefined) return code;
  const parsed = JSON.parse(map) as object;
  const encoded = Buffer.from(JSON.stringify({ ...parsed, sources: sourcesOf(map) })).toString("base64");
  const plain = code.replace(/\n\/\/# (debugId|sourceMappingURL)=.*/g, "");
  return `${plain}\n//# sourceMappingURL=data:application/json;base64,${encoded}\n`;
}

async function importText(code: string): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), "galley-code-"));
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
