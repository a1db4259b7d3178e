/** Creates the context of the code's GraphQL resolvers, with the caller as in `ctx.state`. */

import type { Ability } from "../../engine/access/access.ts";
import { unrestricted } from "../../engine/query/check-query.ts";
import { USER } from "../../engine/schema/builtin/index.ts";
import { contentType } from "../../engine/schema/model.ts";
import { createContext } from "../koa/koa.ts";
import type { Runtime } from "../runtime.ts";
import { tokenCredentials } from "./authentication.ts";

export function graphqlContext(runtime: Runtime, request: Request, ability: Ability): object {
  const { tools, raw } = runtime;
  const koaContext = createContext(tools.app, request, tools);
  koaContext.req.ability = ability;
  const users = raw.documents(contentType(raw.model, USER), unrestricted);
  const filters = { id: ability.userId };
  const user = ability.userId === undefined ? undefined : users.readOne({ filters, populate: ["role"] });
  if (user) koaContext.state.user = user;
  const credentials = ability.kind === "token" ? tokenCredentials(ability) : (user ?? null);
  koaContext.state.auth = { credentials, ability: { can: (action: string) => ability.can(action) } };
  return { state: koaContext.state, koaContext };
}
