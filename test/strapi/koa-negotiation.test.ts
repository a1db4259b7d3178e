/** What Koa's context derives from headers, and the headers that it makes. Expected: Strapi's results. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Body, configFile, type TestApp, testApp, typeFile } from "../project.ts";

let app: TestApp;

beforeAll(async () => {
  app = await testApp({
    ...configFile(),
    ...typeFile("note", { title: { type: "string" } }),
    "src/api/note/routes/run.js":
      'module.exports = { routes: [{ method: "ALL", path: "/run/:code", handler: "run.run", config: { auth: false } }] };',
    "src/api/note/controllers/run.js": `const AsyncFunction = (async () => {}).constructor;
      module.exports = { run: (ctx) => new AsyncFunction("ctx", Buffer.from(ctx.params.code, "base64url").toString())(ctx) };`,
  });
});
afterAll(() => app.close());

type Headers = Readonly<Record<string, string>>;

function run(code: string, headers: Headers = {}): Promise<Response> {
  const url = `http://localhost/api/run/${Buffer.from(code).toString("base64url")}`;
  return app.handle(new Request(url, { headers: { host: "localhost", ...headers } }));
}
async function readResult(expression: string, headers?: Headers): Promise<unknown> {
  const code = `try { ctx.body = { value: ${expression} }; } catch (e) { ctx.body = { value: [e.name, e.message] }; }`;
  return ((await (await run(code, headers)).json()) as Body).value;
}

const weighted = {
  accept: "text/html;q=0.5, application/json;q=0.9, text/*;q=0.3, */*;q=0.1",
  "accept-language": "de;q=0.5, en-US, fr;q=0, it;q=0.9",
  "accept-encoding": "gzip;q=0.5, br, identity;q=0.1",
  "accept-charset": "utf-8;q=0.2, iso-8859-1",
};
const zero = { accept: "application/json", "accept-encoding": "*;q=0", "accept-charset": "*" };
const accepted: readonly [string, Headers, unknown][] = [
  ["ctx.accepts()", weighted, ["application/json", "text/html", "text/*", "*/*"]],
  ["ctx.accepts('html')", weighted, "html"],
  ["ctx.accepts(['html', 'json'])", weighted, "json"],
  ["ctx.accepts('text/plain', 'text/html')", weighted, "text/html"],
  ["ctx.accepts('png')", weighted, "png"],
  ["ctx.accepts('html')", zero, false],
  ["ctx.accepts('xyz')", zero, false],
  ["ctx.accepts('xyz')", {}, "xyz"],
  ["ctx.acceptsLanguages()", weighted, ["en-US", "it", "de"]],
  ["ctx.acceptsLanguages('fr')", weighted, false],
  ["ctx.acceptsLanguages('en', 'de')", weighted, "en"],
  ["ctx.acceptsLanguages(['de', 'it'])", weighted, "it"],
  ["ctx.acceptsLanguages()", {}, ["*"]],
  ["ctx.acceptsEncodings()", weighted, ["br", "gzip", "identity"]],
  ["ctx.acceptsEncodings('gzip', 'br')", weighted, "br"],
  ["ctx.acceptsEncodings('gzip', 'br')", {}, false],
  ["ctx.acceptsEncodings()", {}, ["identity"]],
  ["ctx.acceptsEncodings()", zero, []],
  ["ctx.acceptsCharsets()", weighted, ["iso-8859-1", "utf-8"]],
  ["ctx.acceptsCharsets('utf-8', 'iso-8859-1')", weighted, "iso-8859-1"],
  ["ctx.acceptsCharsets('koi8')", weighted, false],
];
test.each(accepted)("%s of %j", async (expression, headers, expected) => {
  expect(await readResult(expression, headers)).toEqual(expected);
});

const fresh: readonly [string, Headers, boolean][] = [
  ["ctx.etag = 'abc'", { "if-none-match": '"abc"' }, true],
  ["ctx.etag = 'W/\"x\"'", { "if-none-match": '"a", "x"' }, true],
  ["ctx.etag = 'abc'", { "if-none-match": '"other"' }, false],
  ["ctx.etag = 'abc'", { "if-none-match": "*" }, true],
  ["ctx.etag = 'abc'", { "if-none-match": '"abc"', "cache-control": "no-cache" }, false],
  ["ctx.lastModified = new Date(1e6)", { "if-modified-since": new Date(2e6).toUTCString() }, true],
  ["ctx.lastModified = new Date(3e6)", { "if-modified-since": new Date(2e6).toUTCString() }, false],
  ["ctx.etag = 'abc'", {}, false],
];
test.each(fresh)("%s is compared with %j", async (code, headers, expected) => {
  expect(await readResult(`(ctx.status = 200, ${code}, [ctx.fresh, ctx.stale])`, headers)).toEqual([
    expected,
    !expected,
  ]);
  expect(await readResult(`(ctx.status = 404, ${code}, ctx.fresh)`, headers)).toBe(false);
});

