/**
 * Resolves packages as Node.js does. Bun adds the export condition `bun`, and replaces some packages by its own; both may behave
 * differently from what a project was written for.
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, isAbsolute, join, sep } from "node:path";
import { isBuiltin, readPackageJson, toPackageName } from "../../engine/config/packages.ts";
import { isRecord } from "../../lib/is-record.ts";
import { hookRequire, keepOwnModules, type RequireHook, redirectRequire } from "../../lib/require-hook.ts";

export type ImportKind = "require" | "import";

/** Packages that Bun replaces. */
const REPLACED: ReadonlySet<string> = new Set([
  "@vercel/fetch",
  "abort-controller",
  "isomorphic-fetch",
  "node-fetch",
  "undici",
  "utf-8-validate",
  "ws",
]);

/** Whether Bun has a package of its own, also where it is not installed. */
export const isReplaced = (name: string): boolean => REPLACED.has(name);

/** Whether a name is a module of the runtime, and no package that Bun replaces. */
export const isNodeBuiltin = (name: string): boolean => !REPLACED.has(name) && isBuiltin(name);

/** The condition that Bun has and Node.js lacks. */
const OWN_CONDITION = "bun";
const CONDITIONS: Readonly<Record<ImportKind, ReadonlySet<string>>> = {
  require: new Set(["node", "node-addons", "require", "default"]),
  import: new Set(["node", "node-addons", "import", "default"]),
};

interface Manifest {
  readonly name?: unknown;
  readonly type?: unknown;
  readonly exports?: unknown;
  readonly imports?: unknown;
  readonly dependencies?: unknown;
  readonly optionalDependencies?: unknown;
  readonly peerDependencies?: unknown;
}

interface Package {
  readonly manifest: Manifest;
  /** Whether it has a target for Bun. */
  readonly isConditional: boolean;
}

const hasCondition = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(hasCondition)
    : isRecord(value) && Object.entries(value).some(([key, target]) => key === OWN_CONDITION || hasCondition(target));

/** By folder. */
const packages = new Map<string, Package>();

const readPackage = (folder: string): Package =>
  packages.getOrInsertComputed(folder, () => {
    const manifest: Manifest = readPackageJson(folder);
    return { manifest, isConditional: hasCondition(manifest.exports) || hasCondition(manifest.imports) };
  });

/** The folder of the installed package that a file belongs to; undefined for a file of the project. */
function packageFolder(file: string): string | undefined {
  const marker = `${sep}node_modules${sep}`;
  const start = file.lastIndexOf(marker) + marker.length;
  if (start < marker.length) return undefined;
  const name = toPackageName(file.slice(start).split(sep).join("/"));
  return file.slice(0, start) + name.split("/").join(sep);
}

/** Where a package is installed for a file. A package with `exports` also finds itself by its name. */
function installedFolder(name: string, importer: string): string | undefined {
  const own = packageFolder(importer);
  if (own !== undefined && readPackage(own).manifest.name === name && readPackage(own).manifest.exports !== undefined)
    return own;
  for (let folder = dirname(importer); ; folder = dirname(folder)) {
    const found = join(folder, "node_modules", name);
    if (existsSync(found)) return found;
    if (dirname(folder) === folder) return undefined;
  }
}

