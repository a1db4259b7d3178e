/** Why a request of somebody is answered as it is: the same decisions as for the request itself, with their reasons. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { askAs, signedIn } from "../admin/signed-in.ts";
import { type Body, configFile, relation, type TestApp, testApp, typeFile } from "../project.ts";

const KEY = "k";
const files = {
  ...typeFile("author", { name: { type: "string" }, code: { type: "string", private: true } }),
  ...typeFile(
    "article",
    { title: { type: "string" }, hidden: { type: "string", private: true }, author: relation("manyToOne", "author") },
    { draftAndPublish: true, localized: true },
  ),
  ...typeFile("about", { text: { type: "string" } }, { kind: "singleType" }),
  ...configFile({
    locales: [{ code: "en", isDefault: true }, { code: "fr" }],
    roles: {
      public: ["api::article.article.find", "api::article.article.findOne", "api::about.about.find"],
      editor: ["api::article.article.*", "api::author.author.find"],
    },
    tokens: [
      { name: "full", type: "full-access", key: "test-full-access" },
      { name: "old", type: "full-access", key: "old", expiresAt: "2020-01-01T00:00:00.000Z" },
      { name: "admin", type: "admin", key: "admin" },
    ],
  }),
};
const ARTICLE = "api::article.article";

let app: TestApp;
let ask: ReturnType<typeof askAs>;
let draft: string;
let published: string;

const explain = async (body: object): Promise<Body> => (await ask("POST", "/explain", body)).body.data;
const refusal = ({ steps }: Body): Body => steps.find(({ outcome }: Body) => outcome === "refused");

beforeAll(async () => {
  app = await testApp(files, { admin: true, environment: { ADMIN_JWT_SECRET: KEY } });
  ask = askAs(app, await signedIn(app, KEY));
  const author = await app.documents("api::author.author").create({ data: { name: "Ann", code: "1" } });
  const articles = app.documents(ARTICLE);
  const data = { title: "Seen", hidden: "secret", author: author.documentId };
  published = (await articles.create({ data, status: "published" })).documentId as string;
  draft = (await articles.create({ data: { title: "Draft" } })).documentId as string;
});
afterAll(() => app.close());

describe("the answer is that of the request", () => {
  test.each([
    "/api/articles",
    "/api/articles?populate=*&sort=title",
    "/api/articles?filters[hidden][$eq]=1",
    "/api/articles?filters[author][name][$eq]=Ann",
    "/api/articles?sort=nothing",
    "/api/articles?pagination[pageSize]=x",
    "/api/articles/nothing",
    "/api/authors",
    "/api/about",
    "/api/users/me",
    "/api/i18n/locales",
    "/api/articles?populate[author][fields]=code",
  ])("%s", async (url) => {
    const { status, body } = await app.call("GET", url, undefined, {});
    const { answer, steps } = await explain({ url });
    expect(answer).toMatchObject({ status });
    expect(answer.body).toEqual(body);
    expect(steps.some(({ outcome }: Body) => outcome === "refused")).toBe(status >= 400);
  });

  test("also with a token, which is not sent, and a role", async () => {
    const url = "/api/articles?populate=author";
    const { body } = await app.call("GET", url);
    expect((await explain({ url, caller: { kind: "token", name: "full" } })).answer.body).toEqual(body);
    expect((await explain({ url, caller: { kind: "role", name: "editor" } })).answer.body).toEqual(body);
  });
});

describe("the reason", () => {
  test("is a permission, which the page is led to", async () => {
    expect(refusal(await explain({ url: "/api/authors" }))).toEqual({
      outcome: "refused",
      text: "403: the role Public may not api::author.author.find",
      link: { kind: "permission", action: "api::author.author.find", caller: { kind: "public" } },
    });
  });

  test("is a relation whose target may not be found: it is dropped when it is populated, refused in a filter", async () => {
    const { steps } = await explain({ url: "/api/articles?populate=author" });
    const link = { kind: "permission", action: "api::author.author.find", caller: { kind: "public" } };
    expect(steps).toContainEqual({
      outcome: "dropped",
      text: "author is left out: it leads to author, which the role Public may not find",
      link,
    });
    const filtered = await explain({ url: "/api/articles?filters[author][name][$eq]=Ann" });
    expect(refusal(filtered)).toMatchObject({ link });
  });

  test("is a private attribute", async () => {
    const { text } = refusal(await explain({ url: "/api/articles?filters[hidden][$eq]=1" }));
    expect(text).toContain("hidden is private");
  });

  test("is an attribute that is not there", async () => {
    expect(refusal(await explain({ url: "/api/articles?filters[nothing][$eq]=1" })).text).toContain(
      "has nothing of this name",
    );
  });

  test("is a draft, a locale, an id in the place of a documentId, or filters", async () => {
    expect(refusal(await explain({ url: `/api/articles/${draft}` }))).toMatchObject({
      text: expect.stringContaining("is a draft"),
      link: { kind: "document", documentId: draft },
    });
    expect(refusal(await explain({ url: `/api/articles/${published}?locale=fr` })).text).toContain("in the locale fr");
    expect(refusal(await explain({ url: "/api/articles/1" })).text).toContain(`the document's is ${published}`);
    const filtered = await explain({ url: `/api/articles/${published}?filters[title]=Other` });
    expect(refusal(filtered).text).toContain("the filters leave it out");
    expect(refusal(await explain({ url: "/api/about" })).text).toContain("no document yet");
  });

  test("of a short list is in its remarks", async () => {
    const { steps } = await explain({ url: "/api/articles" });
    const remarks = steps.filter(({ outcome }: Body) => outcome === "remark").map(({ text }: Body) => text);
    expect(remarks).toEqual([expect.stringContaining("1 document not published")]);
    const french = await explain({ url: "/api/articles?locale=fr" });
    expect(JSON.stringify(french.steps)).toContain("2 documents not there in the locale fr");
  });

  test.each([
    ["/articles", "GET", "below /api"],
    ["/api/article", "GET", "did you mean /api/articles?"],
    ["/api/articles", "PUT", "405"],
    ["/api/articles/%E0%A4%A", "GET", "404"],
  ])("%s (%s) is a path: %s", async (url, method, text) => {
    expect(refusal(await explain({ url, method })).text).toContain(text);
  });

  test("is a token that has expired, or an admin's", async () => {
    const of = (name: string) => explain({ url: "/api/articles", caller: { kind: "token", name } });
    expect(refusal(await of("old")).text).toBe("401 Token expired");
    expect(refusal(await of("admin")).text).toContain("401");
  });
});

describe("writes", () => {
  test("are decided, and not made", async () => {
    const count = () => app.documents(ARTICLE).count({});
    const before = await count();
    const editor = { kind: "role", name: "editor" };
    const created = await explain({ url: "/api/articles", method: "POST", caller: editor });
    expect(created.answer).toBeUndefined();
    expect(created.steps).toContainEqual({
      outcome: "passed",
      text: "the role Editor may api::article.article.create",
    });
    await explain({ url: `/api/articles/${published}`, method: "DELETE", caller: editor });
    const query = `mutation { deleteArticle(documentId: "${published}") { documentId } }`;
    await explain({ query, caller: editor });
    await explain({ query: `query A { articles { title } } ${query}`, caller: editor });
    expect(await count()).toBe(before);
  });
});

describe("GraphQL", () => {
  test("says which field needs which permission", async () => {
    const { steps, answer } = await explain({ query: "{ articles { title author { name } } authors { name } }" });
    expect(steps).toContainEqual(
      expect.objectContaining({ outcome: "passed", text: expect.stringContaining("articles:") }),
    );
    expect(steps).toContainEqual({
      outcome: "refused",
      text: "authors: the role Public may not api::author.author.find",
      link: { kind: "permission", action: "api::author.author.find", caller: { kind: "public" } },
    });
    expect(answer.body.errors.length).toBeGreaterThan(0);
  });

  test("runs as the caller, with variables", async () => {
    const query = "query A($title: String) { articles(filters: { title: { eq: $title } }) { title author { name } } }";
    const { answer } = await explain({ query, variables: { title: "Seen" }, caller: { kind: "role", name: "editor" } });
    expect(answer).toEqual({ status: 200, body: { data: { articles: [{ title: "Seen", author: { name: "Ann" } }] } } });
  });

  test("that cannot be read is refused", async () => {
    expect(refusal(await explain({ query: "{ articles {" })).text).toContain("Syntax Error");
    expect(refusal(await explain({ query: "{ nothing }" })).text).toContain("nothing");
  });
});

test("it is the administrator's alone, and bad input is refused", async () => {
  const given = { url: "/api/articles" };
  expect((await askAs(app, "")("POST", "/explain", given)).status).toBe(401);
  for (const body of [
    {},
    { url: 1 },
    { url: "x".repeat(20_000) },
    { ...given, method: "PATCH" },
    { ...given, caller: { kind: "role", name: "nobody" } },
    { ...given, caller: { kind: "token", name: "nobody" } },
    { ...given, caller: { kind: "else" } },
    { query: 1 },
  ])
    expect((await ask("POST", "/explain", body)).status).toBe(400);
});
