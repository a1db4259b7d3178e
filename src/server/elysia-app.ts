/**
 * Routes on Elysia. What is set here is what made it fast: the context is destructured, since Elysia reads a handler's
 * source to find out what to prepare; bodies are read by the routes themselves.
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
  // hosts may be shorter than the four letters that Elysia counts on
  handler: { standardHostname: false },
} as const;

/** Elysia sets none for a path without any. */
const NO_PARAMS = Object.freeze({});

type Handler = (context: HttpContext) => Response | Promise<Response>;

/** A plugin for one area: its routes as Elysia's. */
export const area =
  (routes: readonly HttpRoute[]) =>
  (app: AnyElysia): AnyElysia => {
    for (const { method, path, handle } of routes) addRoute(app, method, path, handle);
    return app;
  };

/**
 * Everything that no route takes, below a path that ends in `/*`. The handler gets the path from the place where the areas
 * are mounted, which is the root unless it is said.
 */
export const fallback =
  (path: string, handle: Fallback, mount = "") =>
  (app: AnyElysia): AnyElysia => {
    const own = path.slice(0, -1);
    addRoute(app, "ALL", mount + path, (context) => handle(context, own + context.params["*"]));
    return app;
  };

function addRoute(app: AnyElysia, method: string, path: string, handle: Handler): void {
  // asynchronous, so that Elysia waits for it and hands its errors to `onError`
  app.route(
    method,
    path,
    async ({ request, params, server }) => handle({ request, params: params ?? NO_PARAMS, server: server ?? null }),
    {
      parse: "none",
    },
  );
}

/** An application without routes. */
export const createElysia = (onError: (error: unknown, request: Request) => Response): AnyElysia =>
  new Elysia(options).onError(({ error, request, set }) => {
    // with the error's status there, Elysia would copy the response, and send it as a stream
    set.status = 200;
    return onError(error, request);
  });
