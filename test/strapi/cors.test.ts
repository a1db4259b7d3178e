/** `strapi::cors` with functions in `config/middlewares`. */
import { afterAll, describe, expect, test } from "bun:test";
import { configFile, type TestApp, testApp, typeFile } from "../project.ts";

const type = {
  ...configFile({ roles: { public: ["api::note.note.find"] } }),
  ...typeFile("note", { title: { type: "string" } }),
};

const apps: TestApp[] = [];
afterAll(() => Promise.all(apps.map((app) => app.close())));

/** `config`: that of `strapi::cors`, as source text. */
async function appWith(config: string, files: Readonly<Record<string, string>> = {}): Promise<TestApp> {
  const app = await testApp({
    ...type,
    ...files,
    "config/middlewares.js": `module.exports = ["strapi::errors", "strapi::security", { name: "strapi::cors", config: ${config} }, "strapi::body"];`,
  });
  apps.push(app);
  return app;
}

const own = "http://own.test";
const other = "http://other.test";

async function fetchHeaders(
  app: TestApp,
  origin: string | undefined,
  init: RequestInit = {},
  path = "/api/notes",
): Promise<Record<string, unknown>> {
  const headers = { ...(origin === undefined ? {} : { origin }), ...(init.headers as Record<string, string>) };
  const response = await app.handle(new Request(`http://localhost${path}`, { ...init, headers }));
  const cors = [...response.headers].filter(([name]) => name.startsWith("access-control-"));
  return {
    status: response.status,
    vary: response.headers.get("vary"),
    ...Object.fromEntries(cors.map(([name, value]) => [name.slice("access-control-".length), value])),
  };
}

const preflight = { method: "OPTIONS", headers: { "access-control-request-method": "PUT" } };
const plain = { status: 200, vary: "Origin" };
const allowed = { ...plain, "allow-credentials": "true", "allow-origin": own };

/** What the function returns, and whether the origin may read responses. */
const results: Readonly<Record<string, readonly [source: string, isAllowed: boolean]>> = {
  "a list with the origin": [`["${own}"]`, true],
  "a list without it": [`["${other}"]`, false],
  "a string": [`"${other}, ${own}"`, true],
  "another string": [`"${other}"`, false],
  nothing: ["undefined", true],
  null: ["null", true],
  "a star": ['"*"', true],
  "an empty string": ['""', false],
  "an empty list": ["[]", false],
};
for (const [name, [source, isAllowed]] of Object.entries(results)) {
  test(`a function of origins may return ${name}, also later`, async () => {
    for (const config of [`{ origin: () => ${source} }`, `{ origin: async () => ${source} }`])
      expect(await fetchHeaders(await appWith(config), own)).toEqual(isAllowed ? allowed : plain);
  });
}

describe("a function of origins", () => {
  test("gets the request, and decides about preflight requests", async () => {
    const app = await appWith(`{ origin: (ctx) => ctx.get("x-allow") }`);
    const allows = { "x-allow": own };
    expect(await fetchHeaders(app, own, { headers: allows })).toEqual(allowed);
    expect(await fetchHeaders(app, own)).toEqual(plain);
    const sent = await fetchHeaders(app, own, { ...preflight, headers: { ...preflight.headers, ...allows } });
    expect(sent).toEqual({
      ...allowed,
      status: 204,
      "allow-methods": "GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS",
      "allow-headers": "Content-Type,Authorization,Origin,Accept",
      "max-age": "31536000",
    });
    expect(await fetchHeaders(app, own, preflight)).toMatchObject({ status: 200 });
    expect(await fetchHeaders(app, own, { method: "OPTIONS", headers: allows })).toEqual(plain);
  });

  test("is not called without an origin", async () => {
    const app = await appWith(`{ origin: () => { throw new Error("called"); } }`);
    expect(await fetchHeaders(app, undefined)).toEqual({ ...allowed, "allow-origin": "" });
  });

  test("that fails, or returns something else, is an error of the server", async () => {
    for (const body of ["{ throw new Error('no'); }", "5"]) {
      const app = await appWith(`{ origin: () => ${body} }`);
      expect(await fetchHeaders(app, own)).toEqual({ status: 500, vary: "Origin" });
    }
  });

  test("holds for errors, other routes and own code", async () => {
    const app = await appWith(`{ origin: () => ["${own}"], expose: ["X-A", "X-B"] }`, {
      "src/api/own/routes/own.js": `module.exports = { routes: [{ method: "GET", path: "/own", handler: () => { throw new Error("own"); }, config: { auth: false } }] };`,
    });
    const exposed = { ...allowed, "expose-headers": "X-A,X-B" };
    expect(await fetchHeaders(app, own, {}, "/api/own")).toEqual({ ...exposed, status: 500 });
    expect(await fetchHeaders(app, own, {}, "/api/none")).toEqual({ ...exposed, status: 404 });
    expect(await fetchHeaders(app, other, {}, "/api/own")).toEqual({ ...plain, status: 500 });
  });
});

