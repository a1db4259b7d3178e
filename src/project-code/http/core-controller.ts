/** The core controller of a content-type: the actions that own ones may call by `super`, and their helpers. */

import { createAbility } from "../../access/ability.ts";
import { Budget } from "../../budget.ts";
import { DocumentService, type Page } from "../../documents/document-service.ts";
import { checkInput } from "../../documents/input-keys.ts";
import type { Caller } from "../../query/check-query.ts";
import { isRecord } from "../../query/key-check.ts";
import { paginationMeta } from "../../query/pagination.ts";
import type { Params } from "../../query/parse.ts";
import { checkNames } from "../../query/strict-params.ts";
import type { CanRead } from "../../query/tree.ts";
import type { ContentType } from "../../schema/model.ts";
import { sanitizeInput, sanitizeOutput } from "../data/sanitize.ts";
import { sanitizeQuery } from "../data/sanitize-query.ts";
import type { Runtime } from "../runtime.ts";
import type { Context } from "./context.ts";
import type { CoreService } from "./core-service.ts";
import { ReadCache } from "./read-cache.ts";

/** Nobody in particular: an own route without authentication decides by itself who may call it. */
const nobody = createAbility("public", "code", () => false);

const canReadOf = (ctx: Context): CanRead => {
  const ability = ctx.ability ?? nobody;
  return (uid) => ability.canRead(uid);
};

/** Each read of a request takes from a budget of its own: code may read more than one list. */
const callerOf = ({ settings }: Runtime, ctx: Context): Caller => ({
  canRead: canReadOf(ctx),
  budget: new Budget(settings.limits, ctx.request.original),
});

interface Helpers {
  transformResponse(data: unknown, meta?: unknown): Promise<unknown>;
  sanitizeOutput(data: unknown, ctx: Context): Promise<unknown>;
  sanitizeInput(data: unknown, ctx: Context): Promise<unknown>;
  sanitizeQuery(ctx: Context): Promise<Params>;
  validateQuery(ctx: Context): Promise<void>;
  validateInput(data: unknown, ctx: Context): Promise<void>;
}

function responseShape(runtime: Runtime, type: ContentType, data: unknown, meta: unknown = {}): unknown {
  if (data === undefined || data === null) return data;
  if (typeof data !== "object") throw new Error("Entry must be an object or an array of objects");
  const isV4 = runtime.requestContext.get()?.request.get("strapi-response-format") === "v4";
  return { data: isV4 ? runtime.tools.toV4(type, data) : data, meta };
}

function createHelpers(runtime: Runtime, type: ContentType): Helpers {
  const { model } = runtime.context;
  const service = (ctx: Context) => new DocumentService(runtime.context, type, callerOf(runtime, ctx));
  return {
    transformResponse: async (data, meta) => responseShape(runtime, type, data, meta),
    async sanitizeOutput(data, ctx) {
      return sanitizeOutput(model, type, data, canReadOf(ctx));
    },
    async sanitizeInput(data, ctx) {
      return sanitizeInput(model, type, data, canReadOf(ctx));
    },
    async sanitizeQuery(ctx) {
      return sanitizeQuery(model, type, ctx.query, canReadOf(ctx));
    },
    async validateQuery(ctx) {
      if (runtime.settings.rest.strictParams) checkNames(ctx.query);
      service(ctx).check(ctx.query);
    },
    async validateInput(data, ctx) {
      checkInput(model, type, { data }, canReadOf(ctx));
    },
  };
}

const published = (query: Params): Params => ({
  ...query,
  status: query.status === undefined ? "published" : query.status,
});

export type CoreController = Helpers & Record<string, (ctx: Context) => Promise<unknown>>;

interface Listed {
  readonly results: unknown;
  readonly pagination: unknown;
}

