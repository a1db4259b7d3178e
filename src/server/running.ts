/**
 * A project that is being served: changes of its schema and configuration files make a new application, which takes the
 * place of the old one once it is whole. Files that cannot be served are reported, and the last good application stays.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { RequestServer } from "../api/http-route.ts";
import { ProjectError } from "../errors.ts";
import type { Change } from "../storage/migrate.ts";
import { type App, createApp } from "./app.ts";
import type { Project } from "./project.ts";
import { openWithCode, type StartedProject, type StartOptions, startProject } from "./start.ts";
import { watchFiles } from "./watch-files.ts";

export interface RunningOptions extends StartOptions {
  /** Look for changes of files. */
  readonly watch: boolean;
  readonly report: (message: string | ProjectError) => void;
  /** Called whenever changed files are served. */
  readonly changed?: (project: Project) => void;
  /**
   * Changes the tables of a large database while the old application goes on reading its snapshot: the storage is pinned
   * when it resolves. Absent: tables change in this process.
   */
  readonly changeTables?: (project: Project) => Promise<readonly Change[]>;
  /** Called after each attempt to serve changed files. */
  readonly settled?: () => void;
}

export interface RunningProject extends Pick<App, "handle" | "listensAt" | "trim">, Partial<Pick<App, "endStreams">> {
  readonly project: () => Project;
  /** The content files that this start loaded. */
  readonly content: StartedProject["content"];
  /** Reads the project's files again. Returns whether they could be served; never rejects. */
  readonly reload: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

const WATCHED = ["src", "config", ".env"];

/** Throws a ProjectError for files that cannot be served. */
export async function runProject(root: string, options: RunningOptions): Promise<RunningProject> {
  const { content, ...started } = await startProject(root, options);
  let { project } = started;
  let app = createApp(project);
  let port: RequestServer | undefined;
  let isClosed = false;
  project.context.storage.serve();

  const serveNext = async (): Promise<void> => {
    const { context, secrets, uploads } = project;
    // a project that was moved away is no empty one
    if (!options.prepared && !existsSync(join(root, "src/api")))
      throw new ProjectError(join(root, "src/api"), undefined, "is gone; what was there is still served");
    const changes = (await options.changeTables?.(project)) ?? [];
    if (isClosed) return;
    // no request comes in between: the old application never sees the new tables
    context.storage.unpin();
    const { transactions } = project;
    const opened = await openWithCode(root, options, { storage: context.storage, secrets, uploads, transactions });
    const hasCode = project.code !== undefined || opened.project.transactions !== undefined;
    if (opened.project.fingerprint === project.fingerprint && !hasCode) return;
    const next = await opened.start();
    await project.code?.destroy();
    app = createApp(next);
    if (port) app.listensAt(port);
    project.ended.abort();
    project = next;
    letReload(next);
    for (const { table, text } of [...changes, ...next.changes]) options.report(`schema: ${table} ${text}`);
    options.report("The project's files have changed and are served now");
    options.changed?.(next);
  };
  const reloadOnce = async (): Promise<Error | undefined> => {
    if (isClosed) return new ProjectError(root, undefined, "is no longer served");
    try {
      await serveNext();
      return undefined;
    } catch (error) {
      const problem = error instanceof ProjectError ? error : new ProjectError(root, undefined, failureOf(error));
      options.report(problem);
      return problem;
    } finally {
      if (!isClosed) project.context.storage.unpin();
      options.settled?.();
    }
  };
  // one after the other: files may change again while a change is applied
  let reloading: Promise<Error | undefined> = Promise.resolve(undefined);
  const tryReload = (): Promise<Error | undefined> => {
    reloading = reloading.then(reloadOnce);
    return reloading;
  };
  const reload = async (): Promise<boolean> => (await tryReload()) === undefined;
  const ownFiles = !options.memory && !options.archive && !options.prepared;
  const letReload = (served: Project): void => {
    if (ownFiles) served.reloader.reload = tryReload;
  };
  letReload(project);
  const stopWatching = options.watch
    ? watchFiles(root, { watched: WATCHED, changed: () => void reload(), report: options.report })
    : () => {};
  return {
    handle: (request) => app.handle(request),
    listensAt: (server) => {
      port = server;
      app.listensAt(server);
    },
    trim: () => app.trim(),
    endStreams: () => app.endStreams(),
    project: () => project,
    content,
    reload,
    close: async () => {
      isClosed = true;
      stopWatching();
      await reloading;
      await project.close();
    },
  };
}

const failureOf = (error: unknown): string => `cannot be served (${error instanceof Error ? error.message : error})`;
