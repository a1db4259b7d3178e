/** Synchronises `content/` while a project is served: after changes of its files, and after writes of the database. */
import { join, relative, sep } from "node:path";
import { lastSequence } from "../../engine/storage/change-log/change-log.ts";
import type { FileLock } from "../../engine/storage/file-lock.ts";
import type { ProjectError } from "../../lib/errors.ts";
import { CONTENT_FOLDER } from "../../transfer/content/file-paths.ts";
import type { Project } from "../project/project.ts";
import { watchFiles } from "../watch-files.ts";
import { ContentFolder } from "./folder.ts";
import { lockContent } from "./lock.ts";
import { conflictProblem, type FileProblem, sameProblems, toProjectError, warningText } from "./problems.ts";
import { SyncState } from "./state.ts";
import { ContentSync, type SyncOptions, type SyncResult } from "./sync.ts";

/** Milliseconds between two looks at the database's last change, a statement of microseconds. */
const POLL_MS = 100;
/** While git changes the working tree. */
const WAIT_MS = 100;
/** After as many waits it is told. */
const LONG_WAIT = 20;
/** After a failure, and while another process synchronises. */
const RETRY_MS = 2000;

const NONE: ReadonlySet<string> = new Set();

export interface ContentSyncOptions extends SyncOptions {
  readonly project: () => Project;
  readonly report: (message: string | ProjectError) => void;
  /** What the start has reported of the files; emptied by the first synchronisation, which finds that again. */
  readonly announced: Set<string>;
}

export class ContentSyncService {
  readonly #options: ContentSyncOptions;
  #running: Promise<SyncResult | undefined> | undefined;
  #isWanted = false;
  /** Files to look at; undefined: all. */
  #paths: ReadonlySet<string> | undefined = NONE;
  /** As `SyncResult.held`. */
  #held: ReadonlySet<string> | undefined = NONE;
  #isPaused = false;
  #isClosed = false;
  #lock: FileLock | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #poll: ReturnType<typeof setInterval> | undefined;
  #unwatch: () => void = () => {};
  #waits = 0;
  #failure: string | undefined;
  #problems: readonly FileProblem[] = [];
  #warnings: readonly FileProblem[] = [];
  #unwritten: readonly FileProblem[] = [];

  constructor(options: ContentSyncOptions) {
    this.#options = options;
  }

  /** The problems because of which changed files are not served. */
  get problems(): readonly FileProblem[] {
    return this.#problems;
  }

