/** What the project's tsconfig.json says about compilation, after which Strapi loads code, and about paths of imports. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { errorMessage, ProjectError } from "../../lib/errors.ts";
import { toRecord } from "../../lib/is-record.ts";
import { mapValues } from "../../lib/records.ts";

const FILE = "tsconfig.json";

interface Tsconfig {
  readonly extends?: string | readonly string[];
  readonly compilerOptions?: Readonly<Record<string, unknown>>;
}

/** Projects with this file are compiled, so that TypeScript replaces JavaScript of the same name. */
export const isCompiled = (root: string): boolean => existsSync(join(root, FILE));

/** The folders in which a package may be installed for files of a folder, the nearest first. */
const modulesFor = (folder: string): string[] =>
  dirname(folder) === folder
    ? [join(folder, "node_modules")]
    : [join(folder, "node_modules"), ...modulesFor(dirname(folder))];

/** The file that `extends` names; undefined if it is missing. */
function findBase(base: string, folder: string): string | undefined {
  const isPath = base.startsWith(".") || isAbsolute(base);
  const paths = isPath
    ? [isAbsolute(base) ? base : join(folder, base)]
    : modulesFor(folder).map((modules) => join(modules, base));
  const files = paths.flatMap((path) => [path, `${path}.json`, join(path, FILE)]);
  return files.find((file) => file.endsWith(".json") && existsSync(file));
}

/** A compiler option, and the folder that its paths are relative to. */
interface Option {
  readonly value: unknown;
  readonly folder: string;
}

/** The options of a file, and then those of the files that it extends, of which the last counts. */
function* listOptions(file: string, extending: readonly string[] = []): Generator<Readonly<Record<string, Option>>> {
  const { extends: bases = [], compilerOptions = {} } = Bun.JSONC.parse(
    readFileSync(file, "utf8").replace(/^\uFEFF/, ""),
  ) as Tsconfig;
  const folder = dirname(file);
  yield mapValues(compilerOptions, (value) => ({ value, folder }));
  for (const name of [bases].flat().reverse()) {
    const base = findBase(name, folder);
    if (base !== undefined && !extending.includes(base)) yield* listOptions(base, [...extending, file]);
  }
}

/** Throws a ProjectError for a file that cannot be read. */
function readOptions(root: string): Readonly<Record<string, Option>> {
  const file = join(root, FILE);
  if (!existsSync(file)) return {};
  try {
    return Object.assign({}, ...[...listOptions(file)].reverse());
  } catch (error) {
    throw new ProjectError(FILE, undefined, `cannot be read (${errorMessage(error)})`);
  }
}

/** Whether JavaScript of the project is compiled, too. Strapi does not load other JavaScript of a compiled project. */
export function compilesJavaScript(root: string): boolean {
  const { allowJs, checkJs } = readOptions(root);
  return Boolean((allowJs ?? checkJs)?.value);
}

/** Whether an import is a path alias of the project's tsconfig. */
export function projectPaths(root: string): (name: string) => boolean {
  const { baseUrl, paths } = readOptions(root);
  const prefixes = Object.keys(toRecord(paths?.value)).map((path) => path.replace(/\*.*$/, ""));
  const base = baseUrl && join(baseUrl.folder, String(baseUrl.value));
  const isBelow = (name: string): boolean =>
    base !== undefined && name.includes("/") && existsSync(join(base, name.split("/")[0]!));
  return (name) => prefixes.some((prefix) => prefix !== "" && name.startsWith(prefix)) || isBelow(name);
}
