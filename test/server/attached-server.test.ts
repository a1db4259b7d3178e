/** What a project's code attaches to `strapi.server.httpServer`, as socket servers do it. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { type Listening, listen } from "../../src/server/listen.ts";
import { type RunningProject, runProject } from "../../src/server/running.ts";
import { freePort } from "../free-port.ts";
import { PROGRAM } from "../program.ts";
import { type Body, configFile, projectFolder, typeFile } from "../project.ts";
import { until } from "../until.ts";

const folder = projectFolder({
  ...configFile({ roles: { public: ["api::note.*"] } }),
  ...typeFile("note", { title: { type: "string" } }),
  "src/middlewares/seen.js": `module.exports = () => async (ctx, next) => { await next(); ctx.set("x-seen", "yes"); };`,
  "config/middlewares.js": `module.exports = ["strapi::errors", "strapi::cors", "strapi::body", "global::seen"];`,
  // one text frame each way, shorter than 126 bytes
  "src/index.js": `
    const { createHash } = require("crypto");
    const frame = (text) => Buffer.concat([Buffer.from([0x81, Buffer.byteLength(text)]), Buffer.from(text)]);
    const textOf = (data) => {
      const length = data[1] & 0x7f;
      return Buffer.from(data.subarray(6, 6 + length).map((byte, at) => byte ^ data[2 + (at % 4)])).toString();
    };
    module.exports = { bootstrap({ strapi }) {
      const { httpServer } = strapi.server;
      const before = httpServer.listeners("request");
      httpServer.removeAllListeners("request");
      httpServer.on("request", async (req, res) => {
        if (!req.url.startsWith("/polling/")) return before.forEach((listener) => listener.call(httpServer, req, res));
        let body = "";
        let bytes = 0;
        for await (const chunk of req) {
          bytes += chunk.length;
          if (bytes < 1_000) body += chunk;
        }
        if (req.url === "/polling/count") return res.end(String(bytes));
        res.setHeader("x-attached", "yes");
        res.end(JSON.stringify({ url: req.url, method: req.method, body, from: req.headers["x-forwarded-for"], cookie: req.headers.cookie }));
      });
      httpServer.on("upgrade", (req, socket) => {
        if (req.url.startsWith("/refused")) return socket.end("HTTP/1.1 403 Forbidden\\r\\nConnection: close\\r\\n\\r\\n");
        const accept = createHash("sha1").update(req.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest("base64");
        socket.write("HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: " + accept + "\\r\\n\\r\\n");
        socket.write(frame("hello " + req.headers["x-forwarded-for"] + " " + req.url));
        socket.on("data", (data) => { if ((data[0] & 0x0f) === 1) socket.write(frame("echo " + textOf(data))); });
        socket.on("error", () => {});
      });
    } };`,
});

let running: RunningProject;
let server: Listening;
let address: string;
beforeAll(async () => {
  running = await runProject(folder.root, {
    environment: {},
    memory: false,
    publicRead: false,
    watch: false,
    report: () => {},
  });
  server = listen(running, { port: 0, host: "127.0.0.1" });
  address = `127.0.0.1:${server.port}`;
});
afterAll(async () => {
  await server.stop();
  await running.close();
  folder.remove();
});

test("requests without a route reach what is attached, with their bodies", async () => {
  const response = await fetch(`http://${address}/polling/?t=1`, {
    method: "POST",
    body: "sent",
    headers: { cookie: "a=b" },
  });
  expect(response.headers.get("x-attached")).toBe("yes");
  expect(await response.json()).toEqual({
    url: "/polling/?t=1",
    method: "POST",
    body: "sent",
    from: "127.0.0.1",
    cookie: "a=b",
  });
});

test("routes of the server and unknown paths are answered as ever", async () => {
  const list = await fetch(`http://${address}/api/notes`);
  expect(list.status).toBe(200);
  expect(list.headers.get("x-seen")).toBe("yes");
  const unknown = await fetch(`http://${address}/nothing`);
  expect(unknown.status).toBe(404);
  expect(unknown.headers.has("x-galley-untaken")).toBe(false);
  expect(((await unknown.json()) as Body).error.name).toBe("NotFoundError");
  const posted = await fetch(`http://${address}/nothing`, { method: "POST", body: "{}" });
  expect(posted.status).toBe(405);
});

const MEGABYTE = 1_048_576;

/** Sends a body that is never whole in memory: `fetch` keeps what a busy server has not taken yet. Returns the answer. */
async function sendLarge(server: string, path: string, megabytes: number): Promise<string> {
  const { promise: answer, resolve } = Promise.withResolvers<string>();
  const { hostname: host, port } = new URL(`http://${server}`);
  const sending = request({
    agent: false,
    host,
    port,
    path,
    method: "POST",
    headers: { "content-length": megabytes * MEGABYTE },
  });
  sending.on("response", async (response) => resolve(`${response.statusCode} ${await text(response)}`));
  const chunk = Buffer.alloc(MEGABYTE);
  let isAnswered = false;
  void answer.then(() => {
    isAnswered = true;
  });
  sending.on("error", () => {});
  for (let sent = 0; sent < megabytes && !isAnswered; sent++)
    if (!sending.write(chunk)) await Promise.race([once(sending, "drain"), answer]);
  // a body that is refused has no end
  if (isAnswered) sending.destroy();
  else sending.end();
  return answer;
}

