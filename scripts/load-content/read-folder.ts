/** The folder that is loaded: documents in data.json, files in uploads. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord, type Json } from "./api.ts";
import { LoadError } from "./load-error.ts";

export interface Content {
  readonly data: Json;
  /** Paths of files by their names. */
  readonly files: ReadonlyMap<string, string>;
}

export function readFolder(folder: string): Content {
  const file = join(folder, "data.json");
  if (!existsSync(file)) throw new LoadError(`there is no ${file}`);
  let data: unknown;
  try {
    data = JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new LoadError(`${file} is not valid JSON (${cause instanceof Error ? cause.message : cause})`);
  }
  if (!isRecord(data)) throw new LoadError(`${file} must have an object: documents by the names of their types`);
  const uploads = join(folder, "uploads");
  const entries = existsSync(uploads) ? readdirSync(uploads, { withFileTypes: true }) : [];
  const names = entries.filter((entry) => entry.isFile() && !entry.name.startsWith(".")).map(({ name }) => name);
  return { data, files: new Map(names.sort().map((name) => [name, join(uploads, name)])) };
}
