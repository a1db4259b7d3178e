/** The limits of a request. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ADMIN, configFile, relation, type TestApp, testApp, typeFile } from "../../project.ts";
import { Random } from "../../random.ts";

const types = {
  ...typeFile("article", {
    title: { type: "string" },
    body: { type: "text" },
    tags: { ...relation("manyToMany", "tag"), inversedBy: "articles" },
  }),
  ...typeFile("tag", {
    name: { type: "string" },
    articles: { ...relation("manyToMany", "article"), mappedBy: "tags" },
  }),
};
const keysOf = (count: number) => Array.from({ length: count }, (_, n) => n);
const LARGE = { "config/api.json": JSON.stringify({ rest: { maxLimit: 100_000 } }) };

async function linkedApp(articles: number, tags: number, files: Record<string, string> = {}): Promise<TestApp> {
  const app = await testApp({ ...types, ...files });
  for (let n = 0; n < tags; n++) await app.call("POST", "/api/tags", { data: { name: `tag ${n}` } });
  const all = Array.from({ length: tags }, (_, n) => n + 1);
  for (let n = 0; n < articles; n++)
    await app.call("POST", "/api/articles", { data: { title: `article ${n}`, body: `body ${n}`, tags: all } });
  return app;
}

describe("rows behind nested to-many relations", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await linkedApp(30, 30);
  });
  afterAll(() => app.close());
  const path = (levels: number): string => Array(levels).fill("tags.articles").join(".");

  // there are 30^20 paths through these lists
  test("sorts through any number of to-many relations", async () => {
    const { status, body } = await app.call(
      "GET",
      `/api/articles?sort=${Array(10).fill("tags.articles").join(".").slice(0, -9)}.name&fields=id`,
    );
    expect([status, body.data.length]).toEqual([200, 25]);
  });

  test("sorts in GraphQL as well", async () => {
    const { body } = await app.call("POST", "/graphql", {
      query: `{ articles(sort: "${path(9)}.title:desc") { title } }`,
    });
    expect(body.data.articles).toHaveLength(10);
  });

  test("refuses responses beyond the budget", async () => {
    const { status, body } = await app.call("GET", `/api/articles?populate=${path(4)}`);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      name: "ValidationError",
      message: expect.stringContaining("limits.values"),
      details: { limit: "values", max: 500_000 },
    });
  });

  test("returns shared rows once for each parent", async () => {
    const { body } = await app.call("GET", "/api/articles?populate=tags.articles&pagination[pageSize]=2");
    expect(body.data[1].tags[29].articles).toHaveLength(30);
  });
});

/** The expected order, computed from every path through the lists. */
test("sorts through nested lists by the smallest and the largest value", async () => {
  const app = await testApp({
    ...types,
    ...typeFile("note", { text: { type: "string" }, articles: relation("manyToMany", "article") }),
  });
  const random = new Random(7);
  const some = (count: number, most: number) => Array.from({ length: count }, () => 1 + random.below(most));
  const names = new Map<number, string>();
  for (let n = 1; n <= 12; n++) {
    names.set(n, `n${random.below(1000)}`);
    await app.call("POST", "/api/tags", { data: { name: names.get(n) } });
  }
  const tagsOf = new Map<number, number[]>();
  for (let n = 1; n <= 15; n++) {
    tagsOf.set(n, some(random.below(4), 12));
    await app.call("POST", "/api/articles", { data: { title: `a${n}`, tags: tagsOf.get(n) } });
  }
  const articlesOf = new Map<number, number[]>();
  for (let n = 1; n <= 20; n++) {
    articlesOf.set(n, some(random.below(4), 15));
    await app.call("POST", "/api/notes", { data: { text: `${n}`, articles: articlesOf.get(n) } });
  }
  for (const order of ["asc", "desc"] as const) {
    const endOf = (note: number): string | undefined => {
      // an article without tags counts as null, which is the smallest
      const values = articlesOf.get(note)!.flatMap((article) => {
        const own = tagsOf.get(article)!.map((tag) => names.get(tag)!);
        return own.length > 0 ? own : [""];
      });
      return values.sort().at(order === "asc" ? 0 : -1);
    };
    const { body } = await app.call("GET", `/api/notes?sort=articles.tags.name:${order}`);
    const found: number[] = body.data.map(({ id }: { id: number }) => id);
    const sign = order === "asc" ? 1 : -1;
    const compare = (a = "", b = ""): number => (a === b ? 0 : a < b ? -sign : sign);
    expect(found).toEqual([...articlesOf.keys()].sort((a, b) => compare(endOf(a), endOf(b)) || a - b));
  }
  await app.close();
});

