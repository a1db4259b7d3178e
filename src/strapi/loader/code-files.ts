/** Finds the code files of a project, and classifies them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, extname, join, relative } from "node:path";
import { readPackageJson } from "../../engine/config/packages.ts";
import { compilesJavaScript, isCompiled } from "../../engine/config/tsconfig.ts";
import { kebabCase } from "../../engine/schema/names.ts";
import { findErrorCode } from "../../lib/error-code.ts";
import type { ProjectProblem } from "../../lib/errors.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";

export type CodeKind =
  | "route"
  | "controller"
  | "service"
  | "policy"
  | "middleware"
  | "config"
  | "lifecycles"
  | "index"
  | "api-index"
  | "extension"
  | "plugin";

export interface CodeFile {
  readonly kind: CodeKind;
  /** Relative to the project. */
  readonly file: string;
  /** The api, or the plugin that is extended; undefined for the project's own files. */
  readonly owner: string | undefined;
  /** The file name without extension, in kebab-case below `src/api`. For lifecycles, the content-type's name. */
  readonly name: string;
}

/** The file of a middleware of the project; undefined if there is none. */
export const middlewareFile = (uid: string, files: readonly CodeFile[]): CodeFile | undefined =>
  files.find(
    ({ kind, owner, name }) =>
      kind === "middleware" && uid === (owner === undefined ? `global::${name}` : `api::${owner}.${name}`),
  );

const EXTENSIONS = new Set([".js", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts"]);
const isCode = (name: string): boolean => EXTENSIONS.has(extname(name)) && !/\.(d|test|spec)\.[cm]?[jt]sx?$/.test(name);
/** Of an api, Strapi also loads JSON files. */
const isJson = (name: string): boolean => extname(name) === ".json";
const nameOf = (file: string): string => basename(file, extname(file));

const FOLDERS: readonly (readonly [folder: string, kind: CodeKind])[] = [
  ["routes", "route"],
  ["controllers", "controller"],
  ["services", "service"],
  ["policies", "policy"],
  ["middlewares", "middleware"],
  ["config", "config"],
];

/** Names sorted as Strapi loads them. Empty for a missing folder. */
function entries(folder: string): string[] {
  // most projects lack some folders, and an error takes longer than this check
  if (!existsSync(folder)) return [];
  try {
    const found = readdirSync(folder, { withFileTypes: true });
    // links may lead nowhere
    const present = found.filter((entry) => !entry.isSymbolicLink() || existsSync(join(folder, entry.name)));
    return present.map(({ name }) => name).sort();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(findErrorCode(error))) return [];
    throw error;
  }
}

export const isTypeScript = (name: string): boolean => /\.(?:[cm]?ts|tsx)$/.test(name);

/** The code files of a folder, one for each name, of which JSON is the last that Strapi loads. As in Strapi, subfolders are not loaded. */
function filesIn(folder: string, compiled: boolean, isLoaded = isCode): string[] {
  const rank = (entry = ""): number => (isJson(entry) ? 2 : Number(isTypeScript(entry) === compiled));
  const chosen = new Map<string, string>();
  for (const entry of entries(folder)) {
    if (!isLoaded(entry)) continue;
    const name = nameOf(entry);
    if (!chosen.has(name) || rank(entry) >= Math.max(1, rank(chosen.get(name)))) chosen.set(name, entry);
  }
  return [...chosen.values()].map((name) => join(folder, name));
}

function listCodeFiles(root: string): CodeFile[] {
  const files: CodeFile[] = [];
  const add = (kind: CodeKind, path: string | undefined, owner: string | undefined, name?: string): void => {
    if (path !== undefined) files.push({ kind, file: relative(root, path), owner, name: name ?? nameOf(path) });
  };
  const src = join(root, "src");
  const compiled = isCompiled(root);
  const findFile = (folder: string, name: string): string | undefined =>
    filesIn(folder, compiled).find((path) => nameOf(path) === name);
  add("index", findFile(src, "index"), undefined);
  for (const directory of entries(join(src, "api"))) {
    if (directory.startsWith(".")) continue;
    const folder = join(src, "api", directory);
    // uids are in kebab-case, whatever the case of the folder
    const api = kebabCase(directory);
    // most apis have few of these folders, and reading a missing one is slower than this check
    const present = new Set(entries(folder));
    if ([...present].some((name) => nameOf(name) === "index")) add("api-index", findFile(folder, "index"), api);
    for (const [name, kind] of FOLDERS) {
      if (!present.has(name)) continue;
      const paths = filesIn(join(folder, name), compiled, (entry) => isCode(entry) || isJson(entry));
      for (const path of paths) add(kind, path, api, kebabCase(nameOf(path)));
    }
    if (!present.has("content-types")) continue;
    for (const type of entries(join(folder, "content-types")))
      add("lifecycles", findFile(join(folder, "content-types", type), "lifecycles"), api, kebabCase(type));
  }
  for (const path of filesIn(join(src, "policies"), compiled)) add("policy", path, undefined);
  for (const path of filesIn(join(src, "middlewares"), compiled)) add("middleware", path, undefined);
  for (const plugin of entries(join(src, "extensions"))) {
    const folder = join(src, "extensions", plugin);
    // for content-types in extensions, Strapi loads only schemas
    add("extension", findFile(folder, "strapi-server"), plugin);
  }
  return files;
}

const isJavaScript = ({ file }: CodeFile): boolean => isCode(file) && !isTypeScript(file);

/** JavaScript of a project in TypeScript that is not compiled, and so not loaded, as in Strapi. */
const listUncompiled = (root: string, files: readonly CodeFile[]): CodeFile[] => {
  const found = isCompiled(root) ? files.filter(isJavaScript) : [];
  return found.length > 0 && !compilesJavaScript(root) ? found : [];
};

/** All code files below `src`. Those of plugins are found by configuration (`plugin-files.ts`). */
export function findCodeFiles(root: string): CodeFile[] {
  const files = listCodeFiles(root);
  const uncompiled = new Set(listUncompiled(root, files));
  return files.filter((file) => !uncompiled.has(file));
}

export const uncompiledFiles = (root: string): ProjectProblem[] =>
  listUncompiled(root, listCodeFiles(root)).map(({ file }) => ({
    file,
    reason: 'is not run: JavaScript of a project with tsconfig.json is compiled only with "allowJs"',
  }));

/** Folders of the administration, whose code runs in browsers. */
const BROWSER_CODE = /^src[\\/](?:admin|plugins[\\/][^\\/]+[\\/]admin)[\\/]/;
const MAX_SOURCES = 5000;

/** The absolute paths of all JavaScript and TypeScript below `src`: what code may load by a computed name. */
export function sourceFiles(root: string): string[] {
  const names = new Bun.Glob("src/**/*.{js,ts,tsx,mjs,cjs,mts,cts}").scanSync({ cwd: root, followSymlinks: false });
  return [...names]
    .filter((name) => isCode(name) && !BROWSER_CODE.test(name) && !/[\\/]node_modules[\\/]/.test(name))
    .slice(0, MAX_SOURCES)
    .map((name) => join(root, name));
}

const IMPORTS =
  /(?:import\s*(?:type\s*)?\{[^}]*\}\s*from\s*["']@strapi\/[\w/-]+["'];?|(?:const|let|var)\s*(?:\{[^}]*\}|\w+)\s*=\s*require\(["']@strapi\/strapi["']\)(?:\.\w+)*;?|["']use strict["'];?)/g;
