/**
 * Loads configuration files that are code. Imports from missing packages, such as providers of mails and uploads, which Galley
 * does not use, are replaced by a proxy that can be called, constructed and read without effect. Each is reported.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import type { ProjectReport } from "../../lib/errors.ts";
import { keepOwnModules } from "../../lib/require-hook.ts";
import { absentPackage, isBuiltin, isInstalled, toPackageName } from "./packages.ts";
import { findCompanion, provideIfKnown } from "./provided-packages.ts";
import { hasReplacedImports, replaceImport, withReplacedImports } from "./replaced-imports.ts";
import { projectPaths } from "./tsconfig.ts";

/** The maximum number of imported files that are scanned. */
const MAX_FILES = 200;

/** Why a package is missing, by its proxy. */
const absences = new WeakMap<object, string>();

/** The file and the package that it misses, if a value of the configuration is from such a package; undefined for other values. */
export const absenceOf = (value: unknown): string | undefined =>
  typeof value === "function" ? absences.get(value) : undefined;

/** A proxy that returns itself for all operations, except for checks of what kind of value it is. */
function createInertProxy(absence: string): unknown {
  // unlike an arrow function, it may be constructed
  function target(): void {}
  const proxy: object = new Proxy(target, {
    get: (_, key) => {
      if (key === Symbol.toPrimitive) return () => "";
      // neither a promise nor an iterable
      return key === "then" || typeof key === "symbol" ? undefined : proxy;
    },
    apply: () => proxy,
    construct: () => proxy,
  });
  absences.set(proxy, absence);
  return proxy;
}

const escapeRegExp = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}/-]/g, "\\$&");

/** The names that a file imports from a package; a module must declare its exports in advance. */
function importedNames(text: string, specifier: string): string[] {
  const from = escapeRegExp(specifier);
  const clauses = [
    ...text.matchAll(new RegExp(`import\\s+[^;'"]*?\\{([^}]*)\\}\\s*from\\s*["']${from}["']`, "g")),
    ...text.matchAll(new RegExp(`\\{([^{}]*)\\}\\s*=\\s*(?:await\\s+)?(?:require|import)\\(\\s*["']${from}["']`, "g")),
    ...text.matchAll(new RegExp(`(?:require|import)\\(\\s*["']${from}["']\\s*\\)\\s*\\)?\\s*\\.\\s*(\\w+)`, "g")),
  ];
  return clauses.flatMap(([, names = ""]) =>
    names
      .split(",")
      .map((name) =>
        name
          .trim()
          .replace(/^type\s+/, "")
          .split(/\s+as\s+|\s*:\s*/)[0]!
          .trim(),
      )
      .filter((name) => /^[A-Za-z_$][\w$]*$/.test(name)),
  );
}

/** The names that were imported from each package so far. */
const importedSoFar = new Map<string, Set<string>>();

/** Gives a file a proxy for a package. */
function replacePackage(file: string, specifier: string, text: string, absence: string): void {
  const names = importedSoFar.getOrInsertComputed(specifier, () => new Set());
  for (const name of importedNames(text, specifier)) names.add(name);
  const value = createInertProxy(absence);
  const exports = Object.fromEntries(["default", ...names].map((name) => [name, value]));
  replaceImport(file, specifier, () => exports);
}

/** Gives a file a package that every installation of Strapi has. */
function provideCompanion(file: string, specifier: string, load: () => unknown): void {
  replaceImport(file, specifier, () => {
    const value = load() as object;
    // `require` returns what is the default export of a module with `__esModule`
    return "__esModule" in value ? { ...value } : { ...value, default: value, __esModule: true };
  });
}

const readText = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

const isRelative = (specifier: string): boolean => /^(\.{0,2}\/|\.{1,2}$)/.test(specifier);

/** Undefined for what is not there. */
export function resolveFrom(specifier: string, file: string): string | undefined {
  try {
    return Bun.resolveSync(specifier, dirname(file));
  } catch {
    // a missing package is replaced; a missing file is reported by the loader
    return undefined;
  }
}

