/** Tests whose reads are compared with another server: another Galley here, and servers that do not answer as one. */
import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { createGalley, type Galley, type GalleyOptions } from "../src/index.ts";
import { createPeer } from "../src/server/contract/peer.ts";
import { configFile, projectFolder, relation, typeFile } from "./project.ts";

const TOKEN = "token-of-the-other-server";
const TAG = "api::tag.tag";

/** As both servers have it; `tag` differs. */
const files = (tag: Parameters<typeof typeFile>[1]) => ({
  ...typeFile("tag", { name: { type: "string" }, parent: relation("manyToOne", "tag"), ...tag }),
  ...configFile({
    tokens: [
      { name: "editor", type: "full-access", key: TOKEN },
      { name: "reader", type: "read-only", key: "token-of-the-test" },
    ],
    users: [{ username: "ada", email: "ada@example.org", password: "secret of Ada" }],
  }),
});
const here = projectFolder(files({ color: { type: "string" }, size: { type: "integer" } }));
const alike = projectFolder(files({ color: { type: "string" }, size: { type: "integer" } }));
const other = projectFolder(files({ size: { type: "string" }, subtitle: { type: "string" } }));

/** `key`s are the same on both servers; document ids are not. */
const tags = (color: unknown, size: unknown) => [
  { key: "a", data: { name: "A", ...(color === undefined ? {} : { color }), size } },
  { key: "b", data: { name: "B", size, parent: "tags/a" } },
];
const CONTENT = { tags: tags("red", 1) };
const CHANGED = { tags: [...tags(undefined, "1"), { key: "c", data: { name: "C" } }] };

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
}

const servers: { stop: (now: boolean) => unknown }[] = [];
/** A server with this answer, and what it is asked for. */
function serve(answer: (request: Request) => Response | Promise<Response>): { url: string; received: Received[] } {
  const received: Received[] = [];
  const server = Bun.serve({
    port: 0,
    fetch: (request) => {
      const { pathname, search } = new URL(request.url);
      received.push({ method: request.method, url: pathname + search, headers: Object.fromEntries(request.headers) });
      return answer(request);
    },
  });
  servers.push(server);
  return { url: `http://localhost:${server.port}`, received };
}

let same: Galley;
let different: Galley;
let publicly: Galley;
beforeAll(async () => {
  same = await createGalley({ project: alike.root, content: CONTENT, seed: 2, environment: {} });
  publicly = await createGalley({ project: alike.root, content: CONTENT, seed: 3, publicRead: true, environment: {} });
  different = await createGalley({ project: other.root, content: CHANGED, publicRead: true, environment: {} });
});
afterAll(async () => {
  for (const galley of [same, different, publicly]) await galley.close();
  for (const server of servers) server.stop(true);
  for (const { remove } of [here, alike, other]) remove();
});
const printed = spyOn(console, "error");
afterEach(() => printed.mockReset());
afterAll(() => printed.mockRestore());

interface Compared {
  readonly lines: string[];
  /** What closing the project rejected with. */
  readonly failure: unknown;
}

/** Runs a test against another server. */
async function against(
  environment: Readonly<Record<string, string>>,
  work: (galley: Galley) => Promise<unknown>,
  options: Partial<GalleyOptions> = {},
): Promise<Compared> {
  printed.mockReset();
  printed.mockImplementation(() => {});
  const before = { ...process.env };
  Object.assign(process.env, environment);
  let galley: Galley;
  try {
    const all = { project: here.root, content: CONTENT, seed: 1, publicRead: true, environment: {}, ...options };
    galley = await createGalley(all);
  } finally {
    for (const name of Object.keys(environment)) delete process.env[name];
    Object.assign(process.env, before);
  }
  await work(galley);
  const failure = await galley.close().then(
    () => undefined,
    (error: unknown) => error,
  );
  return { lines: printed.mock.calls.map(([line]) => String(line)), failure };
}

const list = async (galley: Galley, path = "/api/tags?populate=*&sort=name") => {
  const response = await galley.fetch(path);
  return (await response.json()) as { data: { documentId: string; name: string }[] };
};

