/** `strapi.server.httpServer` in tests: what a client such as supertest does with it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Server } from "node:http";
import { connect } from "node:net";
import { configFile, type TestApp, testApp } from "../project.ts";

interface TestedStrapi {
  readonly server: {
    mount(): unknown;
    listen(port: number, host: string, done: () => void): unknown;
    httpServer: Server;
  };
}

let app: TestApp;
let url: string;
let strapi: TestedStrapi;
let port: number;

beforeAll(async () => {
  app = await testApp({
    ...configFile({ roles: { public: [] } }),
    "src/api/see/controllers/see.js": `module.exports = {
      hello: (ctx) => { ctx.body = "Hello World!"; },
      echo: (ctx) => { ctx.cookies.set("a", "1"); ctx.cookies.set("b", "2"); ctx.status = 202; ctx.body = { body: ctx.request.body, query: ctx.query, ip: ctx.ip }; },
    };`,
    "src/api/see/routes/see.js": `module.exports = { routes: [
      { method: "GET", path: "/hello", handler: "see.hello", config: { auth: false } },
      { method: "POST", path: "/echo", handler: "see.echo", config: { auth: false } },
    ] };`,
  });
  ({ strapi } = globalThis as unknown as { strapi: TestedStrapi });
  expect(strapi.server.mount()).toBe(strapi.server);
  expect(strapi.server.httpServer.address()).toBeNull();
  await new Promise<void>((resolve) => strapi.server.listen(0, "127.0.0.1", resolve));
  ({ port } = strapi.server.httpServer.address() as { port: number });
  url = `http://127.0.0.1:${port}`;
});
afterAll(() => app.close());

test("serves the project's routes", async () => {
  expect(await (await fetch(`${url}/api/hello`)).text()).toBe("Hello World!");
  const response = await fetch(`${url}/api/echo?x[y]=1`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: "ä".repeat(100_000) }),
  });
  expect([response.status, response.headers.getSetCookie().length]).toEqual([202, 2]);
  expect(await response.json()).toEqual({
    body: { text: "ä".repeat(100_000) },
    query: { x: { y: "1" } },
    ip: "127.0.0.1",
  });
});

test("refuses what the project refuses", async () => {
  const missing = await fetch(`${url}/api/nothing`);
  expect([missing.status, ((await missing.json()) as { error: { name: string } }).error.name]).toEqual([
    404,
    "NotFoundError",
  ]);
  const login = await fetch(`${url}/api/auth/local`, {
    method: "POST",
    body: "{",
    headers: { "content-type": "application/json" },
  });
  expect(login.status).toBe(400);
});

test("malformed requests and clients that go away do not end the process", async () => {
  const socket = connect(port, "127.0.0.1");
  const answer = new Promise<string>((resolve) => socket.once("data", (data) => resolve(data.toString())));
  socket.write("GET http://other.example/api/hello HTTP/1.1\r\nHost: a b\r\n\r\n");
  expect(await answer).toStartWith("HTTP/1.1 4");
  socket.destroy();
  const gone = connect(port, "127.0.0.1");
  gone.write("POST /api/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nabc");
  await new Promise((resolve) => setTimeout(resolve, 20));
  gone.destroy();
  expect((await fetch(`${url}/api/hello`)).status).toBe(200);
});
