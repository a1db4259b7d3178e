/** Resolves the imports of a project's code. */
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { absentPackage, isInstalled, projectPaths, toPackageName } from "../../engine/config/packages.ts";
import { isCode, isCompiled, isTypeScript } from "./code-files.ts";
import { type ImportKind, isNodeBuiltin, isReplaced, prepareToLoad, resolveAsNode } from "./node-resolution.ts";

export interface ImportOptions {
  readonly root: string;
  /** The packages that Galley provides, by name. */
  readonly provided: Readonly<Record<string, unknown>>;
  /** Loads an import from a package that Galley provides if the project does not have it; undefined for others. */
  readonly findCompanion: (path: string) => (() => unknown) | undefined;
}

/** Where an import leads: a file or a module of Node.js, or what a function returns. `isSource`: the file is to be compiled. */
export type Target = { readonly file: string; readonly isSource?: boolean } | { readonly load: () => unknown };

/** Undefined for what does not exist. */
export type Find = (specifier: string, importer: string, kind: ImportKind) => Target | undefined;

/** An import of a package or file that does not exist. */
export interface MissingImport {
  /** The file that imports it. */
  readonly file: string;
  /** "the package stripe is not installed (bun add stripe)". */
  readonly problem: string;
}

/** `specifier`: a package, a path in one, or a relative path. */
export function describeAbsence(specifier: string, root: string): string {
  return specifier.startsWith(".") ? `there is no file ${specifier}` : absentPackage(specifier, root);
}

export const isInPackage = (file: string): boolean => file.split(sep).includes("node_modules");

/** TypeScript only requires, since Strapi compiles it to CommonJS. `syntax`: as the compiler names it. */
export const importKind = (syntax: string, importer: string): ImportKind =>
  syntax.startsWith("require") || isTypeScript(importer) ? "require" : "import";

export function finder({ root, provided, findCompanion }: ImportOptions): Find {
  const isProjectPath = projectPaths(root);
  const toSource = (file: string | undefined): Target | undefined =>
    file === undefined ? undefined : { file, isSource: isCode(file) };
  return (path, importer, kind) => {
    if (isNodeBuiltin(path)) return { file: path };
    if (/^\.\.?(?:[\\/]|$)/.test(path) || isAbsolute(path))
      return toSource(resolveFrom(importer, path) ?? sourceOfCompiled(root, path, importer));
    if (path in provided) return { load: () => provided[path] };
    const file = isInstalled(toPackageName(path), dirname(importer)) ? locate(path, importer, kind) : undefined;
    if (file !== undefined) return { file };
    const companion = findCompanion(path);
    if (companion) return { load: companion };
    if (isProjectPath(path)) return toSource(resolveFrom(importer, path));
    return isReplaced(path) ? { file: path } : undefined;
  };
}

/** Resolves a package; undefined if it has no such file. */
function locate(name: string, importer: string, kind: ImportKind): string | undefined {
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

function resolveFrom(importer: string, path: string): string | undefined {
  try {
    return Bun.resolveSync(path, dirname(importer));
  } catch {
    return undefined;
  }
}

/** Loads a file of a package. ES modules are marked with `__esModule`, so that their default exports are used. */
export function loadInstalled(file: string): unknown {
  prepareToLoad(file);
  const exported = createRequire(file)(file) as object;
  const isModule = Object.prototype.toString.call(exported) === "[object Module]";
  return isModule && !("__esModule" in exported) ? { ...exported, __esModule: true } : exported;
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
