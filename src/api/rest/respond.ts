/** Creates responses from a handler's result, from the cache, and from errors. */

import { ApiError } from "../../errors.ts";
import { logError } from "../../print-value.ts";
import { diskFull } from "../../storage/problems.ts";
import type { Answer } from "./call.ts";
import { hasTag } from "./conditional.ts";
import { errorBody } from "./envelope.ts";
import { JSON_TYPE, setHeaders } from "./headers.ts";

export function respond({ status, body, text, headers: own }: Answer, headers: Headers): Response {
  if (body !== undefined) headers.set("Content-Type", JSON_TYPE);
  if (own) setHeaders(headers, own);
  return new Response(body === undefined ? (text ?? null) : JSON.stringify(body), { status, headers });
}

/** A response with an ETag, or 304 if the client has it already. `headers`: see `CommonHeaders.ofRead`; not changed. */
export function respondTagged(
  request: Request,
  { status, content, etag }: { readonly status: number; readonly content: string | Blob; readonly etag: string },
  headers: Headers,
): Response {
  const known = request.headers.get("if-none-match");
  if (known === null || !hasTag(known, etag)) return new Response(content, { status, headers });
  const withoutType = new Headers(headers);
  withoutType.delete("Content-Type");
  return new Response(null, { status: 304, headers: withoutType });
}

/** The envelope of an error. Other errors than ApiErrors and full disks are logged and returned as 500 without detail. */
export function respondToError(error: unknown, headers: Headers): Response {
  const known = error instanceof ApiError ? error : diskFull(error);
  if (!known) logError(error);
  const body = errorBody(known ?? error);
  headers.set("Content-Type", JSON_TYPE);
  return new Response(JSON.stringify(body), { status: body.error.status, headers });
}
