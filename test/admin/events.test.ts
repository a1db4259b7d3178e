/** Events of the admin page: each change is reported, by whomever it was made, and nothing keeps the server from stopping. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { ChangeFeed, MAX_WINDOWS } from "../../src/admin/events/change-feed.ts";
import { createGalley, type Galley } from "../../src/index.ts";
import { projectFolder, typeFile } from "../project.ts";
import { askAs, signedIn } from "./signed-in.ts";

const KEY = "a key for tests of events";
const NOTE = "api::note.note";
const folder = projectFolder(typeFile("note", { text: { type: "string" } }));

let galley: Galley;
let cookie: string;

beforeAll(async () => {
  galley = await createGalley({
    project: folder.root,
    memory: false,
    admin: true,
    environment: { ADMIN_JWT_SECRET: KEY },
  });
  cookie = await signedIn(galley, KEY);
});
afterAll(async () => {
  await galley.close();
  folder.remove();
});

interface State {
  readonly project: string;
  readonly content: string;
}

/** The events of a stream, one by one; undefined at its end. */
function follow(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader();
  return {
    next: async (): Promise<State | undefined> => {
      const { value } = await reader.read();
      return value === undefined ? undefined : JSON.parse(new TextDecoder().decode(value).slice("data: ".length));
    },
    cancel: () => reader.cancel(),
  };
}

const request = (base = "http://localhost", headers: Record<string, string> = {}): Request =>
  new Request(`${base}/admin/api/events`, {
    headers: { host: new URL(base).host, "sec-fetch-site": "same-origin", "x-galley-admin": "1", cookie, ...headers },
  });

test("a window gets the state at once, and again after each change", async () => {
  const response = await galley.handle(request());
  expect(response.headers.get("content-type")).toStartWith("text/event-stream");
  expect(response.headers.get("cache-control")).toBe("no-store, no-transform");
  const events = follow(response.body!);
  const first = await events.next();
  const { body } = await askAs(galley, cookie)("GET", "/start");
  expect(body.data.served).toEqual(first);
  await galley.documents(NOTE).create({ data: { text: "new" } });
  const second = await events.next();
  expect(second!.project).toBe(first!.project);
  expect(second!.content).not.toBe(first!.content);
  await events.cancel();
});

test("what another server writes into the database is reported, too", async () => {
  const events = follow((await galley.handle(request())).body!);
  const first = await events.next();
  const other = await createGalley({ project: folder.root, memory: false, environment: {} });
  await other.documents(NOTE).create({ data: { text: "theirs" } });
  expect((await events.next())!.content).not.toBe(first!.content);
  await other.close();
  await events.cancel();
});

test.each([
  ["without a session", { cookie: "" }, 401],
  ["from another port", { "sec-fetch-site": "same-site" }, 403],
  ["from another site", { "sec-fetch-site": "cross-site", origin: "https://evil.example" }, 403],
  ["to a rebound name", { host: "evil.example" }, 403],
])("%s there are no events", async (_, headers, status) => {
  expect((await galley.handle(request("http://localhost", headers))).status).toBe(status);
});

test("streams end when other files are served, so that windows follow what took their place", async () => {
  const events = follow((await galley.handle(request())).body!);
  const first = await events.next();
  const made = await askAs(galley, cookie)("POST", "/i18n/locales", { code: "fr", name: "French", isDefault: false });
  expect(made.status).toBe(200);
  let last: State | undefined = first;
  while (last) last = await events.next();
  const next = follow((await galley.handle(request())).body!);
  expect((await next.next())!.project).not.toBe(first!.project);
  await next.cancel();
});

test("a server with open windows stops at once, and ends their streams", async () => {
  const own = await createGalley({
    project: folder.root,
    memory: false,
    admin: true,
    environment: { ADMIN_JWT_SECRET: KEY },
  });
  const address = own.serve();
  const port = new URL(address).port;
  const renamed = (await signedIn(own, KEY)).replace(/-80=/, `-${port}=`);
  const response = await fetch(request(address, { cookie: renamed }));
  expect(response.status).toBe(200);
  const events = follow(response.body!);
  expect(await events.next()).toMatchObject({ project: expect.any(String) });
  const start = performance.now();
  await own.close();
  expect(performance.now() - start).toBeLessThan(8000);
  expect(await events.next()).toBeUndefined();
});

test("own code and compression hand events on as they come", async () => {
  const files = projectFolder({
    ...typeFile("note", { text: { type: "string" } }),
    "src/middlewares/own.js": "module.exports = () => async (ctx, next) => { await next(); ctx.set('x-own', '1'); };",
    "config/middlewares.js": "module.exports = ['strapi::compression', 'global::own', 'strapi::body'];",
  });
  const environment = { ADMIN_JWT_SECRET: KEY };
  const own = await createGalley({ project: files.root, memory: false, admin: true, environment });
  const headers = { cookie: await signedIn(own, KEY), "accept-encoding": "gzip" };
  const response = await own.handle(request("http://localhost", headers));
  expect(response.headers.get("x-own")).toBe("1");
  const events = follow(response.body!);
  const first = await events.next();
  await own.documents(NOTE).create({ data: { text: "new" } });
  expect((await events.next())!.content).not.toBe(first!.content);
  await own.close();
  files.remove();
});

test("a feed keeps silent while nothing changes, but for its beat; who reads nothing gets the newest state alone", async () => {
  let version = 1;
  const ended = new AbortController();
  const feed = new ChangeFeed({ version: () => String(version), ended: ended.signal, pollMs: 5, heartbeatMs: 40 });
  const slow = feed.open();
  const events = follow(feed.open());
  const first = await events.next();
  // the beat
  expect(await events.next()).toEqual(first);
  version++;
  let next = await events.next();
  while (next?.content === first?.content) next = await events.next();
  version++;
  await events.next();
  // only what was sent before the stream was full is waiting
  expect(await follow(slow).next()).toEqual(first!);
  ended.abort();
  expect(feed.isFull).toBe(false);
  expect(await new Response(feed.open()).text()).toBe("");
});

test("a feed whose database is closed ends, and only so many windows are followed", async () => {
  const { signal } = new AbortController();
  let isOpen = true;
  const version = (): string => {
    if (!isOpen) throw new Error("closed");
    return "1";
  };
  const feed = new ChangeFeed({ version, ended: signal, pollMs: 5 });
  const streams = Array.from({ length: MAX_WINDOWS }, () => feed.open());
  expect(feed.isFull).toBe(true);
  isOpen = false;
  const texts = await Promise.all(streams.map((stream) => new Response(stream).text()));
  expect(texts.every((text) => text.startsWith("data: "))).toBe(true);
  expect(feed.isFull).toBe(false);
});