describe("a server that answers alike", () => {
  test("has other ids, times and addresses, and is asked for documents by its own ids", async () => {
    const { url, received } = serve((request) => publicly.handle(request));
    const { lines } = await against({ GALLEY_AGAINST: url }, async (galley) => {
      const { data } = await list(galley);
      await galley.fetch(`/api/tags/${data[1]!.documentId}?populate=parent`);
      await galley.fetch("/graphql", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query: `query Tag { tag(documentId: "${data[0]!.documentId}") { documentId name } }` }),
      });
      expect((await galley.fetch("/api/tags/none")).status).toBe(404);
    });
    expect(lines).toEqual([`galley: 4 requests compared with ${url}: all are answered alike`]);
    const ids = (await list(publicly)).data.map(({ documentId }) => documentId);
    const asked = received.map(({ method, url: path }) => `${method} ${path}`);
    expect(asked.sort()).toEqual(
      [
        "GET /api/tags?populate=*&sort=name",
        `GET /api/tags/${ids[1]}?populate=parent`,
        "GET /api/tags/none",
        "POST /graphql",
      ].sort(),
    );
  });

  test("is asked once for each request, and told from which tests it comes", async () => {
    const { url, received } = serve((request) => different.handle(request));
    const { lines } = await against({ GALLEY_AGAINST: url }, async (galley) => {
      await list(galley);
      await using branch = await galley.branch();
      await list(branch);
      await fetch(`${branch.serve()}/api/tags?populate=*&sort=name`);
    });
    expect(received).toHaveLength(1);
    expect(lines[1]).toMatch(
      /^ {2}GET \/api\/tags\?populate=\*&sort=name \(test\/contract\.test\.ts:\d+, over the port\)$/,
    );
  });
});

test("what differs is told by field, and how often", async () => {
  const { url } = serve((request) => different.handle(request));
  const { lines, failure } = await against({ GALLEY_AGAINST: url }, async (galley) => {
    await list(galley);
    await galley.fetch("/api/tags?fields=color");
  });
  expect(failure).toBeUndefined();
  expect(lines.filter((line) => !line.includes(".test.ts:"))).toEqual([
    `galley: 2 requests compared with ${url}: 2 are answered differently`,
    "    data.length: here 2, there 3",
    '    data[].color: here "red", there nothing (2 places)',
    '    data[].size: here 1, there "1" (2 places)',
    "    data[].subtitle: here nothing, there null (2 places)",
    '    data[].parent.color: here "red", there nothing',
    '    data[].parent.size: here 1, there "1"',
    "    data[].parent.subtitle: here nothing, there null",
    "    meta.pagination.total: here 2, there 3",
    "    status: here 200, there 400",
  ]);
});

