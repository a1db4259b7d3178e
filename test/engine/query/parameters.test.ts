/** Unusual forms of query parameters, and parameters of callers with limited permissions. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readPagination } from "../../../src/engine/query/list-params.ts";
import { componentFile, configFile, type TestApp, testApp, typeFile } from "../../project.ts";

const relation = (kind: string, target: string, side: Record<string, string> = {}) => ({
  type: "relation",
  relation: kind,
  target: `api::${target}.${target}`,
  ...side,
});

const READER = { authorization: "Bearer reader" };

let app: TestApp;
beforeAll(async () => {
  const permissions = ["api::item.item.find", "api::tag.tag.find"];
  const tokens = [
    { name: "full", type: "full-access", key: "test-full-access" },
    { name: "reader", type: "custom", key: "reader", permissions },
  ];
  app = await testApp({
    ...configFile({ tokens, locales: [{ code: "en", isDefault: true }, { code: "fr" }, { code: "de" }] }),
    ...componentFile("part.row", { name: { type: "string" }, owner: relation("oneToOne", "owner") }),
    ...typeFile("owner", { name: { type: "string" } }),
    ...typeFile("tag", {
      label: { type: "string" },
      owner: relation("manyToOne", "owner"),
      items: relation("manyToMany", "item", { mappedBy: "tags" }),
    }),
    ...typeFile("signed", { name: { type: "string" } }, { options: { populateCreatorFields: true } }),
    ...typeFile("page", { name: { type: "string" } }, { localized: true }),
    ...typeFile("box", {
      name: { type: "string" },
      target: { type: "relation", relation: "morphToOne" },
      group: { type: "relation", relation: "morphToMany" },
      pic: { type: "media" },
    }),
    ...typeFile("event", { name: { type: "string" } }, { draftAndPublish: true }),
    ...typeFile("item", {
      name: { type: "string" },
      rank: { type: "integer" },
      tags: relation("manyToMany", "tag", { inversedBy: "items" }),
      owner: relation("manyToOne", "owner"),
      zone: { type: "dynamiczone", components: ["part.row"] },
    }),
  });
  const create = async (type: string, data: unknown): Promise<string> =>
    (await app.call("POST", `/api/${type}`, { data })).body.data.documentId;
  const owner = await create("owners", { name: "o" });
  const tag = await create("tags", { label: "t", owner });
  const zone = [{ __component: "part.row", name: "r", owner }];
  await create("items", { name: "b", rank: 2, owner, tags: [tag], zone });
  await create("items", { name: "a", rank: 1 });
  await create("items", { rank: 3 });
  await create("boxs", { name: "b" });
  await create("signeds", { name: "s" });
  for (const locale of ["en", "fr", "de"]) await create(`pages?locale=${locale}`, { name: locale });
});
afterAll(() => app.close());

const names = async (query: string): Promise<unknown> => {
  const { status, body } = await app.call("GET", `/api/items?${query}`);
  return status === 200 ? body.data.map(({ name }: { name: unknown }) => name) : body.error.message;
};

describe("operators as the locale of a list", () => {
  test.each([
    ["locale[$eq]=fr", ["fr"]],
    ["locale[$ne]=fr", ["de", "en"]],
    ["locale[$in][0]=fr&locale[$in][1]=de", ["de", "fr"]],
    ["locale[$ne]=fr&filters[name][$ne]=de", ["en"]],
    ["locale[$eq]=fr&filters[locale]=de", ["de"]],
  ])("%s", async (query, expected) => {
    const { body } = await app.call("GET", `/api/pages?sort=name&${query}`);
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(expected);
    expect(body.meta.pagination.total).toBe(expected.length);
  });

  test.each(["locale[nothing]=fr", "locale[$nothing]=fr"])("%s is refused", async (query) => {
    expect((await app.call("GET", `/api/pages?${query}`)).status).toBe(400);
  });

  test("one document takes a single locale", async () => {
    const { body } = await app.call("GET", "/api/pages");
    const { documentId } = body.data[0];
    expect((await app.call("GET", `/api/pages/${documentId}?locale[$eq]=en`)).status).toBe(400);
  });
});

test("a zone is an empty list where the project has no components", async () => {
  const empty = await testApp(typeFile("page", { zone: { type: "dynamiczone", components: [] } }));
  await empty.call("POST", "/api/pages", { data: {} });
  for (const populate of ["*", "zone"])
    expect((await empty.call("GET", `/api/pages?populate=${populate}`)).body.data[0].zone).toEqual([]);
  await empty.close();
});

describe("populate of a zone", () => {
  test.each(["false", "0", "true"])("a component that is listed with %s is returned", async (word) => {
    const { body } = await app.call("GET", `/api/items?populate[zone][on][part.row]=${word}&filters[name]=b`);
    expect(body.data[0].zone).toMatchObject([{ __component: "part.row", name: "r" }]);
  });
});

describe("filters and sort", () => {
  const stored = ["b", "a", null];
  const cases: readonly [string, string, unknown][] = [
    ["$not takes a plain value", "filters[name][$not]=b", ["a"]],
    ["$not takes a list", "filters[rank][$not][]=1&filters[rank][$not][]=3", ["b"]],
    ["nothing contains no text at all", "filters[name][$contains]", []],
    ["everything there is lacks no text", "filters[name][$notContainsi]", ["b", "a"]],
    ["a direction without a name sorts by nothing", "sort=:desc", stored],
    ["a name without a direction in an object sorts by nothing", "sort[name]", stored],
    ["a list is not a direction", "sort[name][]=asc", stored],
    ["a list in a list sorts by nothing", "sort[0][0]=name", stored],
    ["a text sorts beside one that does not", "sort=:desc,name", [null, "a", "b"]],
    ["a publication filter without a value is none", "publicationFilter&hasPublishedVersion", stored],
  ];
  for (const [title, query, expected] of cases)
    test(title, async () => {
      expect(await names(query)).toEqual(expected);
    });

  test("requires a direction to sort by status", async () => {
    expect((await app.call("GET", "/api/events?sort=status:asc")).status).toBe(200);
    expect((await app.call("GET", "/api/events?sort=status")).body.error.message).toBe("Invalid key status");
  });
});

test("returns only the ids for an empty field name", async () => {
  const { body } = await app.call("GET", "/api/items?fields[]");
  expect(Object.keys(body.data[0])).toEqual(["id", "documentId"]);
});

test.each([
  ["fields=rank,name", ["rank", "name"]],
  ["fields=updatedAt,name&fields=rank", ["updatedAt", "name", "rank"]],
  ["fields=name,rank,name,documentId", ["name", "rank"]],
])("returns the fields of %s in their order", async (query, expected) => {
  const { body } = await app.call(
    "GET",
    `/api/items?${query.replaceAll("fields=", "fields[]=").replaceAll(",", "&fields[]=")}`,
  );
  expect(Object.keys(body.data[0])).toEqual(["id", "documentId", ...expected]);
});

describe("pagination", () => {
  const cases: readonly [string, string, unknown][] = [
    ["a limit without a value makes offsets", "pagination[limit]", { start: 0, limit: 25, total: 3 }],
    ["a list of one is its number", "pagination[limit][]=2", { start: 0, limit: 2, total: 3 }],
    [
      "withCount needs a value",
      "pagination[withCount]",
      'Invalid withCount parameter. Expected "t","1","true","false","0","f"',
    ],
  ];
  for (const [title, query, expected] of cases)
    test(title, async () => {
      const { body } = await app.call("GET", `/api/items?${query}`);
      expect(body.meta?.pagination ?? body.error.message).toEqual(expected);
    });
});

describe("populate", () => {
  const refused: readonly [string, string][] = [
    ["populate[tags][populate]=", "Invalid key  at tags"],
    ["populate[zone][on][]=part.row", "Invalid key 0 at zone.on.0"],
    ["populate[zone][on][part.row]=*", "Invalid key owner at zone.owner"],
  ];
  for (const [query, message] of refused)
    test(`${query} is refused`, async () => {
      expect(await names(query)).toBe(message);
    });

  /** What the first item has beside its fields. */
  const populated = async (query: string, headers?: Record<string, string>): Promise<unknown> => {
    const path = `/api/items?fields=name&sort=name:desc&${query}`;
    const { body } = await app.call("GET", path, undefined, headers);
    const { id: _, documentId: __, name: ___, ...rest } = body.data[0];
    return JSON.parse(JSON.stringify(rest), (key, value) =>
      ["id", "documentId", "createdAt", "updatedAt", "publishedAt"].includes(key) ? undefined : value,
    );
  };
  const tags = [{ label: "t" }];

  test("skips leading dots of a path", async () => {
    expect(await populated("populate=.owner")).toEqual({ owner: { name: "o" } });
  });

  test("replaces a path by a later prefix of it", async () => {
    expect(await populated("populate[0]=tags.owner&populate[1]=tags")).toEqual({ tags });
  });

  const unseen: readonly [string, string, unknown][] = [
    ["removes a path completely", "populate=tags.owner", {}],
    [
      "is omitted from a comma-separated list of paths",
      "populate=tags.owner,tags.items",
      { tags: [{ label: "t", items: [{ name: "b", rank: 2 }] }] },
    ],
    [
      "removes only its own path from a list",
      "populate[0]=tags.owner&populate[1]=zone",
      { zone: [{ __component: "part.row", name: "r" }] },
    ],
    [
      "is omitted from the entries of a zone",
      "populate[zone][populate]=*",
      { zone: [{ __component: "part.row", name: "r" }] },
    ],
    ["is omitted with its options", "populate[owner]=*", {}],
  ];
  for (const [title, query, expected] of unseen)
    test(`a hidden relation ${title}`, async () => {
      expect(await populated(query, READER)).toEqual(expected);
    });
});

