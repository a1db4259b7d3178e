/** Bad input of every kind: always a refusal in the envelope, quickly, and the process stays as it is. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Galley } from "../../../src/index.ts";
import { quickest, threadTime } from "../../processor-time.ts";
import { conformanceApp, FULL, type TestApp } from "../../project.ts";
import { Random } from "../../random.ts";

const SEED = 20_261_121;
const REQUESTS = 5_000;
/** Those who are busy with other tests take a few times as long as alone: 30 ms. */
const LIMIT_MS = 250;

let app: TestApp;
beforeAll(async () => {
  app = await conformanceApp();
});
afterAll(() => app.close());

interface Outcome {
  readonly status: number;
  readonly ms: number;
  readonly text: string;
}

async function send(galley: Galley, request: Request): Promise<Outcome> {
  const start = threadTime();
  const response = await galley.handle(request);
  const text = await response.text();
  return { status: response.status, ms: threadTime() - start, text };
}

const post = (path: string, body: string, type = "application/json"): Request =>
  new Request(`http://localhost${path}`, { method: "POST", headers: { ...FULL, "content-type": type }, body });
const get = (path: string): Request => new Request(`http://localhost${path}`, { headers: FULL });

function expectRefusal({ status, text }: Outcome): void {
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  const { data, error } = JSON.parse(text);
  expect(data).toBeNull();
  expect(error).toMatchObject({ status, name: expect.any(String), message: expect.any(String) });
}

describe("a request that no client should send is refused", () => {
  const nested = (open: string, close: string, depth = 10_000) => open.repeat(depth) + close.repeat(depth);
  const cases: Readonly<Record<string, () => Request>> = {
    "malformed JSON": () => post("/api/tags", '{"data":{"label":'),
    "a body of 20 MB": () => post("/api/tags", JSON.stringify({ data: { label: "x".repeat(20_000_000) } })),
    "10,000 nested lists": () => post("/api/products", `{"data":{"name":"deep","attributesJson":${nested("[", "]")}}}`),
    "10,000 nested objects": () =>
      post("/api/products", `{"data":{"name":"deep","attributesJson":${nested('{"a":', "}").replace(":}", ":1}")}}}`),
    "10,000 nested brackets in a query": () => get(`/api/tags?filters${"[a]".repeat(10_000)}=1`),
    "5,000 parameters": () =>
      get(`/api/tags?${Array.from({ length: 5_000 }, (_, i) => `filters[label][$in][]=${i}`).join("&")}`),
    "a list of 1,001 values": () =>
      get(
        `/api/tags?${Array.from({ length: 999 }, (_, i) => `filters[label][$in][${i + 5}]=${i}`).join("&")}&filters[label][$in][1500]=1`,
      ),
    "a NUL byte in a text": () => post("/api/tags", JSON.stringify({ data: { label: "a\0b" } })),
    "a lone surrogate in a text": () => post("/api/tags", '{"data":{"label":"a\\ud800b"}}'),
    "a NUL byte in a filter": () => get("/api/tags?filters[label]=a%00b"),
    "a populate of 200 levels": () => get(`/api/categories?populate=${Array(200).fill("parent").join(".")}`),
    "a sort through 200 relations": () => get(`/api/categories?sort=${Array(200).fill("parent").join(".")}.name`),
    "a body that is not compressed as it says": () =>
      new Request("http://localhost/api/tags", {
        method: "POST",
        headers: { ...FULL, "content-type": "application/json", "content-encoding": "gzip" },
        body: "{}",
      }),
    "a body that decompresses to 50 MB": () =>
      new Request("http://localhost/api/tags", {
        method: "POST",
        headers: { ...FULL, "content-type": "application/json", "content-encoding": "gzip" },
        body: Bun.gzipSync(new Uint8Array(50_000_000).fill(32)),
      }),
    "multipart without a boundary": () => post("/api/tags", "x", "multipart/form-data"),
  };
  for (const [name, request] of Object.entries(cases)) {
    test(name, async () => {
      const ms = await quickest(LIMIT_MS, async () => {
        const outcome = await send(app, request());
        expectRefusal(outcome);
        return outcome.ms;
      });
      expect(ms).toBeLessThan(LIMIT_MS);
    });
  }
});

/** Values of every type that JSON has, and some that texts can hide. */
function value(random: Random, depth = 0): unknown {
  const simple = [
    () => null,
    () => random.chance(0.5),
    () => random.below(1e9) - 5e8,
    () => random.next() * 1e20,
    () => -0,
    () => "",
    () => "text",
    () => "x".repeat(random.below(2_000)),
    () => "\0",
    () => "\ud800",
    () => "2024-02-30T25:61:61Z",
    () => "99999999999999999999999999",
    () => "'; DROP TABLE tags; --",
    () => '"',
    () => "__proto__",
    () => "%",
  ];
  if (depth > 3 || random.chance(0.7)) return random.pick(simple)();
  if (random.chance(0.5)) return Array.from({ length: random.below(4) }, () => value(random, depth + 1));
  const keys = [
    "id",
    "documentId",
    "connect",
    "set",
    "disconnect",
    "__component",
    "name",
    "label",
    "$eq",
    "$in",
    "position",
    "before",
    "a",
  ];
  return Object.fromEntries(
    Array.from({ length: random.below(4) }, () => [random.pick(keys), value(random, depth + 1)]),
  );
}

