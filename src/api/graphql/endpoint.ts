/**
 * GraphQL over HTTP, with the steps in Strapi's order: body, playground, authentication, CSRF check, parameters,
 * operation.
 */

import type { GraphQLSchema } from "graphql";
import type { Ability } from "../../engine/access/access.ts";
import type { ClientAddress } from "../../engine/access/rate-limit.ts";
import { turnForWork } from "../../lib/budget.ts";
import { relativePath } from "../../lib/relative-path.ts";
import type { MaybePromise } from "../../lib/when-ready.ts";
import { clientAddress, type HttpContext, setHeaders, splitUrl } from "../http-route.ts";
import { type ResponseCache, toJson } from "../responses.ts";
import type { Caller } from "./caller.ts";
import { createEngine, type Engine } from "./engine.ts";
import type { GraphqlExtensions } from "./extensions/extensions.ts";
import { formatError } from "./format-error.ts";
import { acceptedType, JSON_TYPE, prefersPage, responseType } from "./http/accept.ts";
import { RequestRefusal } from "./http/bad-request.ts";
import { preventCsrf } from "./http/csrf.ts";
import { type OperationParams, readOperationParams } from "./http/operation-params.ts";
import { PersistedQueries } from "./http/persisted-queries.ts";
import { type GraphqlServices, Operation } from "./operation.ts";
import { playgroundFile, playgroundPage } from "./playground/playground.ts";
import { runOperation } from "./run-operation.ts";
import { rootPermission } from "./schema/root-resolver.ts";
import { createSchema } from "./schema/schema.ts";

/** The steps that REST and GraphQL share for every request. */
export interface HttpFront {
  /** Returns undefined without a body. Throws an ApiError for a body that cannot be read. */
  readonly readBody: (request: Request) => Promise<unknown>;
  /** The headers of every response. */
  readonly headers: (request: Request) => Headers;
  /** Adds the headers of a preflight response; returns false, without adding any, for an origin that is not allowed. */
  readonly addPreflight: (headers: Headers, request: Request) => boolean;
  /** The response of REST to an error. */
  readonly respondToError: (error: unknown, headers: Headers) => Response;
}

export interface GraphqlOptions extends GraphqlServices {
  /** Finds the caller of a request. Throws an ApiError for one that is refused. */
  readonly identify: (request: Request) => MaybePromise<Ability>;
  readonly responses: ResponseCache;
  /** Changes of the schema; none by default. */
  readonly extensions?: GraphqlExtensions;
  readonly http: HttpFront;
}

const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/** Ends what Apollo writes; Strapi's own errors do not have it. */
const LINE_END = "\n";

/** The maximum length of a cache key: longer operations are rarely repeated. */
const MAX_KEY_LENGTH = 20_000;

/** Of the preflights of origins that `strapi::cors` does not allow. */
function allowEveryOrigin(headers: Headers, request: Request): void {
  headers.set("Access-Control-Allow-Origin", "*");
  headers.set("Access-Control-Allow-Methods", "GET,HEAD,PUT,POST,DELETE,PATCH");
  const requested = request.headers.get("access-control-request-headers");
  if (requested) headers.set("Access-Control-Allow-Headers", requested);
}

export class GraphqlEndpoint {
  readonly #options: GraphqlOptions;
  readonly #schema: GraphQLSchema;
  readonly #engine: Engine;
  readonly #persisted: PersistedQueries;

  constructor(options: GraphqlOptions) {
    this.#options = options;
    this.#schema = createSchema(options.context.model, options.settings.graphql, options.extensions);
    this.#persisted = new PersistedQueries(options.settings.graphql.persistedQueries);
    this.#engine = createEngine(this.#schema, options.settings.graphql);
  }

  /** The permission of a root field; undefined if it needs none, or does not exist. */
  findAction(operation: "query" | "mutation", field: string): string | undefined {
    const type = operation === "query" ? this.#schema.getQueryType() : this.#schema.getMutationType();
    const resolve = type?.getFields()[field]?.resolve;
    return resolve && rootPermission(resolve)?.action;
  }

