/** `strapi::cors` with functions of the project, which decide about the origin and credentials of each request. */
import { corsSettings, parseOrigins } from "../../config/middlewares.ts";
import { isRecord } from "../../query/key-check.ts";
import type { Middleware, Next } from "./compose.ts";
import type { Context } from "./context.ts";

/** The middleware for an entry of `config/middlewares`; undefined if its options have no functions: the server sets the headers then. */
export function corsMiddleware(entry: unknown): Middleware | undefined {
  const config = isRecord(entry) && isRecord(entry.config) ? entry.config : {};
  const settings = corsSettings(config);
  if (!settings.isDynamic) return undefined;
  const { origin = undefined, credentials = true } = config;

  /** The origin in the header; undefined if the request's is not allowed. Rejects with errors of the function. */
  async function allowedOrigin(ctx: Context): Promise<string | undefined> {
    const sent = ctx.get("origin");
    if (sent === "") return "*";
    const listed: unknown = typeof origin === "function" ? await origin(ctx) : origin;
    if (listed !== undefined && listed !== null && typeof listed !== "string" && !Array.isArray(listed))
      throw new TypeError("strapi::cors: origin must be a string, a list, or a function that returns one of these");
    const origins = parseOrigins(listed);
    return !origins || origins.includes(sent) ? sent : undefined;
  }

  return async (ctx: Context, next: Next) => {
    const allowed = await allowedOrigin(ctx);
    if (!allowed) return next();
    // as in the reference, only `true` of a function counts
    const sendsCredentials =
      typeof credentials === "function" ? (await credentials(ctx)) === true : Boolean(credentials);
    const isPreflight = ctx.method === "OPTIONS";
    if (isPreflight && ctx.get("access-control-request-method") === "") return next();
    ctx.set("Access-Control-Allow-Origin", sendsCredentials && allowed === "*" ? ctx.get("origin") : allowed);
    if (sendsCredentials) ctx.set("Access-Control-Allow-Credentials", "true");
    if (!isPreflight) {
      if (settings.expose !== "") ctx.set("Access-Control-Expose-Headers", settings.expose);
      return next();
    }
    const headers = settings.headers || ctx.get("access-control-request-headers");
    if (settings.maxAge !== "") ctx.set("Access-Control-Max-Age", settings.maxAge);
    if (settings.methods !== "") ctx.set("Access-Control-Allow-Methods", settings.methods);
    if (headers !== "") ctx.set("Access-Control-Allow-Headers", headers);
    ctx.status = 204;
    return undefined;
  };
}
