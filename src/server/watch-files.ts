/**
 * Watches a project's files. Where the system does not report changes (network drives, bind mounts, no watches left, a replaced
 * folder), polling of names, sizes and times finds them within two seconds.
 */
import { type Dirent, type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import { inTurns, type WorkInTurns } from "../lib/in-turns.ts";

export interface WatchOptions {
  /** Folders and files of the project. */
  readonly watched: readonly string[];
  readonly changed: () => void;
  /** Called once if the system does not report changes. */
  readonly report: (message: string) => void;
  /** Milliseconds between two polls; 1,500. */
  readonly interval?: number;
  /** `watch` of `node:fs` by default. */
  readonly subscribe?: typeof watch;
}

/** Editors save in several steps, and often several files at once. */
const SETTLE_MS = 60;
const INTERVAL_MS = 1500;
/** File times have the resolution of the kernel's clock. */
const CLOCK_STEP_MS = 10;
/** Polling takes at most this share of the time. */
const MAX_TIME_SHARE = 1 / 200;
/** The shortest of as many polls counts: a busy machine pauses some of them, and the next would come minutes later. */
const MEASURED_POLLS = 3;

/** What the watched files are described by. */
interface FileList {
  /** Path, inode, size and times of each. */
  readonly lines: string[];
  /** The latest change time of a file or folder, in milliseconds since 1970. */
  changedAt: number;
}

/** Files that are looked at before others get a turn. */
const LISTED = 100;

function* listFiles(path: string, files: FileList): WorkInTurns<void> {
  if (files.lines.length % LISTED === LISTED - 1) yield;
  let entries: Dirent[];
  try {
    const { ino, size, mtimeMs, ctimeMs, isDirectory } = describe(path);
    files.lines.push(`${path} ${ino} ${isDirectory ? "" : `${size} ${mtimeMs} ${ctimeMs}`}`);
    files.changedAt = Math.max(files.changedAt, ctimeMs);
    if (!isDirectory) return;
    entries = readdirSync(path, { withFileTypes: true });
  } catch (error) {
    // a missing or unreadable file is part of the state as well
    files.lines.push(`${path} ${(error as { code?: string }).code}`);
    return;
  }
  for (const { name } of entries)
    if (!name.startsWith(".") && name !== "node_modules") yield* listFiles(join(path, name), files);
}

function describe(path: string) {
  const stats = statSync(path);
  const { ino, size, mtimeMs, ctimeMs } = stats;
  return { ino, size, mtimeMs, ctimeMs, isDirectory: stats.isDirectory() };
}

interface FilesState {
  /** Hash of all files. */
  readonly state: number | bigint;
  /** State of the watched paths themselves. */
  readonly folders: string;
  readonly changedAt: number;
}

function* scanFiles(paths: readonly string[]): WorkInTurns<FilesState> {
  const files: FileList = { lines: [], changedAt: 0 };
  for (const path of paths) yield* listFiles(path, files);
  const { lines, changedAt } = files;
  // the system goes on watching a folder that was moved away, so that a change of the folders themselves needs new watches
  const folders = paths.map((path) => lines.find((line) => line.startsWith(`${path} `))).join("\n");
  return { state: Bun.hash(lines.join("\n")), folders, changedAt };
}

/** Returns a function that stops watching. */
export function watchFiles(
  root: string,
  { watched, changed, report, interval = INTERVAL_MS, subscribe: watchFolder = watch }: WatchOptions,
): () => void {
  const paths = watched.map((name) => join(root, name));
  let watchers: FSWatcher[] = [];
  let settle: ReturnType<typeof setTimeout> | undefined;
  let isReported = false;
  let isStopped = false;
  const startedAt = Date.now() - CLOCK_STEP_MS;
  let last: FilesState | undefined;
  /** Milliseconds of the last polls. */
  let durations: readonly number[] = [];

  /** Reads and remembers the state, and watches folders that have replaced others. Returns the state before, too. */
  const scan = async (): Promise<{ readonly previous: FilesState | undefined; readonly now: FilesState }> => {
    const now = await inTurns(scanFiles(paths));
    const previous = last;
    if (previous && now.folders !== previous.folders && !isReported && !isStopped) subscribe();
    last = now;
    return { previous, now };
  };
  // one after the other, so that the last one that begins is remembered
  let scanning: ReturnType<typeof scan> | undefined;
  const readState = (): ReturnType<typeof scan> => {
    scanning = scanning?.then(scan, scan) ?? scan();
    return scanning;
  };
  const scheduleChange = (): void => {
    clearTimeout(settle);
    settle = setTimeout(async () => {
      await readState();
      if (!isStopped) changed();
    }, SETTLE_MS);
  };
  const fallBackToPolling = (error: Error): void => {
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
        watchers.push(watchFolder(path, { recursive: true }, scheduleChange).on("error", fallBackToPolling));
      }
    } catch (error) {
      fallBackToPolling(error as Error);
    }
  };
  const poll = async (): Promise<void> => {
    const started = performance.now();
    const { previous, now } = await readState();
    if (isStopped) return;
    // the first poll has nothing to compare with: it reports files that changed since the start
    if (previous ? now.state !== previous.state : now.changedAt >= startedAt) scheduleChange();
    durations = [...durations, performance.now() - started].slice(-MEASURED_POLLS);
    const shortest = durations.length < MEASURED_POLLS ? 0 : Math.min(...durations);
    timer = setTimeout(() => void poll(), Math.max(interval, shortest / MAX_TIME_SHARE));
  };
  // deferred until the first requests have been answered
  let timer = setTimeout(() => {
    subscribe();
    void poll();
  }, SETTLE_MS);
  return () => {
    isStopped = true;
    clearTimeout(timer);
    clearTimeout(settle);
    for (const watcher of watchers) watcher.close();
  };
}
