/** `ctx` of Galley and of Koa's own server: one contract, run over both. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import Koa from "koa";
import { configFile, type TestApp, testApp } from "../project.ts";

/** By source of the handler: what a request sends besides the usual. */
const cases: Readonly<Record<string, RequestInit>> = {
  // requests
  "ctx.body = [ctx.method, ctx.path, ctx.url, ctx.originalUrl, ctx.search, ctx.querystring]": {},
  "ctx.body = [ctx.request.method, ctx.req.method, ctx.req.url, ctx.req.httpVersion]": { method: "PUT", body: "x" },
  "ctx.body = [ctx.query.a, ctx.query.c, ctx.request.query === ctx.query]": {},
  "ctx.body = [ctx.header === ctx.headers, ctx.headers['x-one'], ctx.get('X-One'), ctx.get('none')]": {},
  "ctx.body = [ctx.get('referrer'), ctx.get('Referer')]": { headers: { referer: "/back" } },
  "ctx.body = [ctx.host, ctx.hostname, ctx.protocol, ctx.secure, ctx.origin, ctx.href]": {
    headers: { host: "cms.example.org:81" },
  },
  "ctx.body = [ctx.subdomains]": { headers: { host: "a.b.example.org" } },
  "ctx.body = [ctx.host, ctx.protocol, ctx.ips, ctx.ip === ctx.request.ip]": {
    headers: { "x-forwarded-host": "other", "x-forwarded-proto": "https", "x-forwarded-for": "1.2.3.4" },
  },
  "ctx.body = [ctx.ip.replace('::ffff:', '').length > 0, typeof ctx.socket.remoteAddress]": {},
  "ctx.request.ip = '9.9.9.9'; ctx.body = ctx.ip": {},
  "ctx.body = [ctx.URL.pathname, ctx.request.URL.searchParams.get('a')]": {},
  "ctx.body = [ctx.fresh, ctx.stale, ctx.idempotent]": { headers: { "if-none-match": '"x"' } },
  "ctx.status = 200; ctx.etag = 'x'; ctx.body = String(ctx.fresh)": { headers: { "if-none-match": '"x"' } },
  "ctx.body = [ctx.request.type, ctx.request.charset, ctx.request.length]": {
    method: "POST",
    headers: { "content-type": "text/html; charset=latin1" },
    body: "abc",
  },
  "ctx.body = [ctx.is('json'), ctx.is('html', 'application/*'), ctx.is('urlencoded'), ctx.is(['text'])]": {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  },
  "ctx.body = [ctx.is('json'), ctx.request.is('html')]": {},
  "ctx.body = [ctx.accepts(), ctx.accepts('json', 'html'), ctx.accepts(['png']), ctx.accepts('text/plain')]": {
    headers: { accept: "text/html, application/json;q=0.5" },
  },
  "ctx.body = [ctx.acceptsEncodings('br', 'gzip'), ctx.acceptsEncodings()]": {
    headers: { "accept-encoding": "gzip, br;q=0.4" },
  },
  "ctx.body = [ctx.acceptsLanguages(), ctx.acceptsLanguages('de', 'en'), ctx.acceptsLanguages('it')]": {
    headers: { "accept-language": "en;q=0.8, de" },
  },
  "ctx.body = [ctx.acceptsCharsets('utf-8', 'latin1')]": { headers: { "accept-charset": "utf-8, iso-8859-1;q=0.2" } },
  "ctx.path = '/other'; ctx.body = [ctx.path, ctx.url, ctx.originalUrl === ctx.url]": {},
  "ctx.querystring = 'z=1'; ctx.body = [ctx.url, ctx.query.z, ctx.search]": {},
  "ctx.search = '?y=2'; ctx.body = [ctx.url, ctx.query.y]": {},
  "ctx.method = 'PATCH'; ctx.body = [ctx.method, ctx.req.method]": {},
  "ctx.body = [ctx.request.ctx === ctx, ctx.request.response === ctx.response, ctx.response.request === ctx.request]":
    {},
  "ctx.body = [ctx.app === ctx.request.app, typeof ctx.app.use, ctx.app.subdomainOffset, ctx.app.maxIpsCount]": {},
  "ctx.body = Object.keys(ctx.toJSON())": {},
  "ctx.body = Object.keys(ctx.request.toJSON()).concat(Object.keys(ctx.response.toJSON()))": {},
  // responses
  "ctx.body = 'text'": {},
  "ctx.body = '<p>html</p>'": {},
  "ctx.body = { a: 1 }": {},
  "ctx.body = [1, null]": {},
  "ctx.body = Buffer.from('bytes')": {},
  "ctx.body = require('node:stream').Readable.from(['a', 'b'])": {},
  "ctx.body = ''": {},
  "ctx.body = 5": {},
  "ctx.body = false": {},
  "ctx.body = null": {},
  "ctx.status = 200; ctx.body = null": {},
  "ctx.body = undefined; ctx.status = 202": {},
  "ctx.status = 201": {},
  "ctx.status = 204; ctx.body = 'gone'": {},
  "ctx.body = 'gone'; ctx.status = 204": {},
  "ctx.status = 304": {},
  "ctx.status = 599": {},
  "ctx.body = 'a'; ctx.body = { b: 1 }": {},
  "ctx.type = 'html'; ctx.body = 'a'": {},
  "ctx.type = 'html'; ctx.body = { a: 1 }": {},
  "ctx.type = 'png'; ctx.body = Buffer.from('x')": {},
  "ctx.type = 'text/x-own'; ctx.body = 'a'": {},
  "ctx.type = ''; ctx.body = 'a'": {},
  "ctx.type = 'none-such'; ctx.body = 'a'": {},
  "ctx.body = 'a'; ctx.remove('Content-Type')": {},
  "try { ctx.status = '200'; } catch (error) { ctx.body = error.message; }": {},
  "try { ctx.status = 1000; } catch (error) { ctx.body = error.message; }": {},
  "ctx.message = 'Fine'; ctx.body = [ctx.message, ctx.response.message]": {},
  "ctx.body = 'abc'; ctx.set('x-length', String(ctx.length))": {},
  "ctx.body = { a: 'ä' }; ctx.set('x-length', String(ctx.length))": {},
  "ctx.length = 3; ctx.body = 'abc'": {},
  "ctx.set('X-A', '1'); ctx.set({ 'X-B': 2, 'X-C': ['3', '4'] }); ctx.body = [ctx.response.get('x-a'), ctx.response.get('x-c')]":
    {},
  "ctx.append('X-A', '1'); ctx.append('X-A', ['2', '3']); ctx.body = [ctx.response.get('X-A')]": {},
  "ctx.append('Link', '<a>'); ctx.append('link', '<b>'); ctx.remove('Link'); ctx.body = [ctx.has('link')]": {},
  "ctx.set('X-A', ''); ctx.body = [ctx.has('X-A'), ctx.response.headers['x-a']]": {},
  "ctx.vary('A'); ctx.vary(['B', 'a']); ctx.body = 'x'": {},
  "ctx.vary('A'); ctx.vary('*'); ctx.body = 'x'": {},
  "ctx.etag = 'abc'; ctx.body = ctx.etag": {},
  "ctx.etag = 'W/\"abc\"'; ctx.body = ctx.etag": {},
  "ctx.lastModified = new Date(0); ctx.body = [ctx.lastModified, ctx.response.get('last-modified')]": {},
  "ctx.lastModified = 'Thu, 01 Jan 1970 00:00:01 GMT'; ctx.body = [ctx.response.lastModified]": {},
  "ctx.attachment('a b.pdf'); ctx.body = [ctx.type]": {},
  "ctx.attachment('ä\".txt', { type: 'inline' }); ctx.body = [ctx.type]": {},
  "ctx.attachment(); ctx.body = 'x'": {},
  "ctx.redirect('/login?x=1&y=\"2\"')": {},
  "ctx.redirect('/login')": { headers: { accept: "text/html" } },
  "ctx.status = 301; ctx.redirect('https://example.org/ä')": {},
  "ctx.redirect('back', '/index.html')": {},
  "ctx.redirect('back')": { headers: { referer: "https://evil.example/x" } },
  "ctx.body = [ctx.response.is('json'), ctx.type, ctx.response.type]": {},
  "ctx.body = [ctx.headerSent, ctx.writable, ctx.response.writable]": {},
  // cookies
  "ctx.cookies.set('a', 'b'); ctx.body = 'x'": {},
  "ctx.cookies.set('a', 'b', { signed: true, maxAge: 0, sameSite: 'lax', path: '/x', httpOnly: false }); ctx.body = 'x'":
    {},
  "ctx.cookies.set('a', '', { domain: 'example.org', overwrite: true }); ctx.body = 'x'": {},
  "ctx.cookies.set('a'); ctx.body = [ctx.cookies.get('b'), ctx.cookies.get('b', { signed: true }) ?? null]": {
    headers: { cookie: "b=1; c=2" },
  },
  "try { ctx.cookies.set('a', 'b', { secure: true }); } catch (error) { ctx.body = error.message; }": {},
  // errors
  "try { ctx.throw(404, 'none', { code: 1 }); } catch (e) { ctx.body = [e.status, e.statusCode, e.message, e.expose, e.code, e.name]; }":
    {},
  "try { ctx.throw('text'); } catch (e) { ctx.body = [e.status, e.message, e.expose]; }": {},
  "try { ctx.throw(new Error('own'), 402); } catch (e) { ctx.body = [e.status, e.message, e.expose]; }": {},
  "try { ctx.assert(ctx.query.a === '2', 401, 'no', { x: 1 }); } catch (e) { ctx.body = [e.status, e.message, e.x]; }":
    {},
  "try { ctx.assert.deepEqual({ a: 1 }, { a: 2 }, 409); } catch (e) { ctx.body = [e.status, e.message]; }": {},
  "ctx.onerror(Object.assign(new Error('shown'), { status: 418, expose: true, headers: { 'x-e': '1' } }))": {},
  "ctx.set('x-gone', '1'); ctx.onerror(new Error('hidden'))": {},
  "ctx.onerror(null); ctx.body = 'fine'": {},
  "ctx.body = require('node:fs').createReadStream('/no/such/file')": {},
  "const loop = {}; loop.loop = loop; ctx.body = loop": {},
  // Node's objects
  "ctx.respond = false; ctx.res.statusCode = 203; ctx.res.setHeader('x-n', ['1', '2']); ctx.res.end('direct')": {},
  "ctx.res.writeHead(207, { 'x-w': 'a' }); ctx.res.write('one'); ctx.res.end('two')": {},
  "ctx.res.statusCode = 206; ctx.body = 'x'": {},
  "ctx.body = [ctx.res.headersSent, ctx.res.finished, ctx.res.hasHeader('x')]": {},
};
const sources = Object.keys(cases);

