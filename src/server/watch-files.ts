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
/** Looking takes at most this part of the time. */
const SHARE = 1 / 200;

/** What a folder holds that can change how a project is served: path, inode, size and time of each file. */
function listFiles(path: string, found: string[]): void {
  let entries: Dirent[];
  try {
    const { ino, size, mtimeMs, ctimeMs, isDirectory } = describe(path);
    found.push(`${path} ${ino} ${isDirectory ? "" : `${size} ${mtimeMs} ${ctimeMs}`}`);
    if (!isDirectory) return;
    entries = readdirSync(path, { withFileTypes: true });
  } catch (error) {
    // it has gone, or cannot be read, which is what it is compared by
    found.push(`${path} ${(error as { code?: string }).code}`);
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

/** The state of all files as a number. */
function stateOf(paths: readonly string[]): { state: number | bigint; folders: string } {
  const found: string[] = [];
  for (const path of paths) listFiles(path, found);
  // the folders themselves: the system goes on watching one that was moved away
  const folders = paths.map((path) => found.find((line) => line.startsWith(`${path} `))).join("\n");
  return { state: Bun.hash(found.join("\n")), folders };
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
  // what changes from now on is noticed, also before the system is asked for reports
  let last = stateOf(paths);

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
    if (now.folders !== last.folders && !isReported) subscribe();
    if (now.state !== last.state) notice();
    last = now;
    timer = setTimeout(look, Math.max(interval, (performance.now() - started) / SHARE));
  };
  // asking for reports can wait until the first requests are answered
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