const FACTORY =
  /^(?:exportdefault|module\.exports=)(?:require\(["']@strapi\/strapi["']\)\.)?(?:\w+\.)*createCore(?:Router|Controller|Service)\(["'][^"']+["'](?:asany)?\);?$/;
const EMPTY_FUNCTION = String.raw`(?:async)?(?:register|bootstrap|destroy)(?:\([^)]*\)|:\(?[^)]*\)?=>)(?::\w+)?\{\}`;
const EMPTY_INDEX = new RegExp(`^(?:exportdefault|module\\.exports=)\\{(?:${EMPTY_FUNCTION},?)*\\};?$`);

/** Whether a file only repeats the defaults, as files of `strapi generate` do. */
export function isGenerated(root: string, { kind, file }: CodeFile): boolean {
  if (isJson(file)) return false;
  if (kind !== "route" && kind !== "controller" && kind !== "service" && kind !== "index" && kind !== "api-index")
    return false;
  const text = readFileSync(join(root, file), "utf8");
  if (text.length > 2000) return false;
  const compact = text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/^\s*\/\/.*$/gm, "")
    .replace(IMPORTS, "")
    .replace(/\s+/g, "")
    .replace(/^\uFEFF/, "");
  return compact === "" || FACTORY.test(compact) || EMPTY_INDEX.test(compact);
}

/** The files that are not generated. If there are none, the project is served without code. */
export const ownCode = (root: string, files: readonly CodeFile[]): CodeFile[] =>
  files.filter((file) => !isGenerated(root, file));

export const hasOwnCode = (root: string): boolean => ownCode(root, findCodeFiles(root)).length > 0;

/** Possible entry points of a plugin's server part, in order of preference. */
const PLUGIN_ENTRIES = ["strapi-server", "server/index", "server/src/index", "dist/server/index", "src/server/index"];

/** The file that a package names for its server part. */
function exportedEntry(folder: string): string | undefined {
  const target = toRecord(readPackageJson(folder).exports)["./strapi-server"];
  for (const condition of ["source", "require", "node", "default"]) {
    const path = isRecord(target) ? target[condition] : target;
    if (typeof path === "string" && existsSync(join(folder, path))) return join(folder, path);
  }
  return undefined;
}

export function pluginEntry(folder: string): string | undefined {
  for (const entry of PLUGIN_ENTRIES) {
    for (const extension of EXTENSIONS) {
      const path = join(folder, `${entry}${extension}`);
      if (existsSync(path)) return path;
    }
  }
  return exportedEntry(folder);
}
