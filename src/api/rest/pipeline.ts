/**
 * The routes of content-types, and how a request to a REST route is handled, with the steps in Strapi's order: URL, body, authentication,
 * permission, query string. Routing comes before (`server/elysia-app.ts`, or `fallback.ts`).
 */
import { type Ability, type Access, tagsOfCallers } from "../../engine/access/access.ts";
import { BODY_DEFAULTS, type BodySettings } from "../../engine/config/body-settings.ts";
import type { Settings } from "../../engine/config/settings.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { checkInput } from "../../engine/documents/input-keys.ts";
import type { Params } from "../../engine/query/parse.ts";
import { readPublicationFilter } from "../../engine/query/reading.ts";
import { checkNames } from "../../engine/query/strict-params.ts";
import { Budget } from "../../lib/budget.ts";
import type { CacheTags } from "../../lib/cache-tags.ts";
import { ApiError, forbidden, notFound } from "../../lib/errors.ts";
import { type MaybePromise, whenReady } from "../../lib/when-ready.ts";
import { type ContentResult, type ContentRoute, contentRoutes } from "../actions.ts";
import { clientAddress, type HttpContext, type HttpRoute, setHeaders, splitUrl } from "../http-route.ts";
import { createEtag, type ResponseCache, toJson } from "../responses.ts";
import { bodyKind, readBody, readFormFields } from "./body.ts";
import type { RestCall, RestResult, RestRoute } from "./call.ts";
import { errorOfRequest } from "./path.ts";
import { parseQueryString } from "./query-string.ts";
import type { RepeatedParams } from "./repeated-params.ts";
import {
  type CommonHeaders,
  contentBody,
  hasSourceMaps,
  isV4,
  respond,
  respondTagged,
  respondToError,
  toV4,
} from "./respond.ts";

type RestSettings = Settings["rest"];

/** The routes of every content-type of the project. */
export const contentTypeRoutes = (context: DocumentsContext, settings: RestSettings): RestRoute[] =>
  contentRoutes(context.model).map((route) => ({
    ...route,
    handle: contentHandler(context, settings, route),
    isCached: route.method === "GET",
  }));

function contentHandler(
  context: DocumentsContext,
  settings: RestSettings,
  { type, row }: ContentRoute,
): RestRoute["handle"] {
  function toResult({ request, budget }: RestCall, result: ContentResult): MaybePromise<RestResult> {
    if (result.kind === "nothing") return { status: row.status };
    const body = contentBody(result);
    if (!body) throw notFound();
    const shaped = isV4(request) ? { ...body, data: toV4(context.model, type, body.data) } : body;
    if (!hasSourceMaps(request)) return { status: row.status, body: shaped };
    const { encodeSourceMaps } =
      require("../../engine/documents/source-maps.ts") as typeof import("../../engine/documents/source-maps.ts");
    return encodeSourceMaps(context.model, type, shaped.data, budget).then((data) => ({
      status: row.status,
      body: { ...shaped, data },
    }));
  }

  /** Throws for invalid parameters. */
  function prepare(call: RestCall) {
    const { ability, budget } = call;
    const query = call.query();
    if (settings.strictParams) {
      readPublicationFilter(query);
      checkNames(query);
    }
    // the Content API reads published versions by default
    const params = { ...query, status: query.status === undefined ? "published" : query.status };
    const service = context.documents(type, { canRead: ability.canRead, budget, omitsMembers: true });
    return { service, input: { params, documentId: call.params.id, pagination: settings } };
  }

  async function write(call: RestCall): Promise<RestResult> {
    const { service, input } = prepare(call);
    service.check(input.params);
    const data = checkInput(context.model, type, await call.body(), call.ability.canRead);
    return toResult(call, await row.run(service, { ...input, data }));
  }

  /** Synchronous, so that everything is read from one snapshot. */
  function read(call: RestCall): MaybePromise<RestResult> {
    const { service, input } = prepare(call);
    return whenReady(row.run(service, { ...input, data: {} }), (result) => toResult(call, result));
  }

  return row.writes ? write : read;
}

export interface RestServices {
  readonly access: Pick<Access, "identifyRequest">;
  readonly settings: Settings;
  readonly responses: ResponseCache;
  readonly headers: CommonHeaders;
  /** Undefined: reads have none. */
  readonly cacheTags: CacheTags | undefined;
  /** Undefined where handlers may change parameters. */
  readonly repeatedParams?: RepeatedParams | undefined;
}

/** Converts REST routes to routes of the server, below the prefix. */
export const httpRoutes = (services: RestServices, rows: readonly RestRoute[]): HttpRoute[] =>
  rows.map((row) => ({
    method: row.method,
    path: services.settings.rest.prefix + row.path,
    handle: (context) => handle(services, row, context),
  }));

