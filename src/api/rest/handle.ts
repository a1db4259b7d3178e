/**
 * One request through REST, in the reference's order: the address, the body, the route, who asks, what they may, and only
 * then what they ask for.
 */
import type { Ability } from "../../access/ability.ts";
import type { Access } from "../../access/access.ts";
import type { Client, ClientAddress } from "../../access/rate-limit.ts";
import type { Settings } from "../../config/settings.ts";
import type { DocumentsContext } from "../../documents/context.ts";
import { ApiError } from "../../errors.ts";
import type { PublicFiles } from "../../media/public-files.ts";
import type { Params } from "../../query/parse.ts";
import { contentRoutes, type Method, type Route } from "../actions.ts";
import { type AnswerCache, etagOf } from "../answer-cache.ts";
import { kindOf, readBody, readFormFields } from "./body.ts";
import { hasTag } from "./conditional.ts";
import { contentHandler, isV4 } from "./content-handler.ts";
import { errorBody } from "./envelope.ts";
import { answerFile } from "./files.ts";
import { CommonHeaders, isPreflight, setHeaders } from "./headers.ts";
import { parseQueryString } from "./query-string.ts";
import { Router } from "./router.ts";

/** What a route's handler is given. */
export interface Call {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  /** Parsed when first asked for: credentials and permissions come before. */
  readonly query: () => Params;
  /** The parsed body; multipart fields are read when first asked for. */
  readonly body: () => Promise<unknown>;
  readonly ability: Ability;
  readonly client: Client;
}

/** Without `body` and `text`: an answer without one. */
export interface Answer {
  readonly status: number;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is; its type is in the headers. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RestRoute extends Route {
  readonly handle: (call: Call) => Answer | Promise<Answer>;
  /** The answer depends on nothing but the content, the address, the format and what the caller may do. */
  readonly isKept?: boolean;
}

export interface RestServices {
  readonly context: DocumentsContext;
  readonly access: Access;
  readonly settings: Settings;
  /** What unknown addresses may stand for. */
  readonly files: PublicFiles;
  readonly answers: AnswerCache;
}

const JSON_TYPE = "application/json; charset=utf-8";
const TEXT_TYPE = "text/plain; charset=utf-8";
const KNOWN_METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const WITH_BODY = new Set(["POST", "PUT", "PATCH"]);

export class Rest {
  readonly #services: RestServices;
  readonly #router: Router<RestRoute>;
  /** Everything that is served below the prefix. */
  readonly routes: readonly Route[];
  readonly #prefix: string;
  readonly #headers: CommonHeaders;

  constructor(services: RestServices, routes: readonly RestRoute[] = []) {
    this.#services = services;
    this.#headers = new CommonHeaders(services.settings.http);
    this.#prefix = services.settings.rest.prefix.toLowerCase();
    const content = contentRoutes(services.context.model).map((route) => ({
      ...route,
      handle: contentHandler(services, route),
      isKept: route.method === "GET",
    }));
    const all = [...routes, ...content];
    this.routes = all;
    this.#router = new Router(all);
  }

  /** Answers every request that no other part of the server has taken. Never throws. */
  async handle(request: Request, address: ClientAddress = () => undefined): Promise<Response> {
    const headers = this.#headers.of(request);
    try {
      return await this.#answer(request, headers, address);
    } catch (error) {
      if (!(error instanceof ApiError)) console.error(error);
      const body = errorBody(error);
      headers.set("Content-Type", JSON_TYPE);
      return new Response(JSON.stringify(body), { status: body.error.status, headers });
    }
  }

