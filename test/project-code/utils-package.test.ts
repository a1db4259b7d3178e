/** `@strapi/utils`: what its helpers return and throw, as the reference's do. */
import { describe, expect, test } from "bun:test";
import { utilsPackage } from "../../src/project-code/packages/utils/index.ts";
import type { Body } from "../project.ts";

// as code sees it: without types
const utils = utilsPackage as Body;
const { contentTypes, relations, strings, pagination } = utils;

const article = {
  modelType: "contentType",
  kind: "collectionType",
  options: { draftAndPublish: true, privateAttributes: ["hidden"] },
  attributes: {
    title: { type: "string", required: true },
    secret: { type: "string", private: true },
    fixed: { type: "string", writable: false },
    unseen: { type: "integer", visible: false },
    cover: { type: "media" },
    part: { type: "component", component: "x.part" },
    zone: { type: "dynamiczone" },
    author: { type: "relation", relation: "manyToOne", target: "api::author.author" },
    subjects: { type: "relation", relation: "morphToMany" },
    createdAt: { type: "datetime" },
  },
};

const cases: Readonly<Record<string, readonly [made: () => unknown, answer: unknown]>> = {
  "scalars of a type": [
    () => contentTypes.getScalarAttributes(article),
    ["title", "secret", "fixed", "unseen", "createdAt"],
  ],
  "components of a type": [() => contentTypes.getComponentAttributes(article), ["part", "zone"]],
  "private attributes": [() => contentTypes.getPrivateAttributes(article), ["hidden", "secret"]],
  "what may be written": [
    () => contentTypes.getWritableAttributes(article),
    ["title", "secret", "unseen", "cover", "part", "zone", "author", "subjects"],
  ],
  "what is seen": [
    () => contentTypes.getVisibleAttributes(article),
    ["title", "secret", "fixed", "cover", "part", "zone", "author", "subjects"],
  ],
  drafts: [
    () => [contentTypes.hasDraftAndPublish(article), contentTypes.isDraft({ publishedAt: null }, article)],
    [true, true],
  ],
  "kinds of relations": [
    () => [relations.isAnyToOne(article.attributes.author), relations.isPolymorphic(article.attributes.subjects)],
    [true, true],
  ],
  creators: [() => utils.setCreatorFields({ user: { id: 3 } })({ a: 1 }), { a: 1, createdBy: 3, updatedBy: 3 }],
  editors: [() => utils.setCreatorFields({ user: { id: 3 }, isEdition: true })({ a: 1 }), { a: 1, updatedBy: 3 }],
  "a boolean": [() => utils.parseType({ type: "boolean", value: "f" }), false],
  "a forced boolean": [() => utils.parseType({ type: "boolean", value: "x", forceCast: true }), true],
  "a time": [() => utils.parseType({ type: "time", value: "10:11:12.5" }), "10:11:12.500"],
  "a date": [() => utils.parseType({ type: "date", value: "2020-01-02T10:00:00" }), "2020-01-02"],
  "a date without hyphens": [() => utils.parseType({ type: "date", value: "20240203" }), "2024-02-03"],
  "a day of a week": [() => utils.parseType({ type: "date", value: "2024-W05-6" }), "2024-02-03"],
  "the end of a day": [() => utils.parseType({ type: "date", value: "2024-02-03T24:00" }), "2024-02-04"],
  "a timestamp": [() => utils.parseType({ type: "datetime", value: "1600000000000" }), new Date(1600000000000)],
  "a slug": [() => strings.nameToSlug("Hello Wörld Foo"), "hello-woerld-foo"],
  "a name of a collection": [() => strings.nameToCollectionName("Hello World"), "hello_world"],
  "a common path": [() => strings.getCommonPath("/a/b/c", "/a/b/d"), "/a/b"],
  "joined parts": [() => strings.joinBy("/", "/a/", "/b/", "/c/"), "/a/b/c/"],
  cases: [
    () => ["fooBar", "foo-bar", "Foo"].map((name) => [strings.isCamelCase(name), strings.isKebabCase(name)]),
    [
      [true, false],
      [false, true],
      [false, false],
    ],
  ],
  "deep keys": [() => utils.objects.keysDeep({ a: { b: 1, c: [2] }, d: null }), ["a.b", "a.c.0", "d"]],
  sizes: [() => [0, 10, 1500, 2_000_000].map(utils.file.bytesToHumanReadable), ["0 Bytes", "10 Bytes", "2 KB", "2 MB"]],
  "default pages": [() => pagination.withDefaultPagination({}), { start: 0, limit: 10 }],
  "a page": [() => pagination.withDefaultPagination({ page: 3, pageSize: 5, x: 1 }), { x: 1, start: 10, limit: 5 }],
  "everything, with a limit": [
    () => pagination.withDefaultPagination({ limit: -1 }, { maxLimit: 100 }),
    { start: 0, limit: 100 },
  ],
  "the number of pages": [
    () => pagination.transformPagedPaginationInfo({ page: 3, pageSize: 5 }, 33),
    { page: 3, pageSize: 5, pageCount: 7, total: 33 },
  ],
  steps: [
    () =>
      utils.async.pipe(
        (a: number, b: number) => a + b,
        async (sum: number) => sum * 2,
      )(1, 2),
    6,
  ],
  "items one at a time": [
    () => utils.async.map([1, 2, 3], async (item: number) => item * 2, { concurrency: 1 }),
    [2, 4, 6],
  ],
  "a sum": [() => utils.async.reduce([1, 2])(async (sum: number, item: number) => sum + item, 10), 13],
  "reserved names": [
    () =>
      ["id", "documentId", "strapiThing", "status", "title"].map((name) => contentTypes.isReservedAttributeName(name)),
    [true, true, true, true, false],
  ],
  "reserved names without drafts": [
    () => contentTypes.isReservedAttributeName("status", { draftAndPublish: false }),
    false,
  ],
  "a route's name": [
    () => contentTypes.getContentTypeRoutePrefix({ info: { singularName: "note", pluralName: "myNotes" } }),
    "my-notes",
  ],
  "whether there is an order": [
    () =>
      ["a", ",", ":desc", [], [null], ["a"], { a: "asc" }, { a: {} }, { a: { b: "desc" } }, null].map(utils.hasSort),
    [true, false, false, false, false, true, true, false, true, false],
  ],
  operators: [
    () => ["$eq", "$and", "$not", "title"].map((key) => [utils.isOperator(key), utils.isOperatorOfType("where", key)]),
    [
      [true, true],
      [true, false],
      [true, true],
      [false, false],
    ],
  ],
  "more configuration of a middleware": [
    () =>
      utils.extendMiddlewareConfiguration(["a", { name: "b", config: { list: [1] } }], {
        name: "b",
        config: { list: [2] },
      }),
    ["a", { name: "b", config: { list: [1, 2] } }],
  ],
};
for (const [name, [made, answer]] of Object.entries(cases)) {
  test(name, async () => {
    expect(await made()).toEqual(answer);
  });
}

