/** Puts an application on a port. */

import type { SocketEvents } from "../api/http-route.ts";
import { respondToError } from "../api/rest/respond.ts";
import { ApiError } from "../errors.ts";
import type { App } from "./app.ts";
import { IdleCollector } from "./idle.ts";
import { withUsableUrl } from "./request-url.ts";

export interface ListenOptions {
  readonly port: number;
  /** "localhost" is both 127.0.0.1 and ::1, since clients resolve it to either. */
  readonly host: string;
  /** Other processes may listen on the same port; the system shares connections out among them. Linux only. */
  readonly shared?: boolean;
  /** How long stopping waits for clients; 10 s. */
  readonly graceMs?: number;
  /** Called for every answer. */
  readonly log?: (method: string, path: string, status: number, milliseconds: number) => void;
}

export interface Listening {
  readonly port: number;
  /** Finishes what is being answered, then closes. Clients that take too long are cut off. */
  stop(): Promise<void>;
}

/** So long a server that stops waits for clients. */
const GRACE_MS = 10_000;

/** The largest body that is read at all: an upload. */
const MAX_BODY_BYTES = 2_000_000_000;

type SocketServer = Bun.Server<SocketEvents>;

/** How sockets are closed when the server stops. */
const GOING_AWAY = 1001;

/** The answer to a request with an invalid `Host`. */
const refuseHost = (): Response =>
  respondToError(new ApiError("BadRequestError", "The Host header is not valid"), new Headers());

/** With its query string, as it was sent. */
function pathOf({ url }: Request): string {
  return url.startsWith("/") ? url : url.slice(url.indexOf("/", url.indexOf("//") + 2));
}

/** Makes a WebSocket of a request, which only the server that received it can do. */
function upgrade(
  server: SocketServer,
  request: Request,
  options: { readonly data: SocketEvents; readonly headers: Record<string, string> },
): boolean {
  try {
    return server.upgrade(request, options);
  } catch (error) {
    if ((error as { code?: string }).code === "ERR_INVALID_ARG_TYPE") return false;
    throw error;
  }
}

/** Throws with `code` EADDRINUSE for a port in use. */
export function listen(
  app: Pick<App, "handle" | "listensAt" | "trim"> & Partial<Pick<App, "endStreams">>,
  { port, host, shared = false, log, graceMs = GRACE_MS }: ListenOptions,
): Listening {
  const idle = new IdleCollector(() => app.trim());
  const answer = (request: Request): Response | Promise<Response> => {
    idle.touch();
    const usable = withUsableUrl(request);
    return usable ? app.handle(usable) : refuseHost();
  };
  const logged = async (request: Request): Promise<Response> => {
    const start = performance.now();
    const response = await answer(request);
    log?.(request.method, pathOf(request), response.status, performance.now() - start);
    return response;
  };
  const sockets = new Set<Bun.ServerWebSocket<SocketEvents>>();
  const serve = (hostname: string, on: number) =>
    Bun.serve<SocketEvents>({
      port: on,
      hostname,
      fetch: log ? logged : answer,
      // Bun's page for developers shows the source
      development: false,
      error: (error) => respondToError(error, new Headers()),
      reusePort: shared,
      maxRequestBodySize: MAX_BODY_BYTES,
      idleTimeout: 120,
      websocket: {
        open: (socket) => {
          sockets.add(socket);
          socket.data.open(socket);
        },
        message: (socket, message) => socket.data.message(message),
        close: (socket, code, reason) => {
          sockets.delete(socket);
          socket.data.close(code, reason);
        },
        // a client that does not read is cut off
        closeOnBackpressureLimit: true,
      },
    });
  const listensAt = (servers: readonly SocketServer[]): void =>
    app.listensAt({
      // each server knows the clients of all
      requestIP: (request) => servers[0]!.requestIP(request),
      upgrade: (request, options) => servers.some((server) => upgrade(server, request, options)),
    });
  const stop = async (servers: readonly SocketServer[]): Promise<void> => {
    app.endStreams?.();
    for (const socket of sockets) socket.close(GOING_AWAY);
    const late = setTimeout(() => servers.forEach((server) => void server.stop(true)), graceMs);
    await Promise.all(servers.map((server) => server.stop()));
    clearTimeout(late);
    idle.stop();
  };
  if (host !== "localhost") {
    const server = serve(host, port);
    listensAt([server]);
    return { port: server.port!, stop: () => stop([server]) };
  }
  const first = serve("127.0.0.1", port);
  const servers = [first];
  listensAt(servers);
  try {
    servers.push(serve("::1", first.port!));
  } catch (error) {
    // a machine without IPv6 has only the one; a port in use there is as bad as here
    if ((error as { code?: string }).code === "EADDRINUSE") {
      first.stop(true);
      throw error;
    }
  }
  return { port: first.port!, stop: () => stop(servers) };
}