  get warnings(): readonly FileProblem[] {
    return [...this.#warnings, ...this.#unwritten];
  }

  /** What files and database had both changed, until the documents are saved again. */
  get conflicts(): readonly FileProblem[] {
    const state = new SyncState(this.#options.project().context.storage);
    if (!state.exists) return [];
    return [...state.withConflicts().values()].flatMap(({ path, conflicts }) =>
      conflicts.map((key) => conflictProblem(path, key)),
    );
  }

  /**
   * Synchronises until nothing is left to do. Resolves with undefined if it failed, which is reported. `paths`: of the files that may
   * have changed; any without it.
   */
  sync(paths?: ReadonlySet<string>): Promise<SyncResult | undefined> {
    this.#isWanted = true;
    this.#lookAt(paths);
    if (this.#isPaused) return Promise.resolve(undefined);
    this.#running ??= this.#loop().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  #lookAt(paths: ReadonlySet<string> | undefined): void {
    this.#paths = paths && this.#paths?.union(paths);
  }

  async #loop(): Promise<SyncResult | undefined> {
    let result: SyncResult | undefined;
    while (this.#isWanted && !this.#isClosed && !this.#isPaused) {
      this.#isWanted = false;
      try {
        if (!this.#acquire()) return undefined;
        const project = this.#options.project();
        const folder = new ContentFolder(join(project.root, CONTENT_FOLDER));
        const isStopped = (): boolean => this.#isPaused || this.#isClosed;
        const sync = new ContentSync(project, folder, { ...this.#options, isStopped });
        // what was not applied because of problems may be, once other files have changed
        if (this.#paths?.size !== 0) this.#lookAt(this.#held);
        const paths = this.#paths;
        this.#paths = NONE;
        result = this.#withKnown(await sync.run(paths), paths);
        if (result.waitsFor !== undefined) this.#lookAt(paths);
        this.#report(result);
        if (result.unwritten.length > 0) this.#later(RETRY_MS);
      } catch (error) {
        result = undefined;
        this.#lookAt(undefined);
        this.#reportFailure(`content/ cannot be synchronised: ${(error as Error).message}`);
        this.#later(RETRY_MS);
      }
    }
    return result;
  }

  /** What was found of files that were not looked at stays. */
  #withKnown(result: SyncResult, paths: ReadonlySet<string> | undefined): SyncResult {
    if (!paths || result.waitsFor !== undefined) return result;
    const warnings = this.#warnings.filter(
      (known) =>
        !paths.has(known.file.replace(/\/$/, "")) && !result.warnings.some((found) => sameProblems([known], [found])),
    );
    const isLook = paths.size > 0;
    return {
      ...result,
      ...(isLook ? {} : { problems: this.#problems, held: this.#held }),
      warnings: [...warnings, ...result.warnings],
    };
  }

  #acquire(): boolean {
    if (this.#lock || !this.#options.writes) return true;
    this.#lock = lockContent(this.#options.project().root);
    if (!this.#lock) {
      this.#reportFailure("content/ is synchronised by another process; this one only serves");
      this.#later(RETRY_MS);
    }
    return this.#lock !== undefined;
  }

  #later(delay: number): void {
    clearTimeout(this.#retry);
    if (this.#isClosed) return;
    this.#retry = setTimeout(() => void this.sync(NONE), delay);
    this.#retry.unref();
  }

  /** Once, as it is tried again and again. */
  #reportFailure(message: string | undefined): void {
    if (message !== undefined && message !== this.#failure) this.#options.report(message);
    this.#failure = message;
  }

  #report(result: SyncResult): void {
    const { applied, deleted, problems, conflicts, unwritten, waitsFor } = result;
    const { report } = this.#options;
    this.#waits = waitsFor === undefined ? 0 : this.#waits + 1;
    if (waitsFor !== undefined) {
      if (this.#waits === LONG_WAIT) report(`content/ is not synchronised until git has finished: ${waitsFor}`);
      this.#later(WAIT_MS);
      return;
    }
    this.#reportFailure(undefined);
    if (problems.length > 0 && !sameProblems(problems, this.#problems)) {
      report(toProjectError(problems));
      report("Nothing that changed in content/ is served until this is mended");
    } else if (problems.length === 0 && this.#problems.length > 0) report("content/ is valid again");
    const { announced } = this.#options;
    const isNew = (warning: FileProblem): boolean =>
      !announced.has(warningText(warning)) && !this.warnings.some((known) => sameProblems([known], [warning]));
    for (const warning of result.warnings.filter(isNew)) report(warningText(warning));
    const failed = [...unwritten.filter(isNew), ...conflicts];
    announced.clear();
    if (failed.length > 0) report(toProjectError(failed));
    if (applied + deleted > 0) report(`content: ${applied} changed, ${deleted} removed`);
    this.#problems = problems;
    this.#held = result.held;
    this.#warnings = result.warnings;
    this.#unwritten = unwritten;
  }

  /** Begins to watch. */
  start(): void {
    const { project, report } = this.#options;
    const { root } = project();
    const folder = join(root, CONTENT_FOLDER);
    const changed = (paths: ReadonlySet<string>): void => {
      void this.sync(new Set([...paths].map((path) => relative(folder, path).replaceAll(sep, "/"))));
    };
    this.#unwatch = watchFiles(root, { watched: [CONTENT_FOLDER], changed, report });
    const { conflicts } = this;
    if (conflicts.length > 0) report(toProjectError(conflicts));
    if (!this.#options.writes) return;
    let seen: number | undefined;
    this.#poll = setInterval(() => {
      if (this.#running || !this.#lock) return;
      const last = this.#findLastChange();
      if (last !== undefined && last === seen) return;
      seen = last;
      void this.sync(NONE);
    }, POLL_MS);
    this.#poll.unref();
  }

  /** Undefined if it cannot be read: the synchronisation then tells why. */
  #findLastChange(): number | undefined {
    try {
      return lastSequence(this.#options.project().context.storage);
    } catch {
      return undefined;
    }
  }

  /** Until `resume`, nothing is synchronised. Resolves when no synchronisation is running. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.#running;
  }

  resume(): void {
    this.#isPaused = false;
    void this.sync();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    clearInterval(this.#poll);
    this.#unwatch();
    await this.#running;
    this.#lock?.release();
  }
}
