/** The end of a port: what is being answered is finished, and whoever takes too long is cut off. */
import { test } from "bun:test";
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