const attributes = {
  products: [
    "name",
    "sku",
    "description",
    "markdown",
    "story",
    "price",
    "weight",
    "stock",
    "barcode",
    "available",
    "contact",
    "password",
    "condition",
    "releaseDate",
    "soldAt",
    "opensAt",
    "attributesJson",
    "code",
    "images",
    "manual",
    "dimensions",
    "parts",
    "blocksZone",
  ],
  articles: [
    "title",
    "slug",
    "content",
    "kind",
    "views",
    "publishDate",
    "metadata",
    "author",
    "category",
    "tags",
    "related",
    "cover",
    "seo",
    "links",
    "sections",
  ],
} as const;

const operators = [
  "$eq",
  "$ne",
  "$in",
  "$notIn",
  "$lt",
  "$gte",
  "$between",
  "$contains",
  "$containsi",
  "$startsWith",
  "$endsWithi",
  "$null",
  "$not",
  "$and",
  "$or",
  "$EQ",
  "$where",
  "",
];

function query(random: Random, names: readonly string[]): string {
  const parts = Array.from({ length: 1 + random.below(4) }, () => {
    const name = random.pick([...names, "id", "createdBy", "locale", "nope", "__proto__", "constructor"]);
    const text = encodeURIComponent(String(value(random, 9)).toWellFormed());
    return random.pick([
      () => `filters[${name}]=${text}`,
      () => `filters[${name}][${random.pick(operators)}]=${text}`,
      () => `filters[$or][${random.below(3)}][${name}][${random.pick(operators)}][${random.below(120)}]=${text}`,
      () => `sort=${name}:${text}`,
      () => `sort[${random.below(3)}][${name}]=${text}`,
      () => `fields[${random.below(3)}]=${name}`,
      () => `populate[${name}][${random.pick(["populate", "fields", "filters", "sort", "on", "count", "x"])}]=${text}`,
      () => `populate=${name}.${text}`,
      () => `pagination[${random.pick(["page", "pageSize", "start", "limit", "withCount"])}]=${text}`,
      () => `_q=${text}`,
      () => `status=${text}&locale=${text}`,
      () => `publicationFilter=${text}`,
    ])();
  });
  return parts.join("&");
}

function randomRequest(random: Random): Request {
  const type = random.pick(["products", "articles"] as const);
  const names = attributes[type];
  if (random.chance(0.5)) return get(`/api/${type}?${query(random, names)}`);
  const data = Object.fromEntries(
    Array.from({ length: 1 + random.below(5) }, () => [random.pick(names), value(random)]),
  );
  const body = JSON.stringify({ data });
  const broken = random.chance(0.1) ? body.slice(0, random.below(body.length)) : body;
  return post(`/api/${type}${random.chance(0.3) ? `?${query(random, names)}` : ""}`, broken);
}

test(`${REQUESTS} generated requests (seed ${SEED}) are answered or refused, never with a failure, and leave no growth`, async () => {
  const random = new Random(SEED);
  const slow: string[] = [];
  const failed: string[] = [];
  Bun.gc(true);
  const before = process.memoryUsage().rss;
  for (let index = 0; index < REQUESTS; index++) {
    const request = randomRequest(random);
    const shown = `${index}: ${request.method} ${request.url.slice(0, 300)}`;
    const again = request.clone() as Request;
    const outcome = await send(app, request);
    if (outcome.status >= 500) failed.push(shown);
    else if (outcome.status >= 400) expectRefusal(outcome);
    // a hash of a password takes its time by design
    if (outcome.ms > LIMIT_MS && outcome.status >= 400) {
      const ms = await quickest(LIMIT_MS, async () => (await send(app, again.clone() as Request)).ms);
      if (ms > LIMIT_MS) slow.push(`${shown} ${ms.toFixed(0)} ms`);
    }
  }
  Bun.gc(true);
  expect(failed).toEqual([]);
  expect(slow).toEqual([]);
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
}, 120_000);

test("what was refused has written nothing that cannot be read", async () => {
  for (const path of [
    "/api/products?populate=*&pagination[pageSize]=5000",
    "/api/articles?populate=*&status=draft&locale=*&pagination[pageSize]=5000",
  ]) {
    expect((await app.call("GET", path)).status).toBe(200);
  }
});
