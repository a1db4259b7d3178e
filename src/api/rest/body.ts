/** Reads a request's body as Strapi does: by content type, limited in size, before routing. */
import type { BodySettings, FormSettings } from "../../engine/config/body-settings.ts";
import type { Params } from "../../engine/query/parse.ts";
import { parsingTurn } from "../../lib/budget.ts";
import { nestsDeeper } from "../../lib/depth.ts";
import { findErrorCode } from "../../lib/error-code.ts";
import { ApiError, bodyCutShort, bodyTooLarge } from "../../lib/errors.ts";
import { jsonProblem } from "../../lib/json-syntax.ts";
import type { Fields } from "./multipart.ts";
import { parseQueryString } from "./query-string.ts";

/** A body that is nested deeper is refused before it is traversed. */
const MAX_NESTING = 512;

type TextKind = keyof BodySettings["limits"];

const jsonTypes = new Set([
  "application/json",
  "application/json-patch+json",
  "application/vnd.api+json",
  "application/csp-report",
  "application/reports+json",
]);

export function bodyKind(contentType: string | null): TextKind | "multipart" | "none" {
  const type = (contentType ?? "").split(";")[0]!.trim().toLowerCase();
  if (jsonTypes.has(type)) return "json";
  if (type === "application/x-www-form-urlencoded") return "form";
  if (type.startsWith("multipart/")) return "multipart";
  return type.startsWith("text/") ? "text" : "none";
}

/** Names of functions of `node:zlib`, which is loaded on demand. */
const decoders = { gzip: "gunzipSync", deflate: "inflateSync", br: "brotliDecompressSync" } as const;
const isDecoder = (encoding: string): encoding is keyof typeof decoders => Object.hasOwn(decoders, encoding);

function decompress(bytes: Uint8Array, encoding: string, limit: number): Uint8Array {
  if (!isDecoder(encoding)) throw new ApiError("UnsupportedEncodingError", `Unsupported Content-Encoding: ${encoding}`);
  const zlib = require("node:zlib") as typeof import("node:zlib");
  try {
    return zlib[decoders[encoding]](bytes, { maxOutputLength: limit });
  } catch (cause) {
    if (findErrorCode(cause) === "ERR_BUFFER_TOO_LARGE") throw bodyTooLarge();
    throw new ApiError("BadRequestError", "The body is not compressed as its Content-Encoding says");
  }
}

/** Parsing a larger body takes about a millisecond. */
const LARGE_BYTES = 16_384;

async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const declaredLength = Number(request.headers.get("content-length") ?? 0);
  if (declaredLength > limit) throw bodyTooLarge();
  if (declaredLength > 0) {
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (bytes.length > LARGE_BYTES) await parsingTurn();
    return bytes;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > limit) throw bodyTooLarge();
    chunks.push(chunk);
    await parsingTurn();
  }
  return Buffer.concat(chunks);
}

/** The text of a body of at most `limit` bytes, decompressed if needed. */
async function readText(request: Request, limit: number, textEncoding: string): Promise<string> {
  const bytes = await readBytes(request, limit).catch((cause: unknown) => {
    if (cause instanceof ApiError) throw cause;
    // the client disconnected
    throw bodyCutShort();
  });
  const encoding = (request.headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  const decoded = encoding === "identity" || bytes.length === 0 ? bytes : decompress(bytes, encoding, limit);
  return new TextDecoder(textEncoding as Bun.Encoding).decode(decoded);
}

const hasPrototypeKey = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  (Object.hasOwn(value, "__proto__") || Object.values(value).some(hasPrototypeKey));

/** `isStrict`: refuse values that are neither objects nor lists. */
export function parseJson(text: string, isStrict = true): unknown {
  if (text === "") return isStrict ? undefined : "";
  if (nestsDeeper(text, MAX_NESTING))
    throw new ApiError("SyntaxError", `JSON must not be nested deeper than ${MAX_NESTING} levels`);
  // checked before parsing, as Strapi does
  if (isStrict && !/^[ \t\r\n]*[[{]/.test(text))
    throw new ApiError("SyntaxError", "invalid JSON, only supports object and array");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ApiError("SyntaxError", jsonProblem(text) ?? (cause as Error).message);
  }
  if (text.includes("__proto__") && hasPrototypeKey(value)) {
    throw new ApiError("SyntaxError", "Object contains forbidden prototype property");
  }
  return value;
}

const parsers: Record<TextKind, (text: string, settings: BodySettings) => unknown> = {
  json: (text, { strictJson }) => parseJson(text, strictJson),
  form: (text, { formQuery }) => (text === "" ? undefined : parseQueryString(text, { form: true, options: formQuery })),
  text: (text) => text,
};

/** The fields of a form as an object, with names in bracket syntax. */
export const parseFields = (fields: Fields): Params =>
  parseQueryString(fields.map((pair) => pair.map(encodeURIComponent).join("=")).join("&"));

/** The fields of a multipart body; files are discarded. */
export async function readFormFields(request: Request, forms: FormSettings): Promise<Params> {
  // loaded with the first form
  const { readMultipart } = require("./multipart.ts") as typeof import("./multipart.ts");
  return parseFields(await readMultipart(request, { forms }));
}

/**
 * The parsed body; undefined without one, and for unknown content types. Multipart bodies are read by the routes, since some
 * accept files. Throws ApiErrors.
 */
export async function readBody(request: Request, settings: BodySettings): Promise<unknown> {
  const kind = bodyKind(request.headers.get("content-type"));
  if (kind === "none" || kind === "multipart" || !settings.parses[kind]) return undefined;
  const text = await readText(request, settings.limits[kind], settings.encoding);
  // as in Strapi, an empty JSON body that is declared is an object
  if (kind === "json" && settings.strictJson && text === "" && request.headers.has("content-length")) return {};
  return parsers[kind](text, settings);
}