const redirects: readonly [string, Headers, string][] = [
  ["'back'", {}, "/"],
  ["'back', '/alt'", {}, "/alt"],
  ["'back'", { referer: "http://localhost/from" }, "http://localhost/from"],
  ["'back'", { referer: "http://other.test/from" }, "/"],
  ["'back', '/alt'", { referrer: "/rel" }, "/rel"],
];
test.each(redirects)("redirect(%s) with %j", async (args, headers, location) => {
  expect((await run(`ctx.redirect(${args});`, headers)).headers.get("location")).toBe(location);
});

const values: readonly [string, unknown][] = [
  [
    "(ctx.attachment('x.json', { type: 'inline' }), [ctx.response.get('content-disposition'), ctx.type])",
    ['inline; filename="x.json"', "application/json"],
  ],
  [
    "(ctx.attachment('€ rates.pdf', { fallback: 'r.pdf' }), ctx.response.get('content-disposition'))",
    "attachment; filename=\"r.pdf\"; filename*=UTF-8''%E2%82%AC%20rates.pdf",
  ],
  [
    "(ctx.attachment('€.xyz'), ctx.response.get('content-disposition'))",
    "attachment; filename=\"?.xyz\"; filename*=UTF-8''%E2%82%AC.xyz",
  ],
  ["(ctx.attachment('path/to/b.pdf'), ctx.response.get('content-disposition'))", 'attachment; filename="b.pdf"'],
  ["(ctx.attachment(), ctx.response.get('content-disposition'))", "attachment"],
  ["(ctx.vary('A, B'), ctx.vary('a'), ctx.response.get('vary'))", "Origin, A, B"],
  ["ctx.vary('')", ["TypeError", "field argument is required"]],
  ["ctx.vary('a b')", ["TypeError", "field argument contains an invalid header name"]],
  [
    "[(ctx.body = 'äb', ctx.length), (ctx.body = { a: 1 }, ctx.length), (ctx.body = Buffer.from('abc'), ctx.length)]",
    [3, 7, 3],
  ],
  ["Object.keys(ctx.toJSON())", ["request", "response", "app", "originalUrl", "req", "res", "socket"]],
  ["JSON.stringify(ctx.app).includes('keys')", false],
  ["Object.keys(ctx.response.inspect())", ["status", "message", "header", "body"]],
  ["[ctx.ip, ctx.ips, ctx.host, ctx.protocol]", ["127.0.0.1", [], "localhost", "http"]],
  [
    "(ctx.app.proxy = true, [ctx.ip, ctx.ips, ctx.host, ctx.protocol, ctx.secure, ctx.subdomains, ctx.origin, ctx.app.proxy = false])",
    ["1.2.3.4", ["1.2.3.4", "5.6.7.8"], "fw.a.test", "https", true, ["fw"], "https://fw.a.test", false],
  ],
  [
    "(ctx.app.proxy = true, [ctx.href === 'https://fw.a.test' + ctx.originalUrl, ctx.URL.host, ctx.app.proxy = false])",
    [true, "fw.a.test", false],
  ],
];
test.each(values)("%s", async (expression, expected) => {
  const headers = {
    "x-forwarded-for": "1.2.3.4, 5.6.7.8",
    "x-forwarded-proto": "https, http",
    "x-forwarded-host": "fw.a.test, b",
  };
  expect(await readResult(expression, headers)).toEqual(expected);
});

const assertions: readonly [string, number, string][] = [
  ["ctx.assert.equal(1, 2, 400, 'eq')", 400, "eq"],
  ["ctx.assert.deepEqual({ a: 1 }, { a: 2 }, 422)", 422, "Unprocessable Entity"],
  ["ctx.assert.strictEqual('1', 1, 400, 's')", 400, "s"],
  ["ctx.assert.notEqual(1, 1, 409, 'ne')", 409, "ne"],
  ["ctx.assert.ok(null, 403)", 403, "Forbidden"],
  ["ctx.assert.fail(400)", 400, "Bad Request"],
];
test.each(assertions)("%s", async (code, status, message) => {
  const { error } = (await (await run(`${code};`)).json()) as Body;
  expect(error).toMatchObject({ status, message });
  expect(
    await (
      await run("ctx.assert.equal(1, 1, 400); ctx.assert.deepEqual({ a: 1 }, { a: 1 }); ctx.body = 'passed';")
    ).text(),
  ).toBe("passed");
});