describe("creators of a type with populateCreatorFields", () => {
  const cases: readonly [string, unknown][] = [
    ["filters[createdBy][firstname][$null]=true", 1],
    ["filters[updatedBy][id]=1", 0],
    ["filters[$not][createdBy][id]=1", 0],
    ["sort=createdBy.username:desc", 1],
    ["filters[createdBy][email]=x", "Invalid key email at createdBy.email"],
    ["filters[createdBy][nope]=x", "Invalid key nope at createdBy"],
    ["sort=createdBy.roles.name", "Invalid key roles at createdBy.roles"],
    ["populate=createdBy.firstname", "Invalid key firstname at createdBy.firstname"],
    ["populate[createdBy][fields]=password", "Invalid key password"],
  ];
  for (const [query, expected] of cases)
    test(query, async () => {
      const { status, body } = await app.call("GET", `/api/signeds?${query}`);
      expect(status === 200 ? body.data.length : body.error.message).toBe(expected);
    });

  test("returns null, also with count", async () => {
    const { body } = await app.call("GET", "/api/signeds?populate[createdBy][count]=true");
    expect(body.data[0].createdBy).toBeNull();
  });
});

describe("an operand that is an object", () => {
  const all = ["b", "a", null];
  const cases: readonly [string, string, unknown][] = [
    ["says nothing with keys that nobody knows", "filters[name][$eq][x]=1", all],
    ["says nothing at a relation", "filters[tags][$eq][x]=1", all],
    ["says nothing without an attribute", "filters[$startsWith][x][$eqi]=a", all],
    ["says nothing in place of a list", "filters[$or][x]=1", all],
    ["says nothing in a list of filters", "filters[0][$eq][x]=1", all],
    ["leaves other conditions", "filters[name][$eq][x]=1&filters[rank]=1", ["a"]],
    ["is true for $null", "filters[name][$null][x]=1", [null]],
    ["is refused with an attribute in it", "filters[name][$contains][id]=1", "Invalid value for name"],
    ["is refused with an operator in it", "filters[$eq][$eq]=1", "$eq needs an attribute"],
  ];
  test.each(cases)("%s", async (_, query, expected) => {
    expect(await names(query)).toEqual(expected);
  });
});

