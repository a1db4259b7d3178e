/** Creates responses from a handler's result, from the cache, and from errors, with the headers that all of them have. */

import type { HttpSettings } from "../../engine/config/middlewares.ts";
import { paginationMeta } from "../../engine/query/list-params.ts";
import type { Document } from "../../engine/query/select.ts";
import { holdsComponents, mapComponents } from "../../engine/schema/entries.ts";
import { type Attribute, findTarget, type Model, type Schema } from "../../engine/schema/model.ts";
import { diskFull } from "../../engine/storage/problems.ts";
import type { TagHeaders } from "../../lib/cache-tags.ts";
import { ApiError, type ErrorName } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { logError } from "../../lib/printable.ts";
import type { ContentResult } from "../actions.ts";
import { setHeaders } from "../http-route.ts";
import type { CachedResponse } from "../responses.ts";
import type { RestResult } from "./call.ts";

export const JSON_TYPE = "application/json; charset=utf-8";

/**
 * The allowed origin; undefined if the request's is not allowed. Requests without an origin also get the header: empty, or `*`
 * without credentials.
 */
function allowedOrigin(
  origin: string | null,
  { isDynamic, origins, credentials }: HttpSettings["cors"],
): string | undefined {
  if (isDynamic) return undefined;
  if (origin === null || origin === "") return credentials ? "" : "*";
  return !origins || origins.includes(origin) ? origin : undefined;
}

const isPreflight = ({ method, headers }: Request): boolean =>
  method === "OPTIONS" && headers.has("access-control-request-method");

const isWithoutOrigin = ({ method, headers }: Request): boolean =>
  headers.get("origin") === null && method !== "OPTIONS";

function withJsonType(headers: Headers): Headers {
  headers.set("Content-Type", JSON_TYPE);
  return headers;
}

/** Clients may cache a response, but must revalidate it. */
function withReadHeaders(headers: Headers, isPublic: boolean): Headers {
  headers.set("Cache-Control", isPublic ? "no-cache" : "private, no-cache");
  return withJsonType(headers);
}

/** The headers of every response. */
export class CommonHeaders {
  readonly #settings: HttpSettings;
  /** For requests without an origin. Copying is five times as fast as building them. */
  readonly #withoutOrigin: Headers;
  /** Likewise, with the type of JSON. */
  readonly #jsonWithoutOrigin: Headers;
  /** Likewise, for documents as JSON. */
  readonly #readsWithoutOrigin: { readonly public: Headers; readonly private: Headers };

