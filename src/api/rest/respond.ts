/** Creates responses from a handler's result, from the cache, and from errors. */

import { paginationMeta } from "../../engine/query/list-params.ts";
import { diskFull } from "../../engine/storage/problems.ts";
import { ApiError, type ErrorName } from "../../lib/errors.ts";
import { logError } from "../../lib/print-value.ts";
import type { ContentResult } from "../actions.ts";
import type { RestResult } from "./call.ts";
import { hasTag } from "./conditional.ts";
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
