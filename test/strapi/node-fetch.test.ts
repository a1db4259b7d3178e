/** Errors of `fetch` in own code have Node's messages and causes. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createServer, type Server } from "node:net";
import { nodeFetch } from "../../src/strapi/loader/node-fetch.ts";
import { configFile, type TestApp, testApp } from "../project.ts";

let app: TestApp;
/** Accepts connections and never answers. */
let silent: Server;
let closedPort: number;

const portOf = (server: Server): number => (server.address() as { port: number }).port;
const listen = (): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer(() => {}).listen(0, "127.0.0.1", () => resolve(server));
  });

beforeAll(async () => {
  silent = await listen();
  const closed = await listen();
  closedPort = portOf(closed);
  await new Promise((resolve) => closed.close(resolve));
  const calls: Readonly<Record<string, string>> = {
    refused: `fetch("http://127.0.0.1:${closedPort}/x")`,
    relative: `fetch("/relative")`,
    missing: `fetch(undefined + "/x")`,
    bodied: `fetch("http://127.0.0.1:${closedPort}", { method: "GET", body: "x" })`,
    timeout: `fetch("http://127.0.0.1:${portOf(silent)}", { signal: AbortSignal.timeout(5) })`,
    aborted: `fetch("http://127.0.0.1:${portOf(silent)}", { signal: AbortSignal.abort(new Error("mine")) })`,
    shadowed: `((fetch) => fetch())(() => Promise.reject(new Error("own")))`,
  };
  app = await testApp({
    ...configFile({ roles: { public: [] } }),
    "src/api/net/routes/net.js": `module.exports = { routes: ${JSON.stringify(Object.keys(calls))}.map((name) => (
      { method: "GET", path: "/" + name, handler: "net." + name, config: { auth: false } })) };`,
    "src/api/net/controllers/net.js": `
      const told = (call) => () => call().catch((e) => ({ text: String(e), keys: Object.keys(e), cause: e.cause && { text: e.cause.message, ...e.cause } }));
      module.exports = { ${Object.entries(calls)
        .map(([name, call]) => `${name}: told(() => ${call})`)
        .join(",\n")} };`,
  });
});
afterAll(async () => {
  silent.close();
  await app.close();
});

const ask = async (name: string) => (await app.call("GET", `/api/${name}`)).body;

test("a refused connection", async () => {
  expect(await ask("refused")).toEqual({
    text: "TypeError: fetch failed",
    keys: [],
    cause: {
      text: `connect ECONNREFUSED 127.0.0.1:${closedPort}`,
      errno: expect.any(Number),
      code: "ECONNREFUSED",
      syscall: "connect",
      address: "127.0.0.1",
      port: closedPort,
    },
  });
});

test("URLs that are none", async () => {
  for (const [name, url] of [
    ["relative", "/relative"],
    ["missing", "undefined/x"],
  ] as const)
    expect(await ask(name)).toMatchObject({
      text: `TypeError: Failed to parse URL from ${url}`,
      cause: { text: "Invalid URL", code: "ERR_INVALID_URL", input: url },
    });
});

test("a GET with a body, timeouts, reasons of the caller, and own functions of the name", async () => {
  expect((await ask("bodied")).text).toBe("TypeError: Request with GET/HEAD method cannot have body.");
  expect((await ask("timeout")).text).toBe("TimeoutError: The operation was aborted due to timeout");
  expect((await ask("aborted")).text).toBe("Error: mine");
  expect((await ask("shadowed")).text).toBe("Error: own");
});

test("a body that is not JSON is described as by Node", async () => {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => new Response(new URL(url).searchParams.get("body")),
  });
  const read = async (body: string, use = (response: Response) => response) => {
    const response = use(await nodeFetch(`${server.url}?body=${encodeURIComponent(body)}`));
    return response.json().catch((error: Error) => [error.name, error.message]);
  };
  try {
    expect([
      await read('{"a":1}'),
      await read("<html>"),
      await read("", (response) => response.clone() as Response),
    ]).toEqual([
      { a: 1 },
      ["SyntaxError", `Unexpected token '<', "<html>" is not valid JSON`],
      ["SyntaxError", "Unexpected end of JSON input"],
    ]);
  } finally {
    server.stop(true);
  }
});
