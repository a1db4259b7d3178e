/** What `ctx` answers and throws in rarer cases, what routes see, and where they are, as recorded from Strapi. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Body, configFile, serviceFile, type TestApp, testApp, typeFile } from "../project.ts";

const refused = (status: number, name: string, message: string, details?: unknown): [number, Body] => [
  status,
  { data: null, error: { status, name, message, ...(details === undefined ? {} : { details }) } },
];
const hidden = refused(500, "InternalServerError", "Internal Server Error");

const titleProblem = {
  path: ["title"],
  message: "title must be a `string` type, but the final value was: `{}`.",
};

/** By source of the action. */
const cases: Readonly<Record<string, [status: number, body: Body]>> = {
  // Strapi sends it; the runtime cannot
  "((ctx.body = [1]), (ctx.status = 999), undefined)": [500, [1]],
  "ctx.response.badRequest('m', { a: 1 })": refused(400, "BadRequestError", "m", { a: 1 }),
  "ctx.response.send([ctx.response.ctx === ctx, ctx.request.response === ctx.response], 201)": [201, [true, true]],
  "ctx.set('X-A', '1') ?? ctx.send([ctx.has('x-a'), ctx.res.hasHeader('X-B'), ctx.res.getHeaders()['x-a'], ctx.res.finished, ctx.app.env])":
    [200, [true, false, "1", false, "development"]],
  "(ctx.type = 'html') && ctx.send([ctx.response.is(), ctx.response.is('json', 'html'), ctx.response.is(['text/*']), ctx.response.is('multipart', '+xml')])":
    [200, ["text/html", "html", "text/html", false]],
  "(ctx.type = 'image/svg+xml') && ctx.send([ctx.response.is('png', 'svg'), ctx.response.is('+xml'), ctx.response.is('unknown'), ctx.response.is('*/*')])":
    [200, ["svg", "image/svg+xml", false, "image/svg+xml"]],
  "ctx.send([ctx.response.is('html'), ctx.is('json')])": [200, [false, null]],
  "['Origin', 'accept, origin', ['A', 'a']].forEach((names) => ctx.vary(names)) ?? ctx.send([ctx.response.get('vary')])":
    [200, ["Origin, accept, A"]],
  "ctx.preconditionFailed('')": refused(412, "PreconditionFailedError", "", {}),
  "ctx.badRequest(new Error('inner'))": refused(400, "Error", "inner", {}),
  "ctx.badRequest(Object.assign(new Error('inner'), { status: 409 }), 1)": refused(409, "Error", "inner", 1),
  "ctx.badRequest(['a'])": refused(400, "BadRequestError", "Bad Request", {}),
  // errors of Strapi's classes are values with a name, message and details
  "ctx.badRequest('outer', new (require('@strapi/utils').errors.ForbiddenError)('inner', { a: 1 }))": refused(
    400,
    "BadRequestError",
    "outer",
    { name: "ForbiddenError", message: "inner", details: { a: 1 } },
  ),
  "strapi.documents('api::note.note').create({ data: { none: 1, title: {} } }).catch((error) => ctx.badRequest('outer', error))":
    refused(400, "BadRequestError", "outer", {
      name: "ValidationError",
      message: titleProblem.message,
      details: { errors: [{ ...titleProblem, name: "ValidationError", value: {} }] },
    }),
  "ctx.badRequest('outer', new Error('inner'))": refused(400, "BadRequestError", "outer", {}),
  "ctx.serviceUnavailable(5)": hidden,
  "ctx.httpVersionNotSupported('v')": refused(505, "HTTPVersionNotSupportedError", "v", {}),
  "ctx.app.emit('error', new Error('heard'), ctx) && ctx.gone()": refused(410, "GoneError", "Gone", {}),
  "ctx.throw(418)": refused(418, "ImATeapotError", "I'm a teapot"),
  "ctx.throw(200, 'odd')": refused(200, "Error", "odd"),
  "ctx.throw(502, 'up')": refused(502, "BadGatewayError", "Bad Gateway"),
  "ctx.throw(500, 'never shown', { expose: true })": hidden,
  "(() => { throw { status: 400, message: 'm' }; })()": hidden,
  "(() => { throw Object.assign(new Error('e'), { statusCode: 503 }); })()": refused(
    503,
    "ServiceUnavailableError",
    "Service Unavailable",
  ),
  "(() => { throw Object.assign(new Error('e'), { status: 500, expose: true }); })()": hidden,
  "(() => { throw Object.assign(new Error('e'), { status: 400, expose: false }); })()": refused(400, "Error", "e"),
  "(() => { throw Object.assign(new Error('e'), { status: '404' }); })()": hidden,
  "(() => { throw Object.assign(new Error('e'), { statusCode: 410, details: { a: 1 } }); })()": refused(
    410,
    "Error",
    "e",
    {
      a: 1,
    },
  ),
};

const route = (path: string, handler: string, config = "{ auth: false }", method = "GET"): string =>
  `{ method: "${method}", path: "${path}", handler: ${handler}, config: ${config} }`;
const names = Object.keys(cases);

