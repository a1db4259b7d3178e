/** Node's request and response in own code, and streamed bodies. Expected: Strapi's responses. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Body, configFile, type TestApp, testApp, typeFile } from "../project.ts";

const state = globalThis as { nodeEvents?: string[] };
let app: TestApp;

beforeAll(async () => {
  app = await testApp({
    ...configFile({ code: { timeout: 1 } }),
    ...typeFile("note", { title: { type: "string" } }),
    "src/api/note/routes/run.js":
      'module.exports = { routes: [{ method: "ALL", path: "/run/:code", handler: "run.run", config: { auth: false } }] };',
    "src/api/note/controllers/run.js": `const AsyncFunction = (async () => {}).constructor;
      const note = (text) => globalThis.nodeEvents.push(text);
      module.exports = { run: (ctx) => new AsyncFunction("ctx", "res", "require", "note",
        Buffer.from(ctx.params.code, "base64url").toString())(ctx, ctx.res, require, note) };`,
  });
});
afterAll(() => app.close());

interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** Runs code in an action of the project. */
function run(code: string, { method, body, ...init }: Sent = {}): Promise<Response> {
  state.nodeEvents = [];
  const url = `http://localhost/api/run/${Buffer.from(code).toString("base64url")}`;
  return app.handle(
    new Request(url, { method: method ?? (body === undefined ? "GET" : "POST"), body: body ?? null, ...init }),
  );
}

const shown = ["content-type", "content-length", "x-own", "location"];
async function answer(code: string, sent?: Sent) {
  const response = await run(code, sent);
  const headers = shown.flatMap((name) =>
    response.headers.has(name) ? [`${name}: ${response.headers.get(name)}`] : [],
  );
  return [response.status, headers, await response.text()];
}
const events = () => state.nodeEvents ?? [];
const until = async (done: () => boolean): Promise<void> => {
  for (let turns = 0; !done() && turns < 500; turns++) await Bun.sleep(5);
};

const byHand = "ctx.respond = false; ";
const json = "content-type: application/json; charset=utf-8";
const notFound = '{"data":null,"error":{"status":404,"name":"NotFoundError","message":"Not Found","details":{}}}';
const cases: readonly [string, string, unknown][] = [
  ["statusCode and end", `${byHand} res.statusCode = 203; res.end("by hand");`, [203, [], "by hand"]],
  [
    "writeHead, and writes over time",
    `${byHand} res.writeHead(202, { "x-own": "a", "content-type": "text/plain" }); res.write("a"); setTimeout(() => res.end("b"), 20);`,
    [202, ["content-type: text/plain", "x-own: a"], "ab"],
  ],
  [
    "a response after the action has returned",
    `${byHand} setTimeout(() => { res.setHeader("x-own", "1"); res.end("late"); }, 20);`,
    [404, [json, "x-own: 1"], "late"],
  ],
  [
    "Koa's status and headers",
    `${byHand} ctx.status = 201; ctx.set("x-own", "1"); res.end(Buffer.from("buf"));`,
    [201, ["x-own: 1"], "buf"],
  ],
  ["end without respond = false", 'res.end("first"); ctx.body = "second";', [404, [], "first"]],
  ["Koa's body after a write", 'res.write("a"); ctx.body = "b";', [404, [], `a${notFound}`]],
  [
    "flushed headers, and Koa's body",
    "ctx.status = 200; ctx.flushHeaders(); ctx.set('x-own', 'late'); ctx.body = { a: 1 };",
    [200, [], '{"a":1}'],
  ],
  ["a stream that is piped", `${byHand} require("stream").Readable.from(["p", "q"]).pipe(res);`, [404, [], "pq"]],
  ["no content", `${byHand} res.writeHead(204); res.end();`, [204, [], ""]],
  ["a redirect", `${byHand} res.writeHead(302, { Location: "/x" }); res.end();`, [302, ["location: /x"], ""]],
  [
    "headers after they are sent",
    `${byHand} ctx.status = 200; res.write("a"); try { res.setHeader("x-own", "1"); } catch (e) { res.end(e.code + " " + e.message); }`,
    [200, [], "aERR_HTTP_HEADERS_SENT Cannot set headers after they are sent to the client"],
  ],
  [
    "invalid headers",
    `${byHand} ctx.status = 200; const l = []; for (const [k, v] of [["x-own", "a\\nb"], ["x own", "a"], ["x-own", undefined]]) try { res.setHeader(k, v); } catch (e) { l.push(e.code); } res.end(l.join());`,
    [200, [], "ERR_INVALID_CHAR,ERR_INVALID_HTTP_TOKEN,ERR_HTTP_INVALID_HEADER_VALUE"],
  ],
  [
    "values of headers",
    `${byHand} res.statusCode = 200; res.setHeader("X-Own", ["1", "2"]); res.end(JSON.stringify([res.getHeader("x-own"), res.hasHeader("X-OWN"), res.getHeader("none") === undefined]));`,
    [200, ["x-own: 1, 2"], '[["1","2"],true,true]'],
  ],
  [
    "an error before anything is sent",
    `${byHand} throw new Error("x");`,
    [
      500,
      [json],
      '{"data":null,"error":{"status":500,"name":"InternalServerError","message":"Internal Server Error"}}',
    ],
  ],
  [
    "an error of Koa's kind",
    'ctx.onerror(Object.assign(new Error("o"), { status: 418, expose: true, headers: { "x-own": "h" } }));',
    [418, ["content-type: text/plain; charset=utf-8", "x-own: h"], "o"],
  ],
];
test.each(cases)("code responds by Node's response: %s", async (_, code, expected) => {
  const [status, headers, text] = await answer(code);
  expect([status, (headers as string[]).filter((header) => !header.startsWith("content-length")), text]).toEqual(
    expected as Body,
  );
});