/** Actions of a type whose service does what every service does: one call of the document service, which checks. */
function directActions(runtime: Runtime, type: ContentType) {
  const { context, settings } = runtime;
  const cache = new ReadCache();
  const service = (ctx: Context) => new DocumentService(context, type, callerOf(runtime, ctx));
  /** A promise only where there is something to wait for. */
  const read = <T>(ctx: Context, name: string, make: (own: DocumentService) => T | Promise<T>): T | Promise<T> => {
    // middlewares and hooks may change each read
    if (runtime.documents.watchesReads(type.uid)) return make(service(ctx));
    const key = `${name} ${(ctx.ability ?? nobody).key} ${JSON.stringify(ctx.query)}`;
    return cache.read(context.storage, key, () => make(service(ctx)));
  };
  const listOf = ({ documents, pagination, total }: Page): Listed => ({
    results: documents,
    pagination: paginationMeta(pagination, total),
  });
  return {
    find: (ctx: Context) =>
      read(ctx, "find", (own) => {
        const page = own.findPageInBatches(published(ctx.query), settings.rest);
        return page instanceof Promise ? page.then(listOf) : listOf(page);
      }),
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

export function createCoreController(runtime: Runtime, type: ContentType): CoreController {
  const { model } = runtime.context;
  const direct = directActions(runtime, type);
  const helpers = createHelpers(runtime, type);
  const service = (): CoreService => {
    const found = runtime.service(type.uid);
    // the reference fails here, too
    if (!found) throw new Error(`${type.uid} has no service: its api needs a file with createCoreService`);
    return found as CoreService;
  };
  const isDirect = (action: string): boolean => runtime.hasCoreService(type.uid, action);
  const isSingle = type.kind === "singleType";

  const input = (ctx: Context): Record<string, unknown> =>
    checkInput(model, type, isRecord(ctx.request.body) ? ctx.request.body : undefined, canReadOf(ctx));

  /** A promise only where code has replaced the helper. */
  const shape = (controller: Helpers, data: unknown, meta?: unknown): unknown =>
    controller.transformResponse === helpers.transformResponse
      ? responseShape(runtime, type, data, meta)
      : controller.transformResponse(data, meta);

  const answer = async (controller: Helpers, ctx: Context, document: unknown): Promise<unknown> =>
    controller.transformResponse(await controller.sanitizeOutput(document, ctx));

  const shared = {
    async find(this: Helpers, ctx: Context) {
      if (isDirect("find")) {
        const read = isSingle ? direct.findSingle(ctx) : direct.find(ctx);
        const found = read instanceof Promise ? await read : read;
        if (isSingle) return shape(this, found);
        const { results, pagination } = found as Listed;
        return shape(this, results, { pagination });
      }
      await this.validateQuery(ctx);
      const query = await this.sanitizeQuery(ctx);
      const found = await service().find(query);
      if (isSingle) return answer(this, ctx, found);
      const { results, pagination } = found as Listed;
      return this.transformResponse(await this.sanitizeOutput(results, ctx), { pagination });
    },
    async update(this: Helpers, ctx: Context) {
      await this.validateQuery(ctx);
      const query = await this.sanitizeQuery(ctx);
      const data = input(ctx);
      const params = { ...query, data };
      const written = isSingle
        ? await service().createOrUpdate(params)
        : await service().update(String(ctx.params.id), params);
      return answer(this, ctx, written);
    },
    async delete(this: Helpers, ctx: Context) {
      if (isDirect("delete")) await (isSingle ? direct.deleteSingle(ctx) : direct.delete(ctx));
      else {
        await this.validateQuery(ctx);
        const query = await this.sanitizeQuery(ctx);
        await (isSingle ? service().delete(query) : service().delete(String(ctx.params.id), query));
      }
      ctx.status = 204;
    },
  };
  const ofCollections = {
    async findOne(this: Helpers, ctx: Context) {
      if (isDirect("findOne")) {
        const read = direct.findOne(ctx);
        return shape(this, read instanceof Promise ? await read : read);
      }
      await this.validateQuery(ctx);
      const query = await this.sanitizeQuery(ctx);
      return answer(this, ctx, await service().findOne(String(ctx.params.id), query));
    },
    async create(this: Helpers, ctx: Context) {
      await this.validateQuery(ctx);
      const query = await this.sanitizeQuery(ctx);
      const data = input(ctx);
      const created = await service().create({ ...query, data });
      const result = await answer(this, ctx, created);
      ctx.status = 201;
      return result;
    },
  };
  const actions = isSingle ? shared : { ...shared, ...ofCollections };
  return Object.assign(Object.create(helpers), actions) as CoreController;
}
