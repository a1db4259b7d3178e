/**
 * Serves a project. When its schema or configuration files change, a new application is built and replaces the old one. If the
 * files cannot be served, the error is reported and the old application stays.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { RequestServer } from "../api/http-route.ts";
import type { Change } from "../engine/storage/migrate.ts";
import { ProjectError, problemText } from "../lib/errors.ts";
import { type App, createApp } from "./app.ts";
import { type ChangeFilter, createChangeFilter, type Start } from "./changed-contents.ts";
import type { ContentSyncService } from "./content-sync/service.ts";
import type { Project } from "./project/project.ts";
import { createScheduleRunner } from "./schedule-runner.ts";
import { openWithCode, type StartedProject, type StartOptions, startProject } from "./start.ts";
import { watchFiles } from "./watch-files.ts";

export interface RunningOptions extends StartOptions {
  /** Watch the project's files. */
  readonly watch: boolean;
  readonly report: (message: string | ProjectError) => void;
  /** Called when changed files are served. */
  readonly changed?: (project: Project) => void;
  /**
   * Migrates the tables of a large database while the old application reads from a snapshot; pins the storage. Without it,
   * tables change in this process.
   */
  readonly changeTables?: (project: Project) => Promise<readonly Change[]>;
  /** Called after each reload, successful or not. */
  readonly settled?: () => void;
}