/** Of the transport, or of the connection. */
const IGNORED = new Set(["connection", "content-length", "date", "keep-alive", "transfer-encoding", "x-powered-by"]);

let app: TestApp;
let galley: ReturnType<typeof Bun.serve>;
let koa: ReturnType<Koa["listen"]>;
beforeAll(async () => {
  app = await testApp({
    ...configFile(),
    "config/server.js": "module.exports = { app: { keys: ['one', 'two'] } };",
    "config/middlewares.js": `module.exports = ["strapi::errors", { name: "strapi::security", config: false }, "strapi::query"];`,
    "src/api/own/routes/own.js": `module.exports = { routes: [
      ${sources.map((source, at) => `{ method: "ALL", path: "/${at}", config: { auth: false }, handler: (ctx) => { ${source}; } }`).join(",\n")}
    ] };`,
  });
  galley = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => app.handle(request) });
  const handlers = sources.map((source) => new Function("ctx", "require", source));
  const server = new Koa({ env: "development" });
  server.keys = ["one", "two"];
  server.silent = true;
  server.use((ctx) => {
    handlers[Number(ctx.path.slice("/api/".length))]!(ctx, require);
  });
  koa = server.listen(0, "127.0.0.1");
});
afterAll(async () => {
  await galley.stop(true);
  koa.close();
  await app.close();
});

