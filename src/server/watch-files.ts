/**
 * Watches a project's files. Where the system does not report changes (network drives, bind mounts, no watches left, a replaced
 * folder), polling of names, sizes and times finds them, those of thousands of files within two seconds.
 */
import { type FSWatcher, statSync, watch } from "node:fs";
import { join } from "node:path";
import { inTurns } from "../lib/in-turns.ts";
import { isIgnored, WatchedFiles } from "./watched-files.ts";

export interface WatchOptions {
  /** Folders and files of the project. */
  readonly watched: readonly string[];
  /** Called with the paths of files and folders that may have changed. */
  readonly changed: (paths: ReadonlySet<string>) => void;
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
/** The share of the time that polls take at most for files in folders that look unchanged: where the system reports changes, and elsewhere. */
const TIME_SHARES = { reported: 1 / 200, polled: 1 / 15 } as const;

/** Changes below folders as the system reports them. `fail` is called once, when it does not. */
function createSubscription(
  folders: readonly string[],
  watchFolder: typeof watch,
  changed: (path: string) => void,
  fail: (error: Error) => void,
) {
  let watchers: FSWatcher[] = [];
  let isFailed = false;

  function close(): void {
    for (const watcher of watchers) watcher.close();
    watchers = [];
  }

  function stop(error: Error): void {
    close();
    if (!isFailed) fail(error);
    isFailed = true;
  }

  function start(): void {
    close();
    try {
      for (const folder of folders) {
        if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) continue;
        const listen = (_: unknown, below?: string | null): void => {
          if (!below?.split(/[/\\]/).some(isIgnored)) changed(below ? join(folder, below) : folder);
        };
        watchers.push(watchFolder(folder, { recursive: true }, listen).on("error", stop));
      }
    } catch (error) {
      stop(error as Error);
    }
  }

  return { start, renew: () => isFailed || start(), close };
}

/** Returns a function that stops watching. */
export function watchFiles(
  root: string,
  { watched, changed, report, interval = INTERVAL_MS, subscribe: watchFolder = watch }: WatchOptions,
): () => void {
  let settle: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  /** False once a look has found what the system had not reported. */
  let areReported = true;
  /** What the system has reported, and what looks have found, since the last call of `changed`. */
  let reported = new Set<string>();
  let found = new Set<string>();
  let finds = 0;
  const files = new WatchedFiles(root, watched, Date.now() - CLOCK_STEP_MS, (path) => {
    finds++;
    found.add(path);
  });
  let identity: string | undefined;
  const scheduleChange = (): void => {
    clearTimeout(settle);
    settle = setTimeout(async () => {
      await begun;
      const paths = reported;
      reported = new Set();
      // what a look has found before the system has reported it
      if (found.difference(paths).size > 0) areReported = false;
      for (const path of paths) await inTurns(files.look(path));
      followFolders();
      for (const path of found) paths.add(path);
      found = new Set();
      if (!isStopped && paths.size > 0) changed(paths);
    }, SETTLE_MS);
  };
  const subscription = createSubscription(
    watched.map((name) => join(root, name)),
    watchFolder,
    (path) => {
      reported.add(path);
      scheduleChange();
    },
    ({ message }) => {
      areReported = false;
      report(`The system does not report changes of files (${message}); they are looked for every 2 seconds`);
    },
  );
  /** The system goes on watching a folder that was moved away. */
  const followFolders = (): void => {
    if (files.identity !== identity && !isStopped) subscription.renew();
    ({ identity } = files);
  };
  const begin = async (): Promise<void> => {
    await inTurns(files.begin());
    ({ identity } = files);
    // nothing was reported before
    reported = new Set([...reported, ...found]);
    found = new Set();
    if (reported.size > 0) scheduleChange();
  };
  const poll = async (): Promise<void> => {
    const before = finds;
    if (!areReported) await inTurns(files.lookIntoFolders());
    await inTurns(files.lookAtSome(interval * (areReported ? TIME_SHARES.reported : TIME_SHARES.polled)));
    if (isStopped) return;
    followFolders();
    if (finds > before) scheduleChange();
    timer = setTimeout(() => void poll(), interval);
  };
  let begun: Promise<void> | undefined;
  // deferred until the first requests have been answered
  let timer = setTimeout(() => {
    subscription.start();
    begun = begin();
    void begun.then(poll);
  }, SETTLE_MS);
  return () => {
    isStopped = true;
    clearTimeout(timer);
    clearTimeout(settle);
    subscription.close();
  };
}
