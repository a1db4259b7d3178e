/**
 * GraphQL behind HTTP, in the reference's order: the body, the page for browsers, who asks, whether a form of another
 * site could have sent it, what is asked for, and then the operation.
 */
import type { Access } from "../../access/access.ts";
import { ApiError } from "../../errors.ts";
import { createEngine } from "./engine.ts";
import { formatError } from "./format-error.ts";
import { acceptedType, answerType, JSON_TYPE, prefersPage } from "./http/accept.ts";
import { RequestRefusal } from "./http/bad-request.ts";
import { preventCsrf } from "./http/csrf.ts";
import { readOperationParams } from "./http/operation-params.ts";
import { PersistedQueries } from "./http/persisted-queries.ts";
import { type GraphqlServices, Operation } from "./operation.ts";
import { playgroundFile, playgroundPage } from "./playground/playground.ts";
import { runOperation } from "./run-operation.ts";
import { createSchema } from "./schema/schema.ts";
import type { Caller } from "./users-permissions.ts";
import type { Yoga } from "./yoga.ts";

/** What both interfaces do with every request, whatever it asks for. */
export interface HttpFront {
  /** Throws an ApiError for a body that cannot be read; undefined for none. */
  readonly readBody: (request: Request) => Promise<unknown>;
  /** The headers that every answer carries. */
  readonly headers: (request: Request) => Record<string, string>;
  /** Undefined for an origin that may not ask. */
  readonly preflightHeaders: (origin: string | null) => Record<string, string> | undefined;
  readonly errorBody: (error: unknown) => { readonly error: { readonly status: number } };
}

export interface GraphqlOptions extends GraphqlServices {
  readonly access: Access;
  readonly http: HttpFront;
}

const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

export class GraphqlEndpoint {
  readonly #options: GraphqlOptions;
  readonly #engine: Yoga;
  readonly #persisted = new PersistedQueries();

  constructor(options: GraphqlOptions) {
    this.#options = options;
    this.#engine = createEngine(createSchema(options.context.model), options.settings.graphql);
  }

  /** Answers every request to the endpoint and the files of its page; `address` is the client's. Never throws. */
  async handle(request: Request, address?: string): Promise<Response> {
    const { http } = this.#options;
    const { method } = request;
    const origin = request.headers.get("origin");
    const headers = http.headers(request);
    if (method === "OPTIONS" && request.headers.has("access-control-request-method")) {
      const preflight = http.preflightHeaders(origin);
      if (preflight) return new Response(null, { status: 204, headers: { ...headers, ...preflight } });
    }
    // unlike REST, everybody's scripts may read the answers, as long as they send no cookies
    if (method !== "OPTIONS") headers["Access-Control-Allow-Origin"] = "*";
    delete headers["Access-Control-Allow-Credentials"];
    try {
      const body = WITH_BODY.has(method) ? await http.readBody(request) : undefined;
      const page = this.#page(request);
      return page ? page(headers) : await this.#answer(request, body, headers, address);
    } catch (error) {
      return this.#failure(error, request, headers);
    }
  }

  /** The page for browsers and its files, which hold no content and are there for everybody. */
  #page(request: Request): ((headers: Record<string, string>) => Response) | undefined {
    const { endpoint } = this.#options.settings.graphql;
    const path = new URL(request.url).pathname.slice(endpoint.length);
    if (path.length > 1) return (headers) => playgroundFile(path, request.method, headers);
    return prefersPage(request) ? (headers) => playgroundPage(endpoint, headers) : undefined;
  }

  async #answer(
    request: Request,
    requestBody: unknown,
    headers: Record<string, string>,
    address: string | undefined,
  ): Promise<Response> {
    const ability = await this.#options.access.identify(request.headers.get("authorization"));
    const caller: Caller = {
      ability,
      client: { address, forwardedFor: request.headers.get("x-forwarded-for") },
      device: { id: undefined, userAgent: request.headers.get("user-agent") },
    };
    preventCsrf(request.headers);
    const params = readOperationParams(request, requestBody);
    const type = answerType(request.headers);
    const { status, body } = await runOperation(this.#engine, new Operation(this.#options, caller), {
      text: this.#persisted.textOf(params),
      operationName: params.operationName,
      variables: params.variables,
      readsOnly: request.method === "GET",
      accepted: () => this.#persisted.keep(params),
    });
    return respond(status, body, { ...headers, "Content-Type": type });
  }

  #failure(error: unknown, request: Request, headers: Record<string, string>): Response {
    if (error instanceof RequestRefusal) {
      const body = { errors: [formatError(error, "BAD_REQUEST")] };
      const all = { ...headers, ...error.headers, "Content-Type": acceptedType(request.headers) ?? JSON_TYPE };
      return respond(error.status, request.method === "HEAD" ? undefined : body, all);
    }
    if (!(error instanceof ApiError)) console.error(error);
    const body = this.#options.http.errorBody(error);
    return respond(body.error.status, body, { ...headers, "Content-Type": JSON_TYPE });
  }
}

const NO_CONTENT = 204;

function respond(status: number, body: unknown, headers: Record<string, string>): Response {
  const text = status === NO_CONTENT || body === undefined ? null : JSON.stringify(body);
  return new Response(text, { status, headers: { ...headers, "Cache-Control": "no-store" } });
}
