/** Builds one application from a project: a function from request to response. */
import { type RequestServer, splitUrl } from "../api/http-route.ts";
import { toNativeResponse } from "../lib/native-response.ts";
import { type Areas, createAreas } from "./areas.ts";
import { area, compile, createElysia, fallback } from "./elysia-app.ts";
import type { Project } from "./project/project.ts";

export interface App {
  readonly handle: (request: Request) => Promise<Response>;
  /** Sets the server that receives the requests; it knows the clients' addresses. */
  readonly attachServer: (server: RequestServer) => void;
  /** Releases caches. */
  readonly trim: () => void;
  /** Ends streaming responses, such as server-sent events. */
  readonly endStreams: () => void;
  /** All registered routes. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
}

/** Handles requests of an application that has only a fallback, without a router. */
const createFallbackHandler =
  ({ fallback: answer, onError }: Areas, server: () => RequestServer | null) =>
  (request: Request): Promise<Response> =>
    answer({ request, params: {}, server: server() }, splitUrl(request.url).path).catch((error: unknown) =>
      onError(error, request),
    );

export function createApp(project: Project): App {
  const core = createAreas(project);
  const { areas, onError, compress } = core;
  const elysia = createElysia(onError);
  for (const routes of areas) elysia.use(area(routes));
  elysia.use(fallback("/*", core.fallback));
  let currentServer: RequestServer | null = null;
  const app = {
    attachServer: (server: RequestServer): void => {
      currentServer = server;
      // only `requestIP` is used
      elysia.server = server as NonNullable<typeof elysia.server>;
    },
    trim: (): void => project.context.storage.trim(),
    endStreams: (): void => project.ended.abort(),
    routes: elysia.routes,
  };
  let fetch = areas.length === 0 ? createFallbackHandler(core, () => currentServer) : undefined;
  const handle = (request: Request): Promise<Response> => {
    fetch ??= compile(elysia);
    return fetch(request);
  };
  const respond = compress
    ? async (request: Request): Promise<Response> => compress(request, await handle(request))
    : handle;
  if (!project.code) return { ...app, handle: respond };
  return { ...app, handle: async (request) => toNativeResponse(await respond(request)) };
}
