/** Opens a copy of a project in memory: nothing of it is changed, also if its tables are not those of its schemas yet. */
import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Project, ProjectOptions } from "../server/project/project.ts";
import { dataFolder } from "../server/project/project-source.ts";
import { openForCommand } from "./open-project.ts";

function readDatabase(file: string): Uint8Array | undefined {
  if (!existsSync(file)) return undefined;
  const database = new Database(file, { readonly: true });
  try {
    return database.serialize();
  } finally {
    database.close();
  }
}

/** Rejects with a ProjectError. */
export async function openCopy(root: string, environment: ProjectOptions["environment"]): Promise<Project> {
  const database = readDatabase(join(dataFolder(root), "content.db"));
  const tableCache = { get: () => database, set: () => {} };
  return openForCommand(root, { memory: true, environment, announce: console.error, tableCache });
}
