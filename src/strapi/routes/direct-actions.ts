/** Core actions of a type without a service of its own: each is one call of the document service, which validates. */
import type { Documents, Page } from "../../engine/documents/documents.ts";
import { paginationMeta } from "../../engine/query/list-params.ts";
import type { Params } from "../../engine/query/parse.ts";
import { type ContentType, contentType } from "../../engine/schema/model.ts";
import { type MaybePromise, whenReady } from "../../lib/when-ready.ts";
import { isJson } from "../koa/json-values.ts";
import { type Context, isBodySet, type Middleware, sendJson } from "../koa/koa.ts";
import { ReadCache, type ReadKey } from "../koa/read-cache.ts";
import type { Runtime } from "../runtime.ts";
import { hasOwnStrategy } from "./authentication.ts";
import { createCaller, findAbility } from "./caller.ts";

const published = (query: Params): Params => ({
  ...query,
  status: query.status === undefined ? "published" : query.status,
});

export interface ListResult {
  readonly results: unknown;
  readonly pagination: unknown;
}

/**
 * The cache key of a core action. Undefined if the query has values that different queries would share in JSON, and for a context
 * that code has made, whose query is not that of the request.
 */
export function cacheKey(ctx: Context, name: string): ReadKey | undefined {
  const { query } = ctx;
  if ((ctx as Partial<Context>).request?.query !== query || !isJson(query)) return undefined;
  // the name ends with what the client sent, which cannot pass for the caller's key here
  return { query: JSON.stringify(query), scope: `${findAbility(ctx).key}\0${name}` };
}

export function directActions(runtime: Runtime, type: ContentType) {
  const { context, settings } = runtime;
  const pages = new ReadCache(true);
  const documents = new ReadCache();
  const service = (ctx: Context) => context.documents(type, createCaller(runtime, ctx));
  /** Returns a promise only if there is something to wait for. */
  const read = <T>(
    cache: ReadCache,
    ctx: Context,
    name: string,
    load: (documentService: Documents) => MaybePromise<T>,
  ): MaybePromise<T> => {
    // middlewares and hooks may change each read
    const key = runtime.documents.watchesReads(type.uid) ? undefined : cacheKey(ctx, name);
    if (key === undefined) return load(service(ctx));
    return cache.read(context.storage, key, () => load(service(ctx)));
  };
  const toListResult = ({ documents: results, pagination, total }: Page): ListResult => ({
    results,
    pagination: paginationMeta(pagination, total),
  });
  return {
    find: (ctx: Context) =>
      read(pages, ctx, "find", (documentService) =>
        whenReady(documentService.findPage(published(ctx.query), settings.rest), toListResult),
      ),
    findOne: (ctx: Context) => {
      const documentId = String(ctx.params.id);
      return read(documents, ctx, `findOne ${documentId}`, (documentService) =>
        documentService.readOneSteadily(published(ctx.query), documentId),
      );
    },
    findSingle: (ctx: Context) =>
      read(documents, ctx, "findFirst", (documentService) => documentService.readOneSteadily(published(ctx.query))),
    delete: async (ctx: Context) => {
      await service(ctx).delete({ ...published(ctx.query), documentId: String(ctx.params.id) });
    },
    deleteSingle: async (ctx: Context) => {
      await service(ctx).deleteSingle(published(ctx.query));
    },
  };
}

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
      !hasOwnStrategy(ctx) &&
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