/** The value of a target under conditions, with `*` replaced. Undefined if there is none. */
function resolveTarget(target: unknown, conditions: ReadonlySet<string>, star: string): string | undefined {
  if (typeof target === "string") return target.replaceAll("*", () => star);
  const choices = Array.isArray(target)
    ? target
    : isRecord(target)
      ? Object.entries(target).flatMap(([condition, choice]) => (conditions.has(condition) ? [choice] : []))
      : [];
  for (const choice of choices) {
    const found = resolveTarget(choice, conditions, star);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Looks up a key of `exports` or `imports`: exactly, or by the longest pattern. */
function lookUp(map: Readonly<Record<string, unknown>>, key: string, kind: ImportKind): string | undefined {
  const conditions = CONDITIONS[kind];
  if (Object.hasOwn(map, key)) return resolveTarget(map[key], conditions, "*");
  const patterns = Object.keys(map)
    .filter((pattern) => pattern.includes("*"))
    .sort((a, b) => b.indexOf("*") - a.indexOf("*") || b.length - a.length);
  for (const pattern of patterns) {
    const [start = "", end = ""] = pattern.split("*");
    if (key.length < pattern.length || !key.startsWith(start) || !key.endsWith(end)) continue;
    return resolveTarget(map[pattern], conditions, key.slice(start.length, key.length - end.length));
  }
  return undefined;
}

/** `subpath`: "." or "./a". */
function resolveInPackage(folder: string, subpath: string, kind: ImportKind): string | undefined {
  const { exports } = readPackage(folder).manifest;
  if (exports === undefined || exports === null) {
    const path = join(folder, subpath);
    return createRequire(join(folder, "package.json")).resolve(path);
  }
  const isMap = isRecord(exports) && Object.keys(exports).some((key) => key.startsWith("."));
  const target = lookUp(isMap ? exports : { ".": exports }, subpath, kind);
  const file = target?.startsWith("./") ? join(folder, target) : undefined;
  return file !== undefined && existsSync(file) ? file : undefined;
}

/**
 * The absolute path that Node.js resolves a package, or a path in it, to. Undefined where Bun resolves the same, and where there is
 * none.
 */
export function resolveAsNode(specifier: string, importer: string, kind: ImportKind): string | undefined {
  if (specifier.startsWith("#")) {
    const own = packageFolder(importer);
    if (own === undefined || !readPackage(own).isConditional) return undefined;
    const { imports } = readPackage(own).manifest;
    const target = isRecord(imports) ? lookUp(imports, specifier, kind) : undefined;
    if (target === undefined || isNodeBuiltin(target)) return undefined;
    if (target.startsWith("./")) return join(own, target);
    return resolveAsNode(target, importer, kind) ?? createRequire(importer).resolve(target);
  }
  const name = toPackageName(specifier);
  const folder = installedFolder(name, importer);
  if (folder === undefined || !(REPLACED.has(name) || readPackage(folder).isConditional)) return undefined;
  return resolveInPackage(folder, `.${specifier.slice(name.length)}`, kind);
}

/** A path that `imports` of the nearest package.json has for a name, such as `#lib/date`. Undefined for a package. */
export function findSubpath(
  name: string,
  importer: string,
  kind: ImportKind,
): { readonly manifest: string; readonly path: string } | undefined {
  let folder = dirname(importer);
  while (!existsSync(join(folder, "package.json")) && dirname(folder) !== folder) folder = dirname(folder);
  const { imports } = readPackageJson(folder);
  const path = isRecord(imports) ? lookUp(imports, name, kind) : undefined;
  return path?.startsWith("./") ? { manifest: join(folder, "package.json"), path } : undefined;
}

/** Whether Node.js takes a file of an installed package for an ES module. */
export function isModuleFile(file: string): boolean {
  if (extname(file) !== ".js") return extname(file) === ".mjs";
  const top = packageFolder(file);
  // folders may have a package.json of their own for the type
  for (let folder = dirname(file); top !== undefined && folder.length > top.length; folder = dirname(folder))
    if (existsSync(join(folder, "package.json"))) return readPackage(folder).manifest.type === "module";
  return top !== undefined && readPackage(top).manifest.type === "module";
}

const namesIn = (dependencies: unknown): string[] => (isRecord(dependencies) ? Object.keys(dependencies) : []);

const IMPORTED = /(\bfrom\s*|\bimport\s*\(?\s*)(["'])([^"'\\\n]+)\2/g;

/** The source with absolute paths for the specifiers that Bun would resolve in another way. */
const withNodeImports = (file: string, source: string): string =>
  source.replace(IMPORTED, (all, keyword: string, quote: string, specifier: string) => {
    if (/^[./]/.test(specifier) || isNodeBuiltin(specifier)) return all;
    const path = resolveAsNode(specifier, file, "import");
    return path === undefined ? all : keyword + quote + path.replaceAll("\\", "\\\\") + quote;
  });

/** Changes the sources of the ES modules of a package while they are loaded, where that matters. */
function rewriteModules(folder: string): void {
  const sources = new Map<string, string>();
  for (const name of new Bun.Glob("**/*.{js,mjs}").scanSync({ cwd: folder })) {
    const file = join(folder, name);
    if (packageFolder(file) !== folder || !isModuleFile(file)) continue;
    const source = readFileSync(file, "utf8");
    const changed = withNodeImports(file, source);
    if (changed !== source) sources.set(file, changed);
  }
  if (sources.size === 0) return;
  // others must not match: what is loaded in this way is an ES module
  const filter = new RegExp(`^(?:${[...sources.keys()].map(RegExp.escape).join("|")})$`);
  Bun.plugin({
    name: `imports of ${folder}`,
    setup(build) {
      build.onLoad({ filter }, ({ path }) => ({ contents: sources.get(path)!, loader: "js" }));
    },
  });
}

const redirected = new Set<string>();

/** Bun has no hook for the packages that ES modules import. Follows the dependencies of a package, most of which have few. */
function redirectImports(folder: string): void {
  if (redirected.has(folder)) return;
  redirected.add(folder);
  const { manifest, isConditional } = readPackage(folder);
  const names = [manifest.dependencies, manifest.optionalDependencies, manifest.peerDependencies].flatMap(namesIn);
  const found = names.flatMap((name) => {
    const dependency = installedFolder(name, join(folder, "package.json"));
    return dependency === undefined ? [] : [{ name, dependency }];
  });
  const differs = found.some(({ name, dependency }) => REPLACED.has(name) || readPackage(dependency).isConditional);
  if (isConditional || differs) rewriteModules(folder);
  for (const { dependency } of found) redirectImports(dependency);
}

/** Lets `require` in packages resolve as on Node.js. */
const resolveRequired: RequireHook = (request, importer, next) => {
  const found = next();
  if (/^[./]/.test(request)) return found;
  // Bun's answer shows the package, which saves looking for it
  const folder = isAbsolute(found) ? packageFolder(found) : undefined;
  const differs = folder === undefined ? REPLACED.has(toPackageName(request)) : readPackage(folder).isConditional;
  const path = differs ? (resolveAsNode(request, importer, "require") ?? found) : found;
  if (folder !== undefined && isModuleFile(path)) redirectImports(folder);
  return path;
};

const UTILS = "@strapi/utils";

/** Packages for other versions of Strapi bring along utilities with other members, such as `removeUndefined` of version 4. */
function findOtherUtils(request: string, importer: string): string | undefined {
  const own = request === UTILS ? packageFolder(importer) : undefined;
  const folder = own && join(own, "node_modules", UTILS);
  const { version } = folder ? readPackageJson(folder) : {};
  return typeof version === "string" && !version.startsWith("5.") ? folder : undefined;
}

/** From now on, installed packages require what they would on Node.js. */
export function hookPackages(): void {
  keepOwnModules();
  hookRequire(resolveRequired);
  redirectRequire(findOtherUtils);
}

/** Must be called before a file of an installed package is loaded. */
export function prepareToLoad(file: string): void {
  hookPackages();
  const folder = packageFolder(file);
  if (folder !== undefined && isModuleFile(file)) redirectImports(folder);
}
