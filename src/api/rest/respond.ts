/** Creates responses from a handler's result, from the cache, and from errors. */

import { diskFull } from "../../engine/storage/problems.ts";
import { ApiError } from "../../lib/errors.ts";
import { logError } from "../../lib/print-value.ts";
import type { RestResult } from "./call.ts";
import { hasTag } from "./conditional.ts";
import { errorBody } from "./envelope.ts";
import { JSON_TYPE, setHeaders } from "./headers.ts";

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
