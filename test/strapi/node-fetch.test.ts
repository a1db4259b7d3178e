/** Errors of `fetch` in own code name their cause as on Node. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createServer, type Server } from "node:net";
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
  expect(await ask("refused")).toMatchObject({
    text: "TypeError: fetch failed",
    keys: [],
    cause: { code: "ECONNREFUSED" },
  });
});

test("URLs that are none", async () => {
  for (const name of ["relative", "missing"]) expect((await ask(name)).text).toStartWith("TypeError");
});

test("a GET with a body, timeouts, reasons of the caller, and own functions of the name", async () => {
  expect((await ask("bodied")).text).toMatch(/^TypeError.*GET\/HEAD method cannot have body/);
  expect((await ask("timeout")).text).toStartWith("TimeoutError: ");
  expect((await ask("aborted")).text).toBe("Error: mine");
  expect((await ask("shadowed")).text).toBe("Error: own");
});
