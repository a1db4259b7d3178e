/**
 * Migrates the tables of a large database in a child process, which can take minutes. Meanwhile the old application reads from a
 * snapshot, and its writes wait.
 */

import type { Change } from "../engine/storage/migrate.ts";
import { childEnvironment } from "../lib/child-environment.ts";
import { ProjectError } from "../lib/errors.ts";
import { LARGE_BYTES } from "./project/prepare-tables.ts";
import { needsOtherTables, type Project, type ProjectOptions } from "./project/project.ts";

export interface TableChangesOptions {
  /** Command that opens the project given as last argument, migrates it, prints a `Change[]` as JSON, and exits. */
  readonly command: readonly string[];
  /** Smaller databases are migrated in this process, which is faster than starting another one; 8 MB. */
  readonly minBytes?: number;
  /** Called before the tables change, in this process or the child. */
  readonly beforeChange?: (() => Promise<void> | undefined) | undefined;
}

async function migrateInChild(
  root: string,
  command: readonly string[],
  env: ProjectOptions["environment"],
): Promise<Change[]> {
  const child = Bun.spawn([...command, root], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: childEnvironment(env),
  });
  const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const code = await child.exited;
  if (code === 0) return JSON.parse(out) as Change[];
  const reason = errors.trim().replace(/^galley: /, "") || `ended with ${child.signalCode ?? code}`;
  throw new ProjectError(root, undefined, `its tables could not be changed: ${reason}`);
}

/**
 * Returns the changes; empty if no table changes, or if the database is small and is to be migrated in this process. Pins the
 * project's storage to a snapshot before a child process starts. Rejects with a ProjectError if the migration fails; the
 * database is unchanged then.
 */
export async function changeTables(
  { root, context: { storage } }: Project,
  options: ProjectOptions,
  { command, minBytes = LARGE_BYTES, beforeChange }: TableChangesOptions,
): Promise<readonly Change[]> {
  if (options.memory || !needsOtherTables(root, options, storage)) return [];
  await beforeChange?.();
  if (storage.bytes() < minBytes) return [];
  await storage.pin();
  return migrateInChild(root, command, options.environment);
}
