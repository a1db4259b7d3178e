import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSite, GRAPHQL } from "../../../scripts/mirror/site.ts";
import { contentType } from "../../../src/engine/schema/model.ts";
import type { MirrorOptions } from "../../../src/server/mirror/mirror.ts";
import type { RunningProject } from "../../../src/server/running.ts";
import type { ReceiveLimits } from "../../../src/transfer/remote/receive-limits.ts";
import { RestClient } from "../../../src/transfer/remote/rest/client.ts";
import { Random } from "../../random.ts";
import { type Origin, startMirror, startOrigin } from "./origin.ts";

let origin: Origin;
const folder = mkdtempSync(join(tmpdir(), "galley-mirror-"));
const mirrors: RunningProject[] = [];

beforeAll(async () => {
  origin = await startOrigin();
}, 120_000);
afterEach(async () => {
  origin.intercept = undefined;
  for (const mirror of mirrors.splice(0)) await mirror.close();
});
afterAll(async () => {
  await origin.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(name: string, options: Partial<MirrorOptions> = {}): Promise<RunningProject> {
  const mirror = await startMirror(origin, join(folder, name), options);
  mirrors.push(mirror);
  return mirror;
}

const ask = (mirror: RunningProject, path: string, init?: RequestInit): Promise<Response> =>
  mirror.handle(new Request(`http://localhost${path}`, init));

interface Refusal {
  readonly error: { readonly name: string; readonly message: string };
}
const readJson = async <T>(response: Response): Promise<T> => (await response.json()) as T;

const buildFrom = (mirror: RunningProject): Promise<string[]> =>
  buildSite(origin.project.model, (path, init) => ask(mirror, path, init));
const buildFromOrigin = (): Promise<string[]> =>
  buildSite(origin.project.model, (path, init) =>
    origin.ask(
      path,
      init && { ...init, headers: { ...GRAPHQL.headers, authorization: "Bearer conformance-full-access" } },
    ),
  );

interface Listed {
  readonly documentId: string;
  readonly id: number;
}
const listDocuments = async (path: string, status = "draft"): Promise<Listed[]> =>
  (await readJson<{ data: Listed[] }>(await origin.ask(`/api/${path}?status=${status}&pagination[pageSize]=100`))).data;

const send = async (method: string, path: string, data?: object): Promise<number> =>
  (await origin.ask(`/api/${path}`, { method, ...(data ? { body: JSON.stringify({ data }) } : {}) })).status;

const articles = () => origin.project.context.documents(contentType(origin.project.model, "api::article.article"));

/** Changes of documents, of links from either side, and of media. Each resolves with a status. */
const edits: Readonly<Record<string, (random: Random) => Promise<number>>> = {
  "a draft": async (random) => {
    const { documentId } = random.pick(await listDocuments("articles"));
    return send("PUT", `articles/${documentId}?status=draft`, { title: `Edited ${random.below(1_000)}` });
  },
  // which leaves `updatedAt` as it is, unlike over REST
  "another publication": async (random) => {
    const { documentId } = random.pick(await listDocuments("articles", "published"));
    await send("PUT", `articles/${documentId}?status=draft`, { title: `Draft ${random.below(1_000)}` });
    await send("POST", "articles", { title: `Later ${random.below(1_000_000)}` });
    for (const mirror of mirrors) expect(await mirror.reload()).toBe(true);
    await articles().publish({ documentId, locale: "en" });
    return 200;
  },
  "the end of a publication": async (random) => {
    await articles().unpublish({ documentId: random.pick(await listDocuments("articles")).documentId, locale: "en" });
    return 200;
  },
  "an edit that is published": async (random) => {
    const { documentId } = random.pick(await listDocuments("authors"));
    return send("PUT", `authors/${documentId}`, { name: `Author ${random.below(1_000)}` });
  },
  "another locale": async (random) => {
    const { documentId } = random.pick(await listDocuments("articles"));
    return send("PUT", `articles/${documentId}?locale=fr`, { title: `Français ${random.below(1_000)}` });
  },
  "a new document": async (random) => send("POST", "articles", { title: `New ${random.below(1_000_000)}` }),
  "a deletion": async (random) => {
    const articles = await listDocuments("articles");
    return articles.length > 4 ? send("DELETE", `articles/${random.pick(articles).documentId}`) : 204;
  },
  "links from the other side": async (random) => {
    const [tags, articles] = [await listDocuments("tags"), await listDocuments("articles")];
    return send("PUT", `tags/${random.pick(tags).documentId}`, { articles: [random.pick(articles).documentId] });
  },
  "links from the side that owns them": async (random) => {
    const [tags, articles] = [await listDocuments("tags"), await listDocuments("articles")];
    return send("PUT", `articles/${random.pick(articles).documentId}`, { tags: [random.pick(tags).documentId] });
  },
  "a deleted target": async (random) => {
    const tags = await listDocuments("tags");
    return tags.length > 3 ? send("DELETE", `tags/${random.pick(tags).documentId}`) : 204;
  },
  "a new target": (random) => send("POST", "tags", { label: `Tag ${random.below(1_000_000)}` }),
  "a single type": (random) => send("PUT", "site-setting", { siteName: `Site ${random.below(1_000)}` }),
  "the text of a file": async (random) => {
    const files = (await (await origin.ask("/api/upload/files")).json()) as Listed[];
    const form = new FormData();
    form.set("fileInfo", JSON.stringify({ alternativeText: `Text ${random.below(1_000)}` }));
    const headers = { authorization: "Bearer conformance-full-access" };
    return (await origin.ask(`/api/upload?id=${random.pick(files).id}`, { method: "POST", body: form, headers }))
      .status;
  },
};

/** Whether a request of a refresh reads all documents of a collection. */
function readsWholeList({ url }: Request): boolean {
  const { pathname, searchParams } = new URL(url);
  const isSingle = ["/api/homepage", "/api/site-setting"].includes(pathname);
  const names = [...searchParams.keys()].join();
  // a few documents are compared with the answers of the copy
  const isComparison = searchParams.get("populate") === "*";
  return names.includes("populate") && !isSingle && !isComparison && !/updatedAt|documentId\]\[/.test(names);
}

test("a mirror answers byte for byte as its origin, without asking it again", async () => {
  const mirror = await start("equal");
  origin.requests.length = 0;
  expect(await buildFrom(mirror)).toEqual(await buildFromOrigin());
  expect(origin.requests.length).toBe(0);
}, 60_000);

test("after any change, a refresh brings the same answers, reading only what has changed", async () => {
  const mirror = await start("changed");
  const random = new Random(35);
  const done = new Map<string, number>();
  const names = Object.keys(edits);
  for (let round = 0; round < names.length; round++) {
    const name = names[round % names.length]!;
    for (const edit of [name, ...(round % 2 === 1 ? [random.pick(names)] : [])]) {
      const status = await edits[edit]!(random);
      if (status < 300) done.set(edit, (done.get(edit) ?? 0) + 1);
    }
    origin.requests.length = 0;
    expect(await mirror.reload()).toBe(true);
    expect(origin.requests.filter(readsWholeList).map(({ url }) => url)).toEqual([]);
    expect([name, await buildFrom(mirror)]).toEqual([name, await buildFromOrigin()]);
  }
  expect([...done.keys()].toSorted()).toEqual(names.toSorted());
}, 120_000);

test("builds succeed, with the same output, while the origin fails, is slow, and is gone", async () => {
  const random = new Random(7);
  const file = (await readJson<{ url: string }[]>(await origin.ask("/api/upload/files")))[0]!.url;
  const paths = [file, "/api/users/count", "/api/articles/count"];
  const buildAll = async (mirror: RunningProject) => {
    const responses = await Promise.all(paths.map((path) => ask(mirror, path)));
    const passed = await Promise.all(responses.map(async (response) => [response.status, await response.text()]));
    return { site: await buildFrom(mirror), passed };
  };
  const waits = { short: 0 };
  const fail = async (): Promise<Response | undefined> => {
    waits.short++;
    await Bun.sleep(5);
    if (!random.chance(0.3)) return undefined;
    return new Response("overloaded", { status: random.pick([503, 429]), headers: { "retry-after": "1" } });
  };
  origin.intercept = fail;
  // everything is due at once, so that each build asks the origin
  const mirror = await start("failing", { refreshMs: 1 });
  const first = await buildAll(mirror);
  expect(first.site).toEqual(await buildFromOrigin());
  expect(first.passed.map(([status]) => status)).toEqual([200, 200, 404]);
  for (let index = 0; index < 3; index++) expect(await buildAll(mirror)).toEqual(first);
  expect(waits.short).toBeGreaterThan(100);
  origin.intercept = async () => new Response("Bad Gateway", { status: 502 });
  for (let index = 0; index < 10; index++) expect(await buildAll(mirror)).toEqual(first);
  // another process, with an origin that nobody answers for
  await mirrors.splice(0)[0]!.close();
  const later = await startMirror({ root: "http://127.0.0.1:1" }, join(folder, "failing"), { refreshMs: 1 });
  mirrors.push(later);
  expect(await buildAll(later)).toEqual(first);
  const response = await ask(later, "/api/articles");
  expect(Number(response.headers.get("age"))).toBeGreaterThanOrEqual(0);
  expect(response.headers.get("warning")).toBe('110 - "Response is Stale"');
  const unknown = await ask(later, "/api/users/me");
  expect([unknown.status, (await readJson<Refusal>(unknown)).error.name]).toEqual([503, "ServiceUnavailableError"]);
}, 120_000);

test("what the copy does not have is passed on, kept, and asked for again with its ETag", async () => {
  const mirror = await start("passed", { refreshMs: 1 });
  let version = 1;
  const conditions: (string | null)[] = [];
  origin.intercept = (request) => {
    if (!request.url.includes("/api/own-route")) return undefined;
    conditions.push(request.headers.get("if-none-match"));
    const etag = `"${version}"`;
    if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304 });
    return Response.json({ version }, { headers: { etag } });
  };
  const read = async () => (await readJson<{ version: number }>(await ask(mirror, "/api/own-route?a=1"))).version;
  const versions = [await read(), await Bun.sleep(5).then(read)];
  version = 2;
  versions.push(await Bun.sleep(5).then(read));
  expect([versions, conditions]).toEqual([
    [1, 1, 2],
    [null, '"1"', '"1"'],
  ]);
  // a proxy answers in place of a server that is down
  origin.intercept = () => new Response("<html>web server is down", { status: 521 });
  expect(await Bun.sleep(5).then(read)).toBe(2);
  // nor does a refused token change what was read
  origin.intercept = () => Response.json({ error: { status: 401 } }, { status: 401 });
  expect(await Bun.sleep(5).then(read)).toBe(2);
}, 60_000);

