/**
 * Galley embedded in a program: for tests, seed scripts and tools. The document service has the reference's names and
 * parameters; requests can be sent with or without a port.
 */
import type { Database } from "bun:sqlite";
import { resolve } from "node:path";
import type { RequestServer } from "./api/http-route.ts";
import { type Caller, callerOf, requestOf, type Send } from "./caller.ts";
import type { Documents as DocumentService } from "./engine/documents/documents.ts";
import { Reproducible } from "./engine/documents/reproducible.ts";
import { type App, createApp } from "./server/app.ts";
import { authorizationOf } from "./server/callers.ts";
import { embed, type Snapshot } from "./server/embedded.ts";
import { type Listening, listen } from "./server/listen.ts";
import type { Project } from "./server/project.ts";
import { cacheFolder, createTableCache } from "./server/table-cache.ts";

export interface GalleyOptions {
  /** The project's folder; this or an archive. */
  readonly project?: string | undefined;
  /** An archive of `strapi export` or `galley export`, instead of a project. */
  readonly archive?: string | undefined;
  /** Password of an encrypted archive. */
  readonly key?: string | undefined;
  /** Keep the database in memory; default: true. */
  readonly memory?: boolean;
  /** Allow reads of all content-types without authentication; default: false. */
  readonly publicRead?: boolean;
  /** Serve the admin's routes, for admin tokens; default: false. */
  readonly admin?: boolean;
  /**
   * Entries that replace those of the project's content files, by the names of the files: `{ articles: [{ key: "a",
   * data: { title: "A" } }] }`. Their media are read from `content/media`.
   */
  readonly content?: Readonly<Record<string, unknown>> | undefined;
  /** The time of the first write, in ISO 8601 or milliseconds since 1970. It advances by a millisecond with each write. */
  readonly now?: Date | string | number | undefined;
  /** A seed for document ids and names of uploaded files, which are then the same in every run. */
  readonly seed?: string | number | undefined;
  /** The environment for configuration files; default: that of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /**
   * The folder in which empty tables of databases in memory are cached for the next start with the same files; false: none.
   * Default: the user's cache folder, or the process's GALLEY_CACHE.
   */
  readonly cache?: string | false | undefined;
}

export interface Galley {
  /** The document service of a content-type, by uid. Throws for an unknown one. */
  readonly documents: (uid: string) => DocumentService;
  /** As the global `fetch`, for paths ("/api/articles") and requests, without a port. */
  readonly fetch: Send;
  /**
   * Sends requests as "public", as a user of a role ("authenticated"; the first user, or a new one), with an API token of
   * `config/galley.json` by its name, with any token by its key, or as with a token of the type "full-access" or "read-only". A request's own `Authorization` takes precedence. For an
   * unknown name, the first request rejects with an Error.
   */
  readonly as: (caller: string) => Caller;
  /** Handles a request without a port. */
  readonly handle: (request: Request) => Promise<Response>;
  /** Listens on a port, by default a free one; returns the URL. */
  readonly serve: (port?: number) => string;
  /** The open database. */
  readonly database: () => Database;
  /** A snapshot of content and uploads for `reset`. Only for databases in memory; rejects otherwise. */
  readonly snapshot: () => Promise<Snapshot>;
  /** Restores a database in memory, and the uploaded files, from a snapshot; by default, the state after the start. */
  readonly reset: (to?: Snapshot) => Promise<void>;
  readonly close: () => Promise<void>;
  /** `await using` closes it. */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** Throws a TypeError for an invalid time. */
function reproducibleOf({ now, seed }: GalleyOptions): Reproducible | undefined {
  if (now === undefined && seed === undefined) return undefined;
  const time = now === undefined ? undefined : new Date(now).getTime();
  if (Number.isNaN(time)) throw new TypeError(`now is no time: ${now}`);
  return new Reproducible(time, seed === undefined ? undefined : String(seed));
}

/** Rejects with a ProjectError that names the file if the project cannot be served, and a TypeError for invalid options. */
export async function createGalley(options: GalleyOptions): Promise<Galley> {
  const {
    project: folder,
    archive,
    key,
    memory = true,
    publicRead = false,
    admin = false,
    environment = process.env,
    content,
    cache = cacheFolder(process.env),
  } = options;
  let requestServer: RequestServer | undefined;
  const serveApp = (project: Project): App => {
    const app = createApp(project);
    if (requestServer) app.attachServer(requestServer);
    return app;
  };
  const source = archive ?? folder;
  if (source === undefined || (archive !== undefined && folder !== undefined))
    throw new TypeError("createGalley needs either a project or an archive");
  if (archive !== undefined && !memory) throw new TypeError("An archive is served in memory only");
  if (content !== undefined && (archive !== undefined || !memory))
    throw new TypeError("content is for a project whose database is in memory");
  const { project, served, documents, snapshot, reset, close } = await embed(
    source,
    {
      ...(archive === undefined ? {} : { archive: { file: resolve(archive), key } }),
      memory,
      publicRead,
      admin: () => admin,
      environment,
      content,
      reproducible: reproducibleOf(options),
      tableCache: createTableCache(cache),
    },
    serveApp,
  );
  const handle: Galley["handle"] = (request) => served().handle(request);
  const attachServer = (server: RequestServer): void => {
    requestServer = server;
    served().attachServer(server);
  };
  const send: Galley["fetch"] = (input, init) => handle(requestOf(input, init));
  let server: Listening | undefined;
  const closeAll = async (): Promise<void> => {
    await server?.stop();
    await close();
  };
  return {
    documents,
    handle,
    fetch: send,
    as: (caller) => callerOf(send, () => authorizationOf(project(), caller)),
    serve: (port = 0) => {
      server ??= listen(
        { handle, attachServer, trim: () => served().trim(), endStreams: () => served().endStreams() },
        { port: port, host: "localhost" },
      );
      return `http://localhost:${server.port}`;
    },
    database: () => project().context.storage.db,
    snapshot,
    reset,
    close: closeAll,
    [Symbol.asyncDispose]: closeAll,
  };
}

export type { Documents as DocumentService, Entries } from "./engine/documents/documents.ts";
export { ApiError, ProjectError } from "./lib/errors.ts";
export type { Caller, Snapshot };