const files = {
  ...configFile({ roles: { public: ["api::note.note.*"] } }),
  ...serviceFile("note"),
  ...typeFile("note", { title: { type: "string" }, secret: { type: "string", private: true } }),
  "src/api/note/controllers/note.js": `module.exports = require("@strapi/strapi").factories.createCoreController("api::note.note", () => ({
    seen: (ctx) => ({ state: Object.keys(ctx.state).sort(), config: ctx.state.route.config, info: ctx.state.route.info, params: ctx.params, routerPath: ctx.routerPath }),
    cleaned(ctx) { return this.sanitizeInput({ id: 1, documentId: "d", createdAt: 1, createdBy: 2, title: "t", secret: "s", more: { a: 1 } }, ctx); },
  }));`,
  "src/api/note/routes/01-note.js": `module.exports = { prefix: "/p", routes: [
    ${names.map((source, at) => route(`/case-${at}`, `(ctx) => ${source}`)).join(",\n")},
    ${route("/bigint", "() => 10n")}, ${route("/function", "() => () => 1")},
    ${route("/seen/:x", '"note.seen"', "{}")}, ${route("/prefixed", '"note.seen"', '{ auth: false, prefix: "/other" }')},
    ${route("/cleaned", '"note.cleaned"')},
    ${route("/by-nobody", '"note.seen"', '{ auth: { strategies: ["jwt"] } }')},
    ${route("/as-admin", '"note.seen"', '{ policies: ["admin::isAuthenticatedAdmin"] }')},
    ${route("/as-admin-open", '"note.seen"', '{ auth: false, policies: ["admin::isAuthenticatedAdmin"] }')},
    ${route("/by-users", '"note.seen"', '{ auth: { strategies: ["jwt", "users-permissions"] } }')},
    ${route("/by-tokens", '"note.seen"', '{ auth: { strategies: ["content-api-token"] } }')},
  ] };`,
  "src/api/note/routes/02-bare.js": `module.exports = [${route("/bare/:id", '"api::note.note.seen"')}, ${route("/bare-private", "() => 1", "{}")}];`,
};

let app: TestApp;
beforeAll(async () => {
  app = await testApp(files);
});
afterAll(() => app.close());

const get = (path: string, headers = {}) => app.call("GET", path, undefined, headers);

describe("an action", () => {
  for (const [at, source] of names.entries()) {
    test(source, async () => {
      const { status, body } = await get(`/api/p/case-${at}`);
      expect([status, body]).toEqual(cases[source]!);
    });
  }

  test("answers 500 as text where the body cannot be sent", async () => {
    for (const name of ["bigint", "function"]) {
      const response = await app.handle(new Request(`http://localhost/api/p/${name}`));
      expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
        500,
        "text/plain; charset=utf-8",
        "Internal Server Error",
      ]);
    }
  });
});

describe("a route", () => {
  test("sees that its caller is authenticated, and the permission that it asks for", async () => {
    expect((await get("/api/p/seen/1")).body).toEqual({
      state: ["auth", "isAuthenticated", "route"],
      config: { auth: { scope: ["api::note.note.seen"] } },
      info: { apiName: "note", type: "content-api" },
      params: { 0: "api/p/seen/1", x: "1" },
      routerPath: "/api/p/seen/:x",
    });
  });

  test("with a prefix of its own, whichever, is below the API alone", async () => {
    expect((await get("/api/prefixed")).status).toBe(200);
    for (const path of ["/api/other/prefixed", "/other/prefixed", "/api/p/prefixed"])
      expect((await get(path)).status).toBe(404);
  });

  test("takes the credentials of the strategies that it lists alone", async () => {
    const token = { authorization: "Bearer test-full-access" };
    const statusOf = async (path: string, headers: Record<string, string>) => {
      const { status, body } = await get(path, headers);
      if (status !== 200) expect(body.error.message).toBe("Missing or invalid credentials");
      return status;
    };
    const paths = ["/api/p/by-nobody", "/api/p/by-users", "/api/p/by-tokens"];
    expect(await Promise.all(paths.map((path) => statusOf(path, {})))).toEqual([401, 200, 401]);
    expect(await Promise.all(paths.map((path) => statusOf(path, token)))).toEqual([401, 401, 200]);
  });

  test("lets every authenticated caller pass the policy of administrators", async () => {
    expect((await get("/api/p/as-admin")).status).toBe(200);
    expect(await get("/api/p/as-admin-open")).toMatchObject({ status: 403, body: { error: { name: "PolicyError" } } });
  });

  test("of a bare list is one of the server, where nobody can be authenticated", async () => {
    const { status, body } = await get("/bare/7");
    expect([status, body.info, body.params]).toEqual([200, { type: "api" }, { id: "7" }]);
    for (const headers of [{}, { authorization: "Bearer test-full-access" }]) {
      const { status, body } = await get("/bare-private", headers);
      expect([status, body.error.message]).toEqual([401, "Missing or invalid credentials"]);
    }
    expect((await get("/api/bare/7")).status).toBe(404);
  });
});

test("cleaned input keeps what is not an attribute, and nothing that the server sets", async () => {
  expect((await get("/api/p/cleaned")).body).toEqual({ title: "t", secret: "s", more: { a: 1 } });
});
