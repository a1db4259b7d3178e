/**
 * Changes the tables of a large database in a process of its own, for minutes if need be: the old application goes on
 * reading a snapshot of what was there before, and its writes wait.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { ProjectError } from "../errors.ts";
import type { Change } from "../storage/migrate.ts";
import { needsOtherTables, type Project, type ProjectOptions } from "./project.ts";
import { dataFolder } from "./project-source.ts";

export interface TableChangesOptions {
  /** The command that opens a project, prints the changes of its tables as JSON, and ends. */
  readonly command: readonly string[];
  /** Smaller databases are changed faster than a process starts; 8 MB. */
  readonly minBytes?: number;
  /** Called before the tables change, here or there. */
  readonly changing?: (() => Promise<void> | undefined) | undefined;
}

const MIN_BYTES = 8_000_000;

function sizeOf(root: string): number {
  const file = join(dataFolder(root), "content.db");
  return [file, `${file}-wal`].reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
}

async function run(root: string, command: readonly string[], env: ProjectOptions["environment"]): Promise<Change[]> {
  const child = Bun.spawn([...command, root], { stdin: "ignore", stdout: "pipe", stderr: "pipe", env: { ...env } });
  const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const code = await child.exited;
  if (code === 0) return JSON.parse(out) as Change[];
  const reason = errors.trim().replace(/^galley: /, "") || `ended with ${child.signalCode ?? code}`;
  throw new ProjectError(root, undefined, `its tables could not be changed: ${reason}`);
}

/**
 * Returns what was done; nothing where the tables stay, or the database is small. The project's storage is pinned then.
 * Rejects with a ProjectError for what could not be done; the database is as it was.
 */
export async function changeTables(
  { root, context: { storage } }: Project,
  options: ProjectOptions,
  { command, minBytes = MIN_BYTES, changing }: TableChangesOptions,
): Promise<readonly Change[]> {
  if (options.memory || !needsOtherTables(root, options, storage)) return [];
  await changing?.();
  if (sizeOf(root) < minBytes) return [];
  storage.pin();
  return run(root, command, options.environment);
}
