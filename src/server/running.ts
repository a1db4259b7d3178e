/**
 * A project that is being served: changes of its schema and configuration files make a new application, which takes the
 * place of the old one once it is whole. Files that cannot be served are reported, and the last good application stays.
 */
import { existsSync, type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import type { RequestServer } from "../api/http-route.ts";
import { ProjectError } from "../errors.ts";
import { type App, createApp } from "./app.ts";
import { openProject, type Project } from "./project.ts";
import { type StartedProject, type StartOptions, startProject } from "./start.ts";

export interface RunningOptions extends StartOptions {
  /** Look for changes of files. */
  readonly watch: boolean;
  readonly report: (message: string | ProjectError) => void;
  /** Called whenever changed files are served. */
  readonly changed?: (project: Project) => void;
}

export interface RunningProject extends Pick<App, "handle" | "listensAt" | "trim"> {
  readonly project: () => Project;
  /** The content files that this start loaded. */
  readonly content: StartedProject["content"];
  /** Reads the project's files again. Answers whether they could be served. */
  readonly reload: () => boolean;
  readonly close: () => Promise<void>;
}

/** Editors save in several steps, and often several files at once. */
const SETTLE_MS = 60;
const WATCHED = ["src", "config"];

/** Throws a ProjectError for files that cannot be served. */
export async function runProject(root: string, options: RunningOptions): Promise<RunningProject> {
  const { content, ...started } = await startProject(root, options);
  let { project } = started;
  let app = createApp(project);
  let port: RequestServer | undefined;
  const reload = (): boolean => {
    try {
      const { context, secrets, uploads } = project;
      const next = openProject(root, options, { storage: context.storage, secrets, uploads });
      if (next.fingerprint === project.fingerprint) return true;
      app = createApp(next);
      if (port) app.listensAt(port);
      project = next;
      for (const { table, text } of next.changes) options.report(`schema: ${table} ${text}`);
      options.report("The project's files have changed and are served now");
      options.changed?.(next);
      return true;
    } catch (error) {
      if (!(error instanceof ProjectError)) throw error;
      options.report(error);
      return false;
    }
  };
  const stopWatching = options.watch ? watchFolders(root, reload) : () => {};
  return {
    handle: (request) => app.handle(request),
    listensAt: (server) => {
      port = server;
      app.listensAt(server);
    },
    trim: () => app.trim(),
    project: () => project,
    content,
    reload,
    close: () => {
      stopWatching();
      return project.close();
    },
  };
}

function watchFolders(root: string, changed: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const settle = (): void => {
    clearTimeout(timer);
    timer = setTimeout(changed, SETTLE_MS);
  };
  const watchers: FSWatcher[] = [];
  // looking for changes can wait until the first requests are answered
  const begin = setTimeout(() => {
    for (const folder of WATCHED) {
      if (existsSync(join(root, folder))) watchers.push(watch(join(root, folder), { recursive: true }, settle));
    }
  }, SETTLE_MS);
  return () => {
    clearTimeout(begin);
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