describe("reports the error of the parameter that Strapi checks first", () => {
  const sort = ["sort[name]=x", "Invalid order. order can only be one of asc|desc|ASC|DESC"];
  const filters = ["filters=5", "The filters parameter must be an object or an array"];
  const fields = ["fields[x]=1", "Invalid fields parameter. Expected a string or an array of strings"];
  const outside = [
    "page=1",
    "Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object",
  ];
  const number = ["pagination[pageSize]=x", "convertStartQueryParams expected a positive integer got NaN"];
  const operator = ["filters[$in]=5", "$in needs an attribute"];
  const search = ["_q[a]=1", "_q must be a string"];
  const orders = [
    [sort, filters, outside],
    [sort, fields, number, search],
    [filters, fields, outside, number],
    [fields, outside, number, operator, search],
  ];
  test.each(orders.map((order) => [order]))("%j", async (order) => {
    for (let first = 0; first < order.length; first++) {
      const wrong = order.slice(first).map(([query]) => query);
      expect(await names(wrong.reverse().join("&"))).toBe(order[first]![1]!);
    }
  });
});

describe("a limit that is not a number", () => {
  const cases: readonly [string, object, object | string][] = [
    ["is the maximum", { pageSize: "undefined" }, { start: 0, limit: 100 }],
    ["is the maximum with an offset", { start: "5", limit: "x" }, { start: 5, limit: 100 }],
    ["does not make a page number valid", { page: "undefined" }, "convertStartQueryParams"],
  ];
  test.each(cases)("%s", (_, pagination, expected) => {
    const read = () => readPagination(pagination, { defaultLimit: 25, maxLimit: 100, withCount: true });
    if (typeof expected === "string") expect(read).toThrow(expected);
    else expect(read()).toMatchObject(expected);
  });
});

