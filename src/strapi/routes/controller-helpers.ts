/** The helpers of a content-type's controller: sanitizing, validation, and the shape of responses. */
import type { Params } from "../../engine/query/parse.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { type Context, isContext } from "../koa/koa.ts";
import type { Runtime } from "../runtime.ts";
import { hasOwnStrategy, setOwnAbility } from "./authentication.ts";
import { createBudget, createCaller } from "./caller.ts";
import { ClientData } from "./client-data.ts";

export interface Helpers {
  transformResponse(data: unknown, meta?: unknown): Promise<unknown>;
  /** Without a context: for callers without permissions. */
  sanitizeOutput(data: unknown, ctx?: Context): Promise<unknown>;
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
export function withAbility<T extends Readonly<Record<string, Work>>>(runtime: Runtime, functions: T): T {
  const wrapped = Object.entries(functions).map(([name, work]): [string, Work] => [
    name,
    function (this: never, ...args: never[]) {
      const ctx = (args as readonly unknown[]).find(isContext);
      if (!ctx || !hasOwnStrategy(ctx)) return work.apply(this, args);
      return setOwnAbility(runtime, ctx).then(() => work.apply(this, args));
    },
  ]);
  return Object.fromEntries(wrapped) as T;
}

/** What a request sends and gets, by the route and the caller of its context. */
export const dataOfRequest = (runtime: Runtime, type: ContentType, ctx: Context): ClientData =>
  new ClientData(runtime, type, {
    caller: createCaller(runtime, ctx),
    route: ctx.state?.route,
    isStrict: runtime.settings.rest.strictParams,
  });

export function createHelpers(runtime: Runtime, type: ContentType): Helpers {
  const of = (ctx: Context): ClientData => dataOfRequest(runtime, type, ctx);
  return {
    transformResponse: async (data, meta) => responseShape(runtime, type, runtime.requestContext.get(), data, meta),
    ...withAbility(runtime, {
      sanitizeOutput: async (data: unknown, ctx?: Context) => of(ctx ?? ({} as Context)).output(data),
      sanitizeInput: (data: unknown, ctx: Context) => of(ctx).input(data),
      sanitizeQuery: async (ctx: Context) => of(ctx).query(ctx.query),
      validateQuery: async (ctx: Context) => of(ctx).checkQuery(ctx.query),
      validateInput: (data: unknown, ctx: Context) => of(ctx).validateInput(data),
    }),
  };
}
