/**
 * Galley in a program's own process: for tests, seed scripts and tools. The document service has the reference's names
 * and parameters; requests are answered with or without a port.
 */
import type { Database } from "bun:sqlite";
import { resolve } from "node:path";
import type { RequestServer } from "./api/http-route.ts";
import type { DocumentService } from "./documents/document-service.ts";
import { type App, createApp } from "./server/app.ts";
import { embed } from "./server/embedded.ts";
import { type Listening, listen } from "./server/listen.ts";
import type { Project } from "./server/project.ts";

export interface GalleyOptions {
  /** The project's folder; this or an archive. */
  readonly project?: string | undefined;
  /** An archive of `strapi export` or `galley export`, in the place of a project. */
  readonly archive?: string | undefined;
  /** Password of an encrypted archive. */
  readonly key?: string | undefined;
  /** The database in memory, so that nothing is written; true. */
  readonly memory?: boolean;
  /** Everybody may read every content-type; false. */
  readonly publicRead?: boolean;
  /** Serve the admin's routes, for admin tokens; false. */
  readonly admin?: boolean;
  /** What configuration files see as the environment; the process's own. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

export interface Galley {
  /** The document service of a content-type, by uid. Throws for an unknown one. */
  readonly documents: (uid: string) => DocumentService;
  /** As the global `fetch`, for paths ("/api/articles") and requests, without a port. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Answers a request without a port. */
  readonly handle: (request: Request) => Promise<Response>;
  /** Listens on a port, a free one by default; answers the address. */
  readonly serve: (port?: number) => string;
  /** The open database. */
  readonly database: () => Database;
  /** Resets a database in memory, and the uploaded files, to the state after the start. */
  readonly reset: () => Promise<void>;
  readonly close: () => Promise<void>;
  /** `await using` closes it. */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** Where paths are below. */
const ORIGIN = "http://localhost";

/** Throws a ProjectError that names the file for a project that cannot be served. */
export async function createGalley(options: GalleyOptions): Promise<Galley> {
  const {
    project: folder,
    archive,
    key,
    memory = true,
    publicRead = false,
    admin = false,
    environment = process.env,
  } = options;
  let port: RequestServer | undefined;
  const serveApp = (project: Project): App => {
    const app = createApp(project);
    if (port) app.listensAt(port);
    return app;
  };
  const place = archive ?? folder;
  if (place === undefined || (archive !== undefined && folder !== undefined))
    throw new TypeError("createGalley needs either a project or an archive");
  if (archive !== undefined && !memory) throw new TypeError("An archive is served in memory only");
  const { project, served, documents, reset, close } = await embed(
    place,
    {
      ...(archive === undefined ? {} : { archive: { file: resolve(archive), key } }),
      memory,
      publicRead,
      admin: () => admin,
      environment,
    },
    serveApp,
  );
  const handle: Galley["handle"] = (request) => served().handle(request);
  const listensAt = (server: RequestServer): void => {
    port = server;
    served().listensAt(server);
  };
  let server: Listening | undefined;
  const end = async (): Promise<void> => {
    await server?.stop();
    await close();
  };
  return {
    documents,
    handle,
    fetch: (input, init) =>
      handle(input instanceof Request ? new Request(input, init) : new Request(new URL(input, ORIGIN).href, init)),
    serve: (number = 0) => {
      server ??= listen({ handle, listensAt, trim: () => served().trim() }, { port: number, host: "localhost" });
      return `http://localhost:${server.port}`;
    },
    database: () => project().context.storage.db,
    reset,
    close: end,
    [Symbol.asyncDispose]: end,
  };
}

export type { DocumentService, Entries } from "./documents/document-service.ts";
export { ApiError, ProjectError } from "./errors.ts";
