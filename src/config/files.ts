/** Reads a project's configuration files: JSON, or JavaScript and TypeScript that may be a function of `env`. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ProjectError, type ProjectReport } from "../errors.ts";
import type { Env } from "./env.ts";

export type Section = Readonly<Record<string, unknown>>;

export const isSection = (value: unknown): value is Section =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The second over the first; sections are merged, anything else is replaced. */
export function merge(base: Section, over: Section): Section {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key];
    merged[key] = isSection(below) && isSection(value) ? merge(below, value) : value;
  }
  return merged;
}

const EXTENSIONS = ["json", "js", "ts", "cjs", "mjs"];

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));

function readCode(root: string, file: string, env: Env, report: ProjectReport): unknown {
  const { loadModule } = require("./modules.ts") as typeof import("./modules.ts");
  const module = loadModule(root, join(root, file), report);
  const exported = isSection(module) && "default" in module ? module.default : module;
  const value: unknown = typeof exported === "function" ? exported({ env }) : exported;
  if (value instanceof Promise) {
    // refused as such: what becomes of it is nobody's concern
    value.catch(() => {});
    throw new ProjectError(file, undefined, "must not be asynchronous");
  }
  return value;
}

/** Files that mostly configure what does not run here. */
const OPTIONAL = /(^|\/)plugins\.\w+$/;

/** A package that code looked for while it ran. */
function missingPackageOf(cause: unknown): string | undefined {
  const { code, message } = cause as { code?: string; message?: string };
  if (code !== "MODULE_NOT_FOUND" && code !== "ERR_MODULE_NOT_FOUND") return undefined;
  return /^Cannot find (?:package|module) '([^'./][^']*)'/.exec(message ?? "")?.[1];
}

function readFile(root: string, file: string, env: Env, report: ProjectReport): unknown {
  try {
    return file.endsWith(".json") ? readJson(join(root, file)) : readCode(root, file, env, report);
  } catch (cause) {
    if (cause instanceof ProjectError) throw cause;
    const missing = missingPackageOf(cause);
    if (missing !== undefined && OPTIONAL.test(file)) {
      report.warn(file, undefined, `the package ${missing} is not installed; nothing of the file is used`);
      return {};
    }
    throw new ProjectError(file, undefined, `cannot be read (${(cause as Error).message})`);
  }
}

function asSection(value: unknown, file: string): Section {
  if (isSection(value)) return value;
  throw new ProjectError(file, undefined, "must hold an object");
}

function namesIn(root: string, folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(join(root, folder)));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return new Set();
    throw new ProjectError(folder, undefined, `cannot be read (${message})`);
  }
}

/** The files of `config/`, whose problems are reported: each with that of `config/env/<environment>/` over it. */
export class ConfigFiles {
  readonly #root: string;
  readonly #env: Env;
  readonly #report: ProjectReport;
  /** Listed once: asking for each file that there may be takes longer. */
  readonly #folders: readonly { readonly folder: string; readonly names: ReadonlySet<string> }[];

  constructor(root: string, environment: string, env: Env, report: ProjectReport) {
    this.#root = root;
    this.#env = env;
    this.#report = report;
    this.#folders = ["config", `config/env/${environment}`].map((folder) => ({ folder, names: namesIn(root, folder) }));
  }

  #read(name: string): { value: unknown; file: string }[] {
    return this.#folders.flatMap(({ folder, names }) => {
      const found = EXTENSIONS.map((extension) => `${name}.${extension}`).find((file) => names.has(file));
      if (found === undefined) return [];
      const file = `${folder}/${found}`;
      return this.#report.attempt(() => [{ value: readFile(this.#root, file, this.#env, this.#report), file }]) ?? [];
    });
  }

  /** `config/<name>.*`; empty if there is neither file. */
  section(name: string): { section: Section; file: string } {
    const files = this.#read(name);
    const section = files.reduce<Section>(
      (below, { value, file }) => merge(below, this.#report.attempt(() => asSection(value, file)) ?? {}),
      {},
    );
    return { section, file: files.at(-1)?.file ?? `config/${name}.json` };
  }

  /** The same for a file that holds a list: the environment's replaces the general one. Undefined without a file. */
  list(name: string): { list: readonly unknown[]; file: string } | undefined {
    const last = this.#read(name).at(-1);
    if (!last) return undefined;
    if (!Array.isArray(last.value)) {
      this.#report.refuse(last.file, undefined, "must hold a list");
      return undefined;
    }
    return { list: last.value, file: last.file };
  }
}
