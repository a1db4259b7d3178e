/** What Next.js is asked to keep, and what webhooks make it forget. */
import { describe, expect, test } from "bun:test";
import { createReader, draftRoute, revalidateRoute } from "../../src/loaders/next.ts";
import { coarsen } from "../../src/loaders/tags.ts";
import { call, create, kinds, siteServer } from "./site-server.ts";

const articles = { type: "api::article.article", path: "articles", populate: { author: true } } as const;

interface Article {
  readonly title: string;
  readonly documentId: string;
  readonly author: { readonly name: string } | null;
}

const SECRET = "a secret of the webhook";

function webhook(body: unknown, headers: Record<string, string> = {}): Request {
  const init = {
    method: "POST",
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${SECRET}`, ...headers },
  };
  return new Request("http://localhost/api/revalidate", init);
}

/** The tags of Next's cache that a request's handler revalidates. */
async function revalidated(request: Request): Promise<{ status: number; tags: string[] }> {
  const tags: string[] = [];
  const { status } = await revalidateRoute({ secret: SECRET, revalidateTag: (tag) => void tags.push(tag) })(request);
  return { status, tags };
}

const publish = (documentId: string) => ({
  event: "entry.publish",
  model: "article",
  uid: "api::article.article",
  entry: { documentId },
});

describe.each(kinds)("from %s", (kind) => {
  test("lists, documents and single types are read, each with tags", async () => {
    await using server = await siteServer(kind);
    const id = await create(server, "articles", {
      title: "one",
      author: await create(server, "authors", { name: "Ada" }),
    });
    const reader = createReader<Article>({ ...server, ...articles });
    const list = await reader.find({ filters: { title: { $eq: "one" } } });
    expect(list).toMatchObject({
      data: [{ documentId: id, author: { name: "Ada" } }],
      meta: { pagination: { total: 1 } },
    });
    const { page, pageCount }: { page: number; pageCount: number } = list.meta.pagination;
    expect([page, pageCount]).toEqual([1, 1]);
    const slice = await reader.find<{ start: number }>({ pagination: { start: 0, limit: 5 } });
    expect(slice.meta.pagination.start).toBe(0);
    expect(list.tags).toContain("all");
    expect((await reader.findOne(id)).data?.title).toBe("one");
    expect((await reader.findOne("none")).data).toBeNull();
    await call(server, "PUT", `articles/${id}?status=draft`, { title: "draft" });
    expect((await reader.findOne(id, {}, { draft: true })).data?.title).toBe("draft");
    const homepage = createReader({ ...server, type: "api::homepage.homepage", path: "homepage" });
    expect((await homepage.findSingle()).data).toBeNull();
    await call(server, "PUT", "homepage", { text: "hello" });
    expect((await homepage.findSingle()).data).toMatchObject({ text: "hello" });
    await expect(reader.find({ sort: "nothing" })).rejects.toMatchObject({ name: "RequestError", status: 400 });
  });

  test("fetch is told what to keep an answer by", async () => {
    await using server = await siteServer(kind);
    const id = await create(server, "articles", { title: "one" });
    const reader = createReader({ ...server, ...articles });
    const { fetch } = globalThis;
    const kept: unknown[] = [];
    globalThis.fetch = Object.assign((url: URL, init: RequestInit & { next?: unknown }) => {
      kept.push([init.cache, init.next, init.signal]);
      return fetch(url, init);
    }, fetch);
    try {
      await reader.find();
      await reader.findOne(id);
      await reader.find({}, { cache: "none" });
      await reader.find({}, { draft: true });
    } finally {
      globalThis.fetch = fetch;
    }
    expect(kept).toEqual([
      ["force-cache", { tags: ["all", "article", "populated"] }, null],
      ["force-cache", { tags: ["all", `article:${id}`, "populated"] }, null],
      [undefined, undefined, null],
      ["no-store", undefined, null],
    ]);
  });
});

test("tags of a server's own code are not taken for what an answer depends on", async () => {
  using server = Bun.serve({
    port: 0,
    fetch: () => Response.json({ data: [] }, { headers: { "cache-tag": "mine" } }),
  });
  const { tags } = await createReader({ ...articles, url: server.url.origin }).find({}, { cache: "none" });
  expect(tags).toEqual(["all", "article", "populated"]);
});

test("a webhook of Galley names what is stale, and requests that do not know their answer's tags follow", async () => {
  const { tags } = await revalidated(
    webhook(publish("a1"), { "cache-tag": "article:a1:en,article.title,author:b2:links" }),
  );
  expect(tags).toEqual(
    expect.arrayContaining([
      "article:a1:en",
      "article.title",
      "author:b2:links",
      "article",
      "article:a1",
      "author",
      "populated",
    ]),
  );
  expect((await revalidated(webhook(publish("a1"), { "cache-tag": "article:a1:en:draft" }))).tags).toEqual([
    "article:a1:en:draft",
  ]);
});

test("a webhook of Strapi revalidates the type, the document, and what may show it", async () => {
  expect(await revalidated(webhook(publish("a1")))).toEqual({
    status: 200,
    tags: ["article", "article:a1", "populated"],
  });
  const media = { event: "media.update", media: { id: 1, documentId: "f1" } };
  expect((await revalidated(webhook(media))).tags).toEqual(["media", "media:f1", "populated"]);
  expect(await revalidated(webhook({ event: "trigger-test" }))).toEqual({ status: 200, tags: [] });
});

test("requests without the secret, and those that are no events, revalidate nothing", async () => {
  const refused = { tags: [] as string[] };
  expect(await revalidated(webhook(publish("a1"), { authorization: "Bearer other" }))).toEqual({
    status: 401,
    ...refused,
  });
  expect(await revalidated(webhook(publish("a1"), { authorization: SECRET }))).toEqual({ status: 401, ...refused });
  expect(await revalidated(webhook([]))).toEqual({ status: 400, ...refused });
  const text = new Request("http://localhost/", {
    method: "POST",
    body: "{",
    headers: { authorization: `Bearer ${SECRET}` },
  });
  expect(await revalidated(text)).toEqual({ status: 400, ...refused });
  const request = webhook(publish("a1"), { authorization: "Bearer " });
  expect((await revalidateRoute({ secret: "", revalidateTag: () => {} })(request)).status).toBe(401);
  // a variable of the environment that is not set
  const missing = { secret: undefined as unknown as string };
  const guess = new Request("http://site/", {
    method: "POST",
    headers: { authorization: "Bearer undefined" },
    body: "{}",
  });
  expect((await revalidateRoute({ ...missing, revalidateTag: () => {} })(guess)).status).toBe(401);
  const draftMode = () => Promise.reject(new Error("is not reached"));
  expect((await draftRoute({ ...missing, draftMode })(new Request("http://site/?secret=undefined"))).status).toBe(401);
});

test("tags beyond what cacheTag takes become those of their types", () => {
  const many = Array.from({ length: 200 }, (_, index) => `article:${index}:en`);
  expect(coarsen(["all", "author:b2", ...many], 128)).toEqual(["all", "author", "article"]);
  expect(coarsen(["all", "author:b2"], 128)).toEqual(["all", "author:b2"]);
});

describe("the preview's route", () => {
  const open = async (query: string): Promise<{ status: number; location: string | null; mode: string }> => {
    let mode = "unchanged";
    const draftMode = async () => ({
      enable: () => {
        mode = "enabled";
      },
      disable: () => {
        mode = "disabled";
      },
    });
    const response = await draftRoute({ secret: SECRET, draftMode })(
      new Request(`http://localhost/api/preview?${query}`),
    );
    return { status: response.status, location: response.headers.get("location"), mode };
  };
  const secret = `secret=${encodeURIComponent(SECRET)}`;

  test("goes on to the page, with drafts or without", async () => {
    expect(await open(`${secret}&url=/articles/x?a=b&status=draft`)).toEqual({
      status: 307,
      location: "/articles/x?a=b",
      mode: "enabled",
    });
    expect(await open(`${secret}&url=/articles/x&status=published`)).toMatchObject({ status: 307, mode: "disabled" });
    expect(await open(secret)).toMatchObject({ status: 307, location: "/" });
  });

  test("goes on to a path with any letters", async () => {
    const path = (url: string) => open(`${secret}&url=${encodeURIComponent(url)}`);
    expect((await path("/記事/a b?q=é")).location).toBe("/%E8%A8%98%E4%BA%8B/a%20b?q=%C3%A9");
    expect((await path("/%C3%A9")).location).toBe("/%C3%A9");
  });

  test.each(["//evil.example", "/\\evil.example", "https://evil.example", "/\t/evil.example", "articles", "/a\nb"])(
    "leads to no other site: %j",
    async (url) => {
      expect(await open(`${secret}&url=${encodeURIComponent(url)}`)).toEqual({
        status: 400,
        location: null,
        mode: "unchanged",
      });
    },
  );

  test("needs its secret", async () => {
    expect(await open("url=/x")).toMatchObject({ status: 401, mode: "unchanged" });
    expect(await open("secret=other&url=/x")).toMatchObject({ status: 401, mode: "unchanged" });
  });
});
