/** Global middlewares behind `strapi::body` see and change bodies of every request, whoever answers it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { ADMIN, type Body, configFile, type TestApp, testApp, typeFile } from "../project.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...configFile({ roles: { public: ["api::note.note.*", "plugin::upload.content-api.upload"] } }),
    ...typeFile("note", { title: { type: "string" } }),
    "config/middlewares.js": `module.exports = ["strapi::errors", "strapi::cors", "strapi::query", "global::replaced", "strapi::body", "global::seen"];`,
    // as middlewares that cache GraphQL do
    "src/middlewares/replaced.js": `module.exports = () => async (ctx, next) => {
      if (ctx.get("x-replaced") !== "yes") return next();
      const chunks = [];
      for await (const chunk of ctx.req) chunks.push(chunk);
      const { headers, method, url } = ctx.req;
      const body = Buffer.concat(chunks).toString().replace("One", "Two");
      ctx.req = Object.assign(require("node:stream").Readable.from([Buffer.from(body)]), { headers: { ...headers }, method, url });
      ctx.request.req = ctx.req;
      return next();
    };`,
    "src/middlewares/seen.js": `module.exports = () => async (ctx, next) => {
      const { body, files } = ctx.request;
      ctx.set("x-body", JSON.stringify(body ?? null));
      if (files) ctx.set("x-files", Object.entries(files).map(([name, file]) => name + "=" + [file].flat().map((one) => one.originalFilename).join("+")).join());
      if (ctx.get("x-added") === "yes") {
        await next();
        if (ctx.body && ctx.body.data) ctx.body.added = typeof ctx.body;
        else ctx.set("x-answer", typeof ctx.body);
        return;
      }
      if (body && body.identifier) body.identifier = body.identifier.toLowerCase();
      if (body && body.data && body.data.title) body.data.title += "!";
      if (body && body.fileInfo) body.fileInfo = body.fileInfo.map((info) => JSON.stringify({ ...JSON.parse(info), caption: "changed" }));
      return next();
    };`,
  });
});
afterAll(() => app.close());

const send = (path: string, init: RequestInit) =>
  app.handle(new Request(`http://localhost${path}`, { ...init, headers: { ...ADMIN, ...init.headers } }));
const json = (path: string, body: unknown, method = "POST") =>
  send(path, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

test("of core actions", async () => {
  const response = await json("/api/notes", { data: { title: "One" } });
  expect(response.headers.get("x-body")).toBe('{"data":{"title":"One"}}');
  expect(((await response.json()) as Body).data.title).toBe("One!");
});

test("of routes that the server answers by itself", async () => {
  const person = { username: "ada", email: "ada@example.com", password: "a password" };
  await json("/api/auth/local/register", person);
  const response = await json("/api/auth/local", { identifier: "ADA@EXAMPLE.COM", password: "a password" });
  expect([response.status, ((await response.json()) as Body).user.username]).toEqual([200, "ada"]);
  const form = await send("/api/auth/local", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "identifier=ADA&password=a+password",
  });
  expect(form.status).toBe(200);
  expect(JSON.parse(form.headers.get("x-body") ?? "")).toEqual({ identifier: "ADA", password: "a password" });
});

test("answers are values, and those of GraphQL text", async () => {
  const headers = { "x-added": "yes", "content-type": "application/json" };
  const listed = (await (await send("/api/notes", { headers })).json()) as Body;
  expect(listed.added).toBe("object");
  const body = JSON.stringify({ query: "{ notes { title } }" });
  const graphql = await send("/graphql", { method: "POST", headers, body });
  expect([graphql.headers.get("x-answer"), Object.keys((await graphql.json()) as Body)]).toEqual(["string", ["data"]]);
});

test("of forms of another multipart type", async () => {
  const headers = { "content-type": "multipart/mixed; boundary=x" };
  const body = '--x\r\nContent-Disposition: form-data; name="data[title]"\r\n\r\nOne\r\n--x--\r\n';
  const response = await send("/api/notes", { method: "POST", headers, body });
  expect(response.headers.get("x-body")).toBe('{"data":{"title":"One"}}');
});

test("of uploads", async () => {
  const form = new FormData();
  const big = "x".repeat(300_000);
  form.append("files", new File([big], "a big é.txt", { type: "text/plain" }));
  form.append("files", new File(["two"], "two.txt", { type: "text/plain" }));
  form.append("fileInfo", JSON.stringify({ name: "one" }));
  form.append("fileInfo", JSON.stringify({ name: "two" }));
  const response = await send("/api/upload", { method: "POST", body: form });
  expect(response.headers.get("x-files")).toBe("files=a big é.txt+two.txt");
  expect(response.status).toBe(201);
  const files = (await response.json()) as Record<"name" | "caption" | "mime" | "url", string>[];
  expect(files.map(({ name, caption, mime }) => [name, caption, mime])).toEqual([
    ["one", "changed", "text/plain"],
    ["two", "changed", "text/plain"],
  ]);
  const stored = await app.handle(new Request(`http://localhost${files[0]!.url}`));
  expect(await stored.text()).toBe(big);
});

test("that code has read, and set a stream in their place, are those of the stream", async () => {
  const post = (path: string, body: unknown) =>
    send(path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-replaced": "yes" },
      body: JSON.stringify(body),
    });
  const answers = [
    await post("/graphql", { query: '{ notes(filters: { title: { eq: "One" } }) { title } __typename }' }),
    await post("/api/notes", { data: { title: "One" } }),
    await post("/api/auth/local", { identifier: "One", password: "" }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 201, 400]);
  expect(((await answers[1]!.json()) as Body).data.title).toBe("Two!");
});

test("GraphQL reads its own, and requests without bodies have none", async () => {
  const query = { query: "{ notes { title } }" };
  const graphql = await json("/graphql", query);
  expect(graphql.headers.get("x-body")).toBe("null");
  expect(((await graphql.json()) as Body).data.notes.length).toBeGreaterThan(0);
  const list = await send("/api/notes", { method: "GET" });
  expect([list.status, list.headers.get("x-body")]).toEqual([200, "{}"]);
  const files = await send("/api/upload/files", { method: "GET" });
  expect([files.status, files.headers.get("x-body")]).toEqual([200, "{}"]);
});

test("a body that cannot be read is refused with the headers of what comes before it", async () => {
  for (const path of ["/api/notes", "/api/auth/local"]) {
    const headers = { "content-type": "application/json", origin: "http://page.test" };
    const response = await send(path, { method: "POST", headers, body: "{" });
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([400, "http://page.test"]);
  }
});

test("middlewares see what actions throw, and answers about rights as answers", async () => {
  const own = await testApp({
    ...configFile({ roles: { public: ["api::note.note.create", "plugin::users-permissions.auth.callback"] } }),
    ...typeFile("note", { title: { type: "string", required: true } }, { draftAndPublish: false }),
    "config/middlewares.js": `module.exports = ["strapi::errors", "strapi::cors", "strapi::query", "global::replaced", "strapi::body", "global::seen"];`,
    // as middlewares that cache GraphQL do
    "src/middlewares/replaced.js": `module.exports = () => async (ctx, next) => {
      if (ctx.get("x-replaced") !== "yes") return next();
      const chunks = [];
      for await (const chunk of ctx.req) chunks.push(chunk);
      const { headers, method, url } = ctx.req;
      const body = Buffer.concat(chunks).toString().replace("One", "Two");
      ctx.req = Object.assign(require("node:stream").Readable.from([Buffer.from(body)]), { headers: { ...headers }, method, url });
      ctx.request.req = ctx.req;
      return next();
    };`,
    "src/middlewares/seen.js": `module.exports = () => async (ctx, next) => {
      try { await next(); ctx.set("x-next", "returned " + ctx.status); }
      catch (error) { ctx.set("x-next", "threw " + error.name + ": " + error.message); throw error; }
    };`,
    "src/api/note/routes/note.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::note.note");`,
    "src/api/note/routes/01-own.js": `module.exports = { routes: [
      { method: "GET", path: "/closed", handler: "note.find" },
      { method: "GET", path: "/forbidden", handler: "own.forbidden", config: { auth: false } },
      { method: "GET", path: "/unauthorized", handler: "own.unauthorized", config: { auth: false } } ] };`,
    "src/api/note/controllers/own.js": `const { errors } = require("@strapi/utils");
      module.exports = { forbidden() { throw new errors.ForbiddenError("words"); }, unauthorized() { throw new errors.UnauthorizedError("words"); } };`,
  });
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const init = {
      method,
      headers: { "content-type": "application/json", ...headers },
      body: body ? JSON.stringify(body) : null,
    };
    const response = await own.handle(new Request(`http://localhost${path}`, init));
    const { error } = (await response.json()) as Body;
    return [response.status, response.headers.get("x-next"), error?.message];
  };
  const required = "title must be defined.";
  expect(await ask("POST", "/api/notes", { data: {} })).toEqual([400, `threw ValidationError: ${required}`, required]);
  const login = "Invalid identifier or password";
  expect(await ask("POST", "/api/auth/local", { identifier: "ada", password: "wrong one" })).toEqual([
    400,
    `threw ValidationError: ${login}`,
    login,
  ]);
  expect(await ask("GET", "/api/closed")).toEqual([403, "returned 403", "Forbidden"]);
  expect(await ask("GET", "/api/notes")).toEqual([403, "returned 403", "Forbidden"]);
  const bad = { authorization: "Bearer nonsense" };
  expect(await ask("GET", "/api/closed", undefined, bad)).toEqual([
    401,
    "returned 401",
    "Missing or invalid credentials",
  ]);
  expect(await ask("GET", "/api/forbidden")).toEqual([403, "returned 403", "Forbidden"]);
  expect(await ask("GET", "/api/unauthorized")).toEqual([401, "returned 401", "Unauthorized"]);
  await own.close();
});
