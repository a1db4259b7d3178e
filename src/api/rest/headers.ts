/** Headers that every answer carries: security, and who may read it from another origin. */
import type { HttpSettings } from "../../config/middlewares.ts";

const security: Readonly<Record<string, string>> = {
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
};

/**
 * The origin that may read an answer; undefined where that of the request may not. Requests without an origin get the
 * header too: empty, or `*` where credentials do not matter.
 */
function allowedOrigin(origin: string | null, { origins, credentials }: HttpSettings["cors"]): string | undefined {
  if (origin === null || origin === "") return credentials ? "" : "*";
  return !origins || origins.includes(origin) ? origin : undefined;
}

export const isPreflight = ({ method, headers }: Request): boolean =>
  method === "OPTIONS" && headers.has("access-control-request-method");

/** An OPTIONS that asks for nothing is told nothing about origins. */
export function commonHeaders(request: Request, cors: HttpSettings["cors"]): Record<string, string> {
  const isIdle = request.method === "OPTIONS" && !isPreflight(request);
  const allowed = isIdle ? undefined : allowedOrigin(request.headers.get("origin"), cors);
  if (allowed === undefined) return { ...security };
  return {
    ...security,
    "Access-Control-Allow-Origin": allowed,
    ...(cors.credentials ? { "Access-Control-Allow-Credentials": "true" } : {}),
    ...(cors.expose === "" ? {} : { "Access-Control-Expose-Headers": cors.expose }),
  };
}

/** The headers of a preflight's answer beside the common ones; undefined for an origin that may not ask. */
export function preflightHeaders(
  origin: string | null,
  cors: HttpSettings["cors"],
): Record<string, string> | undefined {
  if (allowedOrigin(origin, cors) === undefined) return undefined;
  return {
    "Access-Control-Allow-Methods": cors.methods,
    "Access-Control-Allow-Headers": cors.headers,
    ...(cors.maxAge > 0 ? { "Access-Control-Max-Age": String(cors.maxAge) } : {}),
  };
}
