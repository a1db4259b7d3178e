/** The core controller of a content-type: its actions and helpers. Overrides call them with `super`. */

import type { ContentType } from "../../engine/schema/model.ts";
import { toRecord } from "../../lib/is-record.ts";
import { whenReady } from "../../lib/when-ready.ts";
import type { Context } from "../koa/koa.ts";
import { hasSchemas } from "../loader/route-schemas.ts";
import type { Runtime } from "../runtime.ts";
import { createHelpers, dataOfRequest, type Helpers, responseShape, withAbility } from "./controller-helpers.ts";
import type { CoreService } from "./core-service.ts";
import { directActions, type ListResult } from "./direct-actions.ts";

export type CoreController = Helpers & Record<string, (ctx: Context) => Promise<unknown>>;

const aroundReads = ["validateQuery", "sanitizeQuery", "sanitizeOutput"] as const satisfies readonly (keyof Helpers)[];
const aroundWrites = ["validateInput", "sanitizeInput"] as const satisfies readonly (keyof Helpers)[];

export function createCoreController(runtime: Runtime, type: ContentType): CoreController {
  const { sanitizers } = runtime;
  const direct = directActions(runtime, type);
  const helpers = createHelpers(runtime, type);
  const service = (): CoreService => {
    const found = runtime.service(type.uid);
    // as in Strapi
    if (!found) throw new Error(`${type.uid} has no service: its api needs a file with createCoreService`);
    return found as CoreService;
  };
  /** Whether code overrides neither the service method of an action nor the helpers around it. */
  const isDirect = (controller: Helpers, action: string, ctx: Context): boolean =>
    !hasSchemas(ctx.state?.route) &&
    runtime.hasCoreService(type.uid, action) &&
    aroundReads.every((name) => controller[name] === helpers[name]);
  const isSingle = type.kind === "singleType";

  const input = async (controller: Helpers, ctx: Context): Promise<unknown> => {
    const { data } = toRecord(ctx.request.body);
    const isPlain = !sanitizers.areUsed && aroundWrites.every((name) => controller[name] === helpers[name]);
    if (!isPlain && typeof data === "object" && data !== null) {
      await controller.validateInput(data, ctx);
      return controller.sanitizeInput(data, ctx);
    }
    const own = dataOfRequest(runtime, type, ctx);
    const checked = own.checkInput(data);
    return hasSchemas(ctx.state.route) ? own.parseInput(data) : checked;
  };

  /** Returns a promise only if code overrides the helper. */
  const shape = (controller: Helpers, ctx: Context, data: unknown, meta?: unknown): unknown =>
    controller.transformResponse === helpers.transformResponse
      ? responseShape(runtime, type, ctx, data, meta)
      : controller.transformResponse(data, meta);

  /** The response with documents of the document service, which has removed what the caller may not see. */
  const sanitized = (controller: Helpers, ctx: Context, data: unknown, meta?: unknown): unknown =>
    sanitizers.changeOutput
      ? whenReady(sanitizers.output(type.uid, data), (changed) => shape(controller, ctx, changed, meta))
      : shape(controller, ctx, data, meta);

  const answer = async (controller: Helpers, ctx: Context, document: unknown): Promise<unknown> =>
    controller.transformResponse(await controller.sanitizeOutput(document, ctx));

  const commonActions = {
    async find(this: Helpers, ctx: Context) {
      if (isDirect(this, "find", ctx)) {
        const read = isSingle ? direct.findSingle(ctx) : direct.find(ctx);
        const found = read instanceof Promise ? await read : read;
        if (isSingle) return sanitized(this, ctx, found);
        const { results, pagination } = found as ListResult;
        return sanitized(this, ctx, results, { pagination });
      }
      await this.validateQuery(ctx);
      const query = await this.sanitizeQuery(ctx);
      const found = await service().find(query);
      if (isSingle) return answer(this, ctx, found);
      const { results, pagination } = found as ListResult;
      return this.transformResponse(await this.sanitizeOutput(results, ctx), { pagination });
    },
    async update(this: Helpers, ctx: Context) {
      await this.validateQuery(ctx);
      const query = await this.sanitizeQuery(ctx);
      const data = await input(this, ctx);
      const params = { ...query, data };
      const written = isSingle
        ? await service().createOrUpdate(params)
        : await service().update(String(ctx.params.id), params);
      return answer(this, ctx, written);
    },
    async delete(this: Helpers, ctx: Context) {
      if (isDirect(this, "delete", ctx)) await (isSingle ? direct.deleteSingle(ctx) : direct.delete(ctx));
      else {
        await this.validateQuery(ctx);
        const query = await this.sanitizeQuery(ctx);
        await (isSingle ? service().delete(query) : service().delete(String(ctx.params.id), query));
      }
      ctx.status = 204;
    },
  };
  const collectionActions = {
    async findOne(this: Helpers, ctx: Context) {
      if (isDirect(this, "findOne", ctx)) {
        const read = direct.findOne(ctx);
        return sanitized(this, ctx, read instanceof Promise ? await read : read);
      }
      await this.validateQuery(ctx);
      const query = await this.sanitizeQuery(ctx);
      return answer(this, ctx, await service().findOne(String(ctx.params.id), query));
    },
    async create(this: Helpers, ctx: Context) {
      await this.validateQuery(ctx);
      const query = await this.sanitizeQuery(ctx);
      const data = await input(this, ctx);
      const created = await service().create({ ...query, data });
      const result = await answer(this, ctx, created);
      ctx.status = 201;
      return result;
    },
  };
  const actions = isSingle ? commonActions : { ...commonActions, ...collectionActions };
  return Object.assign(Object.create(helpers), withAbility(runtime, { ...actions })) as CoreController;
}
