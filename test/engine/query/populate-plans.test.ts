/** What `populate` asks for is read and checked once for a caller: later requests have the same answers, errors and limits. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { ADMIN, type Body, configFile, relation, type TestApp, testApp, typeFile } from "../../project.ts";

const PUBLIC = {};
let app: TestApp;

beforeAll(async () => {
  app = await testApp({
    ...typeFile("article", {
      title: { type: "string" },
      tag: relation("manyToOne", "tag"),
      secret: relation("manyToOne", "secret"),
    }),
    ...typeFile("tag", {
      name: { type: "string" },
      hidden: { type: "string", private: true },
      secret: relation("manyToOne", "secret"),
    }),
    ...typeFile("secret", { name: { type: "string" } }),
    ...configFile({
      roles: { public: ["api::article.article.find", "api::article.article.findOne", "api::tag.tag.find"] },
      limits: { conditions: 3 },
    }),
  });
  const create = async (path: string, data: object): Promise<string> =>
    (await app.call("POST", `/api/${path}`, { data }, ADMIN)).body.data.documentId;
  const secret = await create("secrets", { name: "s" });
  const tag = await create("tags", { name: "t", hidden: "h", secret });
  await create("articles", { title: "a", tag, secret });
});
afterAll(() => app.close());

const ask = (query: string, headers: object) => app.call("GET", `/api/articles?${query}`, undefined, headers as never);

test.each([
  "populate=*",
  "populate=tag,secret",
  "populate[tag][populate]=*",
  "populate[tag][populate][secret]=true&populate[secret]=true",
  "populate[tag][fields][0]=name",
  "populate[tag][filters][name]=t&populate[tag][sort]=name",
  "populate[tag][filters][secret][name]=s",
  "populate[tag][filters][hidden]=h",
  "populate[tag][fields][0]=hidden",
  "populate[tag][sort]=hidden",
  "populate[nothing]=true",
  "populate[tag][on][x]=true",
  "populate[a]=*&filters[b]=1",
])("%s: the answer of each caller stays the same", async (query) => {
  for (const headers of [ADMIN, PUBLIC, ADMIN, PUBLIC]) {
    const answers: string[] = [];
    for (let time = 0; time < 3; time++) {
      const { status, body } = await ask(`${query}&n=${Math.random()}`, headers);
      answers.push(`${status} ${JSON.stringify(body)}`);
    }
    expect(new Set(answers).size).toBe(1);
    if (headers === PUBLIC) expect(answers[0]).not.toContain('"name":"s"');
  }
});

test("each request takes what is planned from its limits", async () => {
  const populate = "populate[tag][filters][name]=t";
  const filters = [0, 1, 2].map((n) => `filters[$and][${n}][title]=a`).join("&");
  for (const query of [populate, populate, filters]) expect((await ask(query, ADMIN)).status).toBe(200);
  const { status, body } = await ask(`${populate}&${filters}`, ADMIN);
  expect([status, body.error.details]).toEqual([400, { limit: "conditions", max: 3 }]);
});

test("requests share what documents link to; callers that may change it have their own", async () => {
  const read = async (path: string) => (await app.call("GET", path, undefined, ADMIN)).body.data;
  const [first] = await read("/api/articles?populate=tag");
  const service = app.documents("api::article.article");
  for (let time = 0; time < 2; time++) {
    const [article]: Body[] = await service.findMany({ populate: "tag", status: "published" });
    expect(article.tag).toEqual(first.tag);
    Object.assign(article.tag, { name: "changed", added: [] });
  }
  expect(await read("/api/articles?populate=tag&n=2")).toEqual([first]);
  // neither levels below it nor another format change what the next request has
  const deep = await read("/api/articles?populate[tag][populate]=*&n=3");
  expect(deep[0].tag.secret.name).toBe("s");
  await app.call("GET", "/api/articles?populate=tag&n=4", undefined, { ...ADMIN, "strapi-response-format": "v4" });
  expect(await read("/api/articles?populate=tag&n=5")).toEqual([first]);
});