const types: Body = {
  "api::note.note": {
    modelType: "contentType",
    options: { draftAndPublish: true },
    attributes: {
      title: { type: "string" },
      author: { type: "relation", relation: "manyToOne", target: "api::author.author" },
      zone: { type: "dynamiczone", components: ["part.seo"] },
    },
  },
  "api::author.author": { modelType: "contentType", attributes: { name: { type: "string" } } },
  "part.seo": { modelType: "component", attributes: { text: { type: "string" } } },
};
const transform = (params: Body) =>
  utils.queryParams
    .createTransformer({ getModel: (uid: string) => types[uid] })
    .transformQueryParams("api::note.note", params);

const converted: Readonly<Record<string, readonly [params: Body, query: Body]>> = {
  "filters, without those on nothing": [
    { filters: { title: "a", none: 1, $or: [{ author: { name: "b", none: 2 } }] } },
    { where: { title: "a", $or: [{ author: { name: "b" } }] } },
  ],
  sorts: [{ sort: "title:desc,author.name" }, { orderBy: [{ title: "desc" }, { author: { name: "asc" } }] }],
  "an object that sorts": [
    { sort: { author: { name: "DESC" }, title: "" } },
    { orderBy: { author: { name: "DESC" } } },
  ],
  "fields, with ids": [{ fields: ["title"] }, { select: ["id", "documentId", "title"] }],
  "names to populate": [{ populate: "author, zone" }, { populate: ["author", "zone"] }],
  everything: [{ populate: "*" }, { populate: true }],
  "nested options": [
    {
      populate: {
        author: { fields: "name", sort: "name", limit: -1, populate: "*" },
        none: true,
        zone: { on: { "part.seo": { fields: "text" } } },
      },
    },
    {
      populate: {
        author: { orderBy: [{ name: "asc" }], select: ["id", "documentId", "name"], populate: true },
        zone: { on: { "part.seo": { select: ["id", "text"] } } },
      },
    },
  ],
  "empty sort keys": [{ sort: ":desc, title" }, { orderBy: [{ title: "asc" }] }],
  pages: [
    { page: "2", pageSize: 5 },
    { page: 2, pageSize: 5 },
  ],
  "an offset, and other parameters": [
    { start: "3", limit: "0", _q: "x" },
    { offset: 3, limit: 0, _q: "x" },
  ],
  "the status, as a condition": [
    { status: "published", filters: { title: "a" } },
    { where: { $and: [{ title: "a" }, { publishedAt: { $notNull: true } }] } },
  ],
};
for (const [name, [params, query]] of Object.entries(converted)) {
  test(`queryParams converts ${name}`, () => {
    expect(transform(params)).toEqual(query);
  });
}