test("the state and the events of Node's response are those of Node", async () => {
  await answer(`${byHand} for (const name of ["finish", "close", "error"]) res.on(name, () => note(name));
    const show = () => note([res.headersSent, res.writableEnded, res.finished, ctx.headerSent, ctx.writable].map(Number).join(""));
    show(); res.write("x", () => note("written")); show(); res.end("y", () => note("ended")); show();`);
  await until(() => events().includes("close"));
  expect(events().filter((name) => /^\d/.test(name))).toEqual(["00001", "10011", "11110"]);
  expect(
    events()
      .filter((name) => !/^\d/.test(name))
      .toSorted(),
  ).toEqual(["close", "ended", "finish", "written"]);
  await answer(
    'ctx.req.on("close", () => note("req")); res.on("finish", () => note("finish")); res.on("close", () => note("close")); ctx.body = "x";',
  );
  await until(() => events().includes("req"));
  expect(events()).toEqual(["finish", "close", "req"]);
});

test("server-sent events arrive as they are written, while the action runs", async () => {
  const response = await run(`ctx.respond = false; res.writeHead(200, { "content-type": "text/event-stream" });
    for (let i = 1; i <= 3; i++) { res.write("data: " + i + "\\n\\n"); await new Promise((r) => setTimeout(r, 15)); } note("over"); res.end();`);
  expect([response.headers.get("content-type"), events()]).toEqual(["text/event-stream", []]);
  expect(await response.text()).toBe("data: 1\n\ndata: 2\n\ndata: 3\n\n");
  expect(events()).toEqual(["over"]);
});

const streams = [
  [
    "writes",
    "const t = setInterval(() => res.write('data\\n'), 5); ctx.respond = false; ctx.status = 200; res.flushHeaders(); res.on('close', () => { clearInterval(t); note('closed'); });",
  ],
  [
    "a stream as the body",
    "const p = new (require('stream').PassThrough)(); const t = setInterval(() => p.write('data\\n'), 5); p.on('error', (e) => note(e.message)); p.on('close', () => { clearInterval(t); note('closed'); }); ctx.body = p;",
  ],
] as const;
test.each(streams)("%s end when the client goes away", async (_, code) => {
  const response = await run(`ctx.req.on("close", () => note("req")); ${code}`);
  const reader = response.body!.getReader();
  await reader.read();
  await reader.cancel();
  await until(() => events().length === 2);
  expect(events().toSorted()).toEqual(["closed", "req"]);
});

test("a response that never begins or never goes on is cut off", async () => {
  const [status, , text] = await answer("ctx.respond = false;");
  expect([status, JSON.parse(String(text)).error.name]).toEqual([503, "ServiceUnavailableError"]);
  const response = await run(
    "ctx.respond = false; ctx.status = 200; res.write('a'); res.on('close', () => note('closed'));",
  );
  expect(await response.text().catch(() => "cut")).toBe("cut");
  expect(events()).toEqual(["closed"]);
});

