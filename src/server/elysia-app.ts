/**
 * Routes on Elysia. These settings were measured: the context is destructured, since Elysia reads a handler's source to
 * find out what to prepare; bodies are read by the routes themselves.
 */
import { type AnyElysia, Elysia } from "elysia";
import type { HttpContext, HttpRoute } from "../api/http-route.ts";
import type { Fallback } from "../api/rest/fallback.ts";

const options = {
  // other spellings are the fallback's
  strictPath: true,
  normalize: false,
  nativeStaticResponse: false,
  systemRouter: false,
  // by default Elysia expects hosts of at least four characters
  handler: { standardHostname: false },
} as const;

/** Elysia sets none for a path without any. */
const NO_PARAMS = Object.freeze({});

type Handler = (context: HttpContext) => Response | Promise<Response>;

/** What a route says to Elysia besides its handler. */
export interface RouteHook {
  readonly parse: "none";
}

/** For routes of an application whose own hooks may ask for the body: Elysia would read it first. Each hook costs 0.1 ms of a start. */
export const OWN_BODY: RouteHook = { parse: "none" };

/** A plugin for one area: its routes as Elysia's. */
export const area =
  (routes: readonly HttpRoute[], hook?: RouteHook) =>
  (app: AnyElysia): AnyElysia => {
    for (const { method, path, handle } of routes) addRoute(app, method, path, handle, hook);
    return app;
  };

/**
 * A route for everything else below a path that ends in `/*`. The handler gets the path without `mount`.
 */
export const fallback =
  (path: string, handle: Fallback, mount = "", hook?: RouteHook) =>
  (app: AnyElysia): AnyElysia => {
    const own = path.slice(0, -1);
    addRoute(app, "ALL", mount + path, (context) => handle(context, own + context.params["*"]), hook);
    return app;
  };

function addRoute(app: AnyElysia, method: string, path: string, handle: Handler, hook: RouteHook | undefined): void {
  // asynchronous, so that Elysia waits for it and hands its errors to `onError`
  app.route(
    method,
    path,
    async ({ request, params, server }) => handle({ request, params: params ?? NO_PARAMS, server: server ?? null }),
    hook,
  );
}

/** An application without routes. */
export const createElysia = (onError: (error: unknown, request: Request) => Response): AnyElysia =>
  new Elysia(options).onError(({ error, request, set }) => {
    // otherwise Elysia copies the response, and sends it as a stream
    set.status = 200;
    return onError(error, request);
  });

/**
 * Compiles an application whose handlers are all asynchronous. Elysia ends this with a garbage collection, for which the first
 * request would wait; the server makes one as soon as it rests (`idle.ts`).
 */
export function compile(app: AnyElysia): (request: Request) => Promise<Response> {
  const { gc } = Bun;
  Bun.gc = () => 0;
  try {
    return app.fetch as (request: Request) => Promise<Response>;
  } finally {
    Bun.gc = gc;
  }
}