const refused: Readonly<Record<string, Body>> = {
  "Invalid order. order can only be one of asc|desc|ASC|DESC": { sort: "title:up" },
  "Invalid sort type expected object or string got number": { sort: [{ title: 1 }, { author: { name: "asc" } }] },
  "convertLimitQueryParams expected a positive integer got -5": { limit: -5 },
  "convertStartQueryParams expected a positive integer got NaN": { start: "x" },
  "Invalid 'page' parameter. Expected an integer > 0, received: 0": { page: 0 },
  "Invalid 'pageSize' parameter. Expected an integer > 0, received: x": { pageSize: "x" },
  "Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object": {
    page: 1,
    limit: 1,
  },
  "Invalid fields parameter. Expected a string or an array of strings": { fields: [1] },
  "Invalid populate parameter. Expected a string, an array of strings, a populate object": { populate: 5 },
  "Invalid nested populate. Expected '*' or an object": { populate: { author: 5 } },
  "The filters parameter must be an object or an array": { filters: "x" },
};
for (const [message, params] of Object.entries(refused)) {
  test(`queryParams refuses: ${message}`, () => {
    expect(() => transform(params)).toThrow(message);
  });
}

test("publication filters are parsed", () => {
  const { parsePublicationFilter, parseHasPublishedVersionQueryParam, transformUidToValidOpenApiName } = utils;
  expect([parsePublicationFilter("modified"), parsePublicationFilter(), parsePublicationFilter(null)]).toEqual([
    "modified",
    undefined,
    undefined,
  ]);
  expect(() => parsePublicationFilter("bad")).toThrow("Invalid value for 'publicationFilter'. Expected one of: never-");
  expect([true, "false", undefined].map(parseHasPublishedVersionQueryParam)).toEqual([true, false, undefined]);
  expect(() => parseHasPublishedVersionQueryParam("x")).toThrow("Invalid value for 'hasPublishedVersion'.");
  expect(utils.hasPublishedVersionBooleanToPublicationFilterMode(false)).toBe("never-published-document");
  expect(transformUidToValidOpenApiName("plugin::users-permissions.user")).toBe("PluginUsersPermissionsUserDocument");
});

test("a problem at the root of a list has no empty step in its path", async () => {
  const check = utils.validateYupSchema(utils.yup.array().of(utils.yup.string().email()));
  await expect(check(["a@b.c", "x"])).rejects.toMatchObject({ details: { errors: [{ path: ["1"] }] } });
});

test("an entity without a schema is returned as it is", async () => {
  expect(await utils.traverseEntity(() => {}, { schema: undefined, getModel: () => undefined }, { a: 1 })).toEqual({
    a: 1,
  });
});

test("invalid values of attributes are refused", () => {
  const parse = (type: string, value: unknown) => () => utils.parseType({ type, value });
  expect(parse("boolean", "x")).toThrow('Invalid boolean input. Expected "t","1","true","false","0","f"');
  expect(parse("time", "10:11")).toThrow("Invalid time format, expected HH:mm:ss.SSS");
  expect(parse("date", "02/01/2020")).toThrow("Invalid format, expected an ISO compatible date");
  expect(parse("date", "2024-02-30")).toThrow("Invalid format, expected an ISO compatible date");
  expect(parse("datetime", true)).toThrow("Expected a string, got a boolean");
});

test("a provider calls its hooks and refuses a key twice", async () => {
  const provider = utils.providerFactory();
  const seen: unknown[] = [];
  provider.hooks.willRegister.register((entry: unknown) => void seen.push(entry));
  await provider.register("a", 1);
  expect(seen).toEqual([{ key: "a", value: 1 }]);
  expect(provider.register("a", 2)).rejects.toThrow("Duplicated item key: a");
  await provider.clear();
  expect(provider.size()).toBe(0);
});