export interface RunningProject
  extends Pick<App, "handle" | "attachServer" | "trim">,
    Partial<Pick<App, "endStreams">> {
  readonly project: () => Project;
  /** Counts of the content files that this start loaded. */
  readonly content: StartedProject["content"];
  /** Reads the project's files again. Resolves with whether they could be served; never rejects. */
  readonly reload: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** Milliseconds after the start until content files are watched. */
const SYNC_DELAY_MS = 60;
const WATCHED = ["src", "config", ".env"];

/** What is served now, and what changes it. */
interface Live {
  readonly root: string;
  readonly options: RunningOptions;
  /** Lines that the start has printed. */
  readonly announced: Set<string>;
  readonly servesFiles: boolean;
  readonly syncsContent: boolean;
  project: Project;
  app: App;
  server: RequestServer | undefined;
  isClosed: boolean;
  contentSync: ContentSyncService | undefined;
  readonly changes: ChangeFilter;
  lastStart: Start;
  reloading: Promise<Error | undefined>;
  /** Of the last reload. */
  problem: Error | undefined;
}

/** Rejects with a ProjectError for files that cannot be served. */
export async function runProject(root: string, options: RunningOptions): Promise<RunningProject> {
  const announced = new Set<string>();
  const print = options.announce;
  const announce =
    print &&
    ((line: string): void => {
      announced.add(line);
      print(line);
    });
  const { content, project } = await startProject(root, { ...options, announce });
  const live: Live = {
    root,
    options,
    announced,
    servesFiles: !options.memory && !options.archive && !options.prepared,
    syncsContent: options.watch && !options.ignoresContentChanges && existsSync(join(root, "content")),
    project,
    app: createApp(project),
    server: undefined,
    isClosed: false,
    contentSync: undefined,
    changes: createChangeFilter(root, () => live.lastStart),
    lastStart: { from: Number.POSITIVE_INFINITY, to: Number.POSITIVE_INFINITY },
    reloading: Promise.resolve(undefined),
    problem: undefined,
  };
  project.context.storage.serve();
  enableReload(live, project);
  const stopWatching = options.watch ? watchProject(live) : () => {};
  const schedule = createScheduleRunner(() => live.project, options.report);
  if (!project.isReadOnly) schedule.start();
  // after the first requests
  const syncTimer = live.syncsContent ? setTimeout(() => startSync(live), SYNC_DELAY_MS) : undefined;
  return {
    handle: (request) => live.app.handle(request),
    attachServer: (next) => {
      live.server = next;
      live.app.attachServer(next);
    },
    trim: () => live.app.trim(),
    endStreams: () => live.app.endStreams(),
    project: () => live.project,
    content,
    reload: async () => (await reload(live)) === undefined,
    close: async () => {
      live.isClosed = true;
      stopWatching();
      clearTimeout(syncTimer);
      await schedule.close();
      await live.contentSync?.close();
      await live.reloading;
      await live.project.close();
    },
  };
}

const watchProject = (live: Live): (() => void) =>
  watchFiles(live.root, {
    watched: WATCHED,
    changed: (paths) => {
      if (live.changes.isChange(paths)) void reload(live);
    },
    report: live.options.report,
  });

/** Rejects for routes without a handler; the code has ended then. */
async function createNextApp(next: Project): Promise<ReturnType<typeof createApp>> {
  try {
    return createApp(next);
  } catch (error) {
    next.code?.handles.undo();
    await next.code?.destroy();
    throw error;
  }
}

async function serveNext(live: Live): Promise<void> {
  const { options, root } = live;
  const { context, secrets, uploads, code } = live.project;
  // a project folder that was moved away is not an empty project
  if (!options.prepared && !existsSync(join(root, "src/api")))
    throw new ProjectError(join(root, "src/api"), undefined, "is gone; what was there is still served");
  const changes = (await options.changeTables?.(live.project)) ?? [];
  if (live.isClosed) return;
  const { transactions } = live.project;
  const reused = { storage: context.storage, secrets, uploads, transactions };
  const opened = await openWithCode(root, options, reused, code?.handles);
  const hasCode = live.project.code !== undefined || opened.project.transactions !== undefined;
  if (opened.project.fingerprint === live.project.fingerprint && !hasCode) return;
  const next = await opened.start();
  const nextApp = await createNextApp(next);
  await code?.destroy();
  live.app = nextApp;
  if (live.server) live.app.attachServer(live.server);
  live.project.ended.abort();
  const known = new Set(live.project.warnings.map(problemText));
  live.project = next;
  enableReload(live, next);
  for (const { table, text } of [...changes, ...next.changes]) options.report(`schema: ${table} ${text}`);
  const warnings = next.warnings.map(problemText).filter((warning) => !known.has(warning));
  for (const warning of warnings) options.report(`warning: ${warning}`);
  options.report("The project's files have changed and are served now");
  options.changed?.(next);
}

/** Packages with a state, such as a registry of metrics, may refuse to be set up again: they are loaded anew, as in a new process. */
async function retryWithNewPackages(live: Live, error: unknown): Promise<void> {
  const { forgetPackages, isFromPackage } =
    require("../strapi/loader/packages-of-code.ts") as typeof import("../strapi/loader/packages-of-code.ts");
  if (!live.project.code || !isFromPackage(error)) throw error;
  forgetPackages();
  await serveNext(live);
}

async function reloadOnce(live: Live): Promise<Error | undefined> {
  const { root, options } = live;
  if (live.isClosed) return new ProjectError(root, undefined, "is no longer served");
  await live.contentSync?.pause();
  live.lastStart = { from: Date.now(), to: Number.POSITIVE_INFINITY };
  try {
    await serveNext(live).catch((error: unknown) => retryWithNewPackages(live, error));
    return undefined;
  } catch (error) {
    const problem = error instanceof ProjectError ? error : new ProjectError(root, undefined, describeFailure(error));
    options.report(problem);
    return problem;
  } finally {
    live.lastStart = { ...live.lastStart, to: Date.now() };
    if (!live.isClosed) live.project.context.storage.unpin();
    live.contentSync?.resume();
    options.settled?.();
  }
}

/** Reloads run one after the other: files may change again during a reload. */
function reload(live: Live): Promise<Error | undefined> {
  live.reloading = live.reloading.then(async () => {
    live.problem = await reloadOnce(live);
    return live.problem;
  });
  return live.reloading;
}

function enableReload(live: Live, served: Project): void {
  served.reloader.problem = () => live.problem?.message;
  if (live.servesFiles)
    served.reloader.reload = (written = []) => {
      live.changes.remember(written);
      return reload(live);
    };
  if (live.syncsContent) served.reloader.contentSync = () => live.contentSync;
}

function startSync(live: Live): void {
  const { servesFiles, options, announced } = live;
  const { ContentSyncService } = require("./content-sync/service.ts") as typeof import("./content-sync/service.ts");
  live.contentSync = new ContentSyncService({
    project: () => live.project,
    writes: servesFiles && !live.project.isReadOnly,
    report: options.report,
    announced,
  });
  live.contentSync.start();
  live.contentSync.sync();
}

const describeFailure = (error: unknown): string =>
  `cannot be served (${error instanceof Error ? error.message : error})`;
