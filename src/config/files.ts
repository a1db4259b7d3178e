/** Reads a project's configuration files: JSON, or JavaScript and TypeScript that may be a function of `env`. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ProjectError } from "../errors.ts";
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

function readFile(root: string, file: string, env: Env): unknown {
  try {
    if (file.endsWith(".json")) return JSON.parse(readFileSync(join(root, file), "utf8"));
    const path = join(root, file);
    const { createRequire } = require("node:module") as typeof import("node:module");
    const load = createRequire(path);
    // a file that was changed while the server runs is read again
    delete load.cache[path];
    const module: unknown = load(path);
    const exported = isSection(module) && "default" in module ? module.default : module;
    const value: unknown = typeof exported === "function" ? exported({ env }) : exported;
    if (value instanceof Promise) throw new ProjectError(file, undefined, "must not be asynchronous");
    return value;
  } catch (cause) {
    if (cause instanceof ProjectError) throw cause;
    throw new ProjectError(file, undefined, `cannot be read (${(cause as Error).message})`);
  }
}

function asSection(value: unknown, file: string): Section {
  if (isSection(value)) return value;
  throw new ProjectError(file, undefined, "must hold an object");
}

/** The files of `config/<name>.*`, the general one before that of the environment. */
function readFiles(root: string, name: string, environment: string, env: Env): { value: unknown; file: string }[] {
  return ["config", `config/env/${environment}`].flatMap((folder) => {
    const file = EXTENSIONS.map((extension) => `${folder}/${name}.${extension}`).find((path) =>
      existsSync(join(root, path)),
    );
    return file ? [{ value: readFile(root, file, env), file }] : [];
  });
}

/** `config/<name>.*`, with `config/env/<environment>/<name>.*` over it; empty if there is neither. */
export function readSection(
  root: string,
  name: string,
  environment: string,
  env: Env,
): { section: Section; file: string } {
  const files = readFiles(root, name, environment, env);
  const section = files.reduce<Section>((below, { value, file }) => merge(below, asSection(value, file)), {});
  return { section, file: files.at(-1)?.file ?? `config/${name}.json` };
}

/** The same for a file that holds a list: the environment's replaces the general one. Undefined without a file. */
export function readList(
  root: string,
  name: string,
  environment: string,
  env: Env,
): { list: readonly unknown[]; file: string } | undefined {
  const last = readFiles(root, name, environment, env).at(-1);
  if (!last) return undefined;
  if (!Array.isArray(last.value)) throw new ProjectError(last.file, undefined, "must hold a list");
  return { list: last.value, file: last.file };
}
