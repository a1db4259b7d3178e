/** A port as raw bytes reach it: hosts that make no URL, old clients, clients that go, and lines of the log. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { connect } from "node:net";
import { logLine } from "../../src/cli/serve/servers.ts";
import { createGalley, type Galley } from "../../src/index.ts";
import { type Listening, listen } from "../../src/server/listen.ts";
import { ADMIN, configFile, projectFolder, typeFile } from "../project.ts";

let galley: Galley;
let folder: ReturnType<typeof projectFolder>;
beforeAll(async () => {
  folder = projectFolder({ ...configFile(), ...typeFile("post", { title: { type: "string" } }) });
  galley = await createGalley({ project: folder.root, environment: {} });
});
afterAll(async () => {
  await galley.close();
  folder.remove();
});

/** Sends bytes and gives what comes back until the server closes the connection. */
function send(port: number, text: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let received = "";
  const socket = connect(port, "127.0.0.1", () => socket.write(text, "latin1"));
  socket.on("data", (data) => {
    received += data.toString("latin1");
    // answers are short; the connection would stay open for the next request
    if (/^HTTP\/1\.[01] \d+ .*\r\n\r\n/s.test(received)) socket.end();
  });
  socket.on("close", () => resolve(received));
  socket.on("error", reject);
  return promise;
}

const request = (path: string, host: string | undefined, version = "1.1") =>
  `GET ${path} HTTP/${version}\r\n${host === undefined ? "" : `Host:${host}\r\n`}Authorization: ${ADMIN.authorization}\r\n\r\n`;

const statusOf = (response: string): number => Number(/^HTTP\/1\.[01] (\d+)/.exec(response)?.[1]);

for (const isLogged of [false, true]) {
  describe(isLogged ? "with a log" : "without a log", () => {
    const lines: string[] = [];
    let server: Listening;
    beforeAll(() => {
      const log = (...answer: Parameters<typeof logLine>): unknown => lines.push(logLine(...answer));
      const app = { handle: galley.handle, attachServer: () => {}, trim: () => {} };
      server = listen(app, { port: 0, host: "127.0.0.1", ...(isLogged ? { log } : {}) });
    });
    afterAll(() => server.stop());

    for (const host of [
      " a b",
      " [",
      " [::1",
      " a/b",
      " a?b",
      " a#b",
      " a@b:c",
      " x:99999",
      " 1.2.3.4.5",
      " a%zz",
      " <",
    ]) {
      test(`a host that makes no URL is refused in the envelope: ${host}`, async () => {
        const response = await send(server.port, request("/api/posts", host));
        expect(statusOf(response)).toBe(400);
        expect(response).toContain('{"data":null,"error":{"status":400,"name":"BadRequestError"');
        expect(response.length).toBeLessThan(1_000);
      });
    }

    const served: [what: string, text: string][] = [
      ["an empty host", request("/api/posts", "")],
      ["HTTP/1.0 without a host", request("/api/posts", undefined, "1.0")],
      ["HTTP/1.0 with a host", request("/api/posts", " x", "1.0")],
      ["a host of one letter", request("/api/posts", " x")],
      ["a host with a port", request("/api/posts", " localhost:1337")],
      ["an IPv6 host", request("/api/posts", " [::1]:1337")],
    ];
    for (const [what, text] of served) {
      test(`${what} is served`, async () => {
        const response = await send(server.port, text);
        expect(statusOf(response)).toBe(200);
        expect(response).toContain('{"data":[],"meta"');
      });
    }

    test("HTTP/1.1 without a host is refused", async () => {
      expect(statusOf(await send(server.port, request("/api/posts", undefined)))).toBe(400);
    });

    test("GraphQL is served to HTTP/1.0 without a host", async () => {
      const query = "/graphql?query=%7Bposts%7Btitle%7D%7D";
      const head = `GET ${query} HTTP/1.0\r\nApollo-Require-Preflight: 1\r\nAuthorization: ${ADMIN.authorization}\r\n\r\n`;
      expect(await send(server.port, head)).toContain('{"data":{"posts":[]}}');
    });

    test("paths with control characters reach no terminal", async () => {
      for (const path of ["/api/posts/%1b[31m%0aPOST", "/api/\x9b31m", "/\x7f"]) {
        await send(server.port, request(path, " x"));
        await send(server.port, request(path, undefined, "1.0"));
      }
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
      for (const line of lines) expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      expect(lines.length > 0).toBe(isLogged);
    });
  });
}

test("control characters of a log line are written as escapes", () => {
  expect(logLine("GET", "/a\u001b[31m\nb\u009b\u2028", 200, 1)).toBe(
    "GET /a\\u001b[31m\\u000ab\\u009b\\u2028 200 1.0 ms",
  );
});

test("a client that goes before its body has ended is nobody's defect", async () => {
  const logged = spyOn(console, "error");
  const { promise: answered, resolve } = Promise.withResolvers<number>();
  const handle = async (request: Request): Promise<Response> => {
    const response = await galley.handle(request);
    resolve(response.status);
    return response;
  };
  const server = listen({ handle, attachServer: () => {}, trim: () => {} }, { port: 0, host: "127.0.0.1" });
  const head = request("/api/posts", " x").replace("GET", "POST").trimEnd();
  const socket = connect(server.port, "127.0.0.1", () =>
    socket.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`, () => socket.destroy()),
  );
  expect(await answered).toBe(400);
  expect(logged).not.toHaveBeenCalled();
  logged.mockRestore();
  await server.stop();
});

test("an application that fails answers with the envelope, and shows no source", async () => {
  const logged = spyOn(console, "error").mockImplementation(() => {});
  const app = {
    handle: () => Promise.reject(new Error("broken")),
    attachServer: () => {},
    trim: () => {},
  };
  const server = listen(app, { port: 0, host: "127.0.0.1" });
  const response = await fetch(`http://127.0.0.1:${server.port}/`);
  expect([response.status, await response.json()]).toEqual([
    500,
    { data: null, error: { status: 500, name: "InternalServerError", message: "Internal Server Error" } },
  ]);
  expect(logged).toHaveBeenCalledTimes(1);
  logged.mockRestore();
  await server.stop();
});
