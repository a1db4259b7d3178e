/**
 * The content security policy: own files only, requests to this server only, and no frames but those of previewed sites.
 * No Trusted Types policy is allowed: the page never turns strings into elements or code.
 */
export const contentPolicy = (frameOrigins: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-src ${frameOrigins.length === 0 ? "'none'" : frameOrigins.join(" ")}`,
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
