/** `config/middlewares`: options of the built-in middlewares, which Galley implements itself. The names of others are listed. */
import { ProjectError, type ProjectReport } from "../../lib/errors.ts";
import { bodySettings, unusedBodyOptions } from "./body-settings.ts";
import { compressionSettings, unusedCompressionOptions } from "./compression-settings.ts";
import { isSection } from "./files.ts";
import { queryOptions, unusedQueryOptions } from "./query-options.ts";
import { Reader } from "./reader.ts";
import { securityHeaders } from "./security-headers.ts";
import type { UnusedOption } from "./unused-option.ts";

interface Entry {
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
}

/** The middlewares of Strapi. */
const BUILTIN: ReadonlySet<string> = new Set(
  "body compression cors errors favicon ip logger poweredBy public query responseTime responses security session"
    .split(" ")
    .map((name) => `strapi::${name}`),
);

export const isBuiltinMiddleware = (name: string): boolean => BUILTIN.has(name);

function parseEntry(item: unknown, index: number, file: string): Entry {
  const { name: named, resolve, config } = isSection(item) ? item : { name: item };
  const name = named ?? resolve;
  if (typeof name !== "string")
    throw new ProjectError(file, String(index), "must be a middleware's name, or an object with name or resolve");
  if (name.startsWith("strapi::") && !isBuiltinMiddleware(name))
    throw new ProjectError(file, String(index), `there is no middleware "${name}"`);
  return { name, config: isSection(config) ? config : {} };
}

const METHODS = "GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS";
const HEADERS = "Content-Type,Authorization,Origin,Accept";
const YEAR_S = 31_536_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A list, or a value, as a comma-separated string. */
const joinList = (value: unknown): string => (Array.isArray(value) ? value.join(",") : value ? String(value) : "");

/** The origins in a list or in a comma-separated string; undefined: any. */
export function parseOrigins(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const list = Array.isArray(value)
    ? value.map(String)
    : String(value)
        .split(",")
        .map((origin) => origin.trim());
  return list.includes("*") ? undefined : list;
}

export const corsDefaults = {
  origin: "*",
  methods: METHODS,
  headers: HEADERS,
  expose: "",
  credentials: true,
  maxAge: YEAR_S,
};

/** As in Strapi, options that are undefined have no default. */
export function corsSettings(config: Readonly<Record<string, unknown>>) {
  const { origin, methods, headers, expose, credentials, maxAge }: Readonly<Record<string, unknown>> = {
    ...corsDefaults,
    ...config,
  };
  const isDynamic = typeof origin === "function" || typeof credentials === "function";
  return {
    /** Functions of the project decide about each request, so that the server adds no headers. */
    isDynamic,
    /** Allowed origins; undefined: any. */
    origins: isDynamic ? [] : parseOrigins(origin),
    /** Empty: no header. */
    methods: joinList(methods),
    /** Empty: those that a preflight request asks for. */
    headers: joinList(headers),
    /** Empty: none. */
    expose: joinList(expose),
    credentials: !isDynamic && Boolean(credentials),
    /** Seconds; empty: no header. */
    maxAge: maxAge ? String(maxAge) : "",
  } as const;
}

/** Built-in middlewares that filter requests. */
const FILTERS = new Set(["strapi::ip", "strapi::responseTime"]);

/** Milliseconds in the file, seconds in the headers. At most a year, as in Strapi. */
const toMaxAge = (milliseconds: number): number =>
  Math.floor(Math.min(Math.max(0, milliseconds), YEAR_S * 1000) / 1000);

/** Which options of a built-in middleware change something in Strapi, but not here. */
const unusedOptions: Readonly<Record<string, (config: Entry["config"]) => readonly UnusedOption[]>> = {
  body: unusedBodyOptions,
  query: (config) => unusedQueryOptions(config),
  compression: unusedCompressionOptions,
  cors: ({ enabled }) =>
    enabled === undefined
      ? []
      : [{ name: "enabled", reason: "remove strapi::cors from the list instead, as in Strapi 5" }],
};

export type HttpSettings = ReturnType<typeof httpSettings>;

export function httpSettings(list: readonly unknown[], file: string, report: ProjectReport) {
  const entries = list.flatMap((item, index) => report.attempt(() => parseEntry(item, index, file)) ?? []);
  const findConfig = (name: string): Entry["config"] =>
    entries.find((entry) => entry.name === `strapi::${name}`)?.config ?? {};
  const reader = (name: string): Reader => new Reader(findConfig(name), file, report);
  // other values count as true, as in Strapi
  if (typeof findConfig("cors").credentials !== "function") reader("cors").flag("credentials");
  return {
    /** Of the list. */
    file,
    cors: corsSettings(findConfig("cors")),
    security: securityHeaders(findConfig("security"), file, report),
    /** Options of qs for query strings; undefined: the defaults. */
    query: queryOptions(findConfig("query"), "", file, report),
    body: bodySettings(findConfig("body"), file, report),
    poweredBy: reader("poweredBy").text("poweredBy") ?? "Galley",
    /** Responses are compressed if clients accept it; undefined: none are. */
    compression: entries.some(({ name }) => name === "strapi::compression")
      ? compressionSettings(findConfig("compression"), file, report)
      : undefined,
    /** How long clients may cache files of the public folder, in seconds. */
    publicMaxAge: toMaxAge(reader("public").number("maxAge", 0) ?? MINUTE_MS),
    /** `path`: relative to the project. `maxAge`: in seconds. */
    favicon: {
      path: reader("favicon").text("path") ?? "favicon.png",
      maxAge: toMaxAge(reader("favicon").number("maxAge", 0) ?? DAY_MS),
    },
    /** Whether every request has to go through a built-in middleware, as through those of the project. */
    filtersRequests: entries.some(({ name }) => FILTERS.has(name)),
    /** The entries that are not built in. */
    others: entries.map(({ name }) => name).filter((name) => !name.startsWith("strapi::")),
    /** Messages about options of built-in entries without effect. */
    ignored: entries.flatMap(({ name, config }) => {
      if (!name.startsWith("strapi::")) return [];
      const unused = unusedOptions[name.slice("strapi::".length)]?.(config) ?? [];
      return unused.map((option) => `${name}: ${option.name} is not used: ${option.reason}`);
    }),
  } as const;
}
