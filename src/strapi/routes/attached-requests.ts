/** Requests and WebSockets for listeners on `strapi.server.httpServer`, which come before middlewares. */
import { bodyTooLarge } from "../../lib/errors.ts";
import type { Runtime } from "../runtime.ts";
import type { AttachedServer } from "./attached-server.ts";

/** Path and query string of a URL. */
const parseTarget = (url: string): string => url.slice(url.indexOf("/", url.indexOf("//") + 2));

/** The function returns the response of the listeners; undefined if none handles the request. */
export function attachedRequests(runtime: Runtime, attached: AttachedServer) {
  /** Undefined if no listener handles the request. Rejects with a BodyTooLargeError if its body was too large to be buffered. */
  const forward = async (request: Request): Promise<Response | undefined> => {
    const { tools, ended, settings } = runtime;
    // the body is buffered, since another route may handle the request afterwards
    const isBuffered = Number(request.headers.get("content-length") ?? Number.NaN) <= settings.http.body.limits.json;
    const sent = request.body === null || !isBuffered ? request : (request.clone() as Request);
    const response = await attached
      .forward(sent, parseTarget(request.url), tools.clientIp(request), ended.signal)
      .catch(() => new Response(null, { status: 502 }));
    if (!response && request.bodyUsed) throw bodyTooLarge();
    return response;
  };
  const relay = async (request: Request): Promise<Response> => {
    const { tools } = runtime;
    const url = `ws://${await attached.address()}${parseTarget(request.url)}`;
    const isRelayed = await tools.relaySocket(request, url, attached.createHeaders(request, tools.clientIp(request)));
    // after an upgrade the response is ignored
    return new Response(null, { status: isRelayed ? 204 : 400 });
  };
  /** Whether a path belongs to the server, and must not be forwarded. */
  const isServerPath = (path: string): boolean => {
    const { rest, graphql } = runtime.settings;
    return [rest.prefix, graphql.endpoint, "/uploads", "/admin", "/_health"].some(
      (own) => path === own || path.startsWith(`${own}/`),
    );
  };
  return (request: Request, path: string): Promise<Response | undefined> | undefined => {
    const isSocket = attached.handlesUpgrades && request.headers.get("upgrade")?.toLowerCase() === "websocket";
    if (isSocket) return relay(request);
    return attached.handlesRequests && !isServerPath(path) ? forward(request) : undefined;
  };
}
