/** WebSockets of clients, relayed to a server on this machine. */
import type { ClientSocket, RequestServer, SocketEvents, SocketMessage } from "../api/http-route.ts";

const CONNECT_MS = 10_000;
/** Bytes that the target has not taken yet; a client that sends more is cut off. */
const MAX_BUFFERED = 16_777_216;
const GOING_AWAY = 1001;
const TOO_BIG = 1009;
const FAILED = 1011;

/** Codes that a program may close with; others only say how a connection has ended. */
const codeOf = (code: number): number => (code === 1000 || (code >= 3000 && code < 5000) ? code : GOING_AWAY);

/** Undefined for protocols that are no names, or are named twice. */
function begin(target: string, headers: Headers): WebSocket | undefined {
  const protocols = headers.get("sec-websocket-protocol")?.split(/\s*,\s*/) ?? [];
  const sent = [...headers].filter(([name]) => name !== "host" && !name.startsWith("sec-websocket-"));
  try {
    return new WebSocket(target, { headers: Object.fromEntries(sent), protocols });
  } catch {
    return undefined;
  }
}

/** Resolves once the target has accepted; undefined when it refuses, or does not answer. */
async function connect(target: string, headers: Headers): Promise<WebSocket | undefined> {
  const socket = begin(target, headers);
  if (!socket) return undefined;
  socket.binaryType = "arraybuffer";
  return new Promise((resolve) => {
    const late = setTimeout(() => socket.close(), CONNECT_MS);
    const end = (result: WebSocket | undefined) => () => {
      clearTimeout(late);
      resolve(result);
    };
    socket.onopen = end(socket);
    socket.onerror = end(undefined);
    socket.onclose = end(undefined);
  });
}

function relayEvents(target: WebSocket): SocketEvents {
  let client: ClientSocket | undefined;
  // what the target says before the client is there
  const early: SocketMessage[] = [];
  target.onmessage = ({ data }: { data: SocketMessage }) => {
    if (client) client.send(data);
    else early.push(data);
  };
  target.onerror = null;
  target.onclose = ({ code, reason }) => client?.close(code === 1006 ? FAILED : code === 1005 ? 1000 : code, reason);
  return {
    open: (socket) => {
      client = socket;
      for (const message of early.splice(0)) socket.send(message);
      if (target.readyState > WebSocket.OPEN) socket.close(FAILED);
    },
    message: (message) => {
      if (target.bufferedAmount > MAX_BUFFERED) client?.close(TOO_BIG);
      else target.send(message);
    },
    close: (code, reason) => {
      client = undefined;
      target.close(codeOf(code), reason);
    },
  };
}

/** False for a socket that the target does not take, or where the port of the request takes none. */
export async function relaySocket(
  request: Request,
  port: RequestServer | null,
  target: string,
  headers: Headers,
): Promise<boolean> {
  if (!port?.upgrade) return false;
  const socket = await connect(target, headers);
  if (!socket) return false;
  const own: Record<string, string> = socket.protocol === "" ? {} : { "sec-websocket-protocol": socket.protocol };
  if (port.upgrade(request, { data: relayEvents(socket), headers: own })) return true;
  socket.close();
  return false;
}