describe("pagination parameters in a request for one document", () => {
  const one = async (query: string): Promise<unknown> => {
    const id = (await app.call("GET", "/api/items?filters[name]=a")).body.data[0].documentId;
    const { status, body } = await app.call("GET", `/api/items/${id}?${query}`);
    return status === 200 ? body.data.name : body.error.message;
  };
  const cases: readonly [string, string][] = [
    ["page=2&pageSize=1", "a"],
    ["limit=1&start=0", "a"],
    ["limit=-1", "a"],
    ["start=1", "Not Found"],
    ["page=0", "Invalid 'page' parameter. Expected an integer > 0, received: 0"],
    ["page[x]=1", "Invalid 'page' parameter. Expected an integer > 0, received: [object Object]"],
    ["pageSize=", "Invalid 'pageSize' parameter. Expected an integer > 0, received: "],
    [
      "page=1&start=1",
      "Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object",
    ],
    ["start=x", "convertStartQueryParams expected a positive integer got NaN"],
    ["limit=-2", "convertLimitQueryParams expected a positive integer got -2"],
    ["limit=-2&fields[x]=1", "Invalid fields parameter. Expected a string or an array of strings"],
  ];
  test.each(cases)("%s", async (query, expected) => {
    expect(await one(query)).toBe(expected);
  });

  test("are checked by DELETE as well", async () => {
    const { status, body } = await app.call("DELETE", "/api/items/nothing?page=0");
    expect([status, body.error.name]).toEqual([400, "PaginationError"]);
  });
});

describe("the parameters of a write", () => {
  const write = async (query: string) => {
    const { status, body } = await app.call("POST", `/api/tags?${query}`, { data: { label: "w" } });
    return status === 201 ? status : body.error.message;
  };
  test.each(["filters=5", "sort[label]=x", "_q[a]=1", "filters[$in]=5", "page=0", "pagination=5"])(
    "%s does not matter",
    async (query) => {
      expect(await write(query)).toBe(201);
    },
  );
  test.each([
    ["filters[nope]=1", "Invalid key nope"],
    ["sort=nope", "Invalid key nope"],
    ["fields[x]=1", "Invalid fields parameter. Expected a string or an array of strings"],
  ])("%s is refused", async (query, message) => {
    expect(await write(query)).toBe(message);
  });
});

describe("what populate takes", () => {
  const box = async (query: string): Promise<Record<string, unknown> | string> => {
    const { status, body } = await app.call("GET", `/api/boxs?${query}`);
    return status === 200 ? body.data[0] : body.error.message;
  };
  test.each([
    "populate[target]=*",
    "populate[target]=1",
    "populate[target][populate]=*",
    "populate[target][fields]=name",
    "populate[target][sort]=name",
    "populate[target][count]=false",
    "populate[target][on]=",
  ])("other values than a switch, types and a count omit a relation to any type: %s", async (query) => {
    expect(await box(query)).not.toHaveProperty("target");
    expect(await box(query.replaceAll("target", "group"))).not.toHaveProperty("group");
  });
  test("it is omitted beside another one that is populated", async () => {
    for (const other of [
      "populate[group]=true",
      "populate[group][on][api::tag.tag]=true",
      "populate[group][count]=true",
    ])
      expect(await box(`populate[target][populate]=*&${other}`)).not.toHaveProperty("target");
  });
  test("a switch, types and a count populate it", async () => {
    const queries = ["populate[target]=true", "populate[target][on][api::tag.tag][fields]=label"];
    for (const query of queries) expect(await box(query)).toMatchObject({ target: null });
    expect(await box("populate[group][count]=true")).toMatchObject({ group: { count: 0 } });
  });
  test("options beside types are refused", async () => {
    expect(await box("populate[target][on][api::tag.tag]=true&populate[target][sort]=name")).toContain(
      "Expected a fragment",
    );
  });
  test("files are not counted", async () => {
    expect(await box("populate[pic][count]=true")).toMatchObject({ pic: null });
  });
  test("* for an attribute is a switch for what is no document", async () => {
    const { body } = await app.call("POST", "/api/users", {
      username: "ann",
      email: "ann@example.com",
      password: "Passw0rd!",
      role: 1,
    });
    for (const query of ["populate[role]=*", "populate[role][populate][permissions]=*"]) {
      const user = await app.call("GET", `/api/users/${body.id}?${query}`);
      expect([query, user.status, user.body.role.type]).toEqual([query, 200, "authenticated"]);
    }
    expect((await app.call("GET", "/api/users/count?populate[role]=*")).body).toBe(1);
    expect((await app.call("GET", "/api/upload/files?populate[related]=*")).status).toBe(200);
    expect(await names("populate[tags]=*")).toBe("Invalid key owner at tags.owner");
    // and is refused after all else
    expect(await names("populate[tags]=*&populate[owner][sort]=nope")).toBe("Invalid key nope");
  });
});
