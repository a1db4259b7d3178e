/** Built-in middlewares that a route names. */
import { expect, test } from "bun:test";
import { testApp, typeFile } from "../project.ts";

test("a route may name built-in middlewares, with options of its own", async () => {
  const route = (path: string, middlewares: string) =>
    `{ method: "GET", path: "${path}", handler: "own.act", config: { auth: false, middlewares: ${middlewares} } }`;
  const app = await testApp({
    ...typeFile("note", { title: { type: "string" } }),
    "src/api/own/controllers/own.js": `module.exports = { act: () => "acted" };`,
    "src/api/own/routes/own.js": `module.exports = { routes: [
      ${route("/open", `["strapi::query", { name: "strapi::cors", config: { origin: "https://a.example", expose: ["X-Own"] } }]`)},
      ${route("/framed", `[{ name: "strapi::security", config: { contentSecurityPolicy: { directives: { "frame-ancestors": ["https://a.example"] } }, frameguard: false } }]`)},
      ${route("/closed", `[{ name: "strapi::ip", config: { blacklist: [".*"] } }]`)},
    ] };`,
  });
  const send = (path: string) =>
    app.handle(new Request(`http://localhost/api${path}`, { headers: { origin: "https://a.example" } }));
  const open = await send("/open");
  expect([open.status, await open.text()]).toEqual([200, "acted"]);
  expect(open.headers.get("access-control-expose-headers")).toBe("X-Own");
  const framed = await send("/framed");
  expect(framed.headers.get("content-security-policy")).toContain("frame-ancestors https://a.example;");
  expect(framed.headers.get("x-frame-options")).toBe("SAMEORIGIN");
  expect((await send("/closed")).status).toBe(403);
  await app.close();
});
