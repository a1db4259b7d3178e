/** Builds the request that is passed to the server, with the changes of the code. */

import { BODY_DEFAULTS } from "../../engine/config/body-settings.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import type { Context } from "../koa/koa.ts";
import type { CodeTools } from "../runtime.ts";
import type { FormFile } from "./form-file.ts";

const quoted = (text: string): string =>
  text.replace(/["\r\n]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);

const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

const isFile = (value: unknown): value is FormFile => isRecord(value) && typeof value.filepath === "string";

/** Encodes a multipart form. Files are streamed from disk. */
async function* formParts(ctx: Context, boundary: string): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const { body, files } = ctx.request;
  const begin = (name: string, parameters = ""): Uint8Array =>
    encoder.encode(`--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"${parameters}\r\n\r\n`);
  for (const [name, value] of Object.entries(toRecord(body))) {
    for (const item of toList(value)) {
      yield begin(name);
      yield encoder.encode(`${typeof item === "string" ? item : JSON.stringify(item)}\r\n`);
    }
  }
  for (const [name, value] of Object.entries(files ?? {})) {
    for (const file of toList(value).filter(isFile)) {
      const type = file.mimetype.replace(/[\r\n]/g, "");
      yield begin(name, `; filename="${quoted(file.originalFilename)}"\r\ncontent-type: ${type}`);
      for await (const chunk of Bun.file(file.filepath).stream()) yield chunk;
      yield encoder.encode("\r\n");
    }
  }
  yield encoder.encode(`--${boundary}--\r\n`);
}

function formStream(ctx: Context, boundary: string): ReadableStream<Uint8Array> {
  const parts = formParts(ctx, boundary);
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await parts.return(undefined)),
  });
}

/** Without a type: as it was. */
function createBody(ctx: Context) {
  const { body, files } = ctx.request;
  if (files) {
    const boundary = `galley-${crypto.randomUUID()}`;
    return { body: formStream(ctx, boundary), type: `multipart/form-data; boundary=${boundary}` };
  }
  if (body === undefined || typeof body === "string") return { body };
  return { body: JSON.stringify(body), type: "application/json" };
}

interface Target {
  readonly method: string;
  readonly url: URL;
}

/** Whether requests with the method usually have a body. */
const isBodyMethod = (method: string): boolean => BODY_DEFAULTS.methods.includes(method);

/** `isBodyRead`: the original body is consumed, so that `ctx.request.body` is sent. `target`: a route other than that of the request. */
export function nativeRequest(ctx: Context, isBodyRead: boolean, tools: CodeTools, target?: Target): Request {
  const { original, received, changedHeaders } = ctx.req;
  const isQueryChanged = tools.queries.isChanged(ctx);
  const method = target?.method ?? original.method;
  const hasBody = isBodyRead && isBodyMethod(original.method) && isBodyMethod(method);
  if (!isQueryChanged && !hasBody && !target && !changedHeaders) return received;
  const url = target?.url ?? new URL(original.url);
  if (isQueryChanged) url.search = tools.stringifyQuery(ctx.query);
  const headers = changedHeaders ?? new Headers(original.headers);
  if (!hasBody)
    return new Request(url.href, { method, headers, body: isBodyRead || !isBodyMethod(method) ? null : received.body });
  const { body, type } = createBody(ctx);
  headers.delete("content-length");
  headers.delete("content-encoding");
  if (type) headers.set("content-type", type);
  return new Request(url.href, { method, headers, body: body ?? null });
}
