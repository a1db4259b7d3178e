/** Reads a project's configuration files: JSON, or JavaScript and TypeScript that may be a function of `env`. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
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

function readFile(root: string, file: string, env: Env): Section {
  try {
    if (file.endsWith(".json")) return asSection(JSON.parse(readFileSync(join(root, file), "utf8")), file);
    const path = join(root, file);
    const load = createRequire(path);
    // a file that was changed while the server runs is read again
    delete load.cache[path];
    const module: unknown = load(path);
    const exported = isSection(module) && "default" in module ? module.default : module;
    return asSection(typeof exported === "function" ? exported({ env }) : exported, file);
  } catch (cause) {
    if (cause instanceof ProjectError) throw cause;
    throw new ProjectError(file, undefined, `cannot be read (${(cause as Error).message})`);
  }
}

function asSection(value: unknown, file: string): Section {
  if (isSection(value)) return value;
  throw new ProjectError(file, undefined, "must hold an object");
}

/** `config/<name>.*`, with `config/env/<environment>/<name>.*` over it; empty if there is neither. */
export function readSection(
  root: string,
  name: string,
  environment: string,
  env: Env,
): { section: Section; file: string } {
  let section: Section = {};
  let file = `config/${name}.json`;
  for (const folder of ["config", `config/env/${environment}`]) {
    const found = EXTENSIONS.map((extension) => `${folder}/${name}.${extension}`).find((path) =>
      existsSync(join(root, path)),
    );
    if (!found) continue;
    section = merge(section, readFile(root, found, env));
    file = found;
  }
  return { section, file };
}