describe("what is sent", () => {
  test("nothing that may write, nothing after a write, and nothing of signing in", async () => {
    const { url, received } = serve((request) => publicly.handle(request));
    const post = (galley: Galley, path: string, body: unknown) =>
      galley.fetch(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const { lines } = await against({ GALLEY_AGAINST: url }, async (galley) => {
      for (const path of ["/api/auth/local", "/api/tags"]) await post(galley, path, { data: {} });
      for (const query of [
        'mutation { deleteTag(documentId: "x") { documentId } }',
        "{",
        "query A { tags { name } } mutation B { x }",
      ])
        await post(galley, "/graphql", { query, operationName: "A" });
      await post(galley, "/graphql", [{ query: "{ tags { name } }" }]);
      await post(galley, "/graphql", { query: "{ tags { name } }", variables: { x: "y".repeat(200_000) } });
      await galley.fetch("/api/tags", { method: "HEAD" });
      for (const path of [
        "/api/auth/email-confirmation?confirmation=secret",
        "/api/Auth/x/callback?access_token=secret",
      ])
        await galley.fetch(path);
      for (const path of ["/api/%61uth/x?code=1", "/api//connect/x", "/api/%zz", "/uploads/a.png", "/galley/changes"])
        await galley.fetch(path);
      await using branch = await galley.branch();
      await galley.documents(TAG).create({ data: { name: "D" } });
      await list(galley);
      await using later = await galley.branch();
      await list(later);
      await galley.reset();
      await list(galley, "/api/tags?sort=name");
      const snapshot = await galley.snapshot();
      await galley.reset(snapshot);
      await list(galley, "/api/tags?sort=id");
      await branch.make("tag");
      await list(branch, "/api/tags?sort=color");
    });
    expect(received.map(({ url: path }) => path)).toEqual(["/api/tags?sort=name"]);
    expect(lines[0]).toContain("1 request compared");
    expect(lines.slice(1).sort()).toEqual([
      "  not compared: 4 after a write",
      "  not compared: 7 of other paths",
      "  not compared: 8 that may write",
    ]);
  });

  test("nothing that is answered as not modified", async () => {
    const { url, received } = serve((request) => publicly.handle(request));
    const { lines } = await against({ GALLEY_AGAINST: url }, async (galley) => {
      const etag = (await galley.fetch("/api/tags?sort=name")).headers.get("etag") ?? "";
      const headers = { "if-none-match": etag };
      expect((await galley.fetch("/api/tags?sort=name", { headers })).status).toBe(304);
    });
    expect(received).toHaveLength(1);
    expect(lines[1]).toBe("  not compared: 1 that were not modified (304)");
  });

  test("nothing that a failure of the test answers", async () => {
    const { url, received } = serve((request) => publicly.handle(request));
    const { lines } = await against({ GALLEY_AGAINST: url }, async (galley) => {
      await galley.fail({ path: "/api/*", status: 503, times: 1 });
      expect((await galley.fetch("/api/tags")).status).toBe(503);
    });
    expect(received).toEqual([]);
    expect(lines).toEqual([
      `galley: no request was compared with ${url}`,
      "  not compared: 1 that a failure of the test answered",
    ]);
  });

  test("credentials of the test never, the token of the other server instead of a token only", async () => {
    const { url, received } = serve((request) => same.handle(request));
    const requests = async (galley: Galley) => {
      await galley.fetch("/api/tags?fields=name");
      await galley.as("full-access").fetch("/api/tags?sort=name", { headers: { cookie: "secret=1", "x-secret": "2" } });
      await galley.as("reader").fetch("/api/tags?sort=size");
      await galley.as("authenticated").fetch("/api/users/me");
    };
    const options = { publicRead: false };
    const none = await against({ GALLEY_AGAINST: url }, requests, options);
    expect(received.map(({ url: path, headers }) => [path, headers.authorization])).toEqual([
      ["/api/tags?fields=name", undefined],
    ]);
    expect(none.lines).toContain("  not compared: 2 with a token, while GALLEY_AGAINST_TOKEN gives none");
    expect(none.lines).toContain("  not compared: 1 as a user, whose credentials are not sent");
    received.length = 0;
    const { lines } = await against({ GALLEY_AGAINST: url, GALLEY_AGAINST_TOKEN: TOKEN }, requests, options);
    expect(lines[0]).toContain("3 requests compared");
    expect(lines[0]).toContain("all are answered alike");
    expect(received.map(({ url: path, headers }) => [path, headers.authorization]).sort()).toEqual([
      ["/api/tags?fields=name", undefined],
      ["/api/tags?sort=name", `Bearer ${TOKEN}`],
      ["/api/tags?sort=size", `Bearer ${TOKEN}`],
    ]);
    for (const { headers } of received)
      expect(Object.keys(headers).filter((name) => /cookie|secret|site/.test(name))).toEqual([]);
    expect(lines.join()).not.toContain(TOKEN);
  });
});

const BIG = 11_000_000;
const json = (body: ConstructorParameters<typeof Response>[0], headers = {}): Response =>
  new Response(body, { headers: { "content-type": "application/json; charset=utf-8", ...headers } });
const hostile: Readonly<Record<string, readonly [answer: () => Response | Promise<Response>, told: string]>> = {
  "a redirect": [() => new Response(null, { status: 302, headers: { location: "/api/other" } }), "redirects (302)"],
  "a huge answer": [() => json(`"${"x".repeat(BIG)}"`), "more than 10 MB"],
  "an endless answer": [
    () => json(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) })),
    "more than 10 MB",
  ],
  "a compressed bomb": [
    () => json(Bun.gzipSync(new Uint8Array(BIG * 10)), { "content-encoding": "gzip" }),
    "more than 10 MB",
  ],
  "another compression": [() => json("{}", { "content-encoding": "zstd" }), "another compression than gzip: zstd"],
  "damaged compression": [() => json("{}", { "content-encoding": "gzip" }), "breaks off"],
  "deep nesting": [() => json("[".repeat(100_000) + "]".repeat(100_000)), "200 levels"],
  "a rate limit": [() => new Response("{}", { status: 429 }), "answers 429"],
  "no JSON": [() => json("<html>"), "there nothing"],
  "a stream that is not JSON": [
    () => new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(9)) })),
    "there nothing",
  ],
  "control characters": [
    () => Response.json({ data: [], "\u001b[31m": "\u009b31m", ["k".repeat(5_000)]: 1, meta: {} }),
    "\\u009b31m",
  ],
};

