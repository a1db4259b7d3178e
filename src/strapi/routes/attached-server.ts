/**
 * `strapi.server.httpServer`: a server of Node.js to which code attaches listeners, such as socket.io. It listens on the loopback
 * interface. WebSockets, and requests without a route, are forwarded to it; a header marks responses to requests that no
 * listener has handled. If code makes it listen, as supertest does, it serves the project.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { closeServer, followConnections } from "../lib/server-connections.ts";

const UNHANDLED_HEADER = "x-galley-untaken";

const HOP_BY_HOP_HEADERS = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

function withoutHopByHop(original: Headers): Headers {
  const headers = new Headers(original);
  for (const name of HOP_BY_HOP_HEADERS) headers.delete(name);
  return headers;
}

export class AttachedServer {
  #server: Server | undefined;
  /** Undefined unless requests are forwarded: then nothing else is served. */
  #address: Promise<string> | undefined;
  /** Handles the requests of tests. */
  serve: ((request: Request) => Promise<Response>) | undefined;

  readonly #last = (request: IncomingMessage, response: ServerResponse): void => {
    if (!this.serve || this.#address) response.writeHead(404, { [UNHANDLED_HEADER]: "1" }).end();
    else {
      const { serveMessage } = require("../koa/node-listener.ts") as typeof import("../koa/node-listener.ts");
      void serveMessage(request, response, this.serve);
    }
  };

  get node(): Server {
    if (!this.#server) {
      this.#server = (require("node:http") as typeof import("node:http")).createServer(this.#last);
      followConnections(this.#server);
    }
    return this.#server;
  }

  /** Whether code has added a request listener, or replaced the default one. */
  get handlesRequests(): boolean {
    const listeners = this.#server?.listeners("request") ?? [];
    return listeners.length > 1 || (listeners.length === 1 && listeners[0] !== this.#last);
  }

  get handlesUpgrades(): boolean {
    return (this.#server?.listenerCount("upgrade") ?? 0) > 0;
  }

  /** Host and port; listens on the first call. */
  address(): Promise<string> {
    this.#address ??= new Promise((resolve, reject) => {
      this.node.once("error", reject);
      this.node.listen(0, "127.0.0.1", () => resolve(`127.0.0.1:${(this.node.address() as AddressInfo).port}`));
    });
    return this.#address;
  }

  /** The headers of a forwarded request. */
  createHeaders(request: Request, client: string): Headers {
    const headers = withoutHopByHop(request.headers);
    const forwardedFor = headers.get("x-forwarded-for");
    headers.set("x-forwarded-for", forwardedFor ? `${forwardedFor}, ${client}` : client);
    return headers;
  }

  /** The response of a listener; undefined if none handles the request, whose body is consumed then. `target`: path and query. */
  async forward(request: Request, target: string, client: string, signal: AbortSignal): Promise<Response | undefined> {
    const response = await fetch(`http://${await this.address()}${target}`, {
      method: request.method,
      headers: this.createHeaders(request, client),
      body: request.body,
      redirect: "manual",
      decompress: false,
      signal: AbortSignal.any([request.signal, signal]),
    });
    if (response.headers.has(UNHANDLED_HEADER)) return undefined;
    return new Response(response.body, { status: response.status, headers: withoutHopByHop(response.headers) });
  }

  close(): void {
    if (this.#server) closeServer(this.#server);
  }
}
