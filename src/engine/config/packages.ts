/** Whether npm packages are installed. Checked on disk, since Bun would download missing packages. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Loaded lazily: it takes time, and most projects import nothing. */
let builtins: ReadonlySet<string> | undefined;

export function isBuiltin(name: string): boolean {
  if (/^(node|bun):/.test(name)) return true;
  const { builtinModules } = require("node:module") as typeof import("node:module");
  builtins ??= new Set([...builtinModules, "bun"]);
  return builtins.has(name);
}

/** The package that a specifier belongs to: "a/b" to "a", "@a/b/c" to "@a/b". */
export const packageOf = (specifier: string): string =>
  specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");

/** Whether a package is in a `node_modules` of the folder or of a parent folder. */
export function isInstalled(name: string, from: string): boolean {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "node_modules", name))) return true;
    if (dirname(folder) === folder) return false;
  }
}

const ADD_COMMANDS = { "package-lock.json": "npm install", "yarn.lock": "yarn add", "pnpm-lock.yaml": "pnpm add" };

/** The command that installs packages, of the package manager that the project uses. */
export function installCommand(root: string, names: readonly string[]): string {
  const [, command = "bun add"] = Object.entries(ADD_COMMANDS).find(([lock]) => existsSync(join(root, lock))) ?? [];
  return `${command} ${names.join(" ")}`;
}

/** Whether an import is a path alias of the project's tsconfig. */
export function projectPaths(root: string): (name: string) => boolean {
  const file = join(root, "tsconfig.json");
  if (!existsSync(file)) return () => false;
  const { compilerOptions = {} } = Bun.JSONC.parse(readFileSync(file, "utf8")) as {
    compilerOptions?: { baseUrl?: string; paths?: Record<string, unknown> };
  };
  const { baseUrl, paths = {} } = compilerOptions;
  const prefixes = Object.keys(paths).map((path) => path.replace(/\*.*$/, ""));
  const isBelow = (name: string): boolean =>
    baseUrl !== undefined && existsSync(join(root, baseUrl, name.split("/")[0] ?? "")) && name.includes("/");
  return (name) => prefixes.some((prefix) => prefix !== "" && name.startsWith(prefix)) || isBelow(name);
}