describe("schemas", () => {
  const { yup, z } = utils;
  const schema = yup
    .object({
      name: yup.string().required(),
      id: yup.strapiID(),
      list: yup
        .array()
        .of(yup.object({ a: yup.string() }))
        .uniqueProperty("a", "twice"),
      key: yup.string().isKebabCase(),
      call: yup.mixed().isFunction(),
      there: yup.mixed().notNil(),
    })
    .noUnknown();

  test("of yup collect all problems with their paths", async () => {
    const value = { id: -1, list: [{ a: "x" }, { a: "x" }], key: "Foo", call: 3, more: 1 };
    const error = await utils
      .validateYupSchema(schema)(value)
      .catch((thrown: unknown) => thrown);
    expect(error.name).toBe("ValidationError");
    expect(error.message).toBe("8 errors occurred");
    expect(error.details.errors.map(({ path, message }: Body) => [path.join("."), message])).toEqual([
      ["name", "name is a required field"],
      ["id", "id must be a `strapiID` type, but the final value was: `-1`."],
      ["list.0.a", "twice"],
      ["list.1.a", "twice"],
      ["key", "key is not in kebab case (an-example-of-kebab-case)"],
      ["call", "call is not a function"],
      ["there", "there must be defined."],
      ["", "this field has unspecified keys: more"],
    ]);
    expect(await utils.validateYupSchema(schema)({ name: "a", there: 0 })).toEqual({ name: "a", there: 0 });
  });

  test("of yup take their own message and options", () => {
    expect(() => utils.validateYupSchemaSync(yup.string())(5, "own message")).toThrow("own message");
    const number = yup.object({ n: yup.number() });
    expect(utils.validateYupSchemaSync(number, { strict: false })({ n: "5" })).toEqual({ n: 5 });
  });

  test("of zod do the same", () => {
    const shape = z.object({ a: z.string(), b: z.array(z.number()) });
    expect(utils.validateZodSchema(shape)({ a: "x", b: [1] })).toEqual({ a: "x", b: [1] });
    try {
      utils.validateZodSchema(shape)({ a: 1, b: ["x"] });
      expect.unreachable();
    } catch (error) {
      expect((error as Body).message).toBe("Invalid input: expected string, received number");
      expect((error as Body).details.errors.map(({ path }: Body) => path)).toEqual([["a"], ["b", "0"]]);
    }
    const { error } = shape.safeParse({ a: 1, b: ["x"] });
    expect(utils.getZodValidationErrors(error)).toEqual({
      a: "Invalid input: expected string, received number",
      "b.0": "Invalid input: expected number, received string",
    });
  });
});

test("a visitor sees every value of an entry, and changes a copy", async () => {
  const models: Body = {
    "api::author.author": { attributes: { name: { type: "string" }, secret: { type: "string", private: true } } },
    "x.part": { attributes: { word: { type: "string" } } },
  };
  const entry = {
    id: 1,
    title: "t",
    zone: [{ __component: "x.part", word: "z" }, null],
    author: { name: "n", secret: "s" },
    subjects: [{ __type: "api::author.author", name: "m" }],
  };
  const paths: string[] = [];
  const visit = ({ key, attribute, path }: Body, { remove, set }: Body): void => {
    paths.push(path.rawWithIndices);
    if (attribute?.private) remove(key);
    if (key === "word") set(key, "changed");
  };
  const options = { schema: article, getModel: (uid: string) => models[uid] };
  const expected = {
    id: 1,
    title: "t",
    zone: [{ __component: "x.part", word: "changed" }, null],
    author: { name: "n" },
    subjects: [{ __type: "api::author.author", name: "m" }],
  };
  expect(await utils.traverseEntity(visit, options, entry)).toEqual(expected);
  expect(paths).toContain("zone.0.word");
  expect(paths).toContain("subjects.0.name");
  expect(entry.author.secret).toBe("s");
  expect(await utils.traverseEntity(visit)(options)(entry)).toEqual(expected);
});

test("what is not there says so where it is used", () => {
  expect(() => utils.packageManager).toThrow("packageManager of @strapi/utils is not supported by Galley");
  // code may import a function without calling it
  const { parseUserAgent } = utils;
  expect(() => parseUserAgent("x")).toThrow("parseUserAgent of @strapi/utils is not supported by Galley");
});
