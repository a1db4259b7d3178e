/**
 * `config/middlewares`: options of the built-in middlewares, which Galley implements itself. The project's own middlewares are
 * handled by `project-code/`.
 */
import { ProjectError, type ProjectReport } from "../errors.ts";
import { isSection } from "./files.ts";
import { Reader } from "./reader.ts";
import { type SecurityHeaders, securityHeaders } from "./security-headers.ts";

export interface CorsSettings {
  /** Functions of the project decide about each request, so that the server adds no headers. */
  readonly isDynamic: boolean;
  /** Allowed origins; undefined: any. */
  readonly origins: readonly string[] | undefined;
  /** Empty: no header. */
  readonly methods: string;
  /** Empty: those that a preflight request asks for. */
  readonly headers: string;
  /** Empty: none. */
  readonly expose: string;
  readonly credentials: boolean;
  /** Seconds; empty: no header. */
  readonly maxAge: string;
}

export interface HttpSettings {
  readonly cors: CorsSettings;
  readonly security: SecurityHeaders;
  /** Maximum size of bodies, in bytes. */
  readonly limits: { readonly json: number; readonly form: number; readonly text: number };
  /** Maximum size of all files in a form, in bytes; Infinity: none. */
  readonly maxFilesSize: number;
  /** Give the project's code the unparsed text of bodies as well; default: false. */
  readonly includeUnparsed: boolean;
  readonly poweredBy: string;
  /** Compress responses if clients accept it. */
  readonly compress: boolean;
  /** How long clients may cache files of the public folder, in seconds. */
  readonly publicMaxAge: number;
  /** `path`: relative to the project. `maxAge`: in seconds. */
  readonly favicon: { readonly path: string; readonly maxAge: number };
  /** Whether every request has to go through a built-in middleware, as through those of the project. */
  readonly filtersRequests: boolean;
  /** Messages about entries without effect. */
  readonly ignored: readonly string[];
}

const units: Readonly<Record<string, number>> = { "": 1, b: 1, kb: 2 ** 10, mb: 2 ** 20, gb: 2 ** 30 };

/** Parses a size: a number of bytes, or a string such as "2mb". */
function parseBytes(value: unknown, file: string, key: string): number | undefined {
  if (value === undefined) return undefined;
  const [, number, unit] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(String(value)) ?? [];
  const factor = units[unit?.toLowerCase() ?? "?"];
  if (number === undefined || factor === undefined)
    throw new ProjectError(file, key, `must be a size such as "2mb", not ${JSON.stringify(value)}`);
  return Math.floor(Number(number) * factor);
}

interface Entry {
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
}

function parseEntry(item: unknown, index: number, file: string): Entry {
  if (typeof item === "string") return { name: item, config: {} };
  if (isSection(item)) {
    const name = item.name ?? item.resolve;
    if (typeof name === "string") return { name, config: isSection(item.config) ? item.config : {} };
  }
  throw new ProjectError(file, String(index), "must be a middleware's name, or an object with name or resolve");
}

const METHODS = "GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS";
const HEADERS = "Content-Type,Authorization,Origin,Accept";
const YEAR_S = 31_536_000;
const MEBIBYTE = 1_048_576;
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

const corsDefaults = { origin: "*", methods: METHODS, headers: HEADERS, expose: "", credentials: true, maxAge: YEAR_S };

/** As in the reference, options that are undefined have no default. */
export function corsSettings(config: Readonly<Record<string, unknown>>): CorsSettings {
  const { origin, methods, headers, expose, credentials, maxAge }: Readonly<Record<string, unknown>> = {
    ...corsDefaults,
    ...config,
  };
  const isDynamic = typeof origin === "function" || typeof credentials === "function";
  return {
    isDynamic,
    origins: isDynamic ? [] : parseOrigins(origin),
    methods: joinList(methods),
    headers: joinList(headers),
    expose: joinList(expose),
    credentials: !isDynamic && Boolean(credentials),
    maxAge: maxAge ? String(maxAge) : "",
  };
}

