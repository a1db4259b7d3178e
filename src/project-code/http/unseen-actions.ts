/** Core actions of routes with own policies or middlewares: no code sees their result, so that its JSON is kept and sent. */
import { contentType } from "../../schema/model.ts";
import type { Runtime } from "../runtime.ts";
import type { Middleware } from "./compose.ts";
import type { Context } from "./context.ts";
import { readKey } from "./direct-actions.ts";
import { ReadCache } from "./read-cache.ts";

/** The actions that read. */
const READS: ReadonlySet<string> = new Set(["find", "findOne"]);

/** `act` is the core action `action` of the type; its result depends on nothing but the request and the content. */
export function unseenAction(runtime: Runtime, uid: string, action: string, act: Middleware): Middleware {
  const { context } = runtime;
  const { kind } = contentType(context.model, uid);
  if (!READS.has(action)) return act;
  const cache = new ReadCache();
  const keyOf = (ctx: Context): string =>
    readKey(ctx, kind === "singleType" ? action : `${action} ${ctx.params.id ?? ""}`);
  return (ctx, next) => {
    const isPlain = !runtime.documents.watchesReads(uid) && ctx.request.get("strapi-response-format") === "";
    // a body of a middleware's stays
    if (!isPlain || ctx.response.isBodySet) return act(ctx, next);
    return cache.send(
      context.storage,
      keyOf(ctx),
      (json) => ctx.response.sendJson(json),
      () => act(ctx, next),
    );
  };
}