describe("a limit that is set in config/galley.json", () => {
  const limited = async (limits: Record<string, number>, request: string): Promise<unknown[]> => {
    const app = await linkedApp(5, 4, { ...LARGE, ...configFile({ limits }) });
    const { status, body } = await app.call("GET", `/api/articles?${request}`);
    await app.close();
    return [status, body.error?.details];
  };
  const many = (count: number, of: (n: number) => string): string =>
    Array.from({ length: count }, (_, n) => of(n)).join("&");
  const cases: Readonly<Record<string, readonly [limit: number, within: string, beyond: string]>> = {
    conditions: [3, "filters[title]=a&sort=id", many(2, (n) => `filters[$and][${n}][title][$in]=a`)],
    joins: [2, "filters[tags][name]=a", "sort=tags.articles.tags.name"],
    scans: [30, "sort=tags.articles.title", "sort=tags.articles.tags.articles.title"],
    populates: [1, "populate=tags", "populate[tags][populate]=articles"],
    entries: [20, "populate=tags", "populate=tags.articles"],
    values: [60, "", "populate=tags"],
    characters: [2_000, "pagination[pageSize]=1", "populate=tags"],
  };
  for (const [name, [limit, within, beyond]] of Object.entries(cases)) {
    test(`${name}: ${limit}`, async () => {
      expect(await limited({ [name]: limit }, within)).toEqual([200, undefined]);
      expect(await limited({ [name]: limit }, beyond)).toEqual([400, { limit: name, max: limit }]);
    });
  }

  test("counts a quarter of the links as scanned by a filter", async () => {
    const path = (relations: number): string =>
      `filters${Array.from({ length: relations }, (_, n) => (n % 2 ? "[articles]" : "[tags]")).join("")}[id][$notNull]=true&pagination[withCount]=false`;
    expect(await limited({ scans: 30 }, path(8))).toEqual([200, undefined]);
    expect(await limited({ scans: 30 }, path(10))).toEqual([400, { limit: "scans", max: 30 }]);
  });

  test("parameters: 3", async () => {
    expect(
      await limited(
        { parameters: 3 },
        many(3, (n) => `filters[title][$in][${n}]=a`),
      ),
    ).toEqual([200, undefined]);
    expect(
      (
        await limited(
          { parameters: 3 },
          many(4, (n) => `filters[title][$in][${n}]=a`),
        )
      )[0],
    ).toBe(400);
  });

  test("refuses unknown limits", async () => {
    await expect(linkedApp(0, 0, configFile({ limits: { rows: 3 } }))).rejects.toThrow("limits");
  });
});

test("publicCharacters limits what several paths of populate return, for callers without credentials and no others", async () => {
  const app = await linkedApp(
    12,
    12,
    configFile({
      roles: { public: ["article", "tag"].map((name) => `api::${name}.${name}.find`) },
      limits: { publicCharacters: 50_000 },
    }),
  );
  const send = async (headers: Record<string, string>, path: string, query?: string) => {
    const request = query === undefined ? {} : { method: "POST", body: JSON.stringify({ query }) };
    const response = await app.handle(
      new Request(`http://localhost${path}`, {
        headers: { ...headers, "content-type": "application/json" },
        ...request,
      }),
    );
    return response.text();
  };
  const path = "tags.articles.tags";
  const paths = keysOf(900).map(
    (n) =>
      `populate[${n}]=${path
        .split(".")
        .slice(0, 1 + (n % 3))
        .join(".")}`,
  );
  const requests: readonly (readonly [path: string, query?: string])[] = [
    ["/api/articles?populate=tags.articles.tags"],
    [`/api/articles?${paths.join("&")}&populate[900]=${path}`],
    ["/graphql", "{ articles { tags { articles { tags { documentId name a: name b: name } } } } }"],
    [
      "/graphql",
      `{ ${keysOf(200)
        .map((n) => `a${n}: articles { title documentId }`)
        .join(" ")} }`,
    ],
    [
      "/graphql",
      `{ articles { ${keysOf(1_000)
        .map((n) => `a${n}: title`)
        .join(" ")} } }`,
    ],
  ];
  for (const request of requests) {
    expect(await send({}, ...request)).toContain("(limits.publicCharacters)");
    expect(await send(ADMIN, ...request)).not.toContain('"error');
  }
  // at one path, entries may have many parents
  expect(await send({}, "/api/articles?populate=tags.articles")).not.toContain('"error');
  await app.close();
});