describe("a server that is hostile, slow or gone", () => {
  test.each(Object.keys(hostile))("%s is told, and the test is not affected", async (name) => {
    const [answer, told] = hostile[name]!;
    const { url, received } = serve(answer);
    const { lines, failure } = await against({ GALLEY_AGAINST: url }, async (galley) => {
      expect((await list(galley)).data).toHaveLength(2);
    });
    expect(failure).toBeUndefined();
    expect(received).toHaveLength(1);
    expect(lines.join("\n")).toContain(told);
    expect(lines.join("\n").length).toBeLessThan(3_000);
    for (const control of ["\u001b", "\u009b"]) expect(lines.join("")).not.toContain(control);
  });

  test("is not asked any more after three failures", async () => {
    const { url, received } = serve(() => new Response("{}", { status: 503 }));
    const { lines } = await against({ GALLEY_AGAINST: url }, async (galley) => {
      for (let page = 1; page <= 20; page++) {
        await list(galley, `/api/tags?pagination[page]=${page}`);
        await Bun.sleep(2);
      }
    });
    expect(received.length).toBeLessThanOrEqual(6);
    expect(lines[0]).toContain("no request was compared");
    expect(lines.join("\n")).toContain("is no longer asked");
  });

  test.each([
    ["its answer", () => new Promise<Response>(() => {})],
    [
      "the rest of its answer",
      () => json(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) })),
    ],
  ])("that is slow with %s is waited for for a limited time", async (_name, answer) => {
    const { url } = serve(answer);
    const asked = createPeer(url, undefined, 50).ask({ path: "/api/tags", hasToken: false });
    await expect(asked).rejects.toThrow("does not answer within 0.05 seconds");
  });

  test("that does not exist fails tests only if it must answer alike", async () => {
    const environment = { GALLEY_AGAINST: "http://localhost:1" };
    const lenient = await against(environment, list);
    expect(lenient.failure).toBeUndefined();
    expect(lenient.lines[1]).toContain("cannot be reached");
    const strict = await against({ ...environment, GALLEY_AGAINST_STRICT: "1" }, list);
    expect(String(strict.failure)).toContain("cannot be reached");
    const { url } = serve((request) => publicly.handle(request));
    const fine = await against({ GALLEY_AGAINST: url, GALLEY_AGAINST_STRICT: "1" }, list);
    expect(fine.failure).toBeUndefined();
    const { url: otherUrl } = serve((request) => different.handle(request));
    const broken = await against({ GALLEY_AGAINST: otherUrl, GALLEY_AGAINST_STRICT: "1" }, list);
    expect(String(broken.failure)).toContain("data.length: here 2, there 3");
  });

  test("an invalid address is refused at once", async () => {
    await expect(against({ GALLEY_AGAINST: "file:///etc/passwd" }, list)).rejects.toThrow("is not the address");
  });
});