  /** Handles requests to the endpoint and to the playground's files. Never throws. */
  async handle(context: HttpContext): Promise<Response> {
    const { request } = context;
    const { http } = this.#options;
    const { method } = request;
    const headers = http.headers(request);
    // unlike REST, all origins may send requests and read responses; with `*`, browsers exclude requests with cookies
    const { cors: allowsAll } = this.#options.settings.graphql;
    if (method === "OPTIONS" && request.headers.has("access-control-request-method")) {
      const isAllowed = http.addPreflight(headers, request);
      if (!isAllowed && allowsAll) allowEveryOrigin(headers, request);
      if (isAllowed || allowsAll) return new Response(null, { status: 204, headers });
    }
    if (allowsAll && method !== "OPTIONS") headers.set("Access-Control-Allow-Origin", "*");
    try {
      const body = WITH_BODY.has(method) ? await http.readBody(request) : undefined;
      const page = this.#page(context);
      return page ? page(headers) : await this.#respond(request, body, headers, clientAddress(context));
    } catch (error) {
      return this.#respondToError(error, request, headers);
    }
  }

  /** The playground and its files, which are public. */
  #page({ request, params }: HttpContext): ((headers: Headers) => Response) | undefined {
    const file = params["*"];
    if (file !== undefined) return (headers) => playgroundFile(`/playground/${file}`, request, headers);
    if (!prefersPage(request)) return undefined;
    const { path } = splitUrl(request.url);
    return (headers) => playgroundPage(relativePath(path, path.replace(/\/$/, "")), headers);
  }

  async #respond(request: Request, requestBody: unknown, headers: Headers, address: ClientAddress): Promise<Response> {
    const ability = await this.#options.identify(request);
    const caller: Caller = {
      ability,
      client: { address, forwardedFor: request.headers.get("x-forwarded-for") },
      device: { id: undefined, userAgent: request.headers.get("user-agent") },
      request,
    };
    if (this.#options.settings.graphql.csrfPrevention) preventCsrf(request.headers);
    const params = readOperationParams(request, requestBody);
    const type = responseType(request.headers);
    const { status, content, tags, cacheControl } = await this.#run(caller, params, request.method === "GET");
    headers.set("Content-Type", type);
    return respond(status, content, tags ? setHeaders(headers, tags) : headers, cacheControl);
  }

  /** Responds from the cache, or runs the operation. */
  async #run(caller: Caller, params: OperationParams, readsOnly: boolean) {
    const { ability } = caller;
    const { responses } = this.#options;
    const { operationName, variables } = params;
    const text = this.#persisted.resolveText(params);
    // the text, which is long, comes last and need not be quoted
    const key = (): string =>
      `${JSON.stringify(["graphql", ability.key, ability.userId, operationName, variables])} ${text}`;
    const cached = text.length > MAX_KEY_LENGTH ? undefined : responses.find(key());
    const onAccepted = () => this.#persisted.store(params);
    if (cached && "content" in cached) {
      onAccepted();
      return { ...cached, cacheControl: undefined };
    }
    await turnForWork();
    const operation = new Operation(this.#options, caller);
    const request = { text, operationName, variables, readsOnly, onAccepted };
    const { status, body, isPlainRead, cacheControl, ...read } = await runOperation(this.#engine, operation, request);
    const content = `${await toJson(body, operation.budget)}${LINE_END}`;
    if (!isPlainRead || status !== 200) return { status, content, cacheControl };
    const tags = this.#options.cacheTags?.headersFor(read.tags);
    if (cached) responses.store(cached, status, content, tags);
    return { status, content, tags };
  }

  #respondToError(error: unknown, request: Request, headers: Headers): Response {
    if (error instanceof RequestRefusal) {
      const body = { errors: [formatError(error, "BAD_REQUEST")] };
      if (error.allow !== undefined) headers.set("Allow", error.allow);
      headers.set("Content-Type", acceptedType(request.headers) ?? JSON_TYPE);
      return respond(error.status, request.method === "HEAD" ? null : JSON.stringify(body) + LINE_END, headers);
    }
    headers.set("Cache-Control", "no-store");
    return this.#options.http.respondToError(error, headers);
  }
}

const NO_CONTENT = 204;

function respond(status: number, content: string | Blob | null, headers: Headers, cacheControl = "no-store"): Response {
  const body = status === NO_CONTENT ? null : content;
  headers.set("Cache-Control", cacheControl);
  return new Response(body, { status, headers });
}