test("counts conditions in GraphQL variables", async () => {
  const app = await testApp(types);
  const query = "query ($filters: ArticleFiltersInput) { articles(filters: $filters) { title } }";
  const or = Array.from({ length: 60 }, () => ({ or: Array.from({ length: 60 }, () => ({ title: { eq: "a" } })) }));
  for (const filters of [{ or }, { and: or }]) {
    const { body } = await app.call("POST", "/graphql", { query, variables: { filters } });
    expect(body.errors[0].message).toContain("limits.conditions");
  }
  const fits = { and: Array.from({ length: 999 }, () => ({ title: { eq: "a" } })) };
  const { body } = await app.call("POST", "/graphql", { query, variables: { filters: fits } });
  expect(body).toEqual({ data: { articles: [] } });
  await app.close();
});

test("counts a text search as several conditions", async () => {
  const app = await testApp(types);
  const search = (count: number, operator: string) =>
    app.call("POST", "/graphql", {
      query: "query ($filters: ArticleFiltersInput) { articles(filters: $filters) { title } }",
      variables: { filters: { or: Array.from({ length: count }, (_, n) => ({ body: { [operator]: `a${n}` } })) } },
    });
  for (const operator of ["containsi", "notContains", "startsWith", "endsWith"]) {
    expect((await search(100, operator)).body).toEqual({ data: { articles: [] } });
    expect((await search(101, operator)).body.errors[0].message).toContain("limits.conditions");
  }
  expect((await search(101, "eq")).body).toEqual({ data: { articles: [] } });
  await app.close();
});

describe("the time limit for uninterrupted work", () => {
  test("applies to prepared operations as well", async () => {
    const app = await linkedApp(3, 3, configFile({ limits: { uninterrupted: 1 } }));
    const aliases = Array.from({ length: 900 }, (_, n) => `a${n}: tags(pagination: { start: ${n} }) { name }`).join(
      " ",
    );
    for (let times = 0; times < 3; times++) {
      const { body } = await app.call("POST", "/graphql", { query: `{ articles { ${aliases} } }` });
      expect(body.errors[0].message).toContain("limits.uninterrupted");
    }
    await app.close();
  });

  test("is reset between two mutations, where other requests are served", async () => {
    const app = await linkedApp(0, 1);
    await app.call("POST", "/graphql", { query: "{ __typename }" });
    const updates = Array.from({ length: 1_200 }, (_, n) => `a${n}: createTag(data: { name: "${n}" }) { name }`).join(
      " ",
    );
    let turns = 0;
    const turn = () => {
      turns++;
      timer = setImmediate(turn);
    };
    let timer = setImmediate(turn);
    await app.call("POST", "/graphql", { query: `mutation { ${updates} }` });
    clearImmediate(timer);
    // without pauses there is none; how many there are depends on the machine
    expect(turns).toBeGreaterThan(0);
    await app.close();
  });
});

describe("a large page", () => {
  let app: TestApp;
  beforeAll(async () => {
    const articles = Array.from({ length: 3_500 }, (_, n) => ({ key: `${n}`, data: { title: `article ${n}` } }));
    app = await testApp({ ...types, ...LARGE, "content/articles.json": JSON.stringify(articles) });
  });
  afterAll(() => app.close());
  const ask = (path: string): Promise<Response> =>
    app.handle(new Request(`http://localhost/api/articles?${path}`, { headers: ADMIN }));
  const page = "sort=id&pagination[pageSize]=10000";

  test("returns the rows of its smaller pages", async () => {
    const { body } = await app.call("GET", `/api/articles?${page}`);
    const ids = body.data.map(({ id }: { id: number }) => id);
    expect(ids).toEqual(Array.from({ length: 3_500 }, (_, n) => n + 1));
    expect(body.meta.pagination.total).toBe(3_500);
  });

  test("returns one snapshot, despite concurrent writes", async () => {
    const large = ask(`${page}&fields=body`);
    const writes = [1, 3_400].map((id) => app.call("GET", `/api/articles?filters[id]=${id}`));
    const [first, last] = (await Promise.all(writes)).map(({ body }) => body.data[0].documentId);
    for (const id of [first, last]) await app.call("PUT", `/api/articles/${id}`, { data: { body: "new" } });
    const { data } = (await (await large).json()) as { data: { body: string | null }[] };
    expect(new Set([data[0]!.body, data[3_399]!.body]).size).toBe(1);
  });
});