  async #answer(request: Request, headers: Headers, address: ClientAddress): Promise<Response> {
    const { method, url } = request;
    const begin = url.indexOf("/", url.indexOf("//") + 2);
    const mark = url.indexOf("?", begin);
    const path = url.slice(begin, mark < 0 ? undefined : mark);
    const search = mark < 0 ? "" : url.slice(mark + 1);
    const { http } = this.#services.settings;
    if (isPreflight(request) && this.#headers.addPreflight(headers, request.headers.get("origin")))
      return new Response(null, { status: 204, headers });
    if (path === "/_health") {
      headers.set("strapi", "You are so French!");
      return new Response(null, { status: 204, headers });
    }
    if (!isDecodable(path)) throw new ApiError("BadRequestError", "failed to decode");
    const parsed = WITH_BODY.has(method) ? await readBody(request, http.limits) : undefined;
    const match = this.#match(path);
    if (!match) return this.#unrouted(request, path, headers);
    const route = match.routes.get((method === "HEAD" ? "GET" : method) as Method);
    if (!route) return this.#unrouted(request, path, headers, match.routes);
    const identified = this.#services.access.identify(request.headers.get("authorization"));
    const ability = identified instanceof Promise ? await identified : identified;
    if (route.action !== undefined && !ability.can(route.action)) throw new ApiError("ForbiddenError", "Forbidden");
    const isForm =
      parsed === undefined && WITH_BODY.has(method) && kindOf(request.headers.get("content-type")) === "multipart";
    // the fields of a form can be read once, but asked for more often
    let fields: Promise<Params> | undefined;
    const body = async () => {
      if (!isForm) return parsed;
      fields ??= readFormFields(request);
      return fields;
    };
    const make = () =>
      route.handle({
        request,
        params: match.params,
        query: () => parseQueryString(search),
        body,
        ability,
        client: { address, forwardedFor: request.headers.get("x-forwarded-for") },
      });
    if (!route.isKept) return respond(await make(), headers);
    headers.set("Cache-Control", ability.kind === "public" ? "no-cache" : "private, no-cache");
    const key = `${ability.key} ${isV4(request) ? "v4" : "v5"} ${path}?${search}`;
    return this.#keep(key, request, make, headers);
  }

  /** Answers from what is kept, or keeps what is made; a client that has the same answer already gets none. */
  async #keep(
    key: string,
    request: Request,
    make: () => Answer | Promise<Answer>,
    headers: Headers,
  ): Promise<Response> {
    const { answers } = this.#services;
    const found = answers.find(key);
    if ("content" in found) return answerUnlessKnown(request, found.status, found.content, found.etag, headers);
    const made = make();
    const { status, body } = made instanceof Promise ? await made : made;
    const content = JSON.stringify(body);
    answers.offer(found, status, content);
    return answerUnlessKnown(request, status, content, etagOf(content), headers);
  }

  #match(path: string) {
    const { length } = this.#prefix;
    if (path.length <= length || path.slice(0, length).toLowerCase() !== this.#prefix || path[length] !== "/")
      return undefined;
    return this.#router.match(path.slice(length));
  }

  /** Any path may be a file, so that every one can be read, in principle. */
  #unrouted(
    request: Request,
    path: string,
    headers: Headers,
    routes: ReadonlyMap<string, unknown> = new Map(),
  ): Response | Promise<Response> {
    const { method } = request;
    if (method !== "GET" && method !== "HEAD") return refuseMethod(method, routes, headers);
    if (path === "/") return respond(redirect("/admin"), headers);
    return answerFile(request, path, this.#services.files, headers);
  }
}

function isDecodable(path: string): boolean {
  if (!path.includes("%")) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function refuseMethod(method: string, routes: ReadonlyMap<string, unknown>, headers: Headers): Response {
  const allowed = ["HEAD", "GET", ...["POST", "PUT", "DELETE"].filter((name) => routes.has(name))];
  headers.set("Content-Type", TEXT_TYPE);
  headers.set("Allow", allowed.join(", "));
  if (method === "OPTIONS") return new Response("", { status: 200, headers });
  return KNOWN_METHODS.has(method)
    ? new Response("Method Not Allowed", { status: 405, headers })
    : new Response("Not Implemented", { status: 501, headers });
}

/** An answer that leads elsewhere, with a text for clients that do not follow. */
export const redirect = (location: string): Answer => ({
  status: 302,
  text: `Redirecting to ${location}.`,
  headers: { Location: location, "Content-Type": "text/html; charset=utf-8" },
});

function answerUnlessKnown(
  request: Request,
  status: number,
  content: string | Blob,
  etag: string,
  headers: Headers,
): Response {
  headers.set("ETag", etag);
  const known = request.headers.get("if-none-match");
  if (known !== null && hasTag(known, etag)) return new Response(null, { status: 304, headers });
  headers.set("Content-Type", JSON_TYPE);
  return new Response(content, { status, headers });
}

function respond({ status, body, text, headers: own }: Answer, headers: Headers): Response {
  if (body !== undefined) headers.set("Content-Type", JSON_TYPE);
  if (own) setHeaders(headers, own);
  return new Response(body === undefined ? (text ?? null) : JSON.stringify(body), { status, headers });
}
