import type { Ability } from "../../engine/access/access.ts";
import { unrestricted } from "../../engine/query/check-query.ts";
import { USER } from "../../engine/schema/builtin/index.ts";
import { contentType } from "../../engine/schema/model.ts";
import { type Context, createContext } from "../koa/koa.ts";
import type { Runtime } from "../runtime.ts";
import { describeAuth, findCaller, identify } from "./authentication.ts";
import { findAbility } from "./caller.ts";
import type { ListedStrategy } from "./strategies.ts";

/** Those in which the code has found the caller. */
const contexts = new WeakMap<Request, Context>();

/** As in Strapi, which takes nobody for somebody without credentials. */
function enterGraphql({ method, path, state }: Context): void {
  state.isAuthenticated = true;
  state.route = { method, path, handler: undefined, config: {}, info: { type: "content-api" } };
}

/**
 * Finds the caller by strategies of the code, or else by the server's, in which the code finds tokens. Rejects with an ApiError for one that
 * is refused.
 */
export async function identifyRequest(
  runtime: Runtime,
  request: Request,
  strategies: readonly ListedStrategy[] | undefined,
): Promise<Ability> {
  const { tools } = runtime;
  const ctx = createContext(tools.app, request, tools);
  enterGraphql(ctx);
  contexts.set(request, ctx);
  if (strategies) return findCaller(runtime, ctx, strategies);
  await identify(runtime, ctx);
  return findAbility(ctx);
}

/** The context of the code's GraphQL resolvers, with the caller as in `ctx.state`. */
export function graphqlContext(runtime: Runtime, request: Request, ability: Ability): object {
  const identified = contexts.get(request);
  if (identified) return { state: identified.state, koaContext: identified };
  const { tools, raw } = runtime;
  const koaContext = createContext(tools.app, request, tools);
  enterGraphql(koaContext);
  const users = raw.documents(contentType(raw.model, USER), unrestricted);
  const filters = { id: ability.userId };
  const user =
    ability.user ?? (ability.userId === undefined ? undefined : users.readOne({ filters, populate: ["role"] }));
  if (user) koaContext.state.user = user;
  koaContext.state.auth = { ...describeAuth(ability), ...(user ? { credentials: user } : {}) };
  Object.assign(koaContext.req, { ability, strategy: koaContext.state.auth.strategy });
  return { state: koaContext.state, koaContext };
}
