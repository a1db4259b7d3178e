/** Reads a project's configuration files: JSON, or JavaScript and TypeScript that may be a function of `env`. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findErrorCode } from "../../lib/error-code.ts";
import { ProjectError, ProjectReport } from "../../lib/errors.ts";
import { merge, mergeWithLists } from "../../lib/is-record.ts";
import { readProjectJson } from "../../lib/project-json.ts";
import { createEnv, type Environment, providedNames } from "./env.ts";
import { absentPackage } from "./packages.ts";
import { compilesJavaScript, isCompiled } from "./tsconfig.ts";

export type Section = Readonly<Record<string, unknown>>;

export const isSection = (value: unknown): value is Section =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** In order of precedence. Strapi reads the first two. */
const EXTENSIONS = ["js", "json", "ts", "cjs", "mjs"];

/** Files whose settings are read at each start. */
const SETTINGS = new Set(["api", "server", "plugins", "middlewares", "galley"]);

/** Files of which Galley uses little, or nothing: without a database, and administrators, they need not work. */
const PARTLY_USED = new Set(["admin", "database"]);

const UNCOMPILED = 'is not used: JavaScript of a project with tsconfig.json is compiled only with "allowJs"';

/** Files that Strapi does not load, since their names are those of other settings, or likely mistakes. */
const RESTRICTED = new Set(
  "uuid hosting license enforce disable enable telemetry strapi internal environment info dirs middleware plugin".split(
    " ",
  ),
);

/** Whether a file has none of the settings that are read here. */
function isOther(file: string): boolean {
  const name = file.replace(/\.\w+$/, "");
  return !SETTINGS.has(name) && !PARTLY_USED.has(name) && !RESTRICTED.has(name.toLowerCase());
}

/** As in Strapi, variables of the project's `.env` are set in the process while its files are loaded. */
function withEnvironment<T>(environment: Environment, work: () => T): T {
  const before = providedNames(environment).map((name) => [name, process.env[name]] as const);
  for (const [name] of before) process.env[name] = environment[name];
  try {
    return work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
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
function findMissingPackage(cause: unknown): string | undefined {
  if (!["MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND"].includes(findErrorCode(cause))) return undefined;
  return /^Cannot find (?:package|module) '([^'./][^']*)'/.exec((cause as Error).message)?.[1];
}

function readFile(root: string, file: string, environment: Environment, report: ProjectReport): unknown {
  try {
    return file.endsWith(".json") ? readProjectJson(root, file) : readCode(root, file, environment, report);
  } catch (cause) {
    if (cause instanceof ProjectError) throw cause;
    const missing = findMissingPackage(cause);
    if (missing !== undefined && OPTIONAL_FILES.test(file)) {
      report.warn(file, undefined, `${absentPackage(missing, root)}; nothing of the file is used`);
      return {};
    }
    throw new ProjectError(file, undefined, `cannot be read (${(cause as Error).message})`);
  }
}

/** Throws a ProjectError for a file that cannot be parsed. */
function parseFile(root: string, file: string): void {
  if (file.endsWith(".json")) return void readProjectJson(root, file);
  try {
    new Bun.Transpiler({ loader: file.endsWith(".ts") ? "ts" : "js" }).scanImports(
      readFileSync(join(root, file), "utf8"),
    );
  } catch (cause) {
    throw new ProjectError(file, undefined, `cannot be read (${(cause as Error).message})`);
  }
}

export type Kind = "nothing" | "null" | "a list" | "a promise" | "a function that returns a function" | `a ${string}`;

/** Describes a value. The value itself may be a secret or endless, and is not printed. */
export function describeKind(value: unknown): Kind {
  if (typeof value === "function") return "a function that returns a function";
  if (Array.isArray(value)) return "a list";
  if (value instanceof Promise) return "a promise";
  return value === undefined ? "nothing" : value === null ? "null" : `a ${typeof value}`;
}

/** With what Strapi starts besides objects, by file; other files may hold anything. */
const countsAsEmpty: Readonly<Record<string, (kind: Kind, value: unknown) => boolean>> = {
  server: (kind) => kind === "nothing",
  api: (kind) => kind === "nothing",
  plugins: (kind, value) =>
    !["nothing", "null", "a string"].includes(kind) && !(Array.isArray(value) && value.length > 0),
  galley: () => false,
};

/** The object that a file holds; empty for other values. Refuses those with which Strapi does not start. */
function asSection(name: string, value: unknown, file: string, report: ProjectReport): Section {
  if (isSection(value) && !(value instanceof Promise)) return value;
  // the promise is not used, and its rejection must not be unhandled
  if (value instanceof Promise) value.catch(() => {});
  const kind = describeKind(value);
  const problem = `must hold an object, not ${kind}`;
  if (countsAsEmpty[name]?.(kind, value) ?? true) report.warn(file, undefined, `${problem}; nothing of it is used`);
  else report.refuse(file, undefined, problem);
  return {};
}

/** Names in a folder of the project; none if it does not exist. Throws a ProjectError. */
export function listNames(root: string, folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(join(root, folder)));
  } catch (cause) {
    if (["ENOENT", "ENOTDIR"].includes(findErrorCode(cause))) return new Set();
    throw new ProjectError(folder, undefined, `cannot be read (${(cause as Error).message})`);
  }
}

/** A file of a section. */
export interface SectionPart {
  readonly section: Section;
  readonly file: string;
}

