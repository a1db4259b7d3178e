/**
 * Serves a published archive read-only, and takes over the next one when there is another. Whatever is wrong with it or its
 * server, what is served already stays, and a message says why.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ProjectError } from "../../errors.ts";
import type { Project } from "../project.ts";
import type { RunningProject } from "../running.ts";
import { type ArchiveVersion, download } from "./download.ts";
import { type GenerationOptions, Generations } from "./generations.ts";
import type { PublishedContent, ToLoader } from "./load.ts";
import type { PublishedLocation } from "./location.ts";

export interface PublishedOptions extends GenerationOptions {
  /** Password of an encrypted archive. */
  readonly key: string | undefined;
  /** Milliseconds from one look at the archive to the next; undefined: it is never looked at again. */
  readonly refresh: number | undefined;
  /** Makes a database of an archive; see `loadApart`. */
  readonly load: (task: ToLoader, stop: AbortSignal) => Promise<PublishedContent>;
  /** Milliseconds until an archive that could not be loaded is tried again, at first; 1,000. */
  readonly retryMs?: number;
  readonly report: (message: string | ProjectError) => void;
  /** Called when another archive is served. Resolves when nobody else needs the files of the one before. */
  readonly changed?: (project: Project) => Promise<unknown> | undefined;
}

/**
 * An archive that could not be loaded is tried again after so long, then after twice that and so on: a disk was full, or a
 * server sent a file that was still being written under the tag that the whole one has.
 */
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 600_000;
/** Servers that were started together do not ask together for ever: the part of the time that varies. */
const JITTER = 0.1;

/** Downloads and loads one archive after the other, each into a folder of its own. */
class Source {
  readonly #location: PublishedLocation;
  readonly #options: PublishedOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), "galley-published-"));
  readonly #stop = new AbortController();
  readonly #removeAll = (): void => rmSync(this.#folder, { recursive: true, force: true });
  #last: ArchiveVersion | undefined;
  /** When an archive that could not be loaded is tried again, in milliseconds since 1970. */
  #retryAt = Number.POSITIVE_INFINITY;
  /** How often in a row archives could not be loaded. */
  #failures = 0;
  #number = 0;

  constructor(location: PublishedLocation, options: PublishedOptions) {
    this.#location = location;
    this.#options = options;
    process.once("exit", this.#removeAll);
  }

  /** The next archive's content; undefined when it is the same as the last. Rejects with a ProjectError. */
  async next(): Promise<PublishedContent | undefined> {
    const folder = join(this.#folder, `${++this.#number}`);
    const { shown, fileName } = this.#location;
    // the name decides how it is read, and comes from outside
    const file = join(this.#folder, `${this.#number}-archive${/\.enc$/.test(fileName) ? ".tar.gz.enc" : ""}`);
    if (Date.now() >= this.#retryAt) this.#last = undefined;
    const version = await download(this.#location, this.#last, file);
    if (!version) return undefined;
    // one that turns out to be broken is not downloaded each time
    this.#last = version;
    this.#retryAt = Number.POSITIVE_INFINITY;
    const { load, environment, key, retryMs = FIRST_RETRY_MS } = this.#options;
    mkdirSync(folder, { mode: 0o700 });
    try {
      const content = await load({ archive: { file, key }, folder, environment }, this.#stop.signal);
      this.#failures = 0;
      return content;
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      this.#retryAt = Date.now() + Math.min(MAX_RETRY_MS, retryMs * 2 ** this.#failures++);
      throw new ProjectError(shown, undefined, (error as Error).message);
    } finally {
      rmSync(file, { force: true });
    }
  }

  /** Ends a loader that is at work, and removes all files. */
  close(): void {
    this.#stop.abort();
    process.off("exit", this.#removeAll);
    this.#removeAll();
  }
}

/** Sessions outlive the archive that they began with. */
const withSecrets = (environment: GenerationOptions["environment"]): GenerationOptions["environment"] => ({
  ...environment,
  JWT_SECRET: environment.JWT_SECRET || crypto.getRandomValues(new Uint8Array(32)).toBase64(),
});

/** Rejects with a ProjectError when there is nothing to start with. */
export async function runPublished(location: PublishedLocation, given: PublishedOptions): Promise<RunningProject> {
  const options = { ...given, environment: withSecrets(given.environment) };
  const { refresh, report, changed } = options;
  const source = new Source(location, options);
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
      // a store that is away for an hour is reported once
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
    listensAt: generations.listensAt,
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
