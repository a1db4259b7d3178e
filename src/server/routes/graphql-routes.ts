/** GraphQL's routes. The endpoint is created on the first request, since its packages take longer to load than everything else. */

import type { Caller } from "../../api/graphql/caller.ts";
import type { GraphqlEndpoint, GraphqlOptions } from "../../api/graphql/endpoint.ts";
import type { UserOperations } from "../../api/graphql/user-operations.ts";
import type { HttpRoute } from "../../api/http-route.ts";
import type { ResponseCache } from "../../api/responses.ts";
import { readBody } from "../../api/rest/body.ts";
import { type CommonHeaders, respondToError } from "../../api/rest/respond.ts";
import { withLimitsOnly } from "../../engine/config/body-settings.ts";
import type { Params } from "../../engine/query/parse.ts";
import type { CacheTags } from "../../lib/cache-tags.ts";
import { toRecord } from "../../lib/is-record.ts";
import { once } from "../../lib/once.ts";
import { mapValues } from "../../lib/records.ts";
import type { SchemaExtension } from "../../strapi/plugins/graphql.ts";
import type { ProjectCode } from "../../strapi/project-code.ts";
import type { ActionInput } from "../../strapi/routes/graphql-actions.ts";
import type { Project } from "../project/project.ts";

interface Answers {
  readonly responses: ResponseCache;
  readonly headers: CommonHeaders;
  readonly cacheTags?: CacheTags | undefined;
}

export function graphqlRoutes(project: Project, answers: Answers): HttpRoute[] {
  if (!project.settings.graphql.enabled) return [];
  const endpoint = once(() => createEndpoint(project, answers));
  const { code } = project;
  const handle: HttpRoute["handle"] = code
    ? async (context) => code.withContext(context.request, await endpoint().handle(context))
    : (context) => endpoint().handle(context);
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

/** The action that Strapi's field calls, and its input. */
type ReplacedOperation = readonly [action: string, input: (args: Params) => ActionInput];

const toBody = (body: Params): ActionInput => ({ body });
const dataToBody = ({ data }: Params): ActionInput => ({ body: data });

const OPERATIONS = {
  login: ["auth.callback", (body) => ({ body, params: { provider: body.provider || "local" } })],
  register: ["auth.register", toBody],
  forgotPassword: ["auth.forgotPassword", toBody],
  resetPassword: ["auth.resetPassword", toBody],
  changePassword: ["auth.changePassword", toBody],
  emailConfirmation: ["auth.emailConfirmation", (query) => ({ query, rest: [null, true] })],
  createUser: ["user.create", dataToBody],
  updateUser: ["user.update", ({ id, data }) => ({ body: data, params: { id } })],
  deleteUser: ["user.destroy", ({ id }) => ({ params: { id } })],
  createRole: ["role.createRole", dataToBody],
  updateRole: ["role.updateRole", ({ id, data }) => ({ body: { ...toRecord(data), role: id }, params: { role: id } })],
  deleteRole: ["role.deleteRole", ({ id }) => ({ params: { role: id } })],
} as const satisfies Record<Exclude<keyof UserOperations, "me">, ReplacedOperation>;

const visibleError = () =>
  (require("../../api/graphql/format-error.ts") as typeof import("../../api/graphql/format-error.ts")).visibleError;

/** Has the project's own code do what an extension replaces. */
function withReplacedActions(operations: UserOperations, code: ProjectCode): UserOperations {
  const own = mapValues(OPERATIONS, ([action, input]: ReplacedOperation, name) => {
    return async (args: Params, caller: Caller) => {
      const replaced = code.replacedAction(action);
      if (!replaced) return operations[name as keyof typeof OPERATIONS](args, caller);
      const run = () => replaced(caller.request, caller.ability, input(args));
      try {
        const body = await code.limit(`users-permissions.${action}`, run);
        const { user, jwt } = toRecord(body);
        return action.startsWith("auth.") ? { user: user || body, jwt } : body;
      } catch (error) {
        throw visibleError()(error);
      }
    };
  });
  return { ...operations, ...(own as Partial<UserOperations>) };
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
      respondToError,
    },
  });
}
