/** Closes servers with all their connections, also those of WebSockets, which `closeAllConnections` leaves open. */
import type { Server as HttpServer } from "node:http";
import type { Server as NetServer, Socket } from "node:net";

export type Server = (NetServer | HttpServer) & { readonly closeAllConnections?: () => void };

const connections = new WeakMap<Server, Set<Socket>>();

/** Called before the server listens. */
export function followConnections(server: Server): void {
  if (connections.has(server)) return;
  const sockets = new Set<Socket>();
  connections.set(server, sockets);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
}

export function closeServer(server: Server): void {
  server.close();
  server.closeAllConnections?.();
  for (const socket of connections.get(server) ?? []) socket.destroy();
}
