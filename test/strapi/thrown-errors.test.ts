/** What global middlewares catch where the server answers by itself. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { ADMIN, configFile, type TestApp, testApp, typeFile } from "../project.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...configFile({ roles: { public: ["api::note.note.*"] } }),
    ...typeFile("note", { title: { type: "string" } }),
    "config/middlewares.js": `module.exports = ["strapi::errors", "strapi::query", "global::catching", "strapi::body"];`,
    "config/plugins.js": `module.exports = { upload: { config: { provider: require("node:path").join(__dirname, "../failing") } } };`,
    "failing/index.js": `module.exports = { init: () => ({
      async upload() { throw Object.assign(new Error("the bucket is missing"), { status: 418 }); },
      async delete() {},
    }) };`,
    "src/middlewares/catching.js": `module.exports = () => async (ctx, next) => {
      try {
        await next();
      } catch (error) {
        ctx.status = error.status || 500;
        ctx.body = { caught: error.name, status: error.status, message: error.message };
      }
    };`,
    "src/index.js": `module.exports = { bootstrap({ strapi }) {
      strapi.db.lifecycles.subscribe({ models: ["plugin::users-permissions.user"], beforeCreate() { throw new Error("no users today"); } });
    } };`,
  });
});
afterAll(() => app.close());

const send = async (path: string, init: RequestInit) => {
  const headers = { ...ADMIN, ...(init.headers as Record<string, string> | undefined) };
  const response = await app.handle(new Request(`http://localhost/api/${path}`, { ...init, headers }));
  return { status: response.status, body: (await response.json()) as unknown };
};
const json = (path: string, body: string) =>
  send(path, { method: "POST", headers: { "content-type": "application/json" }, body });

test("a body that is not JSON has the status 400 for them", async () => {
  for (const path of ["notes", "../graphql"]) {
    const { status, body } = await json(path, "{ no");
    expect([status, body]).toEqual([400, expect.objectContaining({ caught: "SyntaxError", status: 400 })]);
  }
});

test("errors of a provider and of hooks arrive as they were thrown", async () => {
  const form = new FormData();
  form.append("files", new File(["text"], "a.txt"));
  const uploaded = await send("upload", { method: "POST", body: form });
  expect(uploaded).toEqual({ status: 418, body: { caught: "Error", status: 418, message: "the bucket is missing" } });
  const person = { username: "ada", email: "ada@example.com", password: "a password" };
  const registered = await json("auth/local/register", JSON.stringify(person));
  expect(registered).toEqual({ status: 500, body: { caught: "Error", message: "no users today" } });
});

test("errors of validation arrive, without a status", async () => {
  const { body } = await json("auth/local", "{}");
  expect(body).toMatchObject({ caught: "ValidationError" });
  expect(body).not.toHaveProperty("status");
});

test("a missing file and a missing permission are responses", async () => {
  const missing = await send("upload/files/9", { method: "GET" });
  expect(missing).toMatchObject({ status: 404, body: { error: { message: "file.notFound" } } });
  const refused = await send("users", { method: "GET", headers: { authorization: "" } });
  expect(refused).toMatchObject({ status: 403, body: { error: { name: "ForbiddenError" } } });
});
