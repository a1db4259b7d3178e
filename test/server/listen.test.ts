/** The end of a port and of connections: what is being answered is finished, and whoever takes too long is cut off. */
import { expect, test } from "bun:test";
import { listen } from "../../src/server/listen.ts";
import { testApp, typeFile } from "../project.ts";

test("a body that never ends does not keep the server from stopping", async () => {
  const app = await testApp(typeFile("post", { title: { type: "string" } }));
  const parts = { handle: app.handle, attachServer: () => {}, trim: () => {} };
  const listening = listen(parts, { port: 0, host: "127.0.0.1", graceMs: 200 });
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: listening.port,
    socket: { data() {}, close: () => resolve(), error: () => resolve() },
  });
  socket.write(
    "POST /api/posts HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
  );
  await Bun.sleep(50);
  await listening.stop();
  await closed;
  await app.close();
}, 10_000);

test("the response to the last request of a connection says so, since agents of Node.js would use the connection again", async () => {
  const app = await testApp(typeFile("post", { title: { type: "string" } }));
  const listening = listen(
    { handle: app.handle, attachServer: () => {}, trim: () => {} },
    { port: 0, host: "127.0.0.1" },
  );
  const headOf = async (path: string, header: string): Promise<string> => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: listening.port,
      socket: { data: (_socket, data) => resolve(String(data).split("\r\n\r\n")[0] ?? "") },
    });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${header}\r\n`);
    const head = await promise;
    socket.end();
    return head;
  };
  for (const path of ["/api/posts", "/_health", "/none", "/graphql?query={__typename}"]) {
    expect(await headOf(path, "Connection: close\r\n")).toMatch(/\r\nconnection: close/i);
    expect(await headOf(path, "Connection: TE, Close\r\n")).toMatch(/\r\nconnection: close/i);
    expect(await headOf(path, "Connection: keep-alive\r\n")).not.toMatch(/\r\nconnection: close/i);
    expect(await headOf(path, "")).not.toMatch(/\r\nconnection: close/i);
  }
  await listening.stop();
  await app.close();
});

test("a refusal is not sent before the end of a body whose connection it closes, which proxies would take for an error", async () => {
  const app = await testApp(typeFile("post", { title: { type: "string" } }));
  const listening = listen(
    { handle: app.handle, attachServer: () => {}, trim: () => {} },
    { port: 0, host: "127.0.0.1" },
  );
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let received = "";
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: listening.port,
    socket: {
      data: (_socket, data) => {
        received += String(data);
      },
      close: () => resolve(),
      error: () => resolve(),
    },
  });
  const length = "Content-Length: 3000000\r\nContent-Type: application/json";
  socket.write(`POST /api/posts HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${length}\r\n\r\n`);
  await Bun.sleep(100);
  expect(received).toBe("");
  const rest = Buffer.alloc(3_000_000, "a");
  for (let sent = 0; sent < rest.length; await Bun.sleep(1)) sent += socket.write(rest.subarray(sent));
  await ended;
  expect(received).toStartWith("HTTP/1.1 413 ");
  await listening.stop();
  await app.close();
});
