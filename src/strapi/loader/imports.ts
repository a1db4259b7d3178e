/**
 * Resolves the imports of a bundle. Packages are not bundled, but loaded at run time, through globals. Imports of packages and files that
 * do not exist are collected, and replaced by placeholders.
 */
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import type { BunPlugin } from "bun";
import { resolveFrom } from "../../engine/config/modules.ts";
import { absentPackage, isInstalled, toPackageName } from "../../engine/config/packages.ts";
import { isCompiled, projectPaths } from "../../engine/config/tsconfig.ts";
import { absentModule } from "./absent-module.ts";
import { isTypeScript } from "./code-files.ts";
import type { ScopeOptions } from "./file-scope.ts";
import {
  findSubpath,
  type ImportKind,
  isModuleFile,
  isNodeBuiltin,
  isReplaced,
  prepareToLoad,
  resolveAsNode,
} from "./node-resolution.ts";

export interface ImportOptions {
  readonly root: string;
  /** The packages that Galley provides, by name. */
  readonly provided: Readonly<Record<string, unknown>>;
  /** Loads an import from a package that Galley provides if the project does not have it; undefined for others. */
  readonly findCompanion: (path: string) => (() => unknown) | undefined;
}

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

/** Names of globals through which bundles load packages: provided, installed and missing ones. */
const PROVIDED = "__galley_packages__";
const COMPANIONS = "__galley_companions__";
const INSTALLED = "__galley_installed__";
const ABSENT = "__galley_absent__";

/** The globals of bundles. */
export const createLoaders = ({ provided, findCompanion }: ImportOptions): object => ({
  [PROVIDED]: provided,
  [COMPANIONS]: findCompanion,
  [INSTALLED]: loadInstalled,
  [ABSENT]: absentModule,
});

export const isInPackage = (file: string): boolean => file.split(sep).includes("node_modules");

/** Resolves packages. They are not bundled, but loaded at run time. */
export function packages(
  { root, provided, findCompanion }: ImportOptions,
  missing: Map<string, MissingImport>,
): BunPlugin {
  const isProjectPath = projectPaths(root);
  // several paths in a package are reported once per file; packages check for what is optional by themselves
  const remember = (specifier: string, importer: string): void => {
    if (isInPackage(importer)) return;
    const [file, problem] = [relative(root, importer), describeAbsence(specifier, root)];
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
        const subpath = path.startsWith("#") ? locateSubpath(root, path, importer, kind) : undefined;
        if (subpath !== undefined) return { path: subpath };
        if (path in provided) return { path, namespace: "provided" };
        const folder = dirname(importer);
        const found = isInstalled(toPackageName(path), folder) ? locate(path, importer, kind) : undefined;
        // a module that awaits can only be imported
        if (found !== undefined && kind === "dynamic-import" && isModuleFile(found)) {
          prepareToLoad(found);
          return { path: found, external: true };
        }
        if (found !== undefined) return { path: found, namespace: "installed" };
        if (findCompanion(path)) return { path, namespace: "companion" };
        // the bundler resolves the paths of tsconfig.json
        if (isProjectPath(path)) return undefined;
        remember(path, importer);
        return { path, namespace: "missing" };
      });
      build.onResolve({ filter: /^\.\.?(\/|$)/ }, ({ path, importer, kind }) => {
        if (kind === "entry-point-build" || isFile(path, importer)) return undefined;
        const source = sourceOfCompiled(root, path, importer);
        if (source !== undefined) return { path: source };
        remember(path, importer);
        return { path, namespace: "missing" };
      });
      // CommonJS, so that any name can be imported from it, and loaded when the importing file is evaluated, so that only this file fails
      const load = (namespace: string, expression: (path: string) => string) =>
        build.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
          contents: `module.exports = globalThis.${expression(path)};`,
          loader: "js",
        }));
      load("provided", (path) => `${PROVIDED}[${JSON.stringify(path)}]`);
      load("companion", (path) => `${COMPANIONS}(${JSON.stringify(path)})()`);
      load("installed", (path) => `${INSTALLED}(${JSON.stringify(path)})`);
      load("missing", (path) => `${ABSENT}(${JSON.stringify(describeAbsence(path, root))})`);
    },
  };
}

/** TypeScript only requires, since Strapi compiles it to CommonJS. */
const chooseKind = (importer: string, syntax: string): ImportKind =>
  syntax.startsWith("require") || isTypeScript(importer) ? "require" : "import";

/** The project's file behind a name of `imports` in package.json. */
function locateSubpath(root: string, name: string, importer: string, syntax: string): string | undefined {
  const { manifest, path } = findSubpath(name, importer, chooseKind(importer, syntax)) ?? {};
  if (manifest === undefined || path === undefined) return undefined;
  return sourceOfCompiled(root, path, manifest) ?? resolveFrom(path, manifest);
}

/** Resolves a package; undefined if it has no such file. */
function locate(name: string, importer: string, syntax: string): string | undefined {
  const kind = chooseKind(importer, syntax);
  const path = resolveAsNode(name, importer, kind);
  if (path !== undefined) return path;
  if (kind === "import") return resolveFrom(name, importer) ?? resolveRequired(importer, name);
  return resolveRequired(importer, name) ?? resolveFrom(name, importer);
}

function resolveRequired(importer: string, name: string): string | undefined {
  try {
    return createRequire(importer).resolve(name);
  } catch {
    return undefined;
  }
}

/** Loads a file of a package. ES modules are marked with `__esModule`, so that bundles use their default exports. */
export function loadInstalled(file: string): unknown {
  prepareToLoad(file);
  const exported = createRequire(file)(file) as object;
  const isModule = Object.prototype.toString.call(exported) === "[object Module]";
  return isModule && !("__esModule" in exported) ? { ...exported, __esModule: true } : exported;
}

/** Resolves what code imports by a computed name. */
export function finder({ root, provided, findCompanion }: ImportOptions): ScopeOptions["find"] {
  return (path, importer, kind) => {
    if (isNodeBuiltin(path)) return { file: path };
    if (/^\.\.?(?:[\\/]|$)/.test(path) || isAbsolute(path)) {
      const file = resolveRequired(importer, path) ?? sourceOfCompiled(root, path, importer);
      return file === undefined ? undefined : { file };
    }
    if (path in provided) return { provided: () => provided[path] };
    const file = isInstalled(toPackageName(path), dirname(importer)) ? locate(path, importer, kind) : undefined;
    if (file !== undefined) return { file };
    const companion = findCompanion(path);
    if (companion) return { provided: companion };
    return isReplaced(path) ? { file: path } : undefined;
  };
}

/** Where `strapi build` writes the JavaScript of a project in TypeScript. */
const COMPILED = "dist";

/**
 * The file behind a relative import that is meant for compiled code: of a file below `dist`, whose source is used instead, or
 * by its path from the compiled importer, which is one folder deeper than its source.
 */
function sourceOfCompiled(root: string, path: string, importer: string): string | undefined {
  const source = path.replace(/(^|\/)dist\//, "$1");
  if (source !== path) return resolveFrom(source, importer);
  const target = relative(root, join(root, COMPILED, relative(root, dirname(importer)), path));
  if (target.startsWith("..") || !isCompiled(root)) return undefined;
  const inSource = target.startsWith(`${COMPILED}${sep}`) ? target.slice(COMPILED.length + 1) : target;
  return resolveFrom(join(root, inSource), importer);
}

const isFile = (path: string, importer: string): boolean => resolveFrom(path, importer) !== undefined;
