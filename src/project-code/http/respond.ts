/** Converts a context to a response, and copies a response of the server into a context. */
import type { Context } from "./context.ts";
import { jsonOf } from "./json-copies.ts";
import type { NodeResponse } from "./node-response.ts";
import { isEmptyStatus } from "./statuses.ts";
import { isNodeStream, nodeStream, type OnError, webStream } from "./streams.ts";

type SentBody = ConstructorParameters<typeof Response>[0];

/** Bodies of responses of the server. */
const nativeBodies = new WeakSet<object>();

/** The bytes, text or stream of a body. `ended`: when no more of a stream is sent. */
function bodyOf(body: unknown, ended: () => void, onStreamError: OnError): SentBody {
  if (body === undefined || body === null) return null;
  if (typeof body === "string" || body instanceof Blob) return body;
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) return body as SentBody;
  if (body instanceof ReadableStream) return nativeBodies.has(body) ? body : webStream(body, onStreamError);
  if (isNodeStream(body)) return nodeStream(body, ended, onStreamError);
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
  else if (response.body) {
    nativeBodies.add(response.body);
    view.body = response.body;
  }
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

/** Throws for a body that cannot be serialized. `onStreamError`: for errors of a body while it is sent. */
export function responseOf({ response, method }: Context, defaults: DefaultHeaders, onStreamError: OnError): Response {
  const ended = (): void => response.endNode();
  if (response.isPlainJson) {
    const { status, unchangedText } = response;
    response.sent();
    return new Response(unchangedText ?? bodyOf(response.body, ended, onStreamError), {
      status,
      headers: defaults.ofJson(),
    });
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
    // as in Koa, HEAD keeps the type of the body that GET has
    if (method === "HEAD") return new Response(null, { status, headers });
    headers.set("content-type", "text/plain; charset=utf-8");
    return new Response(status === 204 ? null : response.message, { status, headers });
  }
  return new Response(bodyOf(body, ended, onStreamError), { status, headers });
}

/** The response to what code writes to Node's response. */
export function streamedResponse(
  { response }: Context,
  body: Uint8Array | ReadableStream<Uint8Array>,
  defaults: DefaultHeaders,
): Response {
  const headers = response.sentHeaders(defaults.create);
  const { status } = response;
  response.endNode();
  response.res.once("close", () => response.sent());
  return new Response(isEmptyStatus(status) ? null : withoutType(body, headers), { status, headers });
}

/** Otherwise bytes get a content type that code has not set. */
function withoutType(body: Uint8Array | ReadableStream<Uint8Array>, headers: Headers): SentBody {
  if (body instanceof ReadableStream || headers.has("content-type")) return body as SentBody;
  return new ReadableStream({
    start(controller) {
      controller.enqueue(body);
      controller.close();
    },
  });
}

/** Ends Node's response, which code has begun, with Koa's body. */
export function endWithBody({ response }: Context, res: NodeResponse): void {
  const { body } = response;
  if (isNodeStream(body)) {
    body.on("error", (error) => res.destroy(error));
    body.pipe(res);
  } else if (body === undefined || body === null) res.end();
  else res.end(typeof body === "string" || body instanceof Uint8Array ? body : jsonOf(body));
}
