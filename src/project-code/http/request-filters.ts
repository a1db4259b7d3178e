/** Built-in middlewares that see every request: `strapi::ip` and `strapi::responseTime`. */
import { isRecord } from "../../query/key-check.ts";
import type { Middleware } from "./compose.ts";
import type { Context } from "./context.ts";

/** The regular expressions of an option; undefined if it is no list. */
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

/** The middlewares by name without `strapi::`, made of their options. */
export const requestFilters: Readonly<Record<string, (config: unknown) => Middleware>> = {
  ip: ipMiddleware,
  responseTime: () => responseTime,
};