const bytes = { body: "raw bytes", headers: { "content-type": "application/octet-stream" } };
const bodies: readonly [string, string, Sent, string][] = [
  ["for await", "let s = ''; for await (const c of ctx.req) s += c; ctx.body = s;", bytes, "raw bytes"],
  [
    "events",
    "const l = []; ctx.req.on('data', (c) => l.push(String(c))); await new Promise((r) => ctx.req.on('end', r)); ctx.body = l.join('');",
    bytes,
    "raw bytes",
  ],
  ["pipe", "ctx.respond = false; ctx.status = 200; ctx.req.pipe(res);", bytes, "raw bytes"],
  [
    "a large body",
    "let n = 0; for await (const c of ctx.req) n += c.length; ctx.body = String(n);",
    { ...bytes, body: "x".repeat(3_000_000) },
    "3000000",
  ],
  [
    "a body that is parsed",
    "let s = ''; for await (const c of ctx.req) s += c; ctx.body = { s, b: ctx.request.body };",
    { body: '{"a":1}', headers: { "content-type": "application/json" } },
    '{"s":"","b":{"a":1}}',
  ],
  [
    "no body",
    "let s = ''; for await (const c of ctx.req) s += c; ctx.body = [s, ctx.req.complete, ctx.req.httpVersionMajor];",
    {},
    '["",true,1]',
  ],
];
test.each(bodies)("Node's request is a stream of the body: %s", async (_, code, sent, expected) => {
  expect((await answer(code, sent))[2]).toBe(expected);
});

/** As packages do that measure, compress or log responses: they replace members of Node's response. */
const replacing = `module.exports = () => (ctx, next) => {
  const { res } = ctx;
  const note = (text) => globalThis.nodeEvents.push(text);
  if (ctx.get("x-replaced").includes("end")) {
    const { end, write } = res;
    res.write = function (...args) { note("write"); return write.apply(this, args); };
    res.end = function (...args) { note("end " + (args[0]?.length ?? "")); return end.apply(this, args); };
  }
  if (ctx.get("x-replaced").includes("head")) {
    const { writeHead } = res;
    res.writeHead = function (...args) { this.setHeader("x-own", "late " + args[0]); return writeHead.apply(this, args); };
  }
  res.on("finish", () => note("finish " + res.getHeader("content-length")));
  return next();
};`;

test("replaced members of Node's response are called, and loggers know its length", async () => {
  const own = await testApp({
    ...configFile({ roles: { public: ["api::note.note.find"] } }),
    ...typeFile("note", { title: { type: "string" } }),
    "config/middlewares.js": `module.exports = ["strapi::errors", "global::replacing", "strapi::body"];`,
    "src/middlewares/replacing.js": replacing,
    "src/api/note/routes/01-own.js": `module.exports = { routes: ["text", "json", "stream", "empty", "fail"].map((name) => (
      { method: "GET", path: "/" + name, handler: "own." + name, config: { auth: false } })) };`,
    "src/api/note/controllers/own.js": `module.exports = {
      text: () => "text", json: () => ({ a: 1 }), empty: (ctx) => { ctx.status = 204; }, fail: (ctx) => ctx.badRequest("no"),
      stream(ctx) { ctx.type = "txt"; ctx.body = require("node:stream").Readable.from(["a", "b"]); },
    };`,
    "src/api/note/routes/note.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::note.note");`,
  });
  const send = async (path: string, replaced: string) => {
    state.nodeEvents = [];
    const headers = { "x-replaced": replaced };
    const response = await own.handle(new Request(`http://localhost/api${path}`, { headers }));
    const text = await response.text();
    await until(() => events().some((event) => event.startsWith("finish")));
    return [response.headers.get("x-own"), text, ...events()];
  };
  const list = '{"data":[],"meta":{"pagination":{"page":1,"pageSize":25,"pageCount":0,"total":0}}}';
  for (const [path, text] of [
    ["/notes", list],
    ["/json", '{"a":1}'],
    ["/text", "text"],
  ] as const) {
    expect(await send(path, "")).toEqual([null, text, `finish ${text.length}`]);
    expect(await send(path, "end")).toEqual([null, text, `end ${text.length}`, `finish ${text.length}`]);
    expect(await send(path, "head")).toEqual(["late 200", text, `finish ${text.length}`]);
  }
  expect(await send("/stream", "end head")).toEqual(["late 200", "ab", "write", "write", "end ", "finish undefined"]);
  expect(await send("/empty", "end head")).toEqual(["late 204", "", "end ", "finish undefined"]);
  expect((await send("/fail", "head"))[0]).toBe("late 400");
  await own.close();
});