  constructor(settings: HttpSettings) {
    this.#settings = settings;
    this.#withoutOrigin = this.#make(allowedOrigin(null, settings.cors));
    this.#withoutOrigin.set("X-Powered-By", settings.poweredBy);
    this.#jsonWithoutOrigin = withJsonType(new Headers(this.#withoutOrigin));
    this.#readsWithoutOrigin = {
      public: withReadHeaders(new Headers(this.#withoutOrigin), true),
      private: withReadHeaders(new Headers(this.#withoutOrigin), false),
    };
  }

  /** The headers of documents as JSON. `isPublic`: the response is the same for all callers. */
  ofRead(request: Request, isPublic: boolean, etag: string, tags?: TagHeaders): Headers {
    const headers = isWithoutOrigin(request)
      ? new Headers(isPublic ? this.#readsWithoutOrigin.public : this.#readsWithoutOrigin.private)
      : withReadHeaders(this.of(request), isPublic);
    headers.set("ETag", etag);
    return tags ? setHeaders(headers, tags) : headers;
  }

  /** The same for a cached response. They are made once for requests without an origin, and must not be changed. */
  ofCached(request: Request, cached: CachedResponse, isPublic: boolean): Headers {
    if (!isWithoutOrigin(request)) return this.ofRead(request, isPublic, cached.etag, cached.tags);
    cached.headers ??= this.ofRead(request, isPublic, cached.etag, cached.tags);
    return cached.headers;
  }

  /** The headers of other JSON. They are shared by requests without an origin, and must not be changed. */
  ofJson(request: Request): Headers {
    return isWithoutOrigin(request) ? this.#jsonWithoutOrigin : withJsonType(this.of(request));
  }

  of(request: Request): Headers {
    if (isWithoutOrigin(request)) return new Headers(this.#withoutOrigin);
    const origin = request.headers.get("origin");
    const preflight = isPreflight(request);
    const { cors, poweredBy } = this.#settings;
    // an OPTIONS request that is no preflight gets no CORS headers
    const allowed = request.method === "OPTIONS" && !preflight ? undefined : allowedOrigin(origin, cors);
    const headers = this.#make(allowed, preflight);
    if (!preflight || allowed === undefined) headers.set("X-Powered-By", poweredBy);
    return headers;
  }

  /** The response to a preflight of an allowed origin; undefined for other requests. */
  preflight(request: Request): Response | undefined {
    if (!isPreflight(request)) return undefined;
    const headers = this.of(request);
    if (!this.addPreflight(headers, request)) return undefined;
    return new Response(null, { status: 204, headers });
  }

  /** Adds the headers of a preflight response. Returns false for an origin that is not allowed. */
  addPreflight(headers: Headers, request: Request): boolean {
    const { cors } = this.#settings;
    if (allowedOrigin(request.headers.get("origin"), cors) === undefined) return false;
    if (cors.methods !== "") headers.set("Access-Control-Allow-Methods", cors.methods);
    const allowedHeaders = cors.headers || request.headers.get("access-control-request-headers");
    if (allowedHeaders) headers.set("Access-Control-Allow-Headers", allowedHeaders);
    if (cors.maxAge !== "") headers.set("Access-Control-Max-Age", cors.maxAge);
    return true;
  }

  #make(allowed: string | undefined, isPreflight = false): Headers {
    const headers = new Headers(this.#settings.security);
    headers.set("Vary", "Origin");
    if (allowed === undefined) return headers;
    const { credentials, expose } = this.#settings.cors;
    headers.set("Access-Control-Allow-Origin", allowed);
    if (credentials) headers.set("Access-Control-Allow-Credentials", "true");
    if (expose !== "" && !isPreflight) headers.set("Access-Control-Expose-Headers", expose);
    return headers;
  }
}

/** The messages of refusals with a cause: Strapi does not show what was thrown. */
const hiddenMessages: Readonly<Partial<Record<ErrorName, string>>> = {
  UnauthorizedError: "Unauthorized",
  ForbiddenError: "Forbidden",
};

/** Other errors than ApiErrors are returned without detail. */
export function errorBody(error: unknown) {
  const apiError = error instanceof ApiError ? error : new ApiError("InternalServerError", "Internal Server Error");
  const { httpStatus: status, name, details } = apiError;
  const message = hiddenMessages[apiError.kind];
  if (message !== undefined && apiError.cause !== undefined)
    return { data: null, error: { status, name, message, details: {} } };
  return { data: null, error: { status, name, message: apiError.message, ...(details ? { details } : {}) } };
}

/** Undefined for a missing document, and for empty results. */
export function contentBody(result: ContentResult): { data: unknown; meta: unknown } | undefined {
  if (result.kind === "page") {
    const { documents, pagination, total } = result.page;
    return { data: documents, meta: { pagination: paginationMeta(pagination, total) } };
  }
  if (result.kind === "nothing" || result.document === null) return undefined;
  return { data: result.document, meta: {} };
}

const errors = new WeakMap<Response, unknown>();

/** What was thrown where a response is an error. */
export const errorOf = (response: Response): unknown => errors.get(response);

export function respond({ status, body, text, headers: added, error }: RestResult, headers: Headers): Response {
  if (body !== undefined) headers.set("Content-Type", JSON_TYPE);
  if (added) setHeaders(headers, added);
  const response = new Response(body === undefined ? (text ?? null) : JSON.stringify(body), { status, headers });
  if (error !== undefined) errors.set(response, error);
  return response;
}

/** A response with an ETag, or 304 if the client has it already. `headers`: see `CommonHeaders.ofRead`; not changed. */
export function respondTagged(
  request: Request,
  { status, content, etag }: { readonly status: number; readonly content: string | Blob; readonly etag: string },
  headers: Headers,
): Response {
  const ifNoneMatch = request.headers.get("if-none-match");
  if (ifNoneMatch === null || !hasTag(ifNoneMatch, etag)) return new Response(content, { status, headers });
  const withoutType = new Headers(headers);
  withoutType.delete("Content-Type");
  return new Response(null, { status: 304, headers: withoutType });
}

/** Errors that Strapi returns. All others are thrown there, past the middleware that sets `X-Powered-By`. */
const RETURNED: ReadonlySet<string> = new Set(["UnauthorizedError", "ForbiddenError", "NotFoundError"]);

/** The envelope of an error. Other errors than ApiErrors and full disks are logged and returned as 500 without detail. */
export function respondToError(error: unknown, headers: Headers): Response {
  const apiError = error instanceof ApiError ? error : diskFull(error);
  if (!apiError) logError(error);
  const body = errorBody(apiError ?? error);
  if (!apiError || !RETURNED.has(apiError.kind)) headers.delete("X-Powered-By");
  return respond({ status: body.error.status, body, error }, headers);
}

const weak = (tag: string): string => (tag.startsWith("W/") ? tag : `W/${tag}`);

/** Whether `If-None-Match` contains the tag, by weak comparison. `*` does not match. */
export const hasTag = (header: string, tag: string): boolean =>
  header.split(",").some((item) => weak(item.trim()) === weak(tag));

export const isV4 = (request: Request): boolean => request.headers.get("strapi-response-format") === "v4";

/** Whether strings of the response carry where they are from, see `engine/documents/source-maps.ts`. */
export const hasSourceMaps = (request: Request): boolean => request.headers.get("strapi-encode-source-maps") === "true";

const mapEach = (value: unknown, map: (item: Document) => unknown): unknown =>
  Array.isArray(value)
    ? value.map((item) => (isRecord(item) ? map(item) : item))
    : isRecord(value)
      ? map(value)
      : value;

function convertAttributes(model: Model, schema: Schema, document: Document): Document {
  const out: Document = {};
  for (const [name, value] of Object.entries(document)) {
    if (name === "id" || name === "documentId") continue;
    const attribute = schema.attributes.get(name);
    out[name] = attribute ? wrap(model, attribute, value) : value;
  }
  return out;
}

/** Components stay flat, relations and media are wrapped in `data`; not those to several types. */
function wrap(model: Model, attribute: Attribute, value: unknown): unknown {
  if (attribute.kind === "scalar") return value;
  if (holdsComponents(attribute))
    return mapComponents(model, attribute, value, (schema, entry) => flatten(model, schema, entry));
  const target = findTarget(model, attribute);
  if (!target || (value !== null && typeof value !== "object")) return value;
  return { data: mapEach(value, (item) => toEntry(model, target, item)) };
}

const flatten = (model: Model, schema: Schema, item: Document): Document => ({
  id: item.id,
  ...convertAttributes(model, schema, item),
});

const toEntry = (model: Model, schema: Schema, item: Document): Document => ({
  id: item.id,
  documentId: item.documentId,
  attributes: convertAttributes(model, schema, item),
});

/** Converts `data` to the older format. */
export const toV4 = (model: Model, schema: Schema, data: unknown): unknown =>
  mapEach(data, (item) => toEntry(model, schema, item));
