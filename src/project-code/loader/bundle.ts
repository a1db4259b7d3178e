/**
 * Builds a project's code into one module per generation, so that a file that failed once can be loaded again when it is
 * mended, and that errors name the files as they are written. Files are evaluated one by one.
 */
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { BunPlugin } from "bun";
import { isBuiltin, isInstalled, packageOf, projectPaths } from "../../config/packages.ts";
import { ProjectError } from "../../errors.ts";
import { absentModule } from "./absent-module.ts";
import { inNodeWords, NODE_WORDS, withNodeMessages } from "./node-messages.ts";
import { Repairs } from "./repairs.ts";

/** Loads one file of the bundle: its exports. */
type Load = () => Promise<Record<string, unknown>>;

export interface Bundle {
  readonly load: (file: string) => Promise<Record<string, unknown>>;
  /** Whether the code contains a word. */
  readonly contains: (word: string) => boolean;
  /** Packages that are imported and not installed, with the file that imports each. */
  readonly missing: readonly { readonly file: string; readonly name: string }[];
}

export interface BundleOptions {
  readonly root: string;
  /** Relative to the project. */
  readonly files: readonly string[];
  /** The packages that Galley provides, by name. */
  readonly provided: Readonly<Record<string, unknown>>;
  /** Those that it has where the project does not. */
  readonly companions: Readonly<Record<string, () => unknown>>;
  /** The name of the global variable that replaces `strapi` in the code. */
  readonly global: string;
  /** Whether files that cannot be parsed are left out: they throw when they are loaded. */
  readonly leavesOut: boolean;
}

/** Globals through which bundles get provided packages, installed ones, and placeholders for missing ones. */
const PROVIDED = "__galley_packages__";
const COMPANIONS = "__galley_companions__";
const INSTALLED = "__galley_installed__";
const ABSENT = "__galley_absent__";
/** What `process.exit` is to the code. */
const EXIT = "__galley_exit__";

/** The module that loads all files; it is on no disk. */
const ENTRY = "__galley_entry__.js";

/** Throws a ProjectError with file and line for code that cannot be parsed, unless it is left out. */
export async function bundleCode(options: BundleOptions): Promise<Bundle> {
  const { root, files, global, provided, companions } = options;
  const missing = new Map<string, { file: string; name: string }>();
  const entry = join(root, ENTRY);
  const imports = files.map((file) => `${JSON.stringify(file)}: () => import(${JSON.stringify(join(root, file))})`);
  const plugins = [entryPoint(entry, `export const files = { ${imports.join(", ")} };`), packages(options, missing)];
  const repairs = new Repairs(root, options.leavesOut);
  const build = () =>
    Bun.build({
      entrypoints: [entry],
      target: "bun",
      // CommonJS, as what the reference runs: files may be written for sloppy mode
      format: "cjs",
      sourcemap: "external",
      throw: false,
      define: { strapi: global, "process.exit": EXIT },
      plugins: [...plugins, ...[repairs.plugin() ?? []].flat()],
    });
  let built = await build();
  for (; !built.success; built = await build()) {
    const errors = repairs.add(built.logs);
    if (errors) throw problemOf(root, errors);
  }
  const [code = "", map] = await Promise.all(built.outputs.slice(0, 2).map((output) => output.text()));
  Object.assign(globalThis, {
    [PROVIDED]: provided,
    [COMPANIONS]: companions,
    [INSTALLED]: loadInstalled,
    [ABSENT]: absentModule,
    [EXIT]: refuseExit,
    [NODE_WORDS]: inNodeWords,
  });
  const loaded = (await importText(withMap(withNodeMessages(code), map))) as {
    files: Record<string, Load>;
  };
  return {
    load: (file) => loaded.files[file]!(),
    contains: (word) => code.includes(word),
    missing: [...missing.values()],
  };
}

