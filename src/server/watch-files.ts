/**
 * Notices changes of a project's files. The system reports them at once where it can; where it cannot (network drives,
 * bind mounts, no watches left, a folder that was replaced), a look at names, sizes and times finds them within two seconds.
 */
import { type Dirent, type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { join } from "node:path";

export interface WatchOptions {
  /** Folders and files of the project. */
  readonly watched: readonly string[];
  readonly changed: () => void;
  /** Called once when the system does not report changes. */
  readonly report: (message: string) => void;
  /** Between looks; 1,500 ms. */
  readonly interval?: number;
  /** Asks the system to report changes; `watch` of `node:fs`. */
  readonly subscribe?: typeof watch;
}

/** Editors save in several steps, and often several files at once. */
const SETTLE_MS = 60;
const INTERVAL_MS = 1500;
/** The times of files are those of the system's clock at its last step. */
const CLOCK_STEP_MS = 10;
/** Looking takes at most this part of the time. */
const SHARE = 1 / 200;

/** Files that can change how a project is served. */
interface Found {
  /** Path, inode, size and times of each. */
  readonly lines: string[];
  /** The last time, in milliseconds since 1970, at which a file, or what a folder holds, was changed. */
  changedAt: number;
}

function listFiles(path: string, found: Found): void {
  let entries: Dirent[];
  try {
    const { ino, size, mtimeMs, ctimeMs, isDirectory } = describe(path);
    found.lines.push(`${path} ${ino} ${isDirectory ? "" : `${size} ${mtimeMs} ${ctimeMs}`}`);
    found.changedAt = Math.max(found.changedAt, ctimeMs);
    if (!isDirectory) return;
    entries = readdirSync(path, { withFileTypes: true });
  } catch (error) {
    // it has gone, or cannot be read, which is what it is compared by
    found.lines.push(`${path} ${(error as { code?: string }).code}`);
    return;
  }
  for (const { name } of entries)
    if (!name.startsWith(".") && name !== "node_modules") listFiles(join(path, name), found);
}

function describe(path: string) {
  const stats = statSync(path);
  const { ino, size, mtimeMs, ctimeMs } = stats;
  return { ino, size, mtimeMs, ctimeMs, isDirectory: stats.isDirectory() };
}

/** `state`: of all files, as a number. */
function stateOf(paths: readonly string[]): { state: number | bigint; folders: string; changedAt: number } {
  const found: Found = { lines: [], changedAt: 0 };
  for (const path of paths) listFiles(path, found);
  const { lines, changedAt } = found;
  // the folders themselves: the system goes on watching one that was moved away
  const folders = paths.map((path) => lines.find((line) => line.startsWith(`${path} `))).join("\n");
  return { state: Bun.hash(lines.join("\n")), folders, changedAt };
}

/** Returns what ends the watching. */
export function watchFiles(
  root: string,
  { watched, changed, report, interval = INTERVAL_MS, subscribe: watchFolder = watch }: WatchOptions,
): () => void {
  const paths = watched.map((name) => join(root, name));
  let watchers: FSWatcher[] = [];
  let settle: ReturnType<typeof setTimeout> | undefined;
  let isReported = false;
  const startedAt = Date.now() - CLOCK_STEP_MS;
  let last: ReturnType<typeof stateOf> | undefined;

  const notice = (): void => {
    clearTimeout(settle);
    settle = setTimeout(() => {
      last = stateOf(paths);
      changed();
    }, SETTLE_MS);
  };
  const giveUp = (error: Error): void => {
    for (const watcher of watchers) watcher.close();
    watchers = [];
    if (isReported) return;
    isReported = true;
    report(`The system does not report changes of files (${error.message}); they are looked for every 2 seconds`);
  };
  const subscribe = (): void => {
    for (const watcher of watchers) watcher.close();
    watchers = [];
    try {
      for (const path of paths) {
        if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) continue;
        watchers.push(watchFolder(path, { recursive: true }, notice).on("error", giveUp));
      }
    } catch (error) {
      giveUp(error as Error);
    }
  };
  const look = (): void => {
    const started = performance.now();
    const now = stateOf(paths);
    if (last && now.folders !== last.folders && !isReported) subscribe();
    // what has changed since the start counts at the first look, which has nothing to compare with
    if (last ? now.state !== last.state : now.changedAt >= startedAt) notice();
    last = now;
    timer = setTimeout(look, Math.max(interval, (performance.now() - started) / SHARE));
  };
  // all of it can wait until the first requests are answered
  let timer = setTimeout(() => {
    subscribe();
    look();
  }, SETTLE_MS);
  return () => {
    clearTimeout(timer);
    clearTimeout(settle);
    for (const watcher of watchers) watcher.close();
  };
}
