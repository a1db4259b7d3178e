import type { Ability } from "../../engine/access/access.ts";
import { unrestricted } from "../../engine/query/check-query.ts";
import { USER } from "../../engine/schema/builtin/index.ts";
import { contentType } from "../../engine/schema/model.ts";
import { type Context, createContext, EMPTY, hasStatus } from "../koa/koa.ts";
import { setHeader } from "../koa/node-response.ts";
import type { Runtime } from "../runtime.ts";
import { describeAuth, findCaller, identify } from "./authentication.ts";
import { findAbility } from "./caller.ts";
import type { ListedStrategy } from "./strategies.ts";

/** By request, once the caller is found. As in Strapi, all resolvers of a request share one, with its middlewares. */
const contexts = new WeakMap<Request, Context>();

/** Those whose context is that of the middlewares around the endpoint: what is set there is sent by them. */
const surrounded = new WeakSet<Request>();

export function setContext(request: Request, ctx: Context): void {
  contexts.set(request, ctx);
  surrounded.add(request);
}

/** Of the response's body. */
const BODY_HEADERS: ReadonlySet<string> = new Set(["content-type", "content-length"]);

/** The response with the headers, cookies and status that the code has set in the context. */
export function withContext(request: Request, response: Response): Response {
  const ctx = contexts.get(request);
  if (!ctx) return response;
  const own = surrounded.has(request) ? [] : [...ctx.res.ownHeaders].filter(([name]) => !BODY_HEADERS.has(name));
  const status = response.ok && hasStatus(ctx) ? ctx.status : response.status;
  if (own.length === 0 && status === response.status) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of own) setHeader(headers, name, value);
  return new Response(EMPTY.has(status) ? null : response.body, { status, headers });
}

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
  const ctx = contexts.get(request) ?? createContext(tools.app, request, tools);
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
  contexts.set(request, koaContext);
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
