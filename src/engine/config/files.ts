/** Reads a project's configuration files: JSON, or JavaScript and TypeScript that may be a function of `env`. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ProjectError, type ProjectReport } from "../../lib/errors.ts";
import { readProjectJson } from "../../lib/project-json.ts";
import { createEnv, type Environment } from "./env.ts";

export type Section = Readonly<Record<string, unknown>>;

export const isSection = (value: unknown): value is Section =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Merges sections recursively; other values of `over` replace those of `base`. */
export function merge(base: Section, over: Section): Section {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const current = merged[key];
    merged[key] = isSection(current) && isSection(value) ? merge(current, value) : value;
  }
  return merged;
}

const EXTENSIONS = ["json", "js", "ts", "cjs", "mjs"];

/** As in Strapi, variables of the project's `.env` are set in the process while its files are loaded. */
function withEnvironment<T>(environment: Environment, work: () => T): T {
  const added = Object.keys(environment).filter((name) => process.env[name] === undefined);
  for (const name of added) process.env[name] = environment[name];
  try {
    return work();
  } finally {
    for (const name of added) delete process.env[name];
  }
}

function readCode(root: string, file: string, environment: Environment, report: ProjectReport): unknown {
  const { loadModule } = require("./modules.ts") as typeof import("./modules.ts");
  return withEnvironment(environment, () => {
    const module = loadModule(root, join(root, file), report);
    const exported = isSection(module) && "default" in module ? module.default : module;
    return typeof exported === "function" ? exported({ env: createEnv(environment) }) : exported;
  });
}

/** Files in which a missing package is only a warning: they mostly configure plugins that Galley does not run. */
const OPTIONAL_FILES = /(^|\/)plugins\.\w+$/;

/** The package in a "module not found" error. */
function missingPackageOf(cause: unknown): string | undefined {
  const { code, message } = cause as { code?: string; message?: string };
  if (code !== "MODULE_NOT_FOUND" && code !== "ERR_MODULE_NOT_FOUND") return undefined;
  return /^Cannot find (?:package|module) '([^'./][^']*)'/.exec(message ?? "")?.[1];
}

function readFile(root: string, file: string, environment: Environment, report: ProjectReport): unknown {
  try {
    return file.endsWith(".json") ? readProjectJson(root, file) : readCode(root, file, environment, report);
  } catch (cause) {
    if (cause instanceof ProjectError) throw cause;
    const missing = missingPackageOf(cause);
    if (missing !== undefined && OPTIONAL_FILES.test(file)) {
      report.warn(file, undefined, `the package ${missing} is not installed; nothing of the file is used`);
      return {};
    }
    throw new ProjectError(file, undefined, `cannot be read (${(cause as Error).message})`);
  }
}

/** Describes the kind of a value. The value itself may be a secret or endless, and is not printed. */
function kindOf(value: unknown): string {
  if (typeof value === "function") return "a function that returns a function";
  if (Array.isArray(value)) return "a list";
  return value === null || value === undefined ? "nothing" : `a ${typeof value}`;
}

/** As in Strapi, promises and nested functions count as empty sections. */
function asSection(value: unknown, file: string, report: ProjectReport): Section {
  if (value instanceof Promise) {
    // the promise is not used, and its rejection must not be unhandled
    value.catch(() => {});
    report.warn(file, undefined, "is asynchronous; nothing of it is used");
    return {};
  }
  if (isSection(value)) return value;
  if (file.startsWith("config/galley.")) throw new ProjectError(file, undefined, "must hold an object");
  report.warn(file, undefined, `must hold an object, not ${kindOf(value)}; nothing of it is used`);
  return {};
}

/** Names in a folder of the project; none if it does not exist. Throws a ProjectError. */
export function listNames(root: string, folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(join(root, folder)));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return new Set();
    throw new ProjectError(folder, undefined, `cannot be read (${message})`);
  }
}

/** The files of `config/`, each merged with that of `config/env/<environment>/`. Problems are reported. */
export class ConfigFiles {
  readonly #root: string;
  readonly #environment: Environment;
  readonly #report: ProjectReport;
  /** Listed once, which is faster than checking each possible file. */
  readonly #folders: readonly { readonly folder: string; readonly names: ReadonlySet<string> }[];

  constructor(root: string, environment: Environment, report: ProjectReport) {
    this.#root = root;
    this.#environment = environment;
    this.#report = report;
    const mode = environment.NODE_ENV ?? "development";
    this.#folders = ["config", `config/env/${mode}`].map((folder) => ({ folder, names: listNames(root, folder) }));
  }

  /** Where the project is compiled, TypeScript replaces JavaScript of the same name. */
  #fileOf(name: string, names: ReadonlySet<string>): string | undefined {
    const files = EXTENSIONS.map((extension) => `${name}.${extension}`).filter((file) => names.has(file));
    const compiled = files.length > 1 && existsSync(join(this.#root, "tsconfig.json"));
    return (compiled ? files.find((file) => file.endsWith(".ts")) : undefined) ?? files[0];
  }

  #read(name: string): { value: unknown; file: string }[] {
    return this.#folders.flatMap(({ folder, names }) => {
      const fileName = this.#fileOf(name, names);
      if (fileName === undefined) return [];
      const file = `${folder}/${fileName}`;
      return (
        this.#report.attempt(() => [{ value: readFile(this.#root, file, this.#environment, this.#report), file }]) ?? []
      );
    });
  }

  /** `config/<name>.*`; empty without a file. */
  section(name: string): { section: Section; file: string } {
    const files = this.#read(name);
    const section = files.reduce<Section>(
      (merged, { value, file }) =>
        merge(merged, this.#report.attempt(() => asSection(value, file, this.#report)) ?? {}),
      {},
    );
    return { section, file: files.at(-1)?.file ?? `config/${name}.json` };
  }

  /** As `section`, for a file with a list: the environment's list replaces the general one. Undefined without a file. */
  list(name: string): { list: readonly unknown[]; file: string } | undefined {
    const last = this.#read(name).at(-1);
    if (!last) return undefined;
    if (!Array.isArray(last.value)) {
      // the promise is not used, and its rejection must not be unhandled
      if (last.value instanceof Promise) last.value.catch(() => {});
      this.#report.refuse(last.file, undefined, "must hold a list");
      return undefined;
    }
    return { list: last.value, file: last.file };
  }
}
