/** Creates responses from a handler's result, from the cache, and from errors. */

import { paginationMeta } from "../../engine/query/list-params.ts";
import type { Document } from "../../engine/query/select.ts";
import { type Attribute, component, findTarget, type Model, type Schema } from "../../engine/schema/model.ts";
import { diskFull } from "../../engine/storage/problems.ts";
import { ApiError, type ErrorName } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { logError } from "../../lib/print-value.ts";
import type { ContentResult } from "../actions.ts";
import type { RestResult } from "./call.ts";
import { JSON_TYPE, setHeaders } from "./headers.ts";

interface ErrorBody {
  readonly data: null;
  readonly error: {
    readonly status: number;
    readonly name: string;
    readonly message: string;
    readonly details?: Readonly<Record<string, unknown>>;
  };
}

/** The messages of refusals with a cause: Strapi does not show what was thrown. */
const hiddenMessages: Readonly<Partial<Record<ErrorName, string>>> = {
  UnauthorizedError: "Unauthorized",
  ForbiddenError: "Forbidden",
};

/** Other errors than ApiErrors are returned without detail. */
export function errorBody(error: unknown): ErrorBody {
  const apiError = error instanceof ApiError ? error : new ApiError("InternalServerError", "Internal Server Error");
  const { httpStatus: status, name, details } = apiError;
  const message = hiddenMessages[apiError.kind];
  if (message !== undefined && apiError.cause !== undefined)
    return { data: null, error: { status, name, message, details: {} } };
  return { data: null, error: { status, name, message: apiError.message, ...(details ? { details } : {}) } };
}

/** Undefined for a missing document, and for empty results. */
export function contentBody(result: ContentResult): { data: unknown; meta: unknown } | undefined {
  if (result.kind === "page") {
    const { documents, pagination, total } = result.page;
    return { data: documents, meta: { pagination: paginationMeta(pagination, total) } };
  }
  if (result.kind === "nothing" || result.document === null) return undefined;
  return { data: result.document, meta: {} };
}

export function respond({ status, body, text, headers: resultHeaders }: RestResult, headers: Headers): Response {
  if (body !== undefined) headers.set("Content-Type", JSON_TYPE);
  if (resultHeaders) setHeaders(headers, resultHeaders);
  return new Response(body === undefined ? (text ?? null) : JSON.stringify(body), { status, headers });
}

/** A response with an ETag, or 304 if the client has it already. `headers`: see `CommonHeaders.ofRead`; not changed. */
export function respondTagged(
  request: Request,
  { status, content, etag }: { readonly status: number; readonly content: string | Blob; readonly etag: string },
  headers: Headers,
): Response {
  const ifNoneMatch = request.headers.get("if-none-match");
  if (ifNoneMatch === null || !hasTag(ifNoneMatch, etag)) return new Response(content, { status, headers });
  const withoutType = new Headers(headers);
  withoutType.delete("Content-Type");
  return new Response(null, { status: 304, headers: withoutType });
}

/** Errors that Strapi returns. All others are thrown there, past the middleware that sets `X-Powered-By`. */
const RETURNED: ReadonlySet<string> = new Set(["UnauthorizedError", "ForbiddenError", "NotFoundError"]);

/** The envelope of an error. Other errors than ApiErrors and full disks are logged and returned as 500 without detail. */
export function respondToError(error: unknown, headers: Headers): Response {
  const apiError = error instanceof ApiError ? error : diskFull(error);
  if (!apiError) logError(error);
  const body = errorBody(apiError ?? error);
  headers.set("Content-Type", JSON_TYPE);
  if (!apiError || !RETURNED.has(apiError.kind)) headers.delete("X-Powered-By");
  return new Response(JSON.stringify(body), { status: body.error.status, headers });
}

const weak = (tag: string): string => (tag.startsWith("W/") ? tag : `W/${tag}`);

/** Whether `If-None-Match` contains the tag, by weak comparison. `*` does not match. */
export const hasTag = (header: string, tag: string): boolean =>
  header.split(",").some((item) => weak(item.trim()) === weak(tag));

export const isV4 = (request: Request): boolean => request.headers.get("strapi-response-format") === "v4";

const mapEach = (value: unknown, map: (item: Document) => unknown): unknown =>
  Array.isArray(value)
    ? value.map((item) => (isRecord(item) ? map(item) : item))
    : isRecord(value)
      ? map(value)
      : value;

function convertAttributes(model: Model, schema: Schema, document: Document): Document {
  const out: Document = {};
  for (const [name, value] of Object.entries(document)) {
    if (name === "id" || name === "documentId") continue;
    const attribute = schema.attributes.get(name);
    out[name] = attribute ? wrap(model, attribute, value) : value;
  }
  return out;
}

/** Components stay flat, relations and media are wrapped in `data`. */
function wrap(model: Model, attribute: Attribute, value: unknown): unknown {
  if (attribute.kind === "scalar") return value;
  if (attribute.kind === "component")
    return mapEach(value, (item) => flatten(model, component(model, attribute.component), item));
  if (attribute.kind === "zone") {
    return mapEach(value, (item) => flatten(model, component(model, String(item.__component)), item));
  }
  const target = findTarget(model, attribute);
  return { data: target ? mapEach(value, (item) => toEntry(model, target, item)) : value };
}

const flatten = (model: Model, schema: Schema, item: Document): Document => ({
  id: item.id,
  ...convertAttributes(model, schema, item),
});

const toEntry = (model: Model, schema: Schema, item: Document): Document => ({
  id: item.id,
  documentId: item.documentId,
  attributes: convertAttributes(model, schema, item),
});

/** Converts `data` to the older format. */
export const toV4 = (model: Model, schema: Schema, data: unknown): unknown =>
  mapEach(data, (item) => toEntry(model, schema, item));