const CODE = /\.[cm]?[jt]sx?$/;

/** The runtime imports of a file, without types. Empty for a file that cannot be parsed; its loader reports that. */
function listImports(text: string): string[] {
  try {
    return new Bun.Transpiler({ loader: "tsx" })
      .scanImports(text)
      .flatMap(({ kind, path }) => (kind === "import-statement" || kind === "require-call" ? [path] : []));
  } catch {
    return [];
  }
}

const COMMONJS_EXPORT = /^module\.exports\s*=/m;

/** Whether a file has ES imports or exports and CommonJS exports, which TypeScript accepts. */
const isMixed = (text: string): boolean => /^(?:import|export)\s/m.test(text) && COMMONJS_EXPORT.test(text);

/** Converts CommonJS exports to ES syntax. As in a file that is compiled to CommonJS, they replace a default export. */
const toModule = (text: string): string =>
  COMMONJS_EXPORT.test(text)
    ? text.replace(/^export\s+default\b/m, "var replaced__ =").replace(COMMONJS_EXPORT, "export default ")
    : text;

const isModule = (text: string): boolean => /^\s*(?:import\b(?!\s*\()|export\b)/m.test(text);

const rewritten = new Set<string>();

/** Exports of mixed files are converted to ES syntax, since the runtime refuses them, and replaced imports get their own names. */
function rewriteModule(file: string): void {
  if (rewritten.has(file)) return;
  rewritten.add(file);
  Bun.plugin({
    name: `source of ${file}`,
    setup: (build) => {
      build.onLoad({ filter: new RegExp(`^${RegExp.escape(file)}$`) }, () => ({
        contents: toModule(withReplacedImports(file, readText(file))),
        loader: /\.[cm]?ts$/.test(file) ? "ts" : "js",
      }));
    },
  });
}

/**
 * Replaces missing packages that a file, or the project's files that it imports, need. In advance, since the runtime caches a
 * failed load.
 */
function replaceMissing(root: string, path: string, report: ProjectReport): void {
  const isPathAlias = projectPaths(root);
  const files = [path];
  const visited = new Set(files);
  for (let file = files.pop(); file !== undefined && visited.size < MAX_FILES; file = files.pop()) {
    const text = readText(file);
    if (!/\b(import|require|export)\b/.test(text)) continue;
    for (const specifier of listImports(text)) {
      if (provideIfKnown(specifier)) continue;
      const isResolvable =
        isRelative(specifier) ||
        isBuiltin(specifier) ||
        isInstalled(toPackageName(specifier), dirname(file)) ||
        isPathAlias(specifier);
      const resolved = isResolvable ? resolveFrom(specifier, file) : undefined;
      if (resolved === undefined && !isRelative(specifier)) {
        const companion = findCompanion(specifier);
        if (companion) {
          provideCompanion(file, specifier, companion);
          continue;
        }
        const [importer, absence] = [relative(root, file), absentPackage(specifier, root)];
        replacePackage(file, specifier, text, `${importer}: ${absence}`);
        report.warn(importer, undefined, `${absence}; what the file does with it has no effect`);
      } else if (resolved && isRelative(specifier) && CODE.test(resolved) && !visited.has(resolved)) {
        visited.add(resolved);
        files.push(resolved);
      }
    }
    if (isMixed(text) || (isModule(text) && hasReplacedImports(file))) rewriteModule(file);
  }
}

/** Throws the errors of the file. */
export function loadModule(root: string, path: string, report: ProjectReport): unknown {
  const { createRequire } = require("node:module") as typeof import("node:module");
  keepOwnModules();
  const load = createRequire(path);
  // read again, with the project's files that it imports, since files may change while the server is running
  const folder = `${dirname(path)}/`;
  for (const file of Object.keys(load.cache)) {
    if (file === path || (file.startsWith(folder) && !file.includes("/node_modules/"))) delete load.cache[file];
  }
  replaceMissing(root, path, report);
  return load(path);
}
