/** Caches core actions of routes with policies or middlewares as JSON, since no code reads the result. */
import { contentType } from "../../engine/schema/model.ts";
import { type Context, isBodySet, type Middleware, sendJson } from "../koa/koa.ts";
import { ReadCache, type ReadKey } from "../koa/read-cache.ts";
import type { Runtime } from "../runtime.ts";
import { cacheKey } from "./direct-actions.ts";

/** The actions that read. */
const READS: ReadonlySet<string> = new Set(["find", "findOne"]);

/** `handle`: the core action, whose result must depend only on the request and the content. */
export function cachedAction(runtime: Runtime, uid: string, action: string, handle: Middleware): Middleware {
  const { context, sanitizers } = runtime;
  const { kind } = contentType(context.model, uid);
  if (!READS.has(action)) return handle;
  const cache = new ReadCache();
  const createKey = (ctx: Context): ReadKey | undefined =>
    cacheKey(ctx, kind === "singleType" ? action : `${action} ${ctx.params.id ?? ""}`);
  return (ctx, next) => {
    const isPlain =
      !runtime.documents.watchesReads(uid) &&
      !sanitizers.changeOutput &&
      !ctx.req.findAbility &&
      ctx.get("strapi-response-format") === "" &&
      ctx.get("strapi-encode-source-maps") === "";
    // a body that a middleware has set is kept
    const key = isPlain && !isBodySet(ctx) ? createKey(ctx) : undefined;
    if (key === undefined) return handle(ctx, next);
    return cache.send(
      context.storage,
      key,
      (json) => sendJson(ctx, json),
      () => handle(ctx, next),
    );
  };
}
