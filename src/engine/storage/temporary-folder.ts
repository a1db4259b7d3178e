/**
 * Folders for the temporary files of this process, in the system's folder. They are below one with a lock, so that another start removes
 * what a killed process has left.
 */
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, type Stats } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { findErrorCode } from "../../lib/error-code.ts";
import { ProjectError } from "../../lib/errors.ts";
import { onInterruption } from "../../lib/interruption.ts";
import { FileLock } from "./file-lock.ts";

const LOCK = ".lock";
/** Of this machine: a network drive may not share locks. */
const PREFIX = `galley-${hostname().replaceAll(/\W+/g, "-")}-`;

interface Parent {
  readonly path: string;
  /** Undefined where files cannot be locked, and nobody else removes the folder. */
  readonly lock: FileLock | undefined;
}

/** Other errors, such as that of a full disk, are not about the place. */
const UNUSABLE: readonly string[] = ["ENOENT", "ENOTDIR", "EACCES", "EPERM", "EROFS"];

/** A new folder for its owner only, in the system's. Throws a ProjectError if that cannot be written. */
export function makeSystemFolder(prefix: string): string {
  try {
    return mkdtempSync(join(tmpdir(), prefix));
  } catch (error) {
    if (!UNUSABLE.includes(findErrorCode(error))) throw error;
    const advice = "make it a folder that this user may write, or name another one in TMPDIR";
    throw new ProjectError(
      tmpdir(),
      undefined,
      `temporary files cannot be written there: ${advice} (${(error as Error).message})`,
    );
  }
}

/** It is there while a folder in it is. */
let parent: Parent | undefined;
const folders = new Set<string>();
let count = 0;
let isFirst = true;

const isOfUser = ({ uid }: Stats): boolean => uid === (process.getuid?.() ?? uid);

const isOwn = (path: string): boolean => {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && isOfUser(stats);
};

/** Undefined if another start has taken the folder for an abandoned one before it was locked. Throws errors of the system. */
function lockParent(path: string): Parent | undefined {
  const file = join(path, LOCK);
  try {
    const lock = FileLock.acquire(file);
    return lock && { path, lock };
  } catch (error) {
    if (existsSync(file)) return { path, lock: undefined };
    const code = findErrorCode(error);
    if (code === "ENOENT" || code.startsWith("SQLITE_")) return undefined;
    rmdirSync(path);
    throw error;
  }
}

function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    const path = join(tmpdir(), name);
    if (!name.startsWith(PREFIX) || !isOwn(path) || !existsSync(join(path, LOCK))) continue;
    const abandoned = lockParent(path);
    if (!abandoned?.lock) continue;
    // Windows removes no open file
    abandoned.lock.release();
    rmSync(path, { recursive: true, force: true });
  }
}

function createParent(): Parent {
  let created: Parent | undefined;
  while (!created) created = lockParent(makeSystemFolder(PREFIX));
  if (isFirst) {
    isFirst = false;
    try {
      removeAbandoned();
    } catch {
      // what cannot be listed or removed is in nobody's way
    }
  }
  return created;
}

function removeParent(): void {
  if (!parent) return;
  const { path, lock } = parent;
  parent = undefined;
  folders.clear();
  lock?.release();
  rmSync(path, { recursive: true, force: true });
}

// here, since listeners that are added later may be removed by others
process.once("exit", removeParent);

/** To be removed with `removeTemporaryFolder`. Throws a ProjectError if the system's folder cannot be written. */
export function createTemporaryFolder(name: string): string {
  // systems remove what seems old; somebody else may have made a folder of that name since
  if (parent && !isOwn(parent.path)) {
    parent.lock?.release();
    parent = undefined;
  }
  parent ??= createParent();
  const path = join(parent.path, `${name}-${++count}`);
  mkdirSync(path, { mode: 0o700 });
  folders.add(path);
  return path;
}

/** Removes a folder that `createTemporaryFolder` has made, with its files. */
export function removeTemporaryFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
  if (folders.delete(path) && folders.size === 0) removeParent();
}

const isRunning = (id: number): boolean => {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return findErrorCode(error) !== "ESRCH";
  }
};

/** Younger files and folders may be those of a process in another container, whose id is not seen here. */
const LEFTOVER_AGE_MS = 60 * 60_000;

function isLeftover(path: string, id: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats || !isOfUser(stats) || Date.now() - stats.mtimeMs < LEFTOVER_AGE_MS) return false;
  return /^\d{1,10}$/.test(id) && !isRunning(Number(id));
}

/** Removes what killed processes of this user have left in a folder. Their ids are in its names, between `prefix` and `suffix`. */
export function removeLeftovers(folder: string, prefix: string, suffix = ""): void {
  try {
    for (const name of readdirSync(folder)) {
      if (!name.startsWith(prefix) || !name.endsWith(suffix)) continue;
      const path = join(folder, name);
      if (isLeftover(path, name.slice(prefix.length, name.length - suffix.length)))
        rmSync(path, { recursive: true, force: true });
    }
  } catch {
    // the folder may be missing; what cannot be listed or removed is in nobody's way
  }
}

/** Calls `work` with a new folder at `path`, and removes it afterwards, also if the process is interrupted. */
export async function withTemporaryFolder<T>(path: string, work: (folder: string) => Promise<T>): Promise<T> {
  // before it is there
  const keep = onInterruption(() => removeTemporaryFolder(path));
  try {
    // what a killed process has left
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return await work(path);
  } finally {
    removeTemporaryFolder(path);
    keep();
  }
}
