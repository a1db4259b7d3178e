/** Rate limits of routes that run code. The server limits its own routes by itself. */
import type { Limits } from "../../engine/access/rate-limit.ts";
import { toRecord } from "../../lib/is-record.ts";
import { type Context, refuse } from "../koa/koa.ts";
import type { Runtime } from "../runtime.ts";
import { asNative } from "./native-actions.ts";

/** Counts a request; false if it is refused, with the response. */
export async function isWithinLimit(
  ctx: Context,
  { access }: Runtime,
  path: string,
  limits?: Limits,
): Promise<boolean> {
  const client = { address: () => ctx.ip || undefined, forwardedFor: ctx.get("x-forwarded-for") || null };
  const { headers, error } = await access.rateLimit.count(path, client, limits);
  ctx.set(headers);
  if (error) refuse(ctx, error.httpStatus, error.name, error.message, error.details ?? {});
  return error === undefined;
}

const UNITS = { ms: 1, sec: 1000, min: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** Milliseconds of what the middleware's configuration takes: a number, or `{ min: 5 }`. Undefined for anything else. */
function toMilliseconds(interval: unknown): number | undefined {
  if (typeof interval === "number") return interval;
  const given = Object.entries(UNITS).map(([unit, size]) => Number(toRecord(interval)[unit] ?? 0) * size);
  return given.reduce((sum, part) => sum + part, 0) || undefined;
}

/** `plugin::users-permissions.rateLimit`, as the middleware of a route: `{ name, config: { interval, max } }`. */
export const rateLimitMiddleware = (runtime: () => Runtime) =>
  asNative((config: unknown) => {
    const { interval, max } = toRecord(config);
    const milliseconds = toMilliseconds(interval);
    const limits = {
      ...(milliseconds === undefined ? {} : { interval: milliseconds }),
      ...(typeof max === "number" ? { max } : {}),
    };
    return async (ctx: Context, next: () => Promise<void>): Promise<void> => {
      if (await isWithinLimit(ctx, runtime(), ctx.path, limits)) await next();
    };
  });

/** `admin::rateLimit`, for routes of plugins: five requests in five minutes, or what `rateLimit` of `config/admin` says. */
export const adminRateLimit = (runtime: () => Runtime) =>
  asNative((config: unknown) => {
    const settings = { enabled: true, ...toRecord(runtime().config.get("admin.rateLimit")) };
    const limit = rateLimitMiddleware(runtime)({ interval: { min: 5 }, max: 5, ...settings, ...toRecord(config) });
    return (ctx: Context, next: () => Promise<void>): Promise<void> => (settings.enabled ? limit(ctx, next) : next());
  });
