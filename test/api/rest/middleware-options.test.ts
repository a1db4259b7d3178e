/** Options of `strapi::query`, `strapi::body` and `strapi::compression`. Expected: Strapi's responses. */
import { afterEach, describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { compressionSettings } from "../../../src/engine/config/compression-settings.ts";
import { httpSettings } from "../../../src/engine/config/middlewares.ts";
import { ProjectReport } from "../../../src/lib/errors.ts";
import { compress } from "../../../src/server/compress.ts";
import { ADMIN, type Body, configFile, serviceFile, type TestApp, testApp, typeFile } from "../../project.ts";

let app: TestApp;
afterEach(() => app?.close());

const open = async (name: string, config: unknown, code = false) => {
  app = await testApp({
    ...configFile({ roles: { public: ["api::post.post.*", "plugin::upload.content-api.upload"] } }),
    ...typeFile("post", { title: { type: "text" }, number: { type: "integer" } }),
    "config/middlewares.json": JSON.stringify([
      ...["strapi::query", "strapi::body"].filter((other) => other !== name),
      { name, config },
    ]),
    ...(code && {
      ...serviceFile("post"),
      "src/api/post/routes/post.js":
        'module.exports = require("@strapi/strapi").factories.createCoreRouter("api::post.post");',
      "src/api/echo/routes/echo.js": `module.exports = { routes: ["GET", "POST", "PUT", "DELETE"].map((method) =>
        ({ method, path: "/echo", handler: "echo.all", config: { auth: false } })) };`,
      "src/api/echo/controllers/echo.js": `module.exports = { all(ctx) {
        const { body } = ctx.request;
        ctx.body = { query: ctx.query, body: body === undefined ? "undefined" : body, files: Object.keys(ctx.request.files ?? {}) };
      } };`,
    }),
  });
};
const withQuery = (config: unknown, code = false) => open("strapi::query", config, code);
const withBody = (config: unknown, code = false) => open("strapi::body", config, code);

const send = async (path: string, method: string, type: string, body: string | Uint8Array) => {
  const request = new Request(`http://localhost${path}`, { method, headers: { "content-type": type }, body });
  const response = await app.handle(request);
  return { status: response.status, body: (await response.json()) as Body };
};
const sendForm = async (path: string, fields: number, files: readonly number[]) => {
  const form = new FormData();
  for (let index = 0; index < fields; index++) form.append(`f${index}`, "value of the field");
  for (const [index, size] of files.entries()) form.append("files", new File([new Uint8Array(size)], `a${index}.bin`));
  const response = await app.handle(new Request(`http://localhost${path}`, { method: "POST", body: form }));
  return { status: response.status, body: (await response.json()) as Body };
};
const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

describe("strapi::query", () => {
  const queryOf = async (text: string): Promise<Body> => (await app.call("GET", `/api/echo?${text}`)).body.query;

  test("limits cut off what is beyond them", async () => {
    await withQuery({ arrayLimit: 3, depth: 2, parameterLimit: 2 }, true);
    expect(await queryOf("a[0]=1&a[1]=2&a[5]=3")).toEqual({ a: ["1", "2"] });
    expect(await queryOf("b[c][d][e][f]=1")).toEqual({ b: { c: { d: { "[e][f]": "1" } } } });
    expect(await queryOf("a=1&b=2&c=3")).toEqual({ a: "1", b: "2" });
  });

  test("hold for the server's own routes", async () => {
    await withQuery({ depth: 2 });
    const { status, body } = await app.call("GET", "/api/posts?filters[$and][0][number][$gt]=1");
    expect([status, body.error.message]).toEqual([400, "Invalid key [number][$gt]"]);
  });

  test("a higher limit of lists keeps the limit of parameters", async () => {
    await withQuery({ arrayLimit: 5000 });
    const list = Array.from({ length: 900 }, (_, at) => `filters[number][$in][${at}]=${at}`);
    expect((await app.call("GET", `/api/posts?${list.join("&")}`)).status).toBe(200);
    const many = Array.from({ length: 20_000 }, (_, at) => `x${at}=1`);
    expect((await app.call("GET", `/api/posts?${many.join("&")}`)).status).toBe(400);
  });

  const parsed: readonly (readonly [config: object, text: string, query: object])[] = [
    [{ allowDots: true }, "a.b=1", { a: { b: "1" } }],
    [{ strictNullHandling: false }, "a", { a: "" }],
    [{ comma: true }, "a=1,2", { a: ["1", "2"] }],
    [{ delimiter: ";" }, "a=1;b=2", { a: "1", b: "2" }],
    [{ duplicates: "last" }, "a=1&a=2", { a: "2" }],
    [{ parseArrays: false }, "a[0]=1", { a: { 0: "1" } }],
    [{ ignoreQueryPrefix: true }, "?a=1", { a: "1" }],
    [{ charset: "iso-8859-1" }, "a=%E9", { a: "é" }],
    [{ allowEmptyArrays: true }, "a[]=", { a: [] }],
    [{ settings: { defaultLimit: 2 } }, "a.b=1", { "a.b": "1" }],
  ];
  for (const [config, text, query] of parsed)
    test(`${JSON.stringify(config)} parses ${text}`, async () => {
      await withQuery(config, true);
      expect(await queryOf(text)).toEqual(query);
    });
});

describe("strapi::body", () => {
  test("methods that are not listed have an empty object", async () => {
    await withBody({ parsedMethods: ["POST", "DELETE"] }, true);
    const bodies = [];
    for (const method of ["POST", "PUT", "DELETE"])
      bodies.push((await send("/api/echo", method, JSON_TYPE, '{"a":1}')).body.body);
    expect(bodies).toEqual([{ a: 1 }, {}, { a: 1 }]);
    const { status, body } = await send("/api/posts/none", "PUT", JSON_TYPE, '{"data":{"title":"t"}}');
    expect([status, body.error.message]).toEqual([400, 'Missing "data" payload in the request body']);
  });

  test("jsonStrict: false takes any JSON", async () => {
    await withBody({ jsonStrict: false }, true);
    const bodies = [];
    for (const text of ['"text"', "5", "null", ""])
      bodies.push((await send("/api/echo", "POST", JSON_TYPE, text)).body.body);
    expect(bodies).toEqual(["text", 5, null, ""]);
    expect((await send("/api/posts", "POST", JSON_TYPE, '"x"')).body.error.message).toBe(
      'Missing "data" payload in the request body',
    );
  });

  test("kinds of bodies that are not parsed are undefined", async () => {
    await withBody({ json: false, text: false, urlencoded: false, multipart: false }, true);
    for (const type of [JSON_TYPE, "text/plain", FORM_TYPE])
      expect((await send("/api/echo", "POST", type, "{")).body.body).toBe("undefined");
    expect((await sendForm("/api/echo", 1, [10])).body).toMatchObject({ body: "undefined", files: [] });
    const upload = await sendForm("/api/upload", 0, [10]);
    expect([upload.status, upload.body.error.message]).toEqual([400, "Files are empty"]);
    expect((await send("/api/posts", "POST", JSON_TYPE, '{"data":{}}')).status).toBe(400);
    // the options are those of the Content API
    const graphql = await send("/graphql", "POST", JSON_TYPE, '{"query":"{ __typename }"}');
    expect(graphql.body).toEqual({ data: { __typename: "Query" } });
  });

  test("encoding and queryString", async () => {
    await withBody({ encoding: "latin1", queryString: { allowDots: false, depth: 2 } }, true);
    expect((await send("/api/echo", "POST", "text/plain", new Uint8Array([104, 233]))).body.body).toBe("hé");
    expect((await send("/api/echo", "POST", FORM_TYPE, "a.b=1&f[g][h][i][j]=1")).body.body).toEqual({
      "a.b": "1",
      f: { g: { h: { "[i][j]": "1" } } },
    });
  });

  test("url-encoded bodies nest five levels, and reports are JSON", async () => {
    await withBody({}, true);
    expect((await send("/api/echo", "POST", FORM_TYPE, "f[g][h][i][j][k][l]=1")).body.body).toEqual({
      f: { g: { h: { i: { j: { k: { "[l]": "1" } } } } } },
    });
    expect((await send("/api/echo", "POST", "application/reports+json", '{"a":1}')).body.body).toEqual({ a: 1 });
  });

  const limits: readonly (readonly [object, fields: number, files: readonly number[], status: number])[] = [
    [{ maxFields: 1 }, 1, [10], 201],
    [{ maxFields: 1 }, 2, [10], 413],
    [{ maxFieldsSize: 20 }, 1, [10], 201],
    [{ maxFieldsSize: 20 }, 2, [10], 413],
    [{ minFileSize: 100 }, 0, [100], 201],
    [{ minFileSize: 100 }, 0, [99], 400],
    [{ allowEmptyFiles: false }, 0, [0, 10], 400],
    [{ allowEmptyFiles: false }, 0, [10], 201],
  ];
  for (const [formidable, fields, files, status] of limits)
    test(`${JSON.stringify(formidable)}: ${fields} fields and files of ${files} bytes`, async () => {
      await withBody({ formidable });
      expect((await sendForm("/api/upload", fields, files)).status).toBe(status);
    });
});

describe("strapi::compression", () => {
  const read = async (headers: Record<string, string>) => {
    const request = new Request("http://localhost/api/posts", { headers: { ...ADMIN, ...headers } });
    const response = await app.handle(request);
    return { encoding: response.headers.get("content-encoding"), bytes: new Uint8Array(await response.arrayBuffer()) };
  };

  test("threshold, encodings and their options", async () => {
    await open("strapi::compression", { threshold: "20b", br: false, gzip: { level: 0 }, defaultEncoding: "gzip" });
    const all = await read({ "accept-encoding": "br, gzip, deflate" });
    expect([all.encoding, JSON.parse(gunzipSync(all.bytes).toString()).data]).toEqual(["gzip", []]);
    expect((await read({ "accept-encoding": "br" })).encoding).toBeNull();
    expect((await read({})).encoding).toBe("gzip");
  });

  test("a filter decides by the content type, without parameters", async () => {
    const types: string[] = [];
    const settings = compressionSettings(
      {
        threshold: 1,
        filter: (type: string) => {
          types.push(type);
          return type === "application/octet-stream";
        },
      },
      "config/middlewares.js",
      new ProjectReport(),
    );
    const encodingOf = async (type: string) => {
      const request = new Request("http://localhost/", { headers: { "accept-encoding": "gzip" } });
      const response = await compress(request, new Response("text", { headers: { "content-type": type } }), settings);
      return response.headers.get("content-encoding");
    };
    expect(await encodingOf("application/json; charset=utf-8")).toBeNull();
    expect(await encodingOf("application/octet-stream")).toBe("gzip");
    expect(await encodingOf("text/event-stream")).toBeNull();
    expect(types).toEqual(["application/json", "application/octet-stream"]);
  });
});

test("options without effect are named with the reason", () => {
  const list = [
    { name: "strapi::query", config: { decoder: () => "", arrayLimit: 3, sepcial: 1 } },
    {
      name: "strapi::body",
      config: { onError() {}, patchNode: true, formidable: { filter: () => true, uploadDir: "/x" } },
    },
    { name: "strapi::compression", config: { flush: 2, filter: () => true, gzip: false } },
    { name: "strapi::cors", config: { enabled: false } },
  ];
  const report = new ProjectReport();
  const { ignored } = httpSettings(list, "config/middlewares.js", report);
  const none = "it has no effect in Galley";
  expect(ignored).toEqual([
    "strapi::query: decoder is not used: its function is not called",
    `strapi::query: sepcial is not used: ${none}`,
    "strapi::body: onError is not used: its function is not called",
    `strapi::body: patchNode is not used: ${none}`,
    "strapi::body: formidable.filter is not used: its function is not called",
    `strapi::body: formidable.uploadDir is not used: ${none}`,
    `strapi::compression: flush is not used: ${none}`,
    "strapi::cors: enabled is not used: remove strapi::cors from the list instead, as in Strapi 5",
  ]);
  expect(report.warnings).toEqual([]);
});

test("values that qs or Strapi refuse are reported, and have no effect", () => {
  const report = new ProjectReport();
  const config = { duplicates: "all", charset: "latin", depth: "deep" };
  const list = [
    { name: "strapi::query", config },
    { name: "strapi::body", config: { parsedMethods: ["post"], encoding: "none" } },
  ];
  const { query, body } = httpSettings(list, "config/middlewares.js", report);
  expect([query, body.methods, body.encoding]).toEqual([undefined, ["POST", "PUT", "PATCH"], "utf-8"]);
  expect(report.warnings.map(({ key }) => key)).toEqual([
    "depth",
    "charset",
    "duplicates",
    "parsedMethods",
    "encoding",
  ]);
});

test("a preflight exposes no headers", async () => {
  await open("strapi::cors", { expose: ["X-A"], origin: ["https://a.example"] });
  const headers = { origin: "https://a.example", "access-control-request-method": "GET" };
  const preflight = await app.handle(new Request("http://localhost/api/posts", { method: "OPTIONS", headers }));
  const read = await app.handle(new Request("http://localhost/api/posts", { headers }));
  expect([preflight, read].map(({ headers: sent }) => sent.get("access-control-expose-headers"))).toEqual([
    null,
    "X-A",
  ]);
});
