/** Converts a context to a response, and copies a response of the server into a context. */
import { Readable } from "node:stream";
import type { Context } from "./context.ts";
import { jsonOf } from "./json-copies.ts";
import { isEmptyStatus } from "./statuses.ts";

const isStream = (body: unknown): body is Readable =>
  body instanceof Readable || (typeof body === "object" && body !== null && "pipe" in body && "on" in body);

type SentBody = ConstructorParameters<typeof Response>[0];

function bodyOf(body: unknown): SentBody {
  if (body === undefined || body === null) return null;
  if (typeof body === "string" || body instanceof Blob || body instanceof ReadableStream) return body;
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) return body as SentBody;
  if (isStream(body)) return Readable.toWeb(body) as unknown as SentBody;
  const json = jsonOf(body);
  if (json === undefined) throw new TypeError(`A ${typeof body} is no body of a response`);
  return json;
}

/** Copies a response of the server into the context; a JSON body is parsed when code reads it. */
export async function takeResponse(ctx: Context, response: Response): Promise<void> {
  const { response: view } = ctx;
  view.status = response.status;
  const isJson = (response.headers.get("content-type") ?? "").includes("json");
  if (isJson) view.setText(await response.text());
  else if (response.body) view.body = response.body;
  view.adoptHeaders(response.headers);
}

/** Koa's response if a body cannot be serialized. */
export const plainServerError = (): Response =>
  new Response("Internal Server Error", { status: 500, headers: { "content-type": "text/plain; charset=utf-8" } });

/** The default headers of a response. */
export interface DefaultHeaders {
  /** Code may override them. */
  readonly create: () => Headers;
  /** Those of JSON, which must not be changed. */
  readonly ofJson: () => Headers;
}

/** Throws for a body that cannot be serialized. */
export function responseOf({ response }: Context, defaults: DefaultHeaders): Response {
  if (response.isPlainJson) {
    const { status, unchangedText } = response;
    response.sent();
    return new Response(unchangedText ?? bodyOf(response.body), { status, headers: defaults.ofJson() });
  }
  const headers = response.sentHeaders(defaults.create);
  const { status } = response;
  response.sent();
  if (isEmptyStatus(status)) {
    headers.delete("content-type");
    return new Response(null, { status, headers });
  }
  const text = response.unchangedText;
  if (text !== undefined) return new Response(text, { status, headers });
  // they belong to the unchanged body
  if (response.hasText) for (const name of ["etag", "content-length"]) headers.delete(name);
  if (!response.isBodySet && !response.isStatusSet) {
    headers.set("content-type", "text/plain; charset=utf-8");
    return new Response("Not Found", { status: 404, headers });
  }
  const { body } = response;
  if (body === undefined || body === null) {
    if (response.isBodyNull) {
      headers.delete("content-type");
      return new Response(null, { status, headers });
    }
    if (status >= 400 || status === 200) headers.set("content-type", "text/plain; charset=utf-8");
    return new Response(status === 204 ? null : response.message, { status, headers });
  }
  return new Response(bodyOf(body), { status, headers });
}
