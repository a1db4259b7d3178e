/** Synchronises `content/` while a project is served: after changes of its files, and after writes of the database. */
import { join } from "node:path";
import { lastSequence } from "../../engine/storage/change-log/change-log.ts";
import type { ProjectError } from "../../lib/errors.ts";
import { CONTENT_FOLDER } from "../../transfer/content-files/entries.ts";
import type { Project } from "../project/project.ts";
import { watchFiles } from "../watch-files.ts";
import { ContentFolder } from "./folder.ts";
import { type FileProblem, projectErrorOf, sameProblems } from "./problems.ts";
import { SyncState } from "./state.ts";
import { ContentSync, type SyncOptions, type SyncResult } from "./sync.ts";

/** Milliseconds between two looks at the database's last change, a statement of microseconds. */
const POLL_MS = 100;
/** While git changes the working tree. */
const RETRY_MS = 100;

export interface ContentSyncOptions extends SyncOptions {
  readonly project: () => Project;
  readonly report: (message: string | ProjectError) => void;
}

export class ContentSyncService {
  readonly #options: ContentSyncOptions;
  #running: Promise<SyncResult | undefined> | undefined;
  #isWanted = false;
  #isClosed = false;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #poll: ReturnType<typeof setInterval> | undefined;
  #unwatch: () => void = () => {};
  #problems: readonly FileProblem[] = [];
  #warnings: readonly FileProblem[] = [];

  constructor(options: ContentSyncOptions) {
    this.#options = options;
  }

  /** The problems because of which changed files are not served. */
  get problems(): readonly FileProblem[] {
    return this.#problems;
  }

  get warnings(): readonly FileProblem[] {
    return this.#warnings;
  }

  #create(): ContentSync {
    const project = this.#options.project();
    return new ContentSync(project, new ContentFolder(join(project.root, CONTENT_FOLDER)), this.#options);
  }

  /** Synchronises until nothing is left to do. Resolves with undefined if it failed, which is reported. */
  sync(): Promise<SyncResult | undefined> {
    this.#isWanted = true;
    this.#running ??= this.#loop().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #loop(): Promise<SyncResult | undefined> {
    let result: SyncResult | undefined;
    while (this.#isWanted && !this.#isClosed) {
      this.#isWanted = false;
      try {
        result = await this.#create().run();
        this.#report(result);
        if (result.waits) this.#later();
      } catch (error) {
        result = undefined;
        this.#options.report(`content/ cannot be synchronised: ${(error as Error).message}`);
        this.#later(RETRY_MS * 20);
      }
    }
    return result;
  }

  #later(delay = RETRY_MS): void {
    clearTimeout(this.#retry);
    if (this.#isClosed) return;
    this.#retry = setTimeout(() => void this.sync(), delay);
    this.#retry.unref();
  }

  #report({ applied, deleted, problems, warnings, waits }: SyncResult): void {
    if (waits) return;
    const { report } = this.#options;
    if (problems.length > 0 && !sameProblems(problems, this.#problems)) {
      report(projectErrorOf(problems));
      report("Nothing that changed in content/ is served until this is mended");
    } else if (problems.length === 0 && this.#problems.length > 0) report("content/ is valid again");
    const isKnown = (warning: FileProblem): boolean => this.#warnings.some((known) => sameProblems([known], [warning]));
    const added = warnings.filter((warning) => !isKnown(warning));
    if (added.length > 0) report(projectErrorOf(added));
    if (applied + deleted > 0) report(`content: ${applied} changed, ${deleted} removed`);
    this.#problems = problems;
    this.#warnings = warnings;
  }

  /** Begins to watch. */
  start(): void {
    const { project, report } = this.#options;
    const { root, context } = project();
    this.#unwatch = watchFiles(root, { watched: [CONTENT_FOLDER], changed: () => void this.sync(), report });
    if (!this.#options.writes) return;
    const state = new SyncState(context.storage);
    let seen = state.sequence;
    this.#poll = setInterval(() => {
      const last = lastSequence(this.#options.project().context.storage);
      if (last === seen || this.#running) return;
      seen = last;
      void this.sync();
    }, POLL_MS);
    this.#poll.unref();
  }

  /** Resolves when no synchronisation is running. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    clearInterval(this.#poll);
    this.#unwatch();
    await this.#running;
  }
}