/** The most memory that a process has had, in bytes. */
const peak = (pid: number): number =>
  1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]);

test.skipIf(process.platform !== "linux")(
  "large bodies are handed on without being kept",
  async () => {
    const port = freePort();
    // in this process, what other tests have left counts
    const child = Bun.spawn([...PROGRAM, "serve", folder.root, "--port", String(port), "--memory"], {
      stdout: "ignore",
      stderr: "ignore",
    });
    const other = `127.0.0.1:${port}`;
    const isUp = (): Promise<boolean> =>
      fetch(`http://${other}/_health`).then(
        () => true,
        () => false,
      );
    await until("the server answers", isUp);
    const before = peak(child.pid);
    expect(await sendLarge(other, "/polling/count", 300)).toBe(`200 ${300 * MEGABYTE}`);
    expect(peak(child.pid) - before).toBeLessThan(150 * MEGABYTE);
    child.kill();
    await child.exited;
  },
  60_000,
);

test("large bodies are refused where nothing takes them", async () => {
  const refused = await sendLarge(address, "/nothing", 300);
  expect(refused).toStartWith("413 ");
  expect((JSON.parse(refused.slice(4)) as Body).error.name).toBe("PayloadTooLargeError");
});

function open(path: string): { readonly socket: WebSocket; readonly got: string[] } {
  const socket = new WebSocket(`ws://${address}${path}`);
  const got: string[] = [];
  socket.onmessage = ({ data }) => got.push(String(data));
  socket.onclose = ({ code }) => got.push(`closed ${code}`);
  return { socket, got };
}

test("sockets are relayed in both directions", async () => {
  const { socket, got } = open("/live?room=1");
  await until("a message", () => got.length === 1);
  socket.send("there");
  await until("a message", () => got.length === 2);
  expect(got).toEqual(["hello 127.0.0.1 /live?room=1", "echo there"]);
  socket.close();
  await until("a message", () => got.length === 3);
});

test("a socket that is refused is not a socket", async () => {
  const { got } = open("/refused");
  await until("a message", () => got.length === 1);
  expect(got[0]).toStartWith("closed");
  const { got: others } = open("/live");
  await until("a message", () => others.length === 1);
});

test.each(["a, a", "a b", ","])("a socket with protocols that are not names is refused: %j", async (protocols) => {
  const headers = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-protocol": protocols,
  };
  const refused = Promise.withResolvers<number | undefined>();
  const asked = request(`http://${address}/live`, { headers }, ({ statusCode }) => refused.resolve(statusCode));
  asked.on("upgrade", () => refused.resolve(101)).on("error", refused.reject);
  asked.end();
  expect(await refused.promise).toBe(400);
});

test("sockets are closed when the server stops, which does not wait for them", async () => {
  const second = listen(running, { port: 0, host: "127.0.0.1" });
  const socket = new WebSocket(`ws://127.0.0.1:${second.port}/live`);
  const closed = Promise.withResolvers<number>();
  socket.onclose = ({ code }) => closed.resolve(code);
  await new Promise((resolve) => {
    socket.onmessage = resolve;
  });
  await second.stop();
  expect(await closed.promise).toBe(1001);
});
