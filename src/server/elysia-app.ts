/**
 * Registers routes on Elysia. The settings were measured. Handlers destructure the context, since Elysia reads their source to
 * decide what to prepare. Routes read bodies themselves.
 */
import { type AnyElysia, Elysia } from "elysia";
import type { HttpContext, HttpRoute } from "../api/http-route.ts";
import type { Fallback } from "../api/rest/fallback.ts";

const options = {
  // other spellings of a path go to the fallback
  strictPath: true,
  normalize: false,
  nativeStaticResponse: false,
  systemRouter: false,
  // by default Elysia expects hosts of at least four characters
  handler: { standardHostname: false },
} as const;

/** For paths without parameters, where Elysia leaves `params` undefined. */
const NO_PARAMS = Object.freeze({});

type Handler = (context: HttpContext) => Response | Promise<Response>;

/** Elysia's options of a route. */
export interface RouteHook {
  readonly parse: "none";
}

/** Keeps Elysia from reading the body before the route, if hooks of the host application use it. Adds 0.1 ms per route to a start. */
export const OWN_BODY: RouteHook = { parse: "none" };

/** An Elysia plugin with the routes of one area. */
export const area =
  (routes: readonly HttpRoute[], hook?: RouteHook) =>
  (app: AnyElysia): AnyElysia => {
    for (const { method, path, handle } of routes) addRoute(app, method, path, handle, hook);
    return app;
  };

/**
 * An Elysia plugin for all other requests below `path`, which ends in `/*`. The handler gets the path without `mount`.
 */
export const fallback =
  (path: string, handle: Fallback, mount = "", hook?: RouteHook) =>
  (app: AnyElysia): AnyElysia => {
    const prefix = path.slice(0, -1);
    addRoute(app, "ALL", mount + path, (context) => handle(context, prefix + context.params["*"]), hook);
    return app;
  };

function addRoute(app: AnyElysia, method: string, path: string, handle: Handler, hook: RouteHook | undefined): void {
  // async, so that Elysia awaits it and passes rejections to `onError`
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
    // without it, Elysia copies the response and streams it
    set.status = 200;
    return onError(error, request);
  });

/**
 * Compiles an application whose handlers are all async. Elysia then runs the garbage collector, which would delay the first
 * request; it is skipped here, and runs when the server is idle (`idle.ts`).
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
