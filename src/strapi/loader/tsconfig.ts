/** What the project's tsconfig.json says about compilation, after which Strapi loads code. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { errorMessage, ProjectError } from "../../lib/errors.ts";

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

/** An option of a file, or of those that it extends, of which the last counts. */
function readOption(file: string, name: string, extending: readonly string[] = []): unknown {
  const { extends: bases = [], compilerOptions } = Bun.JSONC.parse(
    readFileSync(file, "utf8").replace(/^\uFEFF/, ""),
  ) as Tsconfig;
  if (compilerOptions?.[name] !== undefined) return compilerOptions[name];
  const files = [bases].flat().map((base) => findBase(base, dirname(file)));
  return files.reduceRight<unknown>(
    (found, base) =>
      found === undefined && base !== undefined && !extending.includes(base)
        ? readOption(base, name, [...extending, file])
        : found,
    undefined,
  );
}

/** Whether JavaScript of the project is compiled, too. Strapi does not load other JavaScript of a compiled project. */
export function compilesJavaScript(root: string): boolean {
  const file = join(root, FILE);
  try {
    return Boolean(readOption(file, "allowJs") ?? readOption(file, "checkJs"));
  } catch (error) {
    throw new ProjectError(FILE, undefined, `cannot be read (${errorMessage(error)})`);
  }
}