const clientWith = (limits: Partial<ReceiveLimits>) =>
  new RestClient(origin.root, { prefix: "/api", token: "conformance-full-access", wait: async () => {}, limits });

test("limits of what is received are those of one refresh", async () => {
  const mirror = await start("limits", { client: clientWith({ records: 8_000 }) });
  for (let count = 0; count < 6; count++) {
    await send("POST", "tags", { label: `Limit ${count}` });
    expect(await mirror.reload()).toBe(true);
  }
}, 60_000);

test("an origin whose GraphQL sends more than a limit is refused", async () => {
  const client = clientWith({ bytes: 5_000_000 });
  origin.intercept = ({ url }) => (url.endsWith("/graphql") ? new Response(new Uint8Array(6_000_000)) : undefined);
  await expect(start("endless", { client })).rejects.toThrow("sends more than 5000000 bytes");
}, 60_000);

test("a type that the origin answers in its own way is passed on", async () => {
  origin.intercept = async (request) => {
    const { pathname, search } = new URL(request.url);
    if (pathname !== "/api/tags" || !search.includes("populate=*")) return undefined;
    return Response.json({ data: [{ label: "from its own controller" }], meta: {} });
  };
  const lines: string[] = [];
  const mirror = await start("own", { report: (line) => lines.push(line) });
  expect(await (await ask(mirror, "/api/tags?populate=*")).text()).toContain("from its own controller");
  expect(lines).toEqual(["api::tag.tag: the origin does not answer as the copy does; its answers are passed on"]);
  // GraphQL is passed on, too, but nothing that writes
  origin.requests.length = 0;
  expect((await ask(mirror, "/graphql", { ...GRAPHQL })).status).toBe(200);
  const mutation = JSON.stringify({ query: 'mutation { deleteTag(documentId: "a") { documentId } }' });
  expect((await ask(mirror, "/graphql", { ...GRAPHQL, body: mutation })).status).toBe(403);
  expect(origin.requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual(["POST /graphql"]);
}, 60_000);

test("nothing is written to the origin, and only this machine is answered", async () => {
  const mirror = await start("refused");
  origin.requests.length = 0;
  for (const [method, path] of [
    ["POST", "/api/articles"],
    ["PUT", "/api/articles/a"],
    ["DELETE", "/api/tags/a"],
    ["POST", "/api/upload"],
    ["POST", "/api/auth/local"],
    ["POST", "/api/own-route"],
  ] as const) {
    const response = await ask(mirror, path, { method, body: method === "DELETE" ? null : "{}" });
    const { error } = await readJson<Refusal>(response);
    expect([path, response.status, error.name, error.message.includes("--write")]).toEqual([
      path,
      403,
      "ForbiddenError",
      true,
    ]);
  }
  const other = { headers: { origin: "https://example.org" } };
  expect((await ask(mirror, "/api/articles", other)).status).toBe(403);
  expect((await mirror.handle(new Request("http://rebound.example.org/api/articles"))).status).toBe(403);
  expect((await ask(mirror, "/api/articles", { headers: { origin: "http://localhost:3000" } })).status).toBe(200);
  expect(origin.requests.length).toBe(0);
}, 60_000);

test("the token goes to the API only", async () => {
  const mirror = await start("token");
  origin.requests.length = 0;
  await ask(mirror, "/uploads/missing.png");
  await ask(mirror, "/api/own", { headers: { authorization: "Bearer of-a-client" } });
  expect(origin.requests.map(({ headers }) => headers.get("authorization"))).toEqual([
    null,
    "Bearer conformance-full-access",
  ]);
}, 60_000);

test("with --write, writes stay in a copy that is there again in the next process", async () => {
  const mirror = await start("written", { writes: true });
  const body = JSON.stringify({ data: { label: "only here" } });
  const written = await ask(mirror, "/api/tags", { ...GRAPHQL, body });
  expect(written.status).toBe(201);
  const { documentId } = (await readJson<{ data: Listed }>(written)).data;
  await mirrors.splice(0)[0]!.close();
  const next = await start("written", { writes: true });
  expect((await ask(next, `/api/tags/${documentId}`)).status).toBe(200);
  expect((await origin.ask(`/api/tags/${documentId}`)).status).toBe(404);
  // without it, the copy of the origin is served
  await mirrors.splice(0)[0]!.close();
  expect((await ask(await start("written"), `/api/tags/${documentId}`)).status).toBe(404);
  await mirrors.splice(0)[0]!.close();
  const reset = await start("written", { writes: true, resets: true });
  expect((await ask(reset, `/api/tags/${documentId}`)).status).toBe(404);
}, 60_000);

test("a token that is refused, or another server in its place, leaves the copy as it is", async () => {
  const lines: string[] = [];
  const mirror = await start("revoked", { report: (line) => lines.push(line) });
  const before = await buildFrom(mirror);
  for (const status of [401, 404]) {
    origin.intercept = () => new Response("no", { status });
    expect(await mirror.reload()).toBe(false);
    expect(await buildFrom(mirror)).toEqual(before);
  }
  expect(lines.length).toBe(1);
  expect(lines[0]).toMatch(/does not accept the token; the copy is served, which is \d+ s old/);
}, 60_000);

test("two mirrors do not use one folder", async () => {
  await start("locked");
  expect(start("locked")).rejects.toThrow("is used by another mirror of the same server");
}, 60_000);
