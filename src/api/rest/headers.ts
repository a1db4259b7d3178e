/** Headers of every response: security and CORS. */
import type { HttpSettings } from "../../engine/config/middlewares.ts";
import type { CachedResponse } from "../responses.ts";

export const JSON_TYPE = "application/json; charset=utf-8";

/** Sets headers, overwriting existing ones. */
export function setHeaders(headers: Headers, added: Readonly<Record<string, string>>): Headers {
  for (const name in added) headers.set(name, added[name]!);
  return headers;
}

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
  ofRead(request: Request, isPublic: boolean, etag: string): Headers {
    const headers = isWithoutOrigin(request)
      ? new Headers(isPublic ? this.#readsWithoutOrigin.public : this.#readsWithoutOrigin.private)
      : withReadHeaders(this.of(request), isPublic);
    headers.set("ETag", etag);
    return headers;
  }

  /** The same for a cached response. They are made once for requests without an origin, and must not be changed. */
  ofCached(request: Request, cached: CachedResponse, isPublic: boolean): Headers {
    if (!isWithoutOrigin(request)) return this.ofRead(request, isPublic, cached.etag);
    cached.headers ??= this.ofRead(request, isPublic, cached.etag);
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