function handle(services: RestServices, row: RestRoute, context: HttpContext): MaybePromise<Response> {
  const { request, params } = context;
  const { settings, access, cacheTags } = services;
  const { path, search } = splitUrl(request.url);
  const address = clientAddress(context);
  const { body: bodySettings } = settings.http;
  const body = bodySettings.methods.includes(request.method) ? readBody(request, bodySettings) : undefined;
  const handleAuthenticated = (ability: Ability, parsed: unknown): MaybePromise<Response> => {
    if (row.action !== undefined && !ability.can(row.action)) throw forbidden();
    // responses to HEAD are cached for GET
    const hasTags = cacheTags !== undefined && (request.method === "GET" || request.method === "HEAD");
    const tags = hasTags ? cacheTags.collect(tagsOfCallers[ability.kind]) : undefined;
    const budget = new Budget(settings.limits, { request, isPublic: ability.kind === "public", tags });
    const run = () =>
      row.handle({
        request,
        params,
        query: () => parseQuery(services, search),
        body: bodyReader(request, parsed, bodySettings),
        ability,
        budget,
        client: { address, forwardedFor: request.headers.get("x-forwarded-for") },
      });
    const respondWith = (): MaybePromise<Response> => {
      if (row.isCached) return respondCached(services, { request, ability, url: `${path}?${search}`, budget }, run);
      const headers = services.headers.of(request);
      return whenReady(run(), (result) =>
        respond(result, setHeaders(headers, cacheTags?.headersFor(budget.tags) ?? {})),
      );
    };
    return hasTags ? taggedIfMissing(services, request, budget, respondWith) : respondWith();
  };
  return whenReady(body, (parsed) =>
    whenReady(access.identifyRequest(request), (ability) => handleAuthenticated(ability, parsed)),
  );
}

function parseQuery({ settings, repeatedParams }: RestServices, search: string): Params {
  const { parameters: maxParameters } = settings.limits;
  const { query: options } = settings.http;
  return repeatedParams && search !== "" && !options
    ? repeatedParams.parse(search, maxParameters)
    : parseQueryString(search, { maxParameters, options });
}

/** That there is no such document depends on it, too. */
function taggedIfMissing(
  { cacheTags, headers }: RestServices,
  request: Request,
  { tags }: Budget,
  work: () => MaybePromise<Response>,
): MaybePromise<Response> {
  const respondToMissing = (error: unknown): Response => {
    const answered = errorOfRequest(error, request);
    const added = answered instanceof ApiError && answered.httpStatus === 404 ? cacheTags?.headersFor(tags) : undefined;
    if (!added) throw error;
    return respondToError(answered, setHeaders(headers.of(request), added));
  };
  try {
    const response = work();
    return response instanceof Promise ? response.catch(respondToMissing) : response;
  } catch (error) {
    return respondToMissing(error);
  }
}

/** Multipart bodies are read by the routes, since some accept files. */
function bodyReader(request: Request, parsed: unknown, settings: BodySettings): RestCall["body"] {
  const { method, headers } = request;
  if (!settings.methods.includes(method)) {
    // as in Strapi, also for methods that usually have a body
    const none = BODY_DEFAULTS.methods.includes(method) ? {} : undefined;
    return async () => none;
  }
  const isForm = parsed === undefined && bodyKind(headers.get("content-type")) === "multipart";
  if (!isForm || !settings.parses.multipart) return async () => parsed;
  // a form can be read only once
  let fields: Promise<Params> | undefined;
  return () => {
    fields ??= readFormFields(request, settings.forms);
    return fields;
  };
}

interface CachedRead {
  readonly request: Request;
  readonly ability: Ability;
  readonly url: string;
  readonly budget: Budget;
}

/** Responds from the cache, or calls the handler and offers its response to the cache. */
function respondCached(
  { responses, headers: common, cacheTags }: RestServices,
  { request, ability, url, budget }: CachedRead,
  run: () => MaybePromise<RestResult>,
): MaybePromise<Response> {
  const isPublic = ability.kind === "public";
  const cached = responses.find(
    `${ability.key} ${isV4(request) ? "v4" : "v5"}${hasSourceMaps(request) ? "+maps" : ""} ${url}`,
  );
  if ("content" in cached) return respondTagged(request, cached, common.ofCached(request, cached, isPublic));
  return whenReady(run(), ({ status, body }) =>
    whenReady(toJson(body, budget), (content) => {
      const tags = cacheTags?.headersFor(budget.tags);
      responses.store(cached, status, content, tags);
      const etag = createEtag(content);
      return respondTagged(request, { status, content, etag }, common.ofRead(request, isPublic, etag, tags));
    }),
  );
}
