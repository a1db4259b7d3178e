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

/** What the actions of a controller share. */
interface Core {
  readonly runtime: Runtime;
  readonly type: ContentType;
  /** Those that code has not overridden. */
  readonly helpers: Helpers;
}

function service({ runtime, type }: Core): CoreService {
  const found = runtime.service(type.uid);
  // as in Strapi
  if (!found) throw new Error(`${type.uid} has no service: its api needs a file with createCoreService`);
  return found as CoreService;
}

/** Whether code overrides neither the service method of an action nor the helpers around it. */
const isDirect = ({ runtime, type, helpers }: Core, controller: Helpers, action: string, ctx: Context): boolean =>
  !hasSchemas(ctx.state?.route) &&
  runtime.hasCoreService(type.uid, action) &&
  aroundReads.every((name) => controller[name] === helpers[name]);

async function input({ helpers, runtime, type }: Core, controller: Helpers, ctx: Context): Promise<unknown> {
  const { data } = toRecord(ctx.request.body);
  const isPlain = !runtime.sanitizers.areUsed && aroundWrites.every((name) => controller[name] === helpers[name]);
  if (!isPlain && typeof data === "object" && data !== null) {
    await controller.validateInput(data, ctx);
    return controller.sanitizeInput(data, ctx);
  }
  const own = dataOfRequest(runtime, type, ctx);
  const checked = own.checkInput(data);
  return hasSchemas(ctx.state.route) ? own.parseInput(data) : checked;
}

/** Returns a promise only if code overrides the helper. */
const shape = (
  { helpers, runtime, type }: Core,
  controller: Helpers,
  ctx: Context,
  data: unknown,
  meta?: unknown,
): unknown =>
  controller.transformResponse === helpers.transformResponse
    ? responseShape(runtime, type, ctx, data, meta)
    : controller.transformResponse(data, meta);

/** The response with documents of the document service, which has removed what the caller may not see. */
function sanitized(core: Core, controller: Helpers, ctx: Context, data: unknown, meta?: unknown): unknown {
  const { sanitizers } = core.runtime;
  return sanitizers.changeOutput
    ? whenReady(sanitizers.output(core.type.uid, data), (changed) => shape(core, controller, ctx, changed, meta))
    : shape(core, controller, ctx, data, meta);
}

const answer = async (controller: Helpers, ctx: Context, document: unknown): Promise<unknown> =>
  controller.transformResponse(await controller.sanitizeOutput(document, ctx));

export function createCoreController(runtime: Runtime, type: ContentType): CoreController {
  const direct = directActions(runtime, type);
  const helpers = createHelpers(runtime, type);
  const core: Core = { runtime, type, helpers };
  const isSingle = type.kind === "singleType";

  const commonActions = {
    async find(this: Helpers, ctx: Context) {
      if (isDirect(core, this, "find", ctx)) {
        const read = isSingle ? direct.findSingle(ctx) : direct.find(ctx);
        const found = read instanceof Promise ? await read : read;
        if (isSingle) return sanitized(core, this, ctx, found);
        const { results, pagination } = found as ListResult;
        return sanitized(core, this, ctx, results, { pagination });
      }
      await this.validateQuery(ctx);
      const query = await this.sanitizeQuery(ctx);
      const found = await service(core).find(query);
      if (isSingle) return answer(this, ctx, found);
      const { results, pagination } = found as ListResult;
      return this.transformResponse(await this.sanitizeOutput(results, ctx), { pagination });
    },
    async update(this: Helpers, ctx: Context) {
      await this.validateQuery(ctx);
      const query = await this.sanitizeQuery(ctx);
      const data = await input(core, this, ctx);
      const params = { ...query, data };
      const written = isSingle
        ? await service(core).createOrUpdate(params)
        : await service(core).update(String(ctx.params.id), params);
      return answer(this, ctx, written);
    },
    async delete(this: Helpers, ctx: Context) {
      if (isDirect(core, this, "delete", ctx)) await (isSingle ? direct.deleteSingle(ctx) : direct.delete(ctx));
      else {
        await this.validateQuery(ctx);
        const query = await this.sanitizeQuery(ctx);
        await (isSingle ? service(core).delete(query) : service(core).delete(String(ctx.params.id), query));
      }
      ctx.status = 204;
    },
  };
  const collectionActions = {
    async findOne(this: Helpers, ctx: Context) {
      if (isDirect(core, this, "findOne", ctx)) {
        const read = direct.findOne(ctx);
        return sanitized(core, this, ctx, read instanceof Promise ? await read : read);
      }
      await this.validateQuery(ctx);
      const query = await this.sanitizeQuery(ctx);
      return answer(this, ctx, await service(core).findOne(String(ctx.params.id), query));
    },
    async create(this: Helpers, ctx: Context) {
      await this.validateQuery(ctx);
      const query = await this.sanitizeQuery(ctx);
      const data = await input(core, this, ctx);
      const created = await service(core).create({ ...query, data });
      const result = await answer(this, ctx, created);
      ctx.status = 201;
      return result;
    },
  };
  const actions = isSingle ? commonActions : { ...commonActions, ...collectionActions };
  return Object.assign(Object.create(helpers), withAbility(runtime, { ...actions })) as CoreController;
}
