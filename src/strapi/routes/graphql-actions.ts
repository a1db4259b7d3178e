/** Actions of users-permissions that an extension replaces, for the GraphQL fields that call them. */
import type { Ability } from "../../engine/access/access.ts";
import { ApiError } from "../../lib/errors.ts";
import { toRecord } from "../../lib/is-record.ts";
import { mapValues } from "../../lib/records.ts";
import type { Context } from "../koa/koa.ts";
import type { Registries } from "../loader/registry.ts";
import { asApiError } from "../packages/errors.ts";
import type { Runtime } from "../runtime.ts";
import { graphqlContext } from "./graphql-context.ts";
import { isNative } from "./native-actions.ts";

const PLUGIN = "plugin::users-permissions";

export interface ActionInput {
  readonly body?: unknown;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  /** The arguments after the context. */
  readonly rest?: readonly unknown[];
}

/** Resolves with the body of the response. Rejects with an ApiError. */
export type PluginAction = (request: Request, ability: Ability, input: ActionInput) => Promise<unknown>;

/** `name`: of the controller and the action. Undefined for an action of the server. */
export function replacedAction(runtime: Runtime, { controllers }: Registries, name: string): PluginAction | undefined {
  const [controllerName, actionName] = name.split(".") as [string, string];
  const controller = controllers.get(`${PLUGIN}.${controllerName}`) as Readonly<Record<string, unknown>>;
  const action = controller[actionName];
  if (typeof action !== "function" || isNative(action, "")) return undefined;
  return async (request, ability, { body, params = {}, query, rest = [] }) => {
    const { koaContext } = graphqlContext(runtime, request, ability) as { readonly koaContext: Context };
    koaContext.request.body = { ...toRecord(body) };
    koaContext.params = mapValues(params, String);
    if (query) Object.assign(koaContext, { query: { ...query } });
    try {
      await (action as (ctx: Context, ...rest: readonly unknown[]) => unknown).call(controller, koaContext, ...rest);
    } catch (error) {
      throw asApiError(error);
    }
    const { error } = toRecord(koaContext.body);
    if (koaContext.status >= 400 && error) throw new ApiError("ApplicationError", String(toRecord(error).message));
    return koaContext.body;
  };
}
