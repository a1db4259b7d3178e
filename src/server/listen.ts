/** Serves an application on a port. */
import type { SocketEvents } from "../api/http-route.ts";
import { respondToError } from "../api/rest/respond.ts";
import { findErrorCode } from "../lib/error-code.ts";
import { ApiError } from "../lib/errors.ts";
import { toNativeResponse } from "../lib/native-response.ts";
import type { App } from "./app.ts";
import { GOING_AWAY } from "./close-codes.ts";
import { createIdleCollector } from "./idle.ts";

/** Cache of valid origins, each with a trailing slash. */
const validOrigins = new Set<string>();
const MAX_ORIGINS = 100;
/** The last valid origin: most requests have the same one. */
let lastOrigin = "\0";

function hasValidOrigin(url: string): boolean {
  if (url.startsWith(lastOrigin)) return true;
  const end = url.indexOf("/", url.indexOf("//") + 2);
  const origin = end < 0 ? url : url.slice(0, end + 1);
  if (!validOrigins.has(origin)) {
    if (!URL.canParse(origin)) return false;
    if (validOrigins.size >= MAX_ORIGINS) validOrigins.clear();
    validOrigins.add(origin);
  }
  lastOrigin = origin;
  return true;
}

/**
 * Returns a request whose URL can be parsed: the request itself, or a copy with `localhost` for HTTP/1.0 without a host.
 * Undefined for an invalid host.
 */
function withUsableUrl(request: Request): Request | undefined {
  const { url } = request;
  if (!url.startsWith("/")) return hasValidOrigin(url) ? request : undefined;
  return request.headers.get("host") ? undefined : new Request(`http://localhost${url}`, request);
}

export interface ListenOptions {
  readonly port: number;
  /** "localhost" is both 127.0.0.1 and ::1, since clients resolve it to either. */
  readonly host: string;
  /** Whether other processes may listen on the same port; the system distributes connections (`SO_REUSEPORT`). Linux only. */
  readonly shared?: boolean;
  /** How long `stop` waits for clients, in milliseconds; 10,000. */
  readonly graceMs?: number;
  /** Whether the process has other work than this server. */
  readonly embedded?: boolean;
  /** Called for every response. */
  readonly log?: (method: string, path: string, status: number, milliseconds: number) => void;
}

export interface Listening {
  readonly port: number;
  /** Waits for running requests, then closes. Slow clients are disconnected after `graceMs`. */
  stop(): Promise<void>;
}

const GRACE_MS = 10_000;

/** The largest body of any request: an upload. */
const MAX_BODY_BYTES = 2_000_000_000;

type SocketServer = Bun.Server<SocketEvents>;

const respondTo = (error: unknown): Response => toNativeResponse(respondToError(error, new Headers()));

const refuseHost = (): Response => respondTo(new ApiError("BadRequestError", "The Host header is not valid"));

const CLOSE = /\bclose\b/i;

/** Reads what a refused request has left of its body. */
async function discardBody({ body, bodyUsed }: Request): Promise<void> {
  if (bodyUsed) return;
  try {
    for await (const _ of body ?? []);
  } catch {
    // the client is gone, and nobody reads the response
  }
}

/**
 * Bun ends the connection, but does not say so: an agent of Node.js would send its next request on it. A proxy that still sends the body
 * then takes the end for an error, and does not pass the response on.
 */
async function respondLast(request: Request, pending: Response | Promise<Response>): Promise<Response> {
  const response = await pending;
  await discardBody(request);
  response.headers.set("connection", "close");
  return response;
}

/** Path and query string, as sent. */
function parsePath({ url }: Request): string {
  return url.startsWith("/") ? url : url.slice(url.indexOf("/", url.indexOf("//") + 2));
}

/** Upgrades a request to a WebSocket. False if another server received the request. */
function upgrade(
  server: SocketServer,
  request: Request,
  options: { readonly data: SocketEvents; readonly headers: Record<string, string> },
): boolean {
  try {
    return server.upgrade(request, options);
  } catch (error) {
    if (findErrorCode(error) === "ERR_INVALID_ARG_TYPE") return false;
    throw error;
  }
}

/** Throws an Error with `code` EADDRINUSE if the port is in use. */
export function listen(
  app: Pick<App, "handle" | "attachServer" | "trim"> & Partial<Pick<App, "endStreams">>,
  { port, host, shared = false, log, graceMs = GRACE_MS, embedded = false }: ListenOptions,
): Listening {
  const idle = createIdleCollector(() => app.trim(), !embedded);
  const handle = (request: Request): Response | Promise<Response> => {
    idle.touch();
    const parsable = withUsableUrl(request);
    const response = parsable ? app.handle(parsable) : refuseHost();
    return CLOSE.test(request.headers.get("connection") ?? "") ? respondLast(parsable ?? request, response) : response;
  };
  const handleAndLog = async (request: Request): Promise<Response> => {
    const start = performance.now();
    const response = await handle(request);
    log?.(request.method, parsePath(request), response.status, performance.now() - start);
    return response;
  };
  const sockets = new Set<Bun.ServerWebSocket<SocketEvents>>();
  const serve = (hostname: string, portNumber: number) =>
    Bun.serve<SocketEvents>({
      port: portNumber,
      hostname,
      fetch: log ? handleAndLog : handle,
      // Bun's error page for development shows source code
      development: false,
      error: respondTo,
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
        // disconnects clients that do not read
        closeOnBackpressureLimit: true,
      },
    });
  const attachServers = (servers: readonly SocketServer[]): void =>
    app.attachServer({
      // any server can look up the address of any request
      requestIP: (request) => servers[0]!.requestIP(request),
      upgrade: (request, options) => servers.some((server) => upgrade(server, request, options)),
    });
  const stop = async (servers: readonly SocketServer[]): Promise<void> => {
    app.endStreams?.();
    for (const socket of sockets) socket.close(GOING_AWAY);
    const timeout = setTimeout(() => servers.forEach((server) => void server.stop(true)), graceMs);
    await Promise.all(servers.map((server) => server.stop()));
    clearTimeout(timeout);
    idle.stop();
  };
  const first = serve(host === "localhost" ? "127.0.0.1" : host, port);
  const servers = [first];
  attachServers(servers);
  try {
    if (host === "localhost") servers.push(serve("::1", first.port!));
  } catch (error) {
    // without IPv6, one server is enough; a port in use is an error for either
    if (findErrorCode(error) === "EADDRINUSE") {
      first.stop(true);
      throw error;
    }
  }
  return { port: first.port!, stop: () => stop(servers) };
}
