/** Actions of users-permissions that an extension replaces, for the GraphQL fields that call them. */
import type { Ability } from "../../engine/access/access.ts";
import { ApiError } from "../../lib/errors.ts";
import { toRecord } from "../../lib/is-record.ts";
import type { Context } from "../koa/koa.ts";
import type { Registries } from "../loader/registry.ts";
import { asApiError } from "../packages/errors.ts";
import type { Runtime } from "../runtime.ts";
import { graphqlContext } from "./graphql-context.ts";
import { isNative } from "./native-actions.ts";

const CONTROLLER = "plugin::users-permissions.auth";

type Input = Readonly<Record<string, unknown>>;

/** Resolves with the body of the response. Rejects with an ApiError. */
export type AuthAction = (
  request: Request,
  ability: Ability,
  input: Input,
) => Promise<Readonly<Record<string, unknown>>>;

/** Undefined for an action of the server. */
export function replacedAction(runtime: Runtime, { controllers }: Registries, name: string): AuthAction | undefined {
  const controller = controllers.get(CONTROLLER) as Readonly<Record<string, unknown>>;
  const action = controller[name];
  if (typeof action !== "function" || isNative(action, "")) return undefined;
  return async (request, ability, input) => {
    const { koaContext } = graphqlContext(runtime, request, ability) as { readonly koaContext: Context };
    koaContext.request.body = { ...input };
    koaContext.params = { provider: String(input.provider || "local") };
    try {
      await (action as (ctx: Context) => unknown).call(controller, koaContext);
    } catch (error) {
      throw asApiError(error);
    }
    const body = toRecord(koaContext.body);
    if (koaContext.status >= 400 && body.error)
      throw new ApiError("ApplicationError", String(toRecord(body.error).message));
    return body;
  };
}
