/**
 * Handles a request to a REST route, with the steps in the reference's order: URL, body, authentication, permission, query
 * string. Routing comes before (`server/elysia-app.ts`, or `fallback.ts`).
 */
import type { Ability } from "../../access/ability.ts";
import type { Access } from "../../access/access.ts";
import { Budget } from "../../budget.ts";
import type { Settings } from "../../config/settings.ts";
import { ApiError } from "../../errors.ts";
import type { Params } from "../../query/parse.ts";
import { type MaybePromise, whenReady } from "../../when-ready.ts";
import { type AnswerCache, etagOf } from "../answer-cache.ts";
import { clientAddress, type HttpContext, type HttpRoute, splitUrl } from "../http-route.ts";
import { hasBody, kindOf, readBody, readFormFields } from "./body.ts";
import type { Answer, Call, RestRoute } from "./call.ts";
import type { CommonHeaders } from "./headers.ts";
import { checkPath } from "./path.ts";
import { parseQueryString } from "./query-string.ts";
import { respond, respondTagged } from "./respond.ts";
import { isV4 } from "./v4.ts";

export interface RestServices {
  readonly access: Pick<Access, "identify">;
  readonly settings: Settings;
  readonly answers: AnswerCache;
  readonly headers: CommonHeaders;
}

/** Converts REST routes to routes of the server, below the prefix. */
export const httpRoutes = (services: RestServices, rows: readonly RestRoute[]): HttpRoute[] =>
  rows.map((row) => ({
    method: row.method,
    path: services.settings.rest.prefix + row.path,
    handle: (context) => answer(services, row, context),
  }));

function answer(services: RestServices, row: RestRoute, context: HttpContext): MaybePromise<Response> {
  const { request, params } = context;
  const { settings, access } = services;
  const { path, search } = splitUrl(request.url);
  checkPath(path);
  const address = clientAddress(context);
  const body = hasBody(request) ? readBody(request, settings.http.limits) : undefined;
  const permitted = (ability: Ability, parsed: unknown): MaybePromise<Response> => {
    if (row.action !== undefined && !ability.can(row.action)) throw new ApiError("ForbiddenError", "Forbidden");
    const run = () =>
      row.handle({
        request,
        params,
        query: () => parseQueryString(search, { most: settings.limits.parameters }),
        body: bodyOf(request, parsed),
        ability,
        budget: new Budget(settings.limits, request),
        client: { address, forwardedFor: request.headers.get("x-forwarded-for") },
      });
    if (row.isCached) return answerCached(services, { request, ability, url: `${path}?${search}` }, run);
    const headers = services.headers.of(request);
    return whenReady(run(), (made) => respond(made, headers));
  };
  return whenReady(body, (parsed) =>
    whenReady(access.identify(request.headers.get("authorization")), (ability) => permitted(ability, parsed)),
  );
}

/** Multipart bodies are read by the routes, since some accept files. */
function bodyOf(request: Request, parsed: unknown): Call["body"] {
  const isForm =
    parsed === undefined && hasBody(request) && kindOf(request.headers.get("content-type")) === "multipart";
  if (!isForm) return async () => parsed;
  // a form can be read only once
  let fields: Promise<Params> | undefined;
  return () => {
    fields ??= readFormFields(request);
    return fields;
  };
}

interface CachedRead {
  readonly request: Request;
  readonly ability: Ability;
  readonly url: string;
}

/** Responds from the cache, or calls the handler and offers its response to the cache. */
function answerCached(
  { answers, headers: common }: RestServices,
  { request, ability, url }: CachedRead,
  run: () => MaybePromise<Answer>,
): MaybePromise<Response> {
  const isPublic = ability.kind === "public";
  const found = answers.find(`${ability.key} ${isV4(request) ? "v4" : "v5"} ${url}`);
  if ("content" in found) return respondTagged(request, found, common.ofCached(request, found, isPublic));
  return whenReady(run(), ({ status, body }) => {
    const content = JSON.stringify(body);
    answers.offer(found, status, content);
    const etag = etagOf(content);
    return respondTagged(request, { status, content, etag }, common.ofRead(request, isPublic, etag));
  });
}