/** Built-in middlewares that filter requests. */
const FILTERS = new Set(["strapi::ip", "strapi::responseTime"]);

/** Milliseconds in the file, seconds in the headers. At most a year, as in the reference. */
const toMaxAge = (milliseconds: number): number =>
  Math.floor(Math.min(Math.max(0, milliseconds), YEAR_S * 1000) / 1000);

/** Which options of a built-in middleware change something in the reference, but not here. */
const unusedOptions: Readonly<Record<string, (config: Entry["config"]) => readonly string[]>> = {
  body({ formidable, jsonStrict = true, multipart = true, urlencoded = true, text = true, json = true, ...config }) {
    const switches = Object.entries({ jsonStrict, multipart, urlencoded, text, json });
    const form = isSection(formidable) ? Object.keys(formidable) : [];
    return [
      ...switches.filter(([, isOn]) => !isOn).map(([key]) => key),
      ...["parsedMethods", "onError"].filter((key) => config[key] !== undefined),
      ...form.filter((key) => ["maxFields", "maxFieldsSize", "minFileSize", "filter"].includes(key)),
    ];
  },
  query: (config) => Object.keys(config).filter((key) => !["strictNullHandling", "settings"].includes(key)),
  compression: Object.keys,
};
/** End of the message about a middleware of the project; those about built-in ones end differently. */
const OWN_MIDDLEWARE = "is the project's own code, which is not run";

/** Messages about entries without effect. `runsCode`: those of the project's own code have an effect. */
export const ignoredMiddlewares = ({ ignored }: HttpSettings, runsCode: boolean): readonly string[] =>
  ignored.filter((text) => !runsCode || !text.endsWith(OWN_MIDDLEWARE));

export function httpSettings(list: readonly unknown[], file: string, report: ProjectReport): HttpSettings {
  const entries = list.flatMap((item, index) => report.attempt(() => parseEntry(item, index, file)) ?? []);
  const readSize = (value: unknown, key: string): number | undefined =>
    report.attempt(() => parseBytes(value, file, key));
  const configOf = (name: string): Entry["config"] =>
    entries.find((entry) => entry.name === `strapi::${name}`)?.config ?? {};
  const body = configOf("body");
  const reader = (name: string): Reader => new Reader(configOf(name), file, report);
  // other values count as true, as in the reference
  if (typeof configOf("cors").credentials !== "function") reader("cors").flag("credentials");
  return {
    cors: corsSettings(configOf("cors")),
    security: securityHeaders(configOf("security"), file, report),
    limits: {
      json: readSize(body.jsonLimit, "strapi::body.jsonLimit") ?? MEBIBYTE,
      form: readSize(body.formLimit, "strapi::body.formLimit") ?? 56 * 1024,
      text: readSize(body.textLimit, "strapi::body.textLimit") ?? 56 * 1024,
    },
    maxFilesSize: reader("body").number("formidable.maxFileSize", 0) ?? Number.POSITIVE_INFINITY,
    includeUnparsed: reader("body").flag("includeUnparsed") ?? false,
    poweredBy: reader("poweredBy").text("poweredBy") ?? "Galley",
    compress: entries.some(({ name }) => name === "strapi::compression"),
    publicMaxAge: toMaxAge(reader("public").number("maxAge", 0) ?? MINUTE_MS),
    favicon: {
      path: reader("favicon").text("path") ?? "favicon.png",
      maxAge: toMaxAge(reader("favicon").number("maxAge", 0) ?? DAY_MS),
    },
    filtersRequests: entries.some(({ name }) => FILTERS.has(name)),
    ignored: entries.flatMap(({ name, config }) => {
      if (!name.startsWith("strapi::")) return [`${name} ${OWN_MIDDLEWARE}`];
      const unused = unusedOptions[name.slice("strapi::".length)]?.(config) ?? [];
      return unused.length > 0 ? [`${name}: ${unused.join(", ")} ${unused.length === 1 ? "is" : "are"} not used`] : [];
    }),
  };
}
