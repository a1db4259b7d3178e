/** GraphQL's routes. The endpoint is created on the first request, since its packages take longer to load than everything else. */

import type { Caller } from "../../api/graphql/caller.ts";
import type { GraphqlEndpoint, GraphqlOptions } from "../../api/graphql/endpoint.ts";
import type { UserOperations } from "../../api/graphql/user-operations.ts";
import type { HttpRoute } from "../../api/http-route.ts";
import type { ResponseCache } from "../../api/responses.ts";
import { readBody } from "../../api/rest/body.ts";
import { type CommonHeaders, errorBody } from "../../api/rest/respond.ts";
import { withLimitsOnly } from "../../engine/config/body-settings.ts";
import type { Params } from "../../engine/query/parse.ts";
import type { CacheTags } from "../../lib/cache-tags.ts";
import { once } from "../../lib/once.ts";
import type { SchemaExtension } from "../../strapi/plugins/graphql.ts";
import type { ProjectCode } from "../../strapi/project-code.ts";
import type { Project } from "../project/project.ts";

interface Answers {
  readonly responses: ResponseCache;
  readonly headers: CommonHeaders;
  readonly cacheTags?: CacheTags | undefined;
}

export function graphqlRoutes(project: Project, answers: Answers): HttpRoute[] {
  if (!project.settings.graphql.enabled) return [];
  const endpoint = once(() => createEndpoint(project, answers));
  const handle: HttpRoute["handle"] = (context) => endpoint().handle(context);
  const path = project.settings.graphql.endpoint;
  return [
    { method: "ALL", path, handle },
    { method: "ALL", path: `${path}/playground/*`, handle },
  ];
}

export const toExtensions = ({ nexus, ...others }: SchemaExtension) => ({ ...others, ...(nexus ? { nexus } : {}) });

/** Schema extensions of the project's own code. */
function ownExtensions(code: ProjectCode) {
  const extensions = code.graphql();
  if (!extensions) return {};
  const createContext = ({ ability, request }: Caller) => code.createContext(request, ability);
  return { extensions: { ...toExtensions(extensions), createContext, limit: code.limit } };
}

/** By operation, the action that Strapi's field calls. */
const ACTIONS = {
  login: "callback",
  register: "register",
  forgotPassword: "forgotPassword",
  resetPassword: "resetPassword",
  changePassword: "changePassword",
} as const;

/** Has the project's own code do what an extension replaces. */
function withReplacedActions(operations: UserOperations, code: ProjectCode): UserOperations {
  const names = Object.keys(ACTIONS) as (keyof typeof ACTIONS)[];
  const own = names.map((name) => [
    name,
    async (args: Params, caller: Caller) => {
      const action = code.replacedAction(ACTIONS[name]);
      if (!action) return operations[name](args, caller);
      const subject = `users-permissions.auth.${ACTIONS[name]}`;
      const body = await code.limit(subject, () => action(caller.request, caller.ability, args));
      return { user: body.user || body, jwt: body.jwt };
    },
  ]);
  return { ...operations, ...Object.fromEntries(own) };
}

export function createEndpoint(
  { context, access, settings, media, code }: Project,
  { responses, headers, cacheTags }: Answers,
  identify: GraphqlOptions["identify"] = (request) => access.access.identifyRequest(request),
): GraphqlEndpoint {
  const { GraphqlEndpoint } =
    require("../../api/graphql/endpoint.ts") as typeof import("../../api/graphql/endpoint.ts");
  const { userOperations } =
    require("../../api/graphql/user-operations.ts") as typeof import("../../api/graphql/user-operations.ts");
  return new GraphqlEndpoint({
    context,
    identify,
    users: code ? withReplacedActions(userOperations(access), code) : userOperations(access),
    media: media(),
    settings,
    responses,
    cacheTags,
    ...(code ? ownExtensions(code) : {}),
    http: {
      readBody: (request) => readBody(request, withLimitsOnly(settings.http.body)),
      headers: (request) => headers.of(request),
      addPreflight: (own, sent) => headers.addPreflight(own, sent),
      errorBody,
    },
  });
}
