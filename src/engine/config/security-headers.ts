/** `strapi::security`: the security headers of every response. Its options are those of the package helmet. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type helmet from "helmet";
import type lodash from "lodash";
import type { ProjectReport } from "../../lib/errors.ts";
import { isSection, type Section } from "./files.ts";

/** Names and values of headers. */
export type SecurityHeaders = Readonly<Record<string, string>>;

/** What the defaults below give, so that most projects need not load helmet. */
const defaultHeaders: SecurityHeaders = {
  "Content-Security-Policy":
    "connect-src 'self' https:;img-src 'self' data: blob: https://market-assets.strapi.io;media-src 'self' data: blob:;default-src 'self';base-uri 'self';font-src 'self' https: data:;form-action 'self';frame-ancestors 'self';object-src 'none';script-src 'self';script-src-attr 'none';style-src 'self' https: 'unsafe-inline'",
  "Referrer-Policy": "no-referrer",
  "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
  "X-Content-Type-Options": "nosniff",
  "X-DNS-Prefetch-Control": "off",
  "X-Download-Options": "noopen",
  "X-Frame-Options": "SAMEORIGIN",
  "X-Permitted-Cross-Domain-Policies": "none",
};

const defaultOptions = {
  crossOriginEmbedderPolicy: false,
  crossOriginOpenerPolicy: false,
  crossOriginResourcePolicy: false,
  originAgentCluster: false,
  contentSecurityPolicy: {
    useDefaults: true,
    directives: {
      "connect-src": ["'self'", "https:"],
      "img-src": ["'self'", "data:", "blob:", "https://market-assets.strapi.io"],
      "media-src": ["'self'", "data:", "blob:"],
      upgradeInsecureRequests: null,
    },
  },
  xssFilter: false,
  hsts: { maxAge: 31_536_000, includeSubDomains: true },
  frameguard: { action: "sameorigin" },
};

const isFunction = (value: unknown): boolean => typeof value === "function";

/** The options without values that are computed for each request, and the names of the directives with such values. */
function withoutFunctions(config: Section): { readonly options: Section; readonly computed: readonly string[] } {
  const policy = config.contentSecurityPolicy;
  if (!isSection(policy) || !isSection(policy.directives)) return { options: config, computed: [] };
  const { directives } = policy;
  const computed = Object.keys(directives).filter((name) => [directives[name]].flat().some(isFunction));
  if (computed.length === 0) return { options: config, computed };
  const values = Object.entries(directives).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.filter((item) => !isFunction(item)) : isFunction(value) ? [] : value,
  ]);
  const options = { ...config, contentSecurityPolicy: { ...policy, directives: Object.fromEntries(values) } };
  return { options, computed };
}

/** Throws helmet's errors about invalid options. */
export function createHelmet(config: Section): ReturnType<typeof helmet> {
  const create = require("helmet") as typeof helmet;
  const { defaultsDeep } = require("lodash") as typeof lodash;
  // as in Strapi, lists of options keep the defaults beyond their end
  return create(defaultsDeep({}, config, defaultOptions));
}

/** The headers that helmet sets on a response. Throws its errors about invalid options. */
function runHelmet(config: Section): SecurityHeaders {
  const headers: Record<string, string> = {};
  const response = {
    setHeader(name: string, value: unknown) {
      headers[name] = String(value);
    },
    removeHeader() {},
  };
  createHelmet(config)({} as IncomingMessage, response as unknown as ServerResponse, (error?: unknown) => {
    if (error) throw error;
  });
  // throws for characters that no header can have
  return Object.fromEntries(new Headers(headers));
}

/**
 * Options that helmet refuses are reported as a warning, and the default headers are sent; Strapi answers every request
 * with 500 then. Functions of the request in directives are left out, with a warning.
 */
export function securityHeaders(config: Section, file: string, report: ProjectReport): SecurityHeaders {
  if (Object.keys(config).length === 0) return defaultHeaders;
  const { options, computed } = withoutFunctions(config);
  for (const name of computed) {
    const key = `strapi::security.contentSecurityPolicy.directives.${name}`;
    report.warn(file, key, "functions are not called; the other values are sent");
  }
  try {
    return runHelmet(options);
  } catch (error) {
    report.warn(file, "strapi::security", `${(error as Error).message}; the default headers are sent`);
    return defaultHeaders;
  }
}
