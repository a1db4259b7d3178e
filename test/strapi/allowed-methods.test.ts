/** What the server says of the methods of a path that own routes have, as recorded from Strapi. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, serviceFile, type TestApp, testApp, typeFile } from "../project.ts";

const rows = [
  ["POST", "/only-post"],
  ["PUT", "/two/:id"],
  ["DELETE", "/two/:id"],
  ["GET", "/also-get"],
  ["PATCH", "/also-get"],
  ["POST", "/notes/extra"],
] as const;
const files = {
  ...configFile({ roles: { public: ["api::note.note.*"] } }),
  ...serviceFile("note"),
  ...typeFile("note", { title: { type: "string" } }),
  "src/api/note/routes/01-own.js": `module.exports = { routes: [${rows
    .map(([method, path]) => `{ method: "${method}", path: "${path}", handler: () => "ok", config: { auth: false } }`)
    .join(", ")}] };`,
  "src/api/note/routes/note.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::note.note");`,
};

let app: TestApp;
beforeAll(async () => {
  app = await testApp(files);
});
afterAll(() => app.close());

test.each([
  ["PUT", "/only-post", 405, "HEAD, GET, POST"],
  ["OPTIONS", "/only-post", 200, "HEAD, GET, POST"],
  ["POST", "/two/1", 405, "HEAD, GET, PUT, DELETE"],
  ["POST", "/also-get", 405, "HEAD, GET, PATCH"],
  ["PATCH", "/notes/extra", 405, "HEAD, GET, POST, PUT, DELETE"],
  ["PATCH", "/notes", 405, "HEAD, GET, POST"],
  ["POST", "/nothing", 405, "HEAD, GET"],
])("%s %s: %d, %s", async (method, path, status, allowed) => {
  const response = await app.handle(new Request(`http://localhost/api${path}`, { method }));
  expect([response.status, response.headers.get("allow")]).toEqual([status, allowed]);
});
