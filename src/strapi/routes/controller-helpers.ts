/** The helpers of a content-type's controller: sanitizing, validation, and the shape of responses. */
import { checkInput } from "../../engine/documents/input-keys.ts";
import { sanitizeInput, sanitizeOutput } from "../../engine/documents/sanitize.ts";
import type { Params } from "../../engine/query/parse.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";
import { sanitizeQuery } from "../data/sanitize-query.ts";
import { type Context, isContext } from "../koa/koa.ts";
import {
  checkParams,
  checkWithSchemas,
  inputSchemas,
  keepNames,
  parseValues,
  querySchemas,
} from "../loader/route-schemas.ts";
import type { Runtime } from "../runtime.ts";
import { createBudget, createCaller, createCanRead } from "./caller.ts";

export interface Helpers {
  transformResponse(data: unknown, meta?: unknown): Promise<unknown>;
  sanitizeOutput(data: unknown, ctx: Context): Promise<unknown>;
  sanitizeInput(data: unknown, ctx: Context): Promise<unknown>;
  sanitizeQuery(ctx: Context): Promise<Params>;
  validateQuery(ctx: Context): Promise<void>;
  validateInput(data: unknown, ctx: Context): Promise<void>;
}

/** The helpers that core actions call. */
export const helperNames = [
  "transformResponse",
  "sanitizeOutput",
  "sanitizeInput",
  "sanitizeQuery",
  "validateQuery",
  "validateInput",
] as const satisfies readonly (keyof Helpers)[];

export function responseShape(
  runtime: Runtime,
  type: ContentType,
  ctx: Context | undefined,
  data: unknown,
  meta: unknown = {},
): unknown {
  if (data === undefined || data === null) return data;
  if (typeof data !== "object") throw new Error("Entry must be an object or an array of objects");
  const isV4 = ctx?.request?.get("strapi-response-format") === "v4";
  const shaped = isV4 ? runtime.tools.toV4(type, data) : data;
  if (ctx?.request?.get("strapi-encode-source-maps") !== "true") return { data: shaped, meta };
  const { encodeSourceMaps } =
    require("../../engine/documents/source-maps.ts") as typeof import("../../engine/documents/source-maps.ts");
  const { model } = runtime.context;
  return encodeSourceMaps(model, type, shaped, createBudget(runtime, ctx)).then((encoded) => ({ data: encoded, meta }));
}

type Work = (this: never, ...args: never[]) => Promise<unknown>;

/** Wraps functions that take the context, so that they know what relations show. */
export function withAbility<T extends Readonly<Record<string, Work>>>(functions: T): T {
  const wrapped = Object.entries(functions).map(([name, work]): [string, Work] => [
    name,
    function (this: never, ...args: never[]) {
      const ctx = (args as readonly unknown[]).find(isContext);
      const find = ctx?.req.findAbility;
      if (!ctx || !find) return work.apply(this, args);
      return find().then((ability) => {
        Object.assign(ctx.req, { ability, findAbility: undefined });
        return work.apply(this, args);
      });
    },
  ]);
  return Object.fromEntries(wrapped) as T;
}

export function createHelpers(runtime: Runtime, type: ContentType): Helpers {
  const { sanitizers } = runtime;
  const { model } = runtime.context;
  const service = (ctx: Context) => runtime.context.documents(type, createCaller(runtime, ctx));
  const withContext: Omit<Helpers, "transformResponse"> = {
    async sanitizeOutput(data, ctx) {
      return sanitizers.output(type.uid, sanitizeOutput(model, type, data, createCanRead(ctx)));
    },
    async sanitizeInput(data, ctx) {
      const clean = await sanitizers.input(type.uid, sanitizeInput(model, type, data, createCanRead(ctx)));
      return isRecord(clean) ? parseValues(inputSchemas(ctx.state.route), clean) : clean;
    },
    async sanitizeQuery(ctx) {
      const clean = sanitizeQuery(model, type, ctx.query, createCanRead(ctx));
      const schemas = querySchemas(ctx.state.route);
      const parsed = parseValues(schemas, clean);
      return runtime.settings.rest.strictParams ? keepNames(parsed, schemas) : parsed;
    },
    async validateQuery(ctx) {
      if (runtime.settings.rest.strictParams) checkParams(ctx.query, ctx.state.route);
      service(ctx).check(ctx.query);
    },
    async validateInput(data, ctx) {
      checkWithSchemas(ctx.state.route, type, data, (own) =>
        checkInput(model, type, { data: own }, createCanRead(ctx)),
      );
      await sanitizers.check(type.uid, data);
    },
  };
  return {
    transformResponse: async (data, meta) => responseShape(runtime, type, runtime.requestContext.get(), data, meta),
    ...withAbility({ ...withContext }),
  };
}
