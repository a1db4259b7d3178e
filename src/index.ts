/**
 * Galley in a program's own process: for tests, seed scripts and tools. The document service has the reference's names
 * and parameters; requests are answered with or without a port.
 */
import type { Database } from "bun:sqlite";
import { resolve } from "node:path";
import { DocumentService } from "./documents/document-service.ts";
import { contentType } from "./schema/model.ts";
import { createApp } from "./server/app.ts";
import { type Listening, listen } from "./server/listen.ts";
import { openProject } from "./server/project.ts";
import { startProject } from "./server/start.ts";
import { Storage } from "./storage/storage.ts";

export interface GalleyOptions {
  /** The project's folder. */
  readonly project: string;
  /** The database in memory, so that nothing is written; true. */
  readonly memory?: boolean;
  /** Everybody may read every content-type; false. */
  readonly publicRead?: boolean;
  /** What configuration files see as the environment; the process's own. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

export interface Galley {
  /** The document service of a content-type, by uid. Throws for an unknown one. */
  readonly documents: (uid: string) => DocumentService;
  /** Answers a request without a port. */
  readonly handle: (request: Request) => Promise<Response>;
  /** Listens on a port, a free one by default; answers the address. */
  readonly serve: (port?: number) => string;
  /** The open database, to look into. */
  readonly database: () => Database;
  /** Takes a database in memory, and the files that were uploaded, back to what was there at the start. */
  readonly reset: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Throws a ProjectError that names the file for a project that cannot be served. */
export async function createGalley(options: GalleyOptions): Promise<Galley> {
  const { memory = true, publicRead = false, environment = process.env } = options;
  const root = resolve(options.project);
  const settings = { memory, publicRead, environment };
  let { project } = await startProject(root, settings);
  await project.idle();
  let app = createApp(project);
  let template = memory ? { rows: project.context.storage.snapshot(), files: project.uploads.list() } : undefined;
  let server: Listening | undefined;
  return {
    documents: (uid) => new DocumentService(project.context, contentType(project.model, uid)),
    handle: (request) => app.handle(request),
    serve: (port = 0) => {
      server ??= listen(
        {
          handle: (request) => app.handle(request),
          listensAt: (bound) => app.listensAt(bound),
          trim: () => app.trim(),
        },
        { port, host: "localhost" },
      );
      return `http://localhost:${server.port}`;
    },
    database: () => project.context.storage.db,
    reset: async () => {
      if (!template) throw new Error("Only a database in memory can be reset");
      const { context, secrets, uploads } = project;
      await project.idle();
      context.storage.close();
      uploads.keepOnly(template.files);
      project = openProject(root, settings, { storage: Storage.fromSnapshot(template.rows), secrets, uploads });
      app = createApp(project);
    },
    close: async () => {
      template = undefined;
      await server?.stop();
      await project.close();
    },
  };
}

export type { DocumentService, Entries } from "./documents/document-service.ts";
export { ApiError, ProjectError } from "./errors.ts";
