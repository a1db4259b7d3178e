/** One application: a project behind HTTP, as a function from request to response. */
import type { RequestServer } from "../api/http-route.ts";
import { createAreas } from "./areas.ts";
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

export function createApp(project: Project): App {
  const { areas, onError, compress, ...parts } = createAreas(project);
  const elysia = createElysia(onError);
  for (const routes of areas) elysia.use(area(routes));
  elysia.use(fallback("/*", parts.fallback));
  const app = {
    listensAt: (server: RequestServer): void => {
      // only `requestIP` is used
      elysia.server = server as NonNullable<typeof elysia.server>;
    },
    trim: (): void => project.context.storage.trim(),
    endStreams: (): void => project.ended.abort(),
    routes: elysia.routes,
  };
  let fetch: ((request: Request) => Promise<Response>) | undefined;
  const handle = (request: Request): Promise<Response> => {
    fetch ??= compile(elysia);
    return fetch(request);
  };
  if (!compress) return { ...app, handle };
  return { ...app, handle: async (request) => compress(request, await handle(request)) };
}
