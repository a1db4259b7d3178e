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
import { createChangeFilter, type Start } from "./changed-contents.ts";
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
  const { content, ...started } = await startProject(root, { ...options, announce });
  let { project } = started;
  let app = createApp(project);
  let server: RequestServer | undefined;
  let isClosed = false;
  let contentSync: ContentSyncService | undefined;
  project.context.storage.serve();

  const serveNext = async (): Promise<void> => {
    const { context, secrets, uploads } = project;
    // a project folder that was moved away is not an empty project
    if (!options.prepared && !existsSync(join(root, "src/api")))
      throw new ProjectError(join(root, "src/api"), undefined, "is gone; what was there is still served");
    const changes = (await options.changeTables?.(project)) ?? [];
    if (isClosed) return;
    // synchronous from here until the new application serves: the old one never reads the new tables
    context.storage.unpin();
    const { transactions } = project;
    const opened = await openWithCode(root, options, { storage: context.storage, secrets, uploads, transactions });
    const hasCode = project.code !== undefined || opened.project.transactions !== undefined;
    if (opened.project.fingerprint === project.fingerprint && !hasCode) return;
    const next = await opened.start();
    await project.code?.destroy();
    app = createApp(next);
    if (server) app.attachServer(server);
    project.ended.abort();
    const known = new Set(project.warnings.map(problemText));
    project = next;
    enableReload(next);
    for (const { table, text } of [...changes, ...next.changes]) options.report(`schema: ${table} ${text}`);
    const warnings = next.warnings.map(problemText).filter((warning) => !known.has(warning));
    for (const warning of warnings) options.report(`warning: ${warning}`);
    options.report("The project's files have changed and are served now");
    options.changed?.(next);
  };
  let lastStart: Start = { from: Number.POSITIVE_INFINITY, to: Number.POSITIVE_INFINITY };
  const reloadOnce = async (): Promise<Error | undefined> => {
    if (isClosed) return new ProjectError(root, undefined, "is no longer served");
    await contentSync?.pause();
    lastStart = { from: Date.now(), to: Number.POSITIVE_INFINITY };
    try {
      await serveNext();
      return undefined;
    } catch (error) {
      const problem = error instanceof ProjectError ? error : new ProjectError(root, undefined, describeFailure(error));
      options.report(problem);
      return problem;
    } finally {
      lastStart = { ...lastStart, to: Date.now() };
      if (!isClosed) project.context.storage.unpin();
      contentSync?.resume();
      options.settled?.();
    }
  };
  // reloads run one after the other: files may change again during a reload
  let reloading: Promise<Error | undefined> = Promise.resolve(undefined);
  const tryReload = (): Promise<Error | undefined> => {
    reloading = reloading.then(reloadOnce);
    return reloading;
  };
  const reload = async (): Promise<boolean> => (await tryReload()) === undefined;
  const servesFiles = !options.memory && !options.archive && !options.prepared;
  const syncsContent = options.watch && !options.ignoresContentChanges && existsSync(join(root, "content"));
  const enableReload = (served: Project): void => {
    if (servesFiles) served.reloader.reload = tryReload;
    if (syncsContent) served.reloader.contentSync = () => contentSync;
  };
  enableReload(project);
  const isChange = createChangeFilter(root, () => lastStart);
  const stopWatching = options.watch
    ? watchFiles(root, {
        watched: WATCHED,
        changed: (paths) => {
          if (isChange(paths)) void reload();
        },
        report: options.report,
      })
    : () => {};
  const startSync = (): void => {
    const { ContentSyncService } = require("./content-sync/service.ts") as typeof import("./content-sync/service.ts");
    contentSync = new ContentSyncService({
      project: () => project,
      writes: servesFiles && !project.isReadOnly,
      report: options.report,
      announced,
    });
    contentSync.start();
    contentSync.sync();
  };
  const schedule = createScheduleRunner(() => project, options.report);
  if (!project.isReadOnly) schedule.start();
  // after the first requests
  const syncTimer = syncsContent ? setTimeout(startSync, SYNC_DELAY_MS) : undefined;
  return {
    handle: (request) => app.handle(request),
    attachServer: (next) => {
      server = next;
      app.attachServer(next);
    },
    trim: () => app.trim(),
    endStreams: () => app.endStreams(),
    project: () => project,
    content,
    reload,
    close: async () => {
      isClosed = true;
      stopWatching();
      clearTimeout(syncTimer);
      await schedule.close();
      await contentSync?.close();
      await reloading;
      await project.close();
    },
  };
}

const describeFailure = (error: unknown): string =>
  `cannot be served (${error instanceof Error ? error.message : error})`;
