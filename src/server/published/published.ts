/**
 * Serves a published archive read-only, and switches to the next version when there is one. If that cannot be downloaded or loaded,
 * the current version stays, and a message says why.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createTemporaryFolder, removeTemporaryFolder } from "../../engine/storage/temporary-folder.ts";
import { ProjectError } from "../../lib/errors.ts";
import { onInterruption } from "../../lib/interruption.ts";
import type { Project } from "../project/project.ts";
import type { RunningProject } from "../running.ts";
import { type ArchiveVersion, download } from "./download.ts";
import { type GenerationOptions, Generations } from "./generations.ts";
import type { LoadTask, PublishedContent } from "./load.ts";
import type { PublishedLocation } from "./location.ts";

export interface PublishedOptions extends GenerationOptions {
  /** Password of an encrypted archive. */
  readonly key: string | undefined;
  /** Milliseconds between two checks for a new version; undefined: never check. */
  readonly refresh: number | undefined;
  /** Loads an archive into a database; see `loadInChildProcess`. */
  readonly load: (task: LoadTask, stop: AbortSignal) => Promise<PublishedContent>;
  /** Milliseconds until the first retry of an archive that could not be loaded; 1,000. */
  readonly retryMs?: number;
  readonly report: (message: string | ProjectError) => void;
  /** Called when another version is served. Resolves when no other process needs the files of the previous one. */
  readonly changed?: (project: Project) => Promise<unknown> | undefined;
}

/**
 * An archive that could not be loaded is retried after this time, then after twice that, and so on: the disk may have been full, or
 * the server may have sent a file that was still being written, with the ETag of the complete one.
 */
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 600_000;
/** Random part of the refresh interval, so that servers started together do not always check at the same time. */
const JITTER = 0.1;

/** Downloads and loads successive versions of an archive, each into its own folder. */
function createPublishedSource(location: PublishedLocation, options: PublishedOptions) {
  const root = createTemporaryFolder("published");
  const stop = new AbortController();
  const removeAll = (): void => removeTemporaryFolder(root);
  let last: ArchiveVersion | undefined;
  /** Time of the next retry of an archive that could not be loaded, in milliseconds since 1970. */
  let retryAt = Number.POSITIVE_INFINITY;
  /** Number of consecutive failures. */
  let failures = 0;
  let versions = 0;
  // during the first download
  const keep = onInterruption(removeAll);

  /** Resolves with the next version's content, or undefined if it has not changed. Rejects with a ProjectError. */
  async function next(): Promise<PublishedContent | undefined> {
    const folder = join(root, `${++versions}`);
    const { shown, fileName } = location;
    // the extension decides how the file is read; nothing else of the upstream's name is used
    const file = join(root, `${versions}-archive${/\.enc$/.test(fileName) ? ".tar.gz.enc" : ""}`);
    if (Date.now() >= retryAt) last = undefined;
    const version = await download(location, last, file);
    if (!version) return undefined;
    // set before loading, so that a broken archive is not downloaded at every check
    last = version;
    retryAt = Number.POSITIVE_INFINITY;
    const { load, environment, key, retryMs = FIRST_RETRY_MS } = options;
    mkdirSync(folder, { mode: 0o700 });
    try {
      const content = await load({ archive: { file, key }, folder, environment }, stop.signal);
      failures = 0;
      return content;
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      retryAt = Date.now() + Math.min(MAX_RETRY_MS, retryMs * 2 ** failures++);
      throw new ProjectError(shown, undefined, (error as Error).message);
    } finally {
      rmSync(file, { force: true });
    }
  }

  /** Kills a running loader, and removes all files. */
  function close(): void {
    stop.abort();
    removeAll();
    keep();
  }

  return { next, close };
}

/** A secret for all generations, so that sessions survive a change of the archive. */
const withSecrets = (environment: GenerationOptions["environment"]): GenerationOptions["environment"] => ({
  ...environment,
  JWT_SECRET: environment.JWT_SECRET || crypto.getRandomValues(new Uint8Array(32)).toBase64(),
});

/** Rejects with a ProjectError if the first version cannot be downloaded and loaded. */
export async function runPublished(
  location: PublishedLocation,
  publishedOptions: PublishedOptions,
): Promise<RunningProject> {
  const options = { ...publishedOptions, environment: withSecrets(publishedOptions.environment) };
  const { refresh, report, changed } = options;
  const source = createPublishedSource(location, options);
  const first = await source.next().catch((error: unknown) => {
    source.close();
    throw error;
  });
  if (!first) throw new ProjectError(location.shown, undefined, "answers that nothing has changed");
  const generations = new Generations(first, options);
  let isClosed = false;
  let current = first;
  let lastProblem: string | undefined;

  const replace = async (): Promise<void> => {
    const next = await source.next();
    if (!next || isClosed) return;
    const { released } = generations.replace(next);
    const { folder } = current;
    current = next;
    void Promise.all([released, changed?.(generations.project)]).then(() =>
      rmSync(folder, { recursive: true, force: true }),
    );
    report(`The archive at ${location.shown} has changed and is served now`);
  };
  const reloadOnce = async (): Promise<boolean> => {
    try {
      await replace();
      lastProblem = undefined;
      return true;
    } catch (error) {
      if (isClosed) return false;
      const problem =
        error instanceof ProjectError ? error : new ProjectError(location.shown, undefined, (error as Error).message);
      // an outage is reported once
      if (problem.message !== lastProblem) report(problem);
      lastProblem = problem.message;
      return false;
    }
  };
  let reloading = Promise.resolve(true);
  const reload = (): Promise<boolean> => {
    reloading = reloading.then(() => !isClosed && reloadOnce());
    return reloading;
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const schedule = (): void => {
    if (refresh === undefined || isClosed) return;
    timer = setTimeout(() => void reload().then(schedule), refresh * (1 + JITTER * Math.random()));
  };
  schedule();
  return {
    handle: generations.handle,
    attachServer: generations.attachServer,
    trim: generations.trim,
    project: () => generations.project,
    content: undefined,
    reload,
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      source.close();
      await reloading;
      await generations.close();
      source.close();
    },
  };
}
