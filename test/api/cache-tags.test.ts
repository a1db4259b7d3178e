/** Cache tags of answers: what they name, for which documents, and what they do not tell. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ADMIN, componentFile, configFile, relation, type TestApp, testApp, typeFile } from "../project.ts";

const ARTICLE = "api::article.article";
const AUTHOR = "api::author.author";

const files = {
  ...typeFile(
    "article",
    {
      title: { type: "string", pluginOptions: { i18n: { localized: true } } },
      slug: { type: "string" },
      body: { type: "richtext" },
      note: { type: "string", private: true },
      author: { ...relation("manyToOne", "author"), inversedBy: "articles" },
      seo: { type: "component", component: "shared.seo" },
      cover: { type: "media" },
    },
    { draftAndPublish: true, localized: true },
  ),
  ...typeFile("author", {
    name: { type: "string" },
    articles: { ...relation("oneToMany", "article"), mappedBy: "author" },
  }),
  ...typeFile("home", { title: { type: "string" } }, { kind: "singleType" }),
  ...componentFile("shared.seo", { title: { type: "string" }, author: relation("oneToOne", "author") }),
};

let app: TestApp;
let author: string;
let article: string;
beforeAll(async () => {
  app = await testApp({ ...files, ...configFile({ cacheTags: { bytes: 16_000 } }) });
  author = (await app.documents(AUTHOR).create({ data: { name: "Ann" } })).documentId as string;
  const data = { title: "x", slug: "x", author, seo: { title: "s", author } };
  article = (await app.documents(ARTICLE).create({ data, status: "published" })).documentId as string;
});
afterAll(() => app.close());

const names = (response: Response): string[] =>
  (response.headers.get("cache-tag")?.split(",") ?? []).map((tag) =>
    tag
      .replace(article, "ARTICLE")
      .replace(author, "AUTHOR")
      .replace(/=.*?(?=:|$)/, "=HASH"),
  );

const get = (path: string, headers: Record<string, string> = ADMIN): Promise<Response> =>
  app.handle(new Request(`http://localhost/api${path}`, { headers }));
const tagsOf = async (path: string): Promise<string[]> => names(await get(path)).sort();

describe("REST", () => {
  const list = (...more: string[]): string[] => ["all", "article:ARTICLE:en", "article:list:en", ...more].sort();
  test.each([
    ["/articles", list()],
    ["/articles?status=draft", ["all", "article:ARTICLE:en:draft", "article:list:en:draft"]],
    ["/articles?locale=fr", ["all", "article:list:fr"]],
    ["/articles?locale=*", ["all", "article:ARTICLE:en", "article:list"]],
    ["/articles?pagination[pageSize]=1", list()],
    ["/articles?pagination[start]=1&pagination[limit]=1", ["all", "article:list:en"]],
    ["/articles?sort=title", list()],
    ["/articles?sort=title&pagination[pageSize]=1", list("article.title:en")],
    ["/articles?sort=id:desc&pagination[pageSize]=1", list("article.id:en")],
    ["/articles?filters[title][$contains]=x", list("article.title:en")],
    ["/articles?filters[title][$eq]=x", ["all", "article.title=HASH:en", "article:ARTICLE:en"]],
    [
      "/articles?filters[author][name][$eq]=Ann",
      ["all", "article.author.name=HASH:en", "article:ARTICLE:en", "author.name=HASH"],
    ],
    ["/articles?filters[author][documentId][$eq]=y", ["all", "article.author=HASH:en"]],
    [
      "/articles?filters[author][name][$null]=true",
      ["all", "article.author:en", "article:list:en", "author.name=HASH"],
    ],
    ["/articles?filters[author][id][$null]=true", ["all", "article.author:en", "article:list:en"]],
    ["/articles?filters[slug][$notNull]=true", list("article.slug=HASH:en")],
    ["/articles?filters[body][$notNull]=true", list("article.body:en").filter((tag) => !tag.includes("ARTICLE"))],
    ["/articles?filters[seo][title][$eq]=s", ["all", "article.seo:en", "article:ARTICLE:en"]],
    ["/articles?filters[documentId][$eq]=y", ["all", "article:y:en"]],
    ["/articles?_q=x", list("article.slug:en", "article.title:en", "article.body:en")],
    // no document is found
    [
      "/articles?_q=123456",
      ["all", ...["body", "id", "slug", "title"].map((name) => `article.${name}:en`), "article:list:en"],
    ],
    ["/articles?populate=author", ["all", "article:ARTICLE:author:en", "article:list:en", "author:AUTHOR"]],
    ["/articles?populate[seo][populate]=author", ["all", "article:ARTICLE:seo:en", "article:list:en", "author:AUTHOR"]],
    [
      "/articles?populate=*",
      ["all", "article:ARTICLE:links:en", "article:ARTICLE", "article:list:en", "author:AUTHOR"].sort(),
    ],
    ["/articles?populate=localizations", list("article:ARTICLE")],
    ["/authors?populate=articles", ["all", "article:ARTICLE:en", "author:AUTHOR:articles", "author:list"]],
    [
      "/authors?populate[articles][filters][title][$contains]=z",
      ["all", "article.title", "author:AUTHOR:articles", "author:list"],
    ],
    // one has no order
    ["/authors?sort=articles.title", ["all", "author:AUTHOR", "author:list"]],
    ["/upload/files", ["all", "media:list"]],
  ] as const)("%s", async (path, expected) => {
    expect(await tagsOf(path)).toEqual([...expected]);
  });

  test("what decides the order of documents, which names those that are all shown", async () => {
    const { documentId } = await app.documents(AUTHOR).create({ data: { name: "Bea" } });
    const own = [":articles", ":articles:draft", ""].map((link) => `author:AUTHOR${link}`);
    const first = ["all", "article.title", "article.title:draft"];
    const all = (await tagsOf("/authors?sort=articles.title")).filter((tag) => !tag.includes(documentId as string));
    expect(all).toEqual([...first, ...own, "author:list"].sort());
    const page = await tagsOf("/authors?sort=articles.title&pagination[pageSize]=1");
    expect(page.filter((tag) => !tag.startsWith("author:"))).toEqual([...first, "author.articles"]);
    await app.documents(AUTHOR).delete({ documentId: documentId as string });
  });

  test("documents, and their absence", async () => {
    expect(await tagsOf(`/articles/${article}?populate=author`)).toEqual([
      "all",
      "article:ARTICLE:author:en",
      "author:AUTHOR",
    ]);
    const missing = await get("/articles/missing");
    expect(missing.status).toBe(404);
    expect(names(missing)).toEqual(["all", "article:missing:en"]);
    expect(names(await get("/home"))).toEqual(["all", "home:list"]);
  });

  test("a name of a client cannot end a tag or a header", async () => {
    expect(await tagsOf("/articles/a,b%20c%0d%0ax")).toEqual(["all", "article:a%2Cb%20c%0D%0Ax:en"]);
    expect((await tagsOf(`/articles/${"x".repeat(5_000)}`))[1]!.length).toBeLessThan(40);
  });

  test("answers that are cached, and not modified, have the same tags", async () => {
    const first = await get("/authors");
    for (let i = 0; i < 3; i++) {
      const again = await get("/authors", { ...ADMIN, "if-none-match": first.headers.get("etag")! });
      expect(again.status).toBe(304);
      expect(names(again)).toEqual(names(first));
      const cross = await get("/authors", { ...ADMIN, origin: "https://example.com" });
      expect(names(cross)).toEqual(names(first));
    }
  });

  test("answers that were cached for HEAD have them, too", async () => {
    const path = "http://localhost/api/authors?sort=name&fields=name";
    const head = (): Promise<Response> => app.handle(new Request(path, { method: "HEAD", headers: ADMIN }));
    await head();
    expect(names(await head())).toContain("author:list");
    expect(names(await app.handle(new Request(path, { headers: ADMIN })))).toContain("author:list");
  });

  test("with spaces between them for other caches", async () => {
    const { headers } = await get("/authors");
    expect(headers.get("surrogate-key")!.split(" ")).toEqual(headers.get("cache-tag")!.split(","));
  });

  test("neither writes nor refusals have any", async () => {
    expect(names(await get("/articles", {}))).toEqual([]);
    expect(names(await get("/articles?filters[nothing]=1"))).toEqual([]);
    const created = new Request("http://localhost/api/authors", {
      method: "POST",
      headers: ADMIN,
      body: '{"data":{}}',
    });
    expect(names(await app.handle(created))).toEqual([]);
  });
});

describe("GraphQL", () => {
  const ask = async (query: string): Promise<string[]> => {
    const body = JSON.stringify({ query });
    const headers = { ...ADMIN, "content-type": "application/json" };
    const tags: string[][] = [];
    // executed, prepared, and from the cache
    for (let i = 0; i < 4; i++)
      tags.push(
        names(await app.handle(new Request("http://localhost/graphql", { method: "POST", headers, body }))).sort(),
      );
    expect(new Set(tags.map((list) => list.join())).size).toBe(1);
    return tags[0]!;
  };

  test("the same tags as REST", async () => {
    expect(await ask("{ articles { title } }")).toEqual(["all", "article:ARTICLE:en", "article:list:en"]);
    expect(await ask(`{ author(documentId: "${author}") { articles { title } } }`)).toEqual([
      "all",
      "article:ARTICLE",
      "author:AUTHOR:articles",
    ]);
    expect(await ask('{ article(documentId: "gone") { title } }')).toEqual(["all", "article:gone:en"]);
    expect(await ask('{ articles_connection(locale: "fr") { pageInfo { total } } }')).toEqual([
      "all",
      "article:list:fr",
    ]);
  });

  test("none of what cannot be said, and of errors", async () => {
    expect(await ask("{ articles { title } me { id } }")).toEqual([]);
    expect(await ask("{ nothing }")).toEqual([]);
  });
});

describe("bounds", () => {
  test("the longest groups become their type", async () => {
    const small = await testApp({ ...files, ...configFile({ cacheTags: { bytes: 300, headers: ["X-Tags"] } }) });
    for (let i = 0; i < 12; i++) await small.documents(ARTICLE).create({ data: { title: "x" }, status: "published" });
    const response = await small.handle(new Request("http://localhost/api/articles", { headers: ADMIN }));
    expect(response.headers.get("x-tags")).toBe("all,article");
    expect(response.headers.get("cache-tag")).toBeNull();
    const drafts = await small.handle(new Request("http://localhost/api/articles?status=draft", { headers: ADMIN }));
    expect(drafts.headers.get("x-tags")).toBe("all,article:draft");
    await small.close();
  });

  test("they can be off", async () => {
    const off = await testApp({ ...files, ...configFile({ cacheTags: false }) });
    const { headers } = await off.handle(new Request("http://localhost/api/articles", { headers: ADMIN }));
    expect(headers.has("cache-tag")).toBe(false);
    await off.close();
  });

  test.each([{ headers: ["a b"] }, { headers: [] }, { bytes: 1 }, { tags: true }])(
    "%p is refused",
    async (cacheTags) => {
      expect(testApp({ ...files, ...configFile({ cacheTags }) })).rejects.toThrow("cacheTags");
    },
  );
});
