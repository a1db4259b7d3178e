/** Built-in middlewares of `config/middlewares` that run around the project's: those of Koa, and those that see every request. */

import cors from "@koa/cors";
import type Koa from "koa";
import { corsDefaults, corsSettings, parseOrigins } from "../../engine/config/middlewares.ts";
import { createHelmet } from "../../engine/config/security-headers.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import type { Context, Middleware } from "../koa/koa.ts";

/** The regular expressions of an option; undefined if it is not a list. */
const patterns = (value: unknown): readonly RegExp[] | undefined =>
  Array.isArray(value) ? value.map((item) => new RegExp(item as string | RegExp)) : undefined;

/**
 * Refuses addresses that match no pattern of `whitelist`, or one of `blacklist`. The patterns are regular expressions; a list
 * instead of options is a `whitelist`. Refused requests get 403, or what `handler` responds. Throws for invalid patterns.
 */
function ipMiddleware(config: unknown): Middleware {
  const options = isRecord(config) ? config : { whitelist: config === undefined ? undefined : [config].flat() };
  const allowed = patterns(options.whitelist);
  const denied = patterns(options.blacklist);
  const { handler } = options;
  return (ctx, next) => {
    const matches = (pattern: RegExp): boolean => pattern.test(ctx.ip);
    if ((!allowed || allowed.some(matches)) && !denied?.some(matches)) return next();
    return typeof handler === "function" ? handler(ctx, next) : ctx.throw(403);
  };
}

/** Adds the time until the response was ready, in whole milliseconds. */
async function responseTime(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  const start = performance.now();
  await next();
  ctx.set("X-Response-Time", `${Math.ceil(performance.now() - start)}ms`);
}

/** Sets the headers, and answers preflights. */
function corsMiddleware(config: unknown): Middleware {
  const options = { ...corsDefaults, ...toRecord(config) };
  const { expose, maxAge, credentials, methods, headers } = options;
  const { origin, keepHeadersOnError = false }: Readonly<Record<string, unknown>> = options;
  const allowedOrigin = async (ctx: Context): Promise<string> => {
    const sent = ctx.get("origin");
    if (sent === "") return "*";
    const listed: unknown = typeof origin === "function" ? await origin(ctx) : origin;
    if (listed !== undefined && listed !== null && typeof listed !== "string" && !Array.isArray(listed))
      throw new TypeError("strapi::cors: origin must be a string, a list, or a function that returns one of these");
    const origins = parseOrigins(listed);
    return !origins || origins.includes(sent) ? sent : "";
  };
  const rules = { exposeHeaders: expose, maxAge, credentials, allowMethods: methods, allowHeaders: headers };
  return cors({ ...rules, origin: allowedOrigin, keepHeadersOnError } as never);
}

const DAY_MS = 86_400_000;
const sessionDefaults = {
  ...{ key: "koa.sess", maxAge: DAY_MS, httpOnly: true, signed: true, overwrite: true },
  // a cookie that is not signed must not choose the prototype of the session
  decode: (text: string): unknown =>
    JSON.parse(Buffer.from(text, "base64").toString("utf8"), (key, value) => (key === "__proto__" ? undefined : value)),
};

/** koa-session is loaded when code first reads `ctx.session`, or at once where sessions are stored elsewhere than in cookies. */
function sessionMiddleware(config: unknown, app: Koa): Middleware {
  const options = { ...sessionDefaults, secure: app.env === "production", ...toRecord(config) };
  const create = (): Middleware => {
    const { createSession } = require("koa-session") as typeof import("koa-session");
    return createSession(options, app as never);
  };
  if ("store" in options || "ContextStore" in options) return create();
  let middleware: Middleware | undefined;
  const access = (change: (ctx: Context) => unknown) =>
    function (this: Context): unknown {
      // replaces these accessors
      Reflect.deleteProperty(app.context, "session");
      middleware = create();
      return change(this);
    };
  Object.defineProperty(app.context, "session", {
    configurable: true,
    get: access((ctx) => ctx.session),
    set(this: Context, session: Context["session"]) {
      access((ctx) => {
        ctx.session = session;
      }).call(this);
    },
  });
  return async (ctx, next) => {
    try {
      return await next();
    } finally {
      // sets the cookie
      if (middleware) await middleware(ctx, () => Promise.resolve());
    }
  };
}

function securityMiddleware(config: unknown): Middleware {
  const helmet = createHelmet(toRecord(config));
  return async (ctx, next) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    helmet(ctx.req, ctx.res, resolve);
    const error = await promise;
    if (error) throw error;
    await next();
  };
}

const filters = { ip: ipMiddleware, responseTime: () => responseTime };

/** Those that a route may name, in place of what they do for all routes. */
const routeFilters: Readonly<Record<string, (config: unknown) => Middleware>> = {
  ...filters,
  cors: corsMiddleware,
  security: securityMiddleware,
};

/** A built-in middleware that a route names. The others have no further effect there, since they run before all routes. */
export const routeFilter = (name: string, config: unknown): Middleware =>
  routeFilters[name.slice("strapi::".length)]?.(config) ?? ((_ctx, next) => next());

/** By name without `strapi::`. Undefined: the server does what the middleware does. */
export const requestFilters: Readonly<Record<string, (config: unknown, app: Koa) => Middleware | undefined>> = {
  ...filters,
  // without functions in its options, which decide about each request, the server sets the headers
  cors: (config) =>
    corsSettings({ ...corsDefaults, ...toRecord(config) }).isDynamic ? corsMiddleware(config) : undefined,
  session: sessionMiddleware,
};
