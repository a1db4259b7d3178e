/** The requests that the page offers to copy: each form of them gives the same documents, from the same server. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { pascalCase as serverName } from "../../src/engine/schema/names.ts";
import { type ListQuery, readListQuery } from "../../src/ui/list/list-query.ts";
import { type ContentType, start } from "../../src/ui/model.ts";
import { type ContentRequest, documentRequest, listRequest } from "../../src/ui/request/content-request.ts";
import { graphqlText, pascalCase } from "../../src/ui/request/graphql.ts";
import { clientText, fetchText, literal, restPath } from "../../src/ui/request/texts.ts";
import { type Body, componentFile, relation, type TestApp, testApp, typeFile } from "../project.ts";
import { askAs, signedIn } from "./signed-in.ts";

const ARTICLE = "api::blog-article.blog-article";
const files = {
  ...typeFile("author", { name: { type: "string" }, secret: { type: "string", private: true } }),
  ...typeFile(
    "blog-article",
    {
      title: { type: "string" },
      rank: { type: "integer" },
      isBig: { type: "boolean" },
      key: { type: "string", private: true },
      author: relation("manyToOne", "author"),
      card: { type: "component", component: "page.card" },
      zone: { type: "dynamiczone", components: ["page.card", "page.note"] },
    },
    { draftAndPublish: true, localized: true },
  ),
  ...typeFile("about", { text: { type: "text" } }, { kind: "singleType" }),
  ...componentFile("page.inner", { size: { type: "integer" } }),
  ...componentFile("page.card", {
    text: { type: "string" },
    inner: { type: "component", component: "page.inner", repeatable: true },
  }),
  // the same name as in page.card, of another type
  ...componentFile("page.note", { text: { type: "integer" } }),
};
const place = { origin: "http://localhost", prefix: "/api", hasToken: true };

let app: TestApp;
let documentId: string;

const typeNamed = (uid: string): ContentType => start.value!.contentTypes.find((type) => type.uid === uid)!;
const list = (search: string, status: "published" | "draft" = "published"): ContentRequest => {
  const type = typeNamed(ARTICLE);
  return listRequest(type, readListQuery(type, new URLSearchParams(search)) satisfies ListQuery, status);
};
const rest = async (request: ContentRequest): Promise<Body> => (await app.call("GET", restPath(request, place))).body;
const graphql = async (request: ContentRequest): Promise<Body> => {
  const { query, variables } = graphqlText(request);
  const { body } = await app.call("POST", "/graphql", { query, variables });
  expect(body.errors).toBeUndefined();
  return Object.values(body.data)[0];
};
const titles = (documents: Body): string[] => documents.map(({ title }: Body) => title);

beforeAll(async () => {
  app = await testApp(files, { admin: true, environment: { ADMIN_JWT_SECRET: "k" } });
  const session = askAs(app, await signedIn(app, "k"));
  start.value = (await session("GET", "/start")).body.data;
  const author = await app.documents("api::author.author").create({ data: { name: "Ann", secret: "x" } });
  const articles = app.documents(ARTICLE);
  const zone = [
    { __component: "page.card", text: "a", inner: [{ size: 1 }] },
    { __component: "page.note", text: 2 },
  ];
  for (const rank of [1, 2, 3]) {
    const data = {
      title: `Article ${rank}`,
      rank,
      isBig: rank > 1,
      key: "k",
      author: author.documentId,
      zone,
      card: zone[0],
    };
    const made = await articles.create({ data, ...(rank === 3 ? {} : { status: "published" }) });
    if (rank === 1) documentId = made.documentId as string;
  }
  await app.documents("api::about.about").create({ data: { text: "About" } });
});
afterAll(() => app.close());

describe("a list", () => {
  test.each([
    ["", ["Article 2", "Article 1"]],
    ["sort=rank:desc", ["Article 2", "Article 1"]],
    ["filters[$and][0][rank][$gt]=1", ["Article 2"]],
    ["filters[$and][0][isBig][$eq]=false&filters[$and][1][author][name][$startsWith]=A", ["Article 1"]],
    [
      "filters[$or][0][title][$in][0]=Article 1&filters[$or][1][rank][$between][0]=2&filters[$or][1][rank][$between][1]=9",
      ["Article 2", "Article 1"],
    ],
    ["filters[$and][0][rank][$notNull]=true&columns=title,rank,author,isBig", ["Article 2", "Article 1"]],
    ["locale=fr", []],
  ])("%s", async (search, expected) => {
    const request = list(search);
    expect(titles((await rest(request)).data)).toEqual(expected);
    expect(titles(await graphql(request))).toEqual(expected);
  });

  test("of drafts, by what is searched for, and by status", async () => {
    expect(titles((await rest(list("", "draft"))).data)).toHaveLength(3);
    expect(titles(await graphql(list("", "draft")))).toHaveLength(3);
    expect(titles((await rest(list("q=article 2"))).data)).toEqual(["Article 2"]);
    expect(titles((await rest(list("status=draft", "draft"))).data)).toEqual(["Article 3"]);
    expect(graphqlText(list("q=a&status=draft", "draft")).missing).toEqual(["the search", "the filter by status"]);
  });
});

describe("a document", () => {
  test("has everything that is shown, at every depth, and nothing private", async () => {
    const request = documentRequest(typeNamed(ARTICLE), documentId, "en", "published");
    const { data } = await rest(request);
    expect(data).toMatchObject({
      title: "Article 1",
      author: { name: "Ann" },
      card: { text: "a", inner: [{ size: 1 }] },
      zone: [{ text: "a", inner: [{ size: 1 }] }, { text: 2 }],
    });
    const found = await graphql(request);
    expect(found).toMatchObject({
      documentId,
      author: { name: "Ann" },
      card: { text: "a", inner: [{ size: 1 }] },
      zone: [{ componentPageCard_text: "a", inner: [{ size: 1 }] }, { componentPageNote_text: 2 }],
    });
    expect(JSON.stringify([request.attributes, request.params, graphqlText(request)])).not.toMatch(/"key"|secret/);
  });

  test("of a single type", async () => {
    const request = documentRequest(typeNamed("api::about.about"), "any", undefined, "published");
    expect((await rest(request)).data.text).toBe("About");
    expect((await graphql(request)).text).toBe("About");
    expect(clientText(request, place)).toContain('client.single("about").find()');
  });
});

test("fetch and @strapi/client say the same", () => {
  const request = list("filters[$and][0][rank][$gt]=1&sort=rank:desc&columns=title");
  expect(fetchText(request, place)).toContain(`fetch("http://localhost${restPath(request, place)}", {`);
  expect(fetchText(request, { ...place, hasToken: false })).not.toContain("Authorization");
  expect(clientText(request, place)).toBe(`import { strapi } from "@strapi/client";

const client = strapi({ baseURL: "http://localhost/api", auth: process.env.STRAPI_TOKEN });
const { data } = await client.collection("blog-articles").find({
  filters: { $and: [{ rank: { $gt: "1" } }] },
  sort: "rank:desc",
  fields: ["title"],
  locale: "en",
  pagination: { page: 1, pageSize: 25 },
});
`);
});

test("texts cannot end the literal that they are in", () => {
  const value = { "a-b": 'x"; alert(1); "', "c\n": ["</script>", null, true] };
  expect(new Function(`return ${literal(value)}`)()).toEqual(value);
});

test("types have the names that the server gives them", () => {
  for (const name of ["blog-article", "component page.card", "page2s", "i18n-thing", "HTMLPage", "a_b-c.d"])
    expect(pascalCase(name)).toBe(serverName(name));
});
