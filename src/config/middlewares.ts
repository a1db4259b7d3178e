/**
 * `config/middlewares`: the options of the built-in middlewares. Galley does what they do; the project's own ones are
 * code, which it does not run.
 */
import { ProjectError, type ProjectReport } from "../errors.ts";
import { isSection } from "./files.ts";
import { Reader } from "./reader.ts";

export interface HttpSettings {
  readonly cors: {
    /** Undefined: any. */
    readonly origins: readonly string[] | undefined;
    readonly methods: string;
    readonly headers: string;
    /** Empty: none. */
    readonly expose: string;
    readonly credentials: boolean;
    /** Seconds. */
    readonly maxAge: number;
  };
  /** The maximum size of bodies, in bytes. */
  readonly limits: { readonly json: number; readonly form: number; readonly text: number };
  /** The project's code gets the unparsed text of bodies as well; default: false. */
  readonly includeUnparsed: boolean;
  readonly poweredBy: string;
  /** Responses are compressed if clients accept it. */
  readonly compress: boolean;
  /** Entries of the list without effect. */
  readonly ignored: readonly string[];
}

const units: Readonly<Record<string, number>> = { "": 1, b: 1, kb: 2 ** 10, mb: 2 ** 20, gb: 2 ** 30 };

/** Bytes, as a number or a string such as "2mb". */
function bytes(value: unknown, file: string, key: string): number | undefined {
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

function entryOf(item: unknown, index: number, file: string): Entry {
  if (typeof item === "string") return { name: item, config: {} };
  if (isSection(item)) {
    const name = item.name ?? item.resolve;
    if (typeof name === "string") return { name, config: isSection(item.config) ? item.config : {} };
  }
  throw new ProjectError(file, String(index), "must be a middleware's name, or an object with name or resolve");
}

/** Lists may be comma-separated strings. */
const joined = (value: unknown, byDefault: string): string => {
  if (value === undefined || value === null) return byDefault;
  return Array.isArray(value) ? value.join(",") : String(value);
};

const METHODS = "GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS";
const HEADERS = "Content-Type,Authorization,Origin,Accept";
const YEAR_S = 31_536_000;
const MEBIBYTE = 1_048_576;

/** A function usually narrows whom the project trusts; what it would answer is not known here, so that nobody is. */
function origins(value: unknown, file: string, report: ProjectReport): readonly string[] | undefined {
  if (typeof value === "function") {
    report.warn(file, "strapi::cors.origin", "a function is not run; no other origin is allowed until they are listed");
    return [];
  }
  const list = joined(value, "*")
    .split(",")
    .map((origin) => origin.trim());
  return list.includes("*") ? undefined : list;
}

/** Middlewares without supported options, or whose function is implemented elsewhere. */
const settled = new Set(["logger", "errors", "query", "session", "favicon", "public", "compression"]);
const known = new Set(["cors", "body", "poweredBy"]);

export function httpSettings(list: readonly unknown[], file: string, report: ProjectReport): HttpSettings {
  const entries = list.flatMap((item, index) => report.attempt(() => entryOf(item, index, file)) ?? []);
  const sizeOf = (value: unknown, key: string): number | undefined => report.attempt(() => bytes(value, file, key));
  const configOf = (name: string): Entry["config"] =>
    entries.find((entry) => entry.name === `strapi::${name}`)?.config ?? {};
  const cors = configOf("cors");
  const corsReader = new Reader(cors, file, report);
  const body = configOf("body");
  return {
    cors: {
      origins: origins(cors.origin, file, report),
      methods: joined(cors.methods, METHODS),
      headers: joined(cors.headers, HEADERS),
      expose: joined(cors.expose, ""),
      credentials: corsReader.flag("credentials") ?? true,
      maxAge: corsReader.number("maxAge") ?? YEAR_S,
    },
    limits: {
      json: sizeOf(body.jsonLimit, "strapi::body.jsonLimit") ?? MEBIBYTE,
      form: sizeOf(body.formLimit, "strapi::body.formLimit") ?? 56 * 1024,
      text: sizeOf(body.textLimit, "strapi::body.textLimit") ?? 56 * 1024,
    },
    includeUnparsed: new Reader(body, file, report).flag("includeUnparsed") ?? false,
    poweredBy: new Reader(configOf("poweredBy"), file, report).text("poweredBy") ?? "Galley",
    compress: entries.some(({ name }) => name === "strapi::compression"),
    ignored: entries.flatMap(({ name, config }) => {
      const own = name.startsWith("strapi::") ? name.slice("strapi::".length) : undefined;
      if (own === undefined) return [`${name} is the project's own code, which is not run`];
      if (known.has(own)) return [];
      const told = Object.keys(config).length > 0;
      return told || !(settled.has(own) || own === "security") ? [`the options of ${name} are not used`] : [];
    }),
  };
}
