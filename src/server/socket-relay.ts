/** Relays WebSockets of clients to a server on this machine. */
import type { ClientSocket, RequestServer, SocketEvents, SocketMessage } from "../api/http-route.ts";
import { GOING_AWAY, INTERNAL_ERROR, TOO_BIG } from "./close-codes.ts";

const CONNECT_MS = 10_000;
/** Maximum number of buffered bytes for the target; a client that exceeds it is disconnected. */
const MAX_BUFFERED = 16_777_216;

/** A code that `close` accepts: other codes only report how a connection has ended. */
const closeCode = (code: number): number => (code === 1000 || (code >= 3000 && code < 5000) ? code : GOING_AWAY);

/** Undefined for invalid or repeated subprotocols. */
function openSocket(target: string, headers: Headers): WebSocket | undefined {
  const protocols =
    headers
      .get("sec-websocket-protocol")
      ?.split(",")
      .map((name) => name.trim()) ?? [];
  const forwarded = [...headers].filter(([name]) => name !== "host" && !name.startsWith("sec-websocket-"));
  try {
    return new WebSocket(target, { headers: Object.fromEntries(forwarded), protocols });
  } catch {
    return undefined;
  }
}

/** Resolves once the target has accepted; with undefined if it refuses or does not respond in time. */
async function connect(target: string, headers: Headers): Promise<WebSocket | undefined> {
  const socket = openSocket(target, headers);
  if (!socket) return undefined;
  socket.binaryType = "arraybuffer";
  return new Promise((resolve) => {
    const timeout = setTimeout(() => socket.close(), CONNECT_MS);
    const settle = (result: WebSocket | undefined) => () => {
      clearTimeout(timeout);
      resolve(result);
    };
    socket.onopen = settle(socket);
    socket.onerror = settle(undefined);
    socket.onclose = settle(undefined);
  });
}

function relayEvents(target: WebSocket): SocketEvents {
  let client: ClientSocket | undefined;
  // messages of the target before the client's socket is open
  const pendingMessages: SocketMessage[] = [];
  target.onmessage = ({ data }: { data: SocketMessage }) => {
    if (client) client.send(data);
    else pendingMessages.push(data);
  };
  target.onerror = null;
  target.onclose = ({ code, reason }) =>
    client?.close(code === 1006 ? INTERNAL_ERROR : code === 1005 ? 1000 : code, reason);
  return {
    open: (socket) => {
      client = socket;
      for (const message of pendingMessages.splice(0)) socket.send(message);
      if (target.readyState > WebSocket.OPEN) socket.close(INTERNAL_ERROR);
    },
    message: (message) => {
      if (target.bufferedAmount > MAX_BUFFERED) client?.close(TOO_BIG);
      else target.send(message);
    },
    close: (code, reason) => {
      client = undefined;
      target.close(closeCode(code), reason);
    },
  };
}

/** Resolves with false if the target refuses the socket, or if the request's server cannot upgrade. */
export async function relaySocket(
  request: Request,
  server: RequestServer | null,
  target: string,
  headers: Headers,
): Promise<boolean> {
  if (!server?.upgrade) return false;
  const socket = await connect(target, headers);
  if (!socket) return false;
  const headersOfUpgrade: Record<string, string> =
    socket.protocol === "" ? {} : { "sec-websocket-protocol": socket.protocol };
  if (server.upgrade(request, { data: relayEvents(socket), headers: headersOfUpgrade })) return true;
  socket.close();
  return false;
}