test("credentials may be a function, of which only true counts", async () => {
  const app = await appWith(`{ credentials: async (ctx) => ctx.get("x-allow") === "1" || "text" }`);
  expect(await fetchHeaders(app, own, { headers: { "x-allow": "1" } })).toEqual(allowed);
  expect(await fetchHeaders(app, own)).toEqual({ ...plain, "allow-origin": own });
  expect(await fetchHeaders(app, undefined)).toEqual({ ...plain, "allow-origin": "" });
});

/** Options without functions, and what changes in the answer to a preflight request. */
const options: Readonly<Record<string, object>> = {
  "{ maxAge: '600' }": { "max-age": "600" },
  "{ maxAge: 0 }": { "max-age": undefined },
  "{ methods: 'GET, PUT' }": { "allow-methods": "GET, PUT" },
  "{ methods: ['GET', 'PUT'] }": { "allow-methods": "GET,PUT" },
  "{ methods: [] }": { "allow-methods": undefined },
  "{ headers: ['X-A', 'X-B'] }": { "allow-headers": "X-A,X-B" },
  "{ headers: '' }": { "allow-headers": "x-asked" },
  "{ headers: undefined }": { "allow-headers": "x-asked" },
  "{ credentials: false }": { "allow-credentials": undefined },
  "{ credentials: 'text' }": { "allow-credentials": "true" },
  "{ origin: null }": { "allow-origin": own },
};
for (const [config, change] of Object.entries(options)) {
  test(`options: ${config}`, async () => {
    const headers = { ...preflight.headers, "access-control-request-headers": "x-asked" };
    const expected = {
      ...allowed,
      status: 204,
      "allow-methods": "GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS",
      "allow-headers": "Content-Type,Authorization,Origin,Accept",
      "max-age": "31536000",
      ...change,
    };
    expect(await fetchHeaders(await appWith(config), own, { ...preflight, headers })).toEqual(expected);
  });
}

test("later middlewares and routes see neither preflight requests nor those for the icon", async () => {
  const files = {
    ...type,
    "config/middlewares.js": `module.exports = ["strapi::errors", "global::first", "strapi::cors", "strapi::favicon", "global::last"];`,
    "src/middlewares/first.js": `module.exports = () => async (ctx, next) => { ctx.set("x-first", "1"); await next(); };`,
    "src/middlewares/last.js": `module.exports = () => async (ctx, next) => { ctx.set("x-last", "1"); await next(); };`,
    "src/api/any/routes/any.js": `module.exports = { routes: [{ method: "ALL", path: "/any", handler: (ctx) => "own", config: { auth: false } }] };`,
  };
  const { "config/middlewares.js": _, ...withoutMiddlewares } = files;
  const [app, routes] = [await testApp(files), await testApp(withoutMiddlewares)];
  apps.push(app, routes);
  const seen = async (path: string, init: RequestInit = {}) => {
    const response = await app.handle(new Request(`http://localhost${path}`, init));
    return [response.status, response.headers.get("x-first"), response.headers.get("x-last")];
  };
  const asked = { ...preflight, headers: { ...preflight.headers, origin: own } };
  expect(await seen("/api/any")).toEqual([200, "1", "1"]);
  expect(await seen("/api/any", { method: "OPTIONS", headers: { origin: own } })).toEqual([200, "1", "1"]);
  expect(await seen("/api/any", asked)).toEqual([204, "1", null]);
  expect(await seen("/favicon.ico")).toEqual([404, "1", null]);
  // without middlewares of the project as well
  expect(await fetchHeaders(routes, own, preflight, "/api/any")).toMatchObject({ status: 204, "allow-origin": own });
  expect(await fetchHeaders(routes, own, { method: "OPTIONS" }, "/api/any")).toMatchObject({ status: 200 });
});
