/** Serves requests of a Node server, for tests that send them to `strapi.server.httpServer` (supertest). */
import type { IncomingMessage, ServerResponse } from "node:http";

type Handle = (request: Request) => Promise<Response>;

function createRequest(message: IncomingMessage): Request {
  const headers = new Headers();
  const { rawHeaders, method = "GET", url = "/" } = message;
  for (let index = 0; index < rawHeaders.length; index += 2) headers.append(rawHeaders[index]!, rawHeaders[index + 1]!);
  const hasBody = method !== "GET" && method !== "HEAD";
  // an absolute URL of a proxy request counts by its path, as in Koa
  const path = url.startsWith("/") ? url : "/";
  return new Request(`http://${headers.get("host") ?? "localhost"}${path}`, {
    method,
    headers,
    ...(hasBody ? { body: message as unknown as ReadableStream } : {}),
  });
}

/** Rejects if the client disconnects. */
async function send(response: Response, target: ServerResponse): Promise<void> {
  const cookies = response.headers.getSetCookie();
  const headers = Object.fromEntries([...response.headers].filter(([name]) => name !== "set-cookie"));
  target.writeHead(response.status, { ...headers, ...(cookies.length > 0 ? { "set-cookie": cookies } : {}) });
  for await (const chunk of response.body ?? []) target.write(chunk);
  target.end();
}

export async function serveMessage(message: IncomingMessage, target: ServerResponse, handle: Handle): Promise<void> {
  try {
    await send(await handle(createRequest(message)), target);
  } catch {
    // `handle` logs its own errors: the message is malformed, or the client has gone
    if (!target.headersSent) target.writeHead(400);
    target.end();
  }
}
