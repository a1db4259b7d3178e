/** `strapi.requestContext`: the request that the calling code handles. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Context } from "../koa/koa.ts";

export interface RequestContext {
  readonly get: () => Context | undefined;
  readonly run: <T>(ctx: Context, work: () => T) => T;
}

export function createRequestContext(): RequestContext {
  const contexts = new AsyncLocalStorage<Context>();
  return { get: () => contexts.getStore(), run: (ctx, work) => contexts.run(ctx, work) };
}
