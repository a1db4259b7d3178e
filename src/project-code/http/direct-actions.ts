/** Actions of a type whose service does what every service does: one call of the document service, which checks. */
import { DocumentService, type Page } from "../../documents/document-service.ts";
import { paginationMeta } from "../../query/pagination.ts";
import type { Params } from "../../query/parse.ts";
import type { ContentType } from "../../schema/model.ts";
import { type MaybePromise, whenReady } from "../../when-ready.ts";
import type { Runtime } from "../runtime.ts";
import { abilityOf, callerOf } from "./caller.ts";
import type { Context } from "./context.ts";
import { ReadCache } from "./read-cache.ts";

const published = (query: Params): Params => ({
  ...query,
  status: query.status === undefined ? "published" : query.status,
});

export interface Listed {
  readonly results: unknown;
  readonly pagination: unknown;
}

/** Everything that what a core action reads depends on, besides the content. */
export const readKey = (ctx: Context, name: string): string =>
  `${name} ${abilityOf(ctx).key} ${JSON.stringify(ctx.query)}`;

export function directActions(runtime: Runtime, type: ContentType) {
  const { context, settings } = runtime;
  const cache = new ReadCache();
  const service = (ctx: Context) => new DocumentService(context, type, callerOf(runtime, ctx));
  /** A promise only where there is something to wait for. */
  const read = <T>(ctx: Context, name: string, make: (own: DocumentService) => MaybePromise<T>): MaybePromise<T> => {
    // middlewares and hooks may change each read
    if (runtime.documents.watchesReads(type.uid)) return make(service(ctx));
    return cache.read(context.storage, readKey(ctx, name), () => make(service(ctx)));
  };
  const listOf = ({ documents, pagination, total }: Page): Listed => ({
    results: documents,
    pagination: paginationMeta(pagination, total),
  });
  return {
    find: (ctx: Context) =>
      read(ctx, "find", (own) => whenReady(own.findPageInBatches(published(ctx.query), settings.rest), listOf)),
    findOne: (ctx: Context) => {
      const documentId = String(ctx.params.id);
      return read(ctx, `findOne ${documentId}`, (own) =>
        own.isReadByCode
          ? own.findOne({ ...published(ctx.query), documentId })
          : own.readOne(published(ctx.query), documentId),
      );
    },
    findSingle: (ctx: Context) =>
      read(ctx, "findFirst", (own) =>
        own.isReadByCode ? own.findFirst(published(ctx.query)) : own.readOne(published(ctx.query)),
      ),
    delete: async (ctx: Context) => {
      await service(ctx).delete({ ...published(ctx.query), documentId: String(ctx.params.id) });
    },
    deleteSingle: async (ctx: Context) => {
      await service(ctx).deleteSingle(published(ctx.query));
    },
  };
}
