/** Headers that every answer carries: security, and who may read it from another origin. */
import type { HttpSettings } from "../../config/middlewares.ts";

export const JSON_TYPE = "application/json; charset=utf-8";

const security = new Headers({
  "Content-Security-Policy":
    "connect-src 'self' https:;img-src 'self' data: blob: https://market-assets.strapi.io;media-src 'self' data: blob:;default-src 'self';base-uri 'self';font-src 'self' https: data:;form-action 'self';frame-ancestors 'self';object-src 'none';script-src 'self';script-src-attr 'none';style-src 'self' https: 'unsafe-inline'",
  "Referrer-Policy": "no-referrer",
  "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
  "X-Content-Type-Options": "nosniff",
  "X-DNS-Prefetch-Control": "off",
  "X-Download-Options": "noopen",
  "X-Frame-Options": "SAMEORIGIN",
  "X-Permitted-Cross-Domain-Policies": "none",
  Vary: "Origin",
});

/** Sets all of them, and overwrites existing ones. */
export function setHeaders(headers: Headers, own: Readonly<Record<string, string>>): Headers {
  for (const name in own) headers.set(name, own[name]!);
  return headers;
}

/**
 * The origin that may read an answer; undefined where that of the request may not. Requests without an origin get the
 * header too: empty, or `*` where credentials do not matter.
 */
function allowedOrigin(origin: string | null, { origins, credentials }: HttpSettings["cors"]): string | undefined {
  if (origin === null || origin === "") return credentials ? "" : "*";
  return !origins || origins.includes(origin) ? origin : undefined;
}

const isPreflight = ({ method, headers }: Request): boolean =>
  method === "OPTIONS" && headers.has("access-control-request-method");

const isUsual = ({ method, headers }: Request): boolean => headers.get("origin") === null && method !== "OPTIONS";

/** Clients may keep an answer, and ask each time whether it is still right. */
function withReadHeaders(headers: Headers, isPublic: boolean): Headers {
  headers.set("Cache-Control", isPublic ? "no-cache" : "private, no-cache");
  headers.set("Content-Type", JSON_TYPE);
  return headers;
}

/** The headers of every answer. */
export class CommonHeaders {
  readonly #settings: HttpSettings;
  /** For requests without an origin; copying takes a fifth of the time of building them. */
  readonly #usual: Headers;
  /** Likewise, for documents as JSON. */
  readonly #usualRead: { readonly public: Headers; readonly private: Headers };

  constructor(settings: HttpSettings) {
    this.#settings = settings;
    this.#usual = this.#make(allowedOrigin(null, settings.cors));
    this.#usual.set("X-Powered-By", settings.poweredBy);
    this.#usualRead = {
      public: withReadHeaders(new Headers(this.#usual), true),
      private: withReadHeaders(new Headers(this.#usual), false),
    };
  }

  /** The headers of documents as JSON. `isPublic`: the same for everybody. */
  ofRead(request: Request, isPublic: boolean): Headers {
    return isUsual(request)
      ? new Headers(isPublic ? this.#usualRead.public : this.#usualRead.private)
      : withReadHeaders(this.of(request), isPublic);
  }

  of(request: Request): Headers {
    if (isUsual(request)) return new Headers(this.#usual);
    const origin = request.headers.get("origin");
    const preflight = isPreflight(request);
    const { cors, poweredBy } = this.#settings;
    // an OPTIONS that is no preflight gets nothing about origins
    const allowed = request.method === "OPTIONS" && !preflight ? undefined : allowedOrigin(origin, cors);
    const headers = this.#make(allowed);
    if (!preflight || allowed === undefined) headers.set("X-Powered-By", poweredBy);
    return headers;
  }

  /** The answer to a preflight of an allowed origin; undefined for any other request. */
  preflight(request: Request): Response | undefined {
    if (!isPreflight(request)) return undefined;
    const headers = this.of(request);
    if (!this.addPreflight(headers, request.headers.get("origin"))) return undefined;
    return new Response(null, { status: 204, headers });
  }

  /** Adds the headers of a preflight's answer; false for an origin that is not allowed, whose preflight is an ordinary OPTIONS. */
  addPreflight(headers: Headers, origin: string | null): boolean {
    const { cors } = this.#settings;
    if (allowedOrigin(origin, cors) === undefined) return false;
    headers.set("Access-Control-Allow-Methods", cors.methods);
    headers.set("Access-Control-Allow-Headers", cors.headers);
    if (cors.maxAge > 0) headers.set("Access-Control-Max-Age", String(cors.maxAge));
    return true;
  }

  #make(allowed: string | undefined): Headers {
    const headers = new Headers(security);
    if (allowed === undefined) return headers;
    const { credentials, expose } = this.#settings.cors;
    headers.set("Access-Control-Allow-Origin", allowed);
    if (credentials) headers.set("Access-Control-Allow-Credentials", "true");
    if (expose !== "") headers.set("Access-Control-Expose-Headers", expose);
    return headers;
  }
}
