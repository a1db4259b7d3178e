/** Own code whose packages replace the global `Response`, as `@hono/node-server` does. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type TestApp, testApp, typeFile } from "../project.ts";

const Native = Response;
let app: TestApp;

beforeAll(async () => {
  app = await testApp({
    ...typeFile("note", { title: { type: "string" } }),
    "src/api/note/routes/note.js":
      'module.exports = require("@strapi/strapi").factories.createCoreRouter("api::note.note", { config: { find: { auth: false } } });',
    "src/api/note/routes/replace.js":
      'module.exports = { routes: [{ method: "GET", path: "/replace", handler: "replace.run", config: { auth: false } }] };',
    "src/api/note/controllers/replace.js": `const Native = globalThis.Response;
      class Replaced {
        #init; #native;
        constructor(body, init) { this.#native = new Native(body, init); this.#init = new Headers(init?.headers); }
        get headers() { return this.#init; }
        get status() { return this.#native.status; }
        get statusText() { return this.#native.statusText; }
        get body() { return this.#native.body; }
        text() { return this.#native.text(); }
      }
      Object.setPrototypeOf(Replaced.prototype, Native.prototype);
      module.exports = { run(ctx) { globalThis.Response = Replaced; ctx.set("x-own", "a"); ctx.body = { replaced: true }; } };`,
  });
});
afterAll(() => {
  globalThis.Response = Native;
  return app.close();
});

test.each([
  ["own code", "/api/replace", 200, '{"replaced":true}'],
  ["core routes", "/api/notes", 200, '"data":[]'],
  ["unknown paths", "/api/nothing", 404, "NotFoundError"],
  ["GraphQL", "/graphql?query={__typename}", 400, "errors"],
])("responses of %s can still be sent", async (_, path, status, text) => {
  const response = await app.handle(new Request(`http://localhost${path}`));
  expect(Object.getPrototypeOf(response)).toBe(Native.prototype);
  expect([response.status, response.headers.get("x-own")]).toEqual([status, path === "/api/replace" ? "a" : null]);
  expect(await response.text()).toContain(text);
});
