/** Headers that every answer carries: security, and who may read it from another origin. */

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

/** `origin` is the request's; without one the header is there, but empty. */
export function commonHeaders(origin: string | null): Record<string, string> {
  return {
    ...security,
    "Access-Control-Allow-Origin": origin ?? "",
    ...(origin === null ? {} : { "Access-Control-Allow-Credentials": "true" }),
  };
}

export const preflightHeaders: Readonly<Record<string, string>> = {
  "Access-Control-Allow-Methods": "GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS",
  "Access-Control-Allow-Headers": "Content-Type,Authorization,Origin,Accept",
  "Access-Control-Max-Age": "31536000",
};

export const POWERED_BY = { "X-Powered-By": "Strapi <strapi.io>" };
