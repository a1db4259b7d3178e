/** Servers that are closed with all their connections. */
import { expect, test } from "bun:test";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { closeServer, followConnections } from "../../src/strapi/lib/server-connections.ts";

test("a connection that has left HTTP ends with its server", async () => {
  const server = createServer();
  server.on("upgrade", (_, socket) => void socket.write("HTTP/1.1 101 Switching Protocols\r\n\r\n"));
  followConnections(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const ended = new Promise<void>((resolve) => client.on("close", () => resolve()));
  client.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: own\r\n\r\n");
  await new Promise<void>((resolve) => client.once("data", () => resolve()));
  closeServer(server);
  await ended;
  expect(server.listening).toBe(false);
});
