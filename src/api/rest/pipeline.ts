/**
 * One request to a route of REST, in the reference's order: the URL, the body, authentication, permission, and only
 * then the query string. The route has been found before (`server/elysia-app.ts`, or `fallback.ts`).
 */
import type { Ability } from "../../access/ability.ts";
import type { Access } from "../../access/access.ts";
import { Budget } from "../../budget.ts";
import type { Settings } from "../../config/settings.ts";
import { ApiError } from "../../errors.ts";
import type { Params } from "../../query/parse.ts";
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

/** Rows of actions as routes of the server, below the prefix. */
export const httpRoutes = (services: RestServices, rows: readonly RestRoute[]): HttpRoute[] =>
  rows.map((row) => ({
    method: row.method,
    path: services.settings.rest.prefix + row.path,
    handle: (context) => answer(services, row, context),
  }));

async function answer(services: RestServices, row: RestRoute, context: HttpContext): Promise<Response> {
  const { request, params } = context;
  const { path, search } = splitUrl(request.url);
  checkPath(path);
  const address = clientAddress(context);
  const parsed = hasBody(request) ? await readBody(request, services.settings.http.limits) : undefined;
  const identified = services.access.identify(request.headers.get("authorization"));
  const ability = identified instanceof Promise ? await identified : identified;
  if (row.action !== undefined && !ability.can(row.action)) throw new ApiError("ForbiddenError", "Forbidden");
  const run = () =>
    row.handle({
      request,
      params,
      query: () => parseQueryString(search, { most: services.settings.limits.parameters }),
      body: bodyOf(request, parsed),
      ability,
      budget: new Budget(services.settings.limits, request),
      client: { address, forwardedFor: request.headers.get("x-forwarded-for") },
    });
  const headers = services.headers.of(request);
  if (!row.isCached) return respond(await run(), headers);
  return answerCached(services.answers, { request, ability, url: `${path}?${search}` }, run, headers);
}

/** Forms are left to the routes, since some of them take files. */
function bodyOf(request: Request, parsed: unknown): Call["body"] {
  const isForm =
    parsed === undefined && hasBody(request) && kindOf(request.headers.get("content-type")) === "multipart";
  if (!isForm) return async () => parsed;
  // the fields of a form can be read once, but requested more often
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

/** Answers from the cache, or from the handler, and offers that answer to the cache. */
async function answerCached(
  answers: AnswerCache,
  { request, ability, url }: CachedRead,
  run: () => Answer | Promise<Answer>,
  headers: Headers,
): Promise<Response> {
  headers.set("Cache-Control", ability.kind === "public" ? "no-cache" : "private, no-cache");
  const found = answers.find(`${ability.key} ${isV4(request) ? "v4" : "v5"} ${url}`);
  if ("content" in found) return respondTagged(request, found, headers);
  const made = run();
  // synchronous where possible, so that the content is read from one snapshot
  const { status, body } = made instanceof Promise ? await made : made;
  const content = JSON.stringify(body);
  answers.offer(found, status, content);
  return respondTagged(request, { status, content, etag: etagOf(content) }, headers);
}