/** The process serves more than the code. */
function refuseExit(code: unknown = 0): never {
  throw new Error(`process.exit(${String(code)}) was called; the server goes on`);
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

/** Packages are not bundled, but for those that Galley provides and those that are not there. */
function packages(
  { root, provided, companions }: BundleOptions,
  missing: Map<string, { file: string; name: string }>,
): BunPlugin {
  const isProjectPath = projectPaths(root);
  return {
    name: "packages",
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
        // paths of Windows begin with a letter
        if (kind === "entry-point-build" || isAbsolute(path) || isBuiltin(path)) return undefined;
        if (path in provided) return { path, namespace: "provided" };
        const folder = dirname(importer);
        const found = isInstalled(packageOf(path), folder) ? locate(path, importer) : undefined;
        if (found !== undefined) return { path: found, namespace: "installed" };
        if (Object.hasOwn(companions, path)) return { path, namespace: "companion" };
        // the bundler knows the paths of the tsconfig
        if (isProjectPath(path)) return undefined;
        const file = relative(root, importer);
        missing.set(`${file} ${path}`, { file, name: packageOf(path) });
        return { path, namespace: "missing" };
      });
      build.onLoad({ filter: /.*/, namespace: "provided" }, ({ path }) => ({
        contents: `module.exports = globalThis.${PROVIDED}[${JSON.stringify(path)}];`,
        loader: "js",
      }));
      build.onLoad({ filter: /.*/, namespace: "companion" }, ({ path }) => ({
        contents: `module.exports = globalThis.${COMPANIONS}[${JSON.stringify(path)}]();`,
        loader: "js",
      }));
      // loaded with the file that needs them, which alone fails with them
      build.onLoad({ filter: /.*/, namespace: "installed" }, ({ path }) => ({
        contents: `module.exports = globalThis.${INSTALLED}(${JSON.stringify(path)});`,
        loader: "js",
      }));
      build.onResolve({ filter: /^\.\.?(\/|$)/ }, ({ path, importer, kind }) => {
        if (kind === "entry-point-build" || isFile(path, importer)) return undefined;
        // the source is used instead of compiled files
        const source = path.replace(/(^|\/)dist\//, "$1");
        if (source !== path && isFile(source, importer)) return { path: Bun.resolveSync(source, dirname(importer)) };
        const file = relative(root, importer);
        missing.set(`${file} ${path}`, { file, name: path });
        return { path, namespace: "missing" };
      });
      build.onLoad({ filter: /.*/, namespace: "missing" }, ({ path }) => {
        const what = path.startsWith(".") ? `the file ${path}` : `the package ${packageOf(path)}`;
        // CommonJS, so that any name can be imported of it
        return { contents: `module.exports = globalThis.${ABSENT}(${JSON.stringify(what)});`, loader: "js" };
      });
    },
  };
}

/** The file of a package; undefined where it has none of that name. The reference has compiled code to CommonJS, so packages that have both are taken as that. */
function locate(name: string, importer: string): string | undefined {
  try {
    return createRequire(importer).resolve(name);
  } catch {
    return resolveFrom(importer, name);
  }
}

/** What a file of a package exports; an ES module in the form that bundles take for one. */
function loadInstalled(file: string): unknown {
  const exported = createRequire(file)(file) as object;
  const isModule = Object.prototype.toString.call(exported) === "[object Module]";
  return isModule && !("__esModule" in exported) ? { ...exported, __esModule: true } : exported;
}

function resolveFrom(importer: string, path: string): string | undefined {
  try {
    return Bun.resolveSync(path, dirname(importer));
  } catch {
    return undefined;
  }
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

/** The paths of the map are absolute, since the bundle lies elsewhere. */
function withMap(code: string, map: string | undefined): string {
  if (map === undefined) return code;
  const parsed = JSON.parse(map) as { sources: string[] };
  const sources = parsed.sources.map((source) => resolve(source));
  const encoded = Buffer.from(JSON.stringify({ ...parsed, sources })).toString("base64");
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
    // one by one: Wine removes no folder with what is in it
    rmSync(file, { force: true });
    rmdirSync(folder);
  }
}
