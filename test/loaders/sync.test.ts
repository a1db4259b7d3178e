import { describe, expect, test } from "bun:test";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readAll, type Source } from "../../src/loaders/documents.ts";
import type { Document } from "../../src/loaders/stamps.ts";
import { sync } from "../../src/loaders/sync.ts";
import { Random } from "../random.ts";
import { call, create, type Kind, type SiteServer, siteServer } from "./site-server.ts";

const articles: Source = {
  type: "api::article.article",
  path: "articles",
  populate: { author: true, tags: { sort: "name" }, seo: { populate: { author: true } } },
};

/** What a loader keeps. */
class Copy {
  readonly documents = new Map<string, Document>();
  readonly #server: SiteServer;
  readonly #source: Source;
  #state: string | undefined;

  constructor(server: SiteServer, source: Source) {
    this.#server = server;
    this.#source = source;
  }

  /** Returns the keys of what came and what went. */
  async sync(server = this.#server): Promise<{ came: string[]; went: readonly string[] }> {
    const { documents, removed, state } = await sync(server, this.#source, this.#state);
    this.#state = state;
    for (const [key, document] of documents) this.documents.set(key, document);
    for (const key of removed) this.documents.delete(key);
    return { came: [...documents.keys()], went: removed };
  }
}

const listed = (requests: readonly string[]): string[] =>
  requests.filter((path) => path.startsWith("/api/")).map((path) => path.split("?")[0]!);

test("a server that ends within an answer is named", async () => {
  const cut = createServer((_request, response) => {
    response.writeHead(200, { "content-length": "1000" });
    response.write('{"data": [', () => response.destroy());
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  cut.listen(0, resolve);
  await promise;
  const url = `http://localhost:${(cut.address() as AddressInfo).port}`;
  try {
    await expect(sync({ url, token: "any" }, articles, undefined)).rejects.toThrow(`${url} cannot be reached`);
  } finally {
    cut.close();
  }
});

test("a server that cannot be reached is named, and what names another one", async () => {
  await expect(sync({ url: "http://127.0.0.1:9", token: "any" }, articles, undefined)).rejects.toThrow(
    "http://127.0.0.1:9 cannot be reached; STRAPI_URL, or the option url, names the server",
  );
});

describe.each(["Galley", "Strapi"] as const)("from %s", (kind: Kind) => {
  test("what is new, changed and gone comes with the next build, and what was not written does not", async () => {
    await using server = await siteServer(kind);
    const source: Source = { type: "api::article.article", path: "articles" };
    const copy = new Copy(server, source);
    const [one, two, three] = [
      await create(server, "articles", { title: "one" }),
      await create(server, "articles", { title: "two" }),
      await create(server, "articles", { title: "three" }),
    ];
    expect((await copy.sync()).came.sort()).toEqual([one, two, three].sort());
    expect(await copy.sync()).toEqual({ came: [], went: [] });
    await call(server, "PUT", `articles/${one}`, { title: "uno" });
    await call(server, "DELETE", `articles/${two}`);
    const four = await create(server, "articles", { title: "four" });
    const { came, went } = await copy.sync();
    expect(came.sort()).toEqual([one, four].sort());
    expect(went).toEqual([two]);
    expect([...copy.documents.values()].map(({ title }) => title).sort()).toEqual(["four", "three", "uno"]);
  });

  test("what is published again without a change comes, too, since it has another id", async () => {
    await using server = await siteServer(kind);
    const tag = await create(server, "tags", { name: "fog" });
    const article = await create(server, "articles", { title: "one", tags: [tag] });
    const copy = new Copy(server, articles);
    await copy.sync();
    for (const [type, documentId] of [
      ["article", article],
      ["tag", tag],
    ] as const) {
      const documents = server.app.documents(`api::${type}.${type}`);
      await documents.unpublish({ documentId });
      await documents.publish({ documentId });
      expect((await copy.sync()).came).toEqual([article]);
    }
    expect([...copy.documents.values()]).toEqual([...(await readAll(server, articles)).documents.values()]);
  });

  test("another source begins anew, and another server's documents replace those of the first", async () => {
    await using server = await siteServer(kind);
    const id = await create(server, "articles", { title: "one", author: await create(server, "authors", {}) });
    const { state } = await sync(server, articles, undefined);
    const again = await sync(server, { ...articles, populate: undefined }, state);
    expect(again.documents.get(id)).not.toHaveProperty("author");
    expect((await sync(server, articles, state)).documents.size).toBe(0);
    await using other = await siteServer(kind);
    const copy = new Copy(server, articles);
    await copy.sync();
    const there = await create(other, "articles", { title: "there" });
    expect(await copy.sync(other)).toEqual({ came: [there], went: [id] });
  });

  test("what another source had, and this one has not, is removed", async () => {
    await using server = await siteServer(kind);
    const published = await create(server, "articles", { title: "one" });
    const draft = await create(server, "articles?status=draft", { title: "two" });
    const { documents, state } = await sync(server, { ...articles, status: "draft" }, undefined);
    expect([...documents.keys()].sort()).toEqual([published, draft].sort());
    const { documents: left, removed } = await sync(server, articles, state);
    expect([[...left.keys()], removed]).toEqual([[published], [draft]]);
  });

  test("a single type", async () => {
    await using server = await siteServer(kind);
    const source: Source = { type: "api::homepage.homepage", path: "homepage", single: true };
    const copy = new Copy(server, source);
    expect(await copy.sync()).toEqual({ came: [], went: [] });
    await call(server, "PUT", "homepage", { text: "hello" });
    expect((await copy.sync()).came).toHaveLength(1);
    await call(server, "DELETE", "homepage");
    expect((await copy.sync()).went).toHaveLength(1);
  });

  test("a single type is asked for as one", async () => {
    await using server = await siteServer(kind);
    await call(server, "PUT", "homepage", { text: "hello" });
    const source: Source = { type: "api::homepage.homepage", path: "homepage" };
    await expect(sync(server, source, undefined)).rejects.toThrow("single: true");
  });

  test("lists that the server cuts are read on, with the versions of a document on two pages", async () => {
    await using server = await siteServer(kind, 2);
    const ids: string[] = [];
    for (let number = 0; number < 7; number++) {
      const id = await create(server, "articles", { title: `${number}` });
      if (number % 2 === 0) await call(server, "PUT", `articles/${id}?locale=fr`, { title: `fr ${number}` });
      ids.push(id);
    }
    const { documents } = await readAll(server, articles);
    expect([...documents.keys()]).toEqual(ids.toSorted());
    await expect(readAll(server, { ...articles, locale: "*" })).rejects.toThrow("too short");
    await using larger = await siteServer(kind, 3);
    for (const title of ["one", "two", "three"]) {
      const id = await create(larger, "articles", { title });
      await call(larger, "PUT", `articles/${id}?locale=fr`, { title: `${title} fr` });
    }
    expect((await readAll(larger, { ...articles, locale: "*" })).documents.size).toBe(6);
  });

  test.each([
    ["what is published", {}],
    ["drafts", { status: "draft" }],
    ["all locales", { locale: "*" }],
    ["a locale", { locale: "fr" }],
    ["attributes by a list", { populate: ["author", "tags"] }],
    ["everything", { populate: "*" }],
    ["some fields", { fields: ["title"] }],
    ["nested conditions", { populate: { tags: { filters: { name: { $contains: "1" } } } } }],
  ] as const)("after random writes, a copy is what a full build reads: %s", async (_name, options) => {
    await using server = await siteServer(kind);
    const random = new Random(35);
    const source: Source = { ...articles, ...(options as Partial<Source>) };
    const copy = new Copy(server, source);
    const ids: Record<"articles" | "authors" | "tags", string[]> = { articles: [], authors: [], tags: [] };
    const some = (path: keyof typeof ids): string | null =>
      random.chance(0.2) ? null : (random.pick(ids[path]) ?? null);
    const status = (): string => (random.chance(0.3) ? "?status=draft" : "");
    const article = () => ({
      title: `${random.below(10)}`,
      author: some("authors"),
      tags: [some("tags"), some("tags")].filter((id) => id !== null),
      seo: { title: `${random.below(10)}`, author: some("authors") },
    });
    const writes = [
      async () =>
        void ids.authors.push(
          await create(server, "authors", {
            name: `${random.below(10)}`,
            articles: [some("articles")].filter(Boolean),
          }),
        ),
      async () => void ids.tags.push(await create(server, `tags${status()}`, { name: `${random.below(30)}` })),
      async () => void ids.articles.push(await create(server, `articles${status()}`, article())),
      async () => ids.articles[0] && call(server, "PUT", `articles/${random.pick(ids.articles)}${status()}`, article()),
      async () => ids.articles[0] && call(server, "PUT", `articles/${random.pick(ids.articles)}?locale=fr`, article()),
      async () =>
        ids.authors[0] &&
        call(server, "PUT", `authors/${random.pick(ids.authors)}`, { articles: [some("articles")].filter(Boolean) }),
      async () =>
        ids.authors[0] && call(server, "PUT", `authors/${random.pick(ids.authors)}`, { name: `${random.below(10)}` }),
      async () =>
        ids.tags[0] && call(server, "PUT", `tags/${random.pick(ids.tags)}${status()}`, { name: `${random.below(30)}` }),
      async () => {
        const path = random.pick(["articles", "authors", "tags"] as const);
        const id = random.chance(0.3) ? random.pick(ids[path]) : undefined;
        if (id === undefined) return;
        ids[path] = ids[path].filter((other) => other !== id);
        await call(server, "DELETE", `${path}/${id}`);
      },
    ];
    for (let round = 0; round < 25; round++) {
      for (let write = random.below(4); write >= 0; write--) await random.pick(writes)();
      await copy.sync();
      const { documents } = await readAll(server, source);
      expect(Object.fromEntries(copy.documents)).toEqual(Object.fromEntries(documents));
    }
  });
});

test("one of many: Galley is asked twice, whatever the number of documents", async () => {
  await using server = await siteServer("Galley");
  const ids: string[] = [];
  for (let number = 0; number < 250; number++) ids.push(await create(server, "articles", { title: `${number}` }));
  const source: Source = { type: "api::article.article", path: "articles" };
  const copy = new Copy(server, source);
  await copy.sync();
  expect(listed(server.requests())).toHaveLength(3);
  await call(server, "PUT", `articles/${ids[100]}`, { title: "edited" });
  expect(await copy.sync()).toEqual({ came: [ids[100]!], went: [] });
  expect(server.requests().map((path) => path.split("?")[0])).toEqual(["/galley/changes", "/api/articles"]);
  await copy.sync();
  expect(server.requests()).toHaveLength(1);
});

test("what shows an edited document comes with the second request", async () => {
  await using server = await siteServer("Galley");
  const [ada, grace] = [
    await create(server, "authors", { name: "Ada" }),
    await create(server, "authors", { name: "Grace" }),
  ];
  const one = await create(server, "articles", { title: "one", author: ada });
  const two = await create(server, "articles", { title: "two", author: grace });
  await create(server, "articles", { title: "three" });
  const copy = new Copy(server, articles);
  await copy.sync();
  const asked = (): string[] => server.requests().map((path) => path.split("?")[0]!);
  asked();
  await call(server, "PUT", `authors/${ada}`, { name: "Ada L." });
  expect((await copy.sync()).came).toEqual([one]);
  expect(asked()).toEqual(["/galley/changes", "/api/articles"]);
  // only the author is written, and the article has another one then
  await call(server, "PUT", `authors/${ada}`, { articles: [two] });
  expect((await copy.sync()).came.sort()).toEqual([one, two].sort());
  expect(asked()).toEqual(["/galley/changes", "/api/articles"]);
});