async function ask(origin: string, at: number, init: RequestInit) {
  const headers = { host: "cms.example", "x-one": "1", ...(init.headers as Record<string, string>) };
  const response = await fetch(`${origin}/api/${at}?a=1&c=x%20y`, { ...init, headers, redirect: "manual" });
  const text = await response.text();
  // what CORS varies by comes first
  const vary = response.headers.get("vary")?.replace(/^Origin, /, "");
  if (vary !== undefined) response.headers.set("vary", vary);
  const own = [...response.headers].filter(([name]) => !IGNORED.has(name));
  return { status: response.status, text, headers: Object.fromEntries(own), cookies: response.headers.getSetCookie() };
}

for (const [at, source] of sources.entries()) {
  test(source, async () => {
    const { port } = koa.address() as { readonly port: number };
    const [expected, got] = await Promise.all([
      ask(`http://127.0.0.1:${port}`, at, cases[source]!),
      ask(galley.url.origin, at, cases[source]!),
    ]);
    const added = Object.keys(got.headers).filter((name) => !(name in expected.headers));
    expect({
      ...got,
      headers: Object.fromEntries(Object.entries(got.headers).filter(([name]) => !added.includes(name))),
    }).toEqual(expected);
    // what the server's built-in middlewares add
    expect(
      added.filter(
        (name) =>
          !/^(x-|content-security|strict-transport|referrer-policy|cross-origin|origin-agent|vary|access-control)/.test(
            name,
          ),
      ),
    ).toEqual([]);
  });
}
