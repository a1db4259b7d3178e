/** One application: a project behind HTTP, as a function from request to response. */
import { type RequestServer, splitUrl } from "../api/http-route.ts";
import { type Areas, createAreas } from "./areas.ts";
import { area, compile, createElysia, fallback } from "./elysia-app.ts";
import type { Project } from "./project.ts";

export interface App {
  readonly handle: (request: Request) => Promise<Response>;
  /** The port that requests come in at, which knows the addresses of clients. */
  readonly listensAt: (server: RequestServer) => void;
  /** Releases memory that is filled again when it is needed. */
  readonly trim: () => void;
  /** Ends answers that go on for as long as the project is served. */
  readonly endStreams: () => void;
  /** Everything that is served. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
}

/** The answers of an application that has no routes but its fallback, for which no router is needed. */
const unrouted =
  ({ fallback: answer, onError }: Areas, server: () => RequestServer | null) =>
  (request: Request): Promise<Response> =>
    answer({ request, params: {}, server: server() }, splitUrl(request.url).path).catch((error: unknown) =>
      onError(error, request),
    );

export function createApp(project: Project): App {
  const own = createAreas(project);
  const { areas, onError, compress } = own;
  const elysia = createElysia(onError);
  for (const routes of areas) elysia.use(area(routes));
  elysia.use(fallback("/*", own.fallback));
  let port: RequestServer | null = null;
  const app = {
    listensAt: (server: RequestServer): void => {
      port = server;
      // only `requestIP` is used
      elysia.server = server as NonNullable<typeof elysia.server>;
    },
    trim: (): void => project.context.storage.trim(),
    endStreams: (): void => project.ended.abort(),
    routes: elysia.routes,
  };
  let fetch = areas.length === 0 ? unrouted(own, () => port) : undefined;
  const handle = (request: Request): Promise<Response> => {
    fetch ??= compile(elysia);
    return fetch(request);
  };
  if (!compress) return { ...app, handle };
  return { ...app, handle: async (request) => compress(request, await handle(request)) };
}
