/** Requests that would keep something, or mean another caller: streams, many clients, session ids, batches, long ids, and a server that stops. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createGalley, type Galley } from "../../../src/index.ts";
import { configFile, projectFolder, typeFile } from "../../project.ts";
import { KEY } from "./agent.ts";

const OWN_CODE = `module.exports = { register({ strapi }) {
  const add = (name, handler) => strapi.ai.mcp.registerTool({ name, title: "", description: "", devModeOnly: true,
    resolveOutputSchema: () => undefined, createHandler: () => handler });
  const never = () => new Promise(() => {});
  add("never", never);
  const more = { title: "", description: "", devModeOnly: true, createHandler: () => never };
  strapi.ai.mcp.registerPrompt({ ...more, name: "never-prompt" });
  strapi.ai.mcp.registerResource({ ...more, name: "never-resource", uri: "never://resource", metadata: {} });
  add("slow", async () => { await new Promise((done) => setTimeout(done, 400)); return { content: [{ type: "text", text: "done" }] }; });
} };`;
const folder = projectFolder({
  ...typeFile("note", { text: { type: "string" } }),
  ...configFile({
    tokens: [
      { name: "admin", type: "admin", key: KEY },
      { name: "full", type: "full-access", key: "full" },
    ],
  }),
  "config/server.json": JSON.stringify({ mcp: { enabled: true, requestTimeoutMs: 700 } }),
  "src/index.js": OWN_CODE,
});
const start = () => createGalley({ project: folder.root, memory: false, admin: true, environment: {} });
let galley: Galley;
beforeAll(async () => {
  galley = await start();
});
afterAll(async () => {
  await galley.close();
  folder.remove();
});

const HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  authorization: `Bearer ${KEY}`,
};
const message = (id: unknown, method = "ping", params = {}) => ({ jsonrpc: "2.0", id, method, params });
const callTool = (name: string) => message(1, "tools/call", { name, arguments: {} });
const INITIALIZE = message(1, "initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "x", version: "1" },
});
const PATHS = ["/mcp", "/admin/mcp"] as const;

const ask = (path: string, body: unknown, more: RequestInit & { headers?: Record<string, string> } = {}) =>
  fetch(galley.serve() + path, {
    method: "POST",
    body: JSON.stringify(body),
    ...more,
    headers: { ...HEADERS, ...more.headers },
  });

test.each(PATHS)("%s has no stream that could be left open", async (path) => {
  const response = await fetch(galley.serve() + path, { headers: { ...HEADERS, accept: "text/event-stream" } });
  expect(response.status).toBe(405);
  expect((await fetch(galley.serve() + path, { method: "DELETE", headers: HEADERS })).status).toBe(405);
});

test.each(PATHS)("a call of own code that never ends is answered at %s", async (path) => {
  for (const [method, name] of [
    ["tools/call", { name: "never", arguments: {} }],
    ["prompts/get", { name: "never-prompt" }],
    ["resources/read", { uri: "never://resource" }],
  ] as const) {
    const response = await ask(path, message(1, method, name));
    expect(await response.text()).toContain("takes longer than 700 ms");
  }
});

test.each(PATHS)(
  "calls at %s that clients leave keep nothing",
  async (path) => {
    const left = Array.from({ length: 200 }, async () => {
      const response = await ask(path, callTool("never"), { signal: AbortSignal.timeout(300) });
      await response.text();
    });
    const settled = await Promise.allSettled(left);
    expect(settled.every(({ status }) => status === "rejected")).toBe(true);
    expect((await ask(path, message(1))).status).toBe(200);
    // nor do those that waited for others hold up one that waits behind them
    expect(await (await ask(path, callTool("slow"))).text()).toContain("done");
  },
  20_000,
);

test("a change whose client leaves before its turn is not made", async () => {
  const create = (title: string) =>
    message(1, "tools/call", { name: "create_note", arguments: { data: { text: title } } });
  const never = ask("/admin/mcp", callTool("never"));
  const left = ask("/admin/mcp", create("left"), { signal: AbortSignal.timeout(200) }).then((response) =>
    response.text(),
  );
  expect((await Promise.allSettled([left]))[0]?.status).toBe("rejected");
  expect(await (await never).text()).toContain("takes longer");
  expect(await (await ask("/admin/mcp", create("stays"))).text()).toContain("stays");
  const notes = await galley.documents("api::note.note").findMany();
  expect(notes.map(({ text }) => text)).toEqual(["stays"]);
}, 20_000);

test("a thousand clients that begin are not kept", async () => {
  const begin = async () => {
    const response = await ask("/mcp", INITIALIZE);
    await response.text();
    return [response.status, response.headers.get("mcp-session-id")];
  };
  const beginMany = async (count: number) => {
    for (let done = 0; done < count; done += 50) {
      const begun = await Promise.all(Array.from({ length: 50 }, begin));
      expect(new Set(begun.map((each) => JSON.stringify(each)))).toEqual(new Set(["[200,null]"]));
    }
    Bun.gc(true);
    return process.memoryUsage().heapUsed;
  };
  const before = await beginMany(200);
  expect((await beginMany(1000)) - before).toBeLessThan(8_000_000);
}, 120_000);

test.each(PATHS)("at %s a session id opens nothing", async (path) => {
  const headers = { "mcp-session-id": "of somebody else" };
  expect((await ask(path, message(1), { headers })).status).toBe(200);
  for (const authorization of ["", "Bearer full"])
    expect((await ask(path, message(1), { headers: { ...headers, authorization } })).status).toBe(401);
});

const bodies: Readonly<Record<string, readonly [status: number, body: unknown]>> = {
  "a batch": [200, [message(1), message(2)]],
  "an empty batch": [202, []],
  "a batch of too many": [400, Array.from({ length: 101 }, (_, index) => message(index))],
  "a batch in a batch": [400, [[message(1)]]],
  "several beginnings at once": [400, [INITIALIZE, INITIALIZE]],
  "an id of 100,000 characters": [200, message("x".repeat(100_000))],
  "an id that is an object": [400, message({ a: 1 })],
  null: [400, null],
  "a text": [400, "ping"],
};
for (const path of PATHS)
  test.each(Object.entries(bodies))(`${path} is asked for %s`, async (_name, [status, body]) => {
    const response = await ask(path, body);
    const text = await response.text();
    expect([response.status, text.length < 110_000]).toEqual([status, true]);
    expect(text).not.toContain("node_modules");
  });

test("a call in progress is answered when the server stops", async () => {
  const other = await start();
  const url = `${other.serve()}/mcp`;
  const answer = fetch(url, { method: "POST", headers: HEADERS, body: JSON.stringify(callTool("slow")) });
  const text = answer.then((response) => response.text());
  await Bun.sleep(100);
  await other.close();
  expect(await text).toContain("done");
  expect(fetch(url, { method: "POST", headers: HEADERS, body: "{}" })).rejects.toThrow();
}, 60_000);
