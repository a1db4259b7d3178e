/** One application: a project behind HTTP, as a function from request to response. */
import type { ClientAddress } from "../access/rate-limit.ts";
import type { Route } from "../api/actions.ts";
import { AnswerCache } from "../api/answer-cache.ts";
import { readBody } from "../api/rest/body.ts";
import { contentTypeBuilderRoutes } from "../api/rest/content-type-builder.ts";
import { emailRoutes } from "../api/rest/email.ts";
import { errorBody } from "../api/rest/envelope.ts";
import { Rest } from "../api/rest/handle.ts";
import { CommonHeaders } from "../api/rest/headers.ts";
import { i18nRoutes } from "../api/rest/i18n.ts";
import { uploadRoutes } from "../api/rest/upload.ts";
import { usersPermissionsRoutes } from "../api/rest/users-permissions.ts";
import type { Project } from "./project.ts";

export interface App {
  /** Never throws. */
  readonly handle: (request: Request, address?: ClientAddress) => Promise<Response>;
  /** Gives back memory that is filled again when it is needed. */
  readonly trim: () => void;
  /** What REST serves below its prefix. */
  readonly routes: readonly Route[];
}

type Handler = App["handle"];

/** GraphQL is made with the first request that asks for it: its packages take longer to load than everything else. */
function lazyGraphql({ context, access, settings, media }: Project, answers: AnswerCache): Handler {
  const make = (): Handler => {
    const { GraphqlEndpoint } = require("../api/graphql/endpoint.ts") as typeof import("../api/graphql/endpoint.ts");
    const { limits } = settings.http;
    const headers = new CommonHeaders(settings.http);
    const { userOperations } =
      require("../api/graphql/user-operations.ts") as typeof import("../api/graphql/user-operations.ts");
    const endpoint = new GraphqlEndpoint({
      context,
      access: access.access,
      users: userOperations(access),
      media,
      settings,
      answers,
      http: {
        readBody: (request) => readBody(request, limits),
        headers: (request) => headers.of(request),
        addPreflight: (own, origin) => headers.addPreflight(own, origin),
        errorBody,
      },
    });
    return (request, address) => endpoint.handle(request, address);
  };
  let handle: Handler | undefined;
  return (request, address) => {
    handle ??= make();
    return handle(request, address);
  };
}

/** Whether a request is for GraphQL: the endpoint, with or without a slash at the end, and the files of its page. */
function graphqlMatcher(endpoint: string): (request: Request) => boolean {
  const own = endpoint.toLowerCase();
  return ({ url }) => {
    const begin = url.indexOf("/", url.indexOf("//") + 2);
    if (url.slice(begin, begin + own.length).toLowerCase() !== own) return false;
    const rest = url.slice(begin + own.length);
    return rest === "" || rest[0] === "?" || /^\/(\?|$|playground\/)/.test(rest);
  };
}

export function createApp(project: Project): App {
  const { context, access, settings, schema, media, files } = project;
  const routes = [
    ...i18nRoutes(context),
    ...usersPermissionsRoutes(access, settings),
    ...contentTypeBuilderRoutes(schema),
    ...emailRoutes(access.mailer),
    ...uploadRoutes({ context, media, pagination: settings.rest }),
  ];
  const answers = new AnswerCache(context.storage);
  const rest = new Rest({ context, access: access.access, settings, files, answers }, routes);
  const graphql = lazyGraphql(project, answers);
  const isGraphql = graphqlMatcher(settings.graphql.endpoint);
  const handle: Handler = (request, address) =>
    isGraphql(request) ? graphql(request, address) : rest.handle(request, address);
  const { routes: served } = rest;
  const trim = (): void => context.storage.trim();
  if (!settings.http.compress) return { handle, trim, routes: served };
  const { compress } = require("./compress.ts") as typeof import("./compress.ts");
  return {
    handle: async (request, address) => compress(request, await handle(request, address)),
    trim,
    routes: served,
  };
}