/** As Strapi merges them. */
export const mergedParts = (parts: readonly SectionPart[]): Section =>
  parts.reduce<Section>((merged, { section }) => mergeWithLists(merged, section) as Section, {});

/** The permissions of an environment are all that it has. */
const replacedParts = (parts: readonly SectionPart[]): Section =>
  parts.reduce<Section>((merged, { section }) => merge(merged, section), {});

/** The files of `config/`, each merged with that of `config/env/<environment>/`. Problems are reported. */
export class ConfigFiles {
  readonly #root: string;
  readonly #environment: Environment;
  readonly #report: ProjectReport;
  /** Listed once, which is faster than checking each possible file. */
  readonly #folders: readonly { readonly folder: string; readonly names: ReadonlySet<string> }[];
  /** Files without settings that no compiler copies to where Strapi loads configuration from. */
  readonly #uncompiled: ReadonlySet<string>;

  constructor(root: string, environment: Environment, report: ProjectReport) {
    this.#root = root;
    this.#environment = environment;
    this.#report = report;
    const mode = environment.NODE_ENV ?? "development";
    const listed = ["config", `config/env/${mode}`].map((folder) => ({ folder, names: [...listNames(root, folder)] }));
    const scripts = listed.flatMap(({ folder, names }) =>
      names.filter((name) => name.endsWith(".js") && isOther(name)).map((name) => `${folder}/${name}`),
    );
    const isLeftOut = scripts.length > 0 && isCompiled(root) && !compilesJavaScript(root);
    this.#uncompiled = new Set(isLeftOut ? scripts : []);
    this.#folders = listed.map(({ folder, names }) => ({
      folder,
      names: new Set(names.filter((name) => !this.#uncompiled.has(`${folder}/${name}`))),
    }));
  }

  /** Where the project is compiled, TypeScript replaces JavaScript of the same name. */
  #findFile(name: string, names: ReadonlySet<string>): string | undefined {
    const files = EXTENSIONS.map((extension) => `${name}.${extension}`).filter((file) => names.has(file));
    const compiled = files.length > 1 && isCompiled(this.#root);
    return (compiled ? files.find((file) => file.endsWith(".ts")) : undefined) ?? files[0];
  }

  #read(name: string, report = this.#report): { value: unknown; file: string }[] {
    return this.#folders.flatMap(({ folder, names }) => {
      const fileName = this.#findFile(name, names);
      if (fileName === undefined) return [];
      const file = `${folder}/${fileName}`;
      return report.attempt(() => [{ value: readFile(this.#root, file, this.#environment, report), file }]) ?? [];
    });
  }

  /** `config/<name>.*`; empty without a file. `parts`: what each file holds. */
  section(name: string): { section: Section; file: string; parts: readonly SectionPart[] } {
    const parts = this.#read(name).map(({ value, file }) => ({
      section: asSection(name, value, file, this.#report),
      file,
    }));
    const section = name === "galley" ? replacedParts(parts) : mergedParts(parts);
    return { section, file: parts.at(-1)?.file ?? `config/${name}.json`, parts };
  }

  /** Files that Strapi loads, and of which Galley uses no setting, by name. */
  #others(): (readonly [name: string, file: string])[] {
    const compiled = isCompiled(this.#root);
    return this.#folders.flatMap(({ folder, names }) =>
      [...new Set([...names].flatMap((name) => /^(.*)(?<!\.d)\.(?:js|json|ts)$/.exec(name)?.[1] ?? []))]
        .filter((name) => !SETTINGS.has(name) && !RESTRICTED.has(name.toLowerCase()))
        .map((name) => [name, `${folder}/${this.#findFile(name, names)}`] as const)
        // compilers do not copy them
        .filter(([, file]) => !(compiled && file.endsWith(".json"))),
    );
  }

  /** Refuses files that cannot be parsed. Their code is not run, unless there is code that may use what they export. */
  checkOthers(): void {
    for (const [, file] of this.#others()) this.#report.attempt(() => parseFile(this.#root, file));
    for (const file of this.#uncompiled) this.#report.warn(file, undefined, UNCOMPILED);
  }

  /** The names of files that only code uses. */
  ownNames(): ReadonlySet<string> {
    return new Set(this.#others().flatMap(([name]) => (PARTLY_USED.has(name) ? [] : [name])));
  }

  /** What a file exports that only code uses: anything. Throws a ProjectError for a file that fails. */
  ownValue(name: string): unknown {
    const report = new ProjectReport();
    const values = this.#read(name, report).map(({ value }) => value);
    report.finish();
    return values.reduce(mergeWithLists, undefined);
  }

  /**
   * As `section`, for a file with a list. As in Strapi, entries of the environment's list are merged with those at the same place.
   * Undefined without a file.
   */
  list(name: string): { list: readonly unknown[]; file: string } | undefined {
    const parts = this.#read(name);
    for (const { value, file } of parts) {
      if (Array.isArray(value)) continue;
      // the promise is not used, and its rejection must not be unhandled
      if (value instanceof Promise) value.catch(() => {});
      this.#report.refuse(file, undefined, "must hold a list");
      return undefined;
    }
    const list = parts.map(({ value }) => value).reduce(mergeWithLists, undefined);
    return list === undefined ? undefined : { list: list as unknown[], file: parts.at(-1)!.file };
  }
}
