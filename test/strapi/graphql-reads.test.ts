/** Reads over GraphQL go through the document middlewares and the hooks of a project, as in Strapi. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type Body, configFile, relation, type TestApp, testApp, typeFile } from "../project.ts";

const NOTE = "api::note.note";
let app: TestApp;

beforeAll(async () => {
  app = await testApp({
    ...configFile({ roles: { public: ["api::note.*", "api::author.*"] } }),
    ...typeFile(
      "note",
      {
        title: { type: "string" },
        secret: { type: "string", private: true },
        author: { ...relation("manyToOne", "author"), inversedBy: "notes" },
      },
      { draftAndPublish: true },
    ),
    ...typeFile("author", {
      name: { type: "string" },
      notes: { ...relation("oneToMany", "note"), mappedBy: "author" },
    }),
    "src/index.js": `
      const { errors } = require("@strapi/utils");
      globalThis.reads = { mode: "", seen: [] };
      const { reads } = globalThis;
      module.exports = { register({ strapi }) {
        strapi.documents.use(async (context, next) => {
          const { uid, action, params } = context;
          reads.seen.push([action, structuredClone(params)]);
          if (uid !== "${NOTE}") return next();
          if (reads.mode === "refuse") throw new errors.ApplicationError("not now", { a: 1 });
          if (reads.mode === "crash") throw new Error("crashed");
          if (reads.mode === "filter") params.filters = { ...params.filters, title: "one" };
          const result = await next();
          if (reads.mode === "change") for (const row of [result].flat()) if (row?.title) row.title = "changed " + row.title;
          if (reads.mode === "extra" && action === "findMany") return [...result, { id: 99, documentId: "extra", title: "extra" }];
          if (reads.mode === "none") return action === "findMany" ? [] : action === "count" ? 7 : null;
          return result;
        });
        strapi.db.lifecycles.subscribe((event) => {
          if (event.model.uid !== "${NOTE}") return;
          if (event.action.startsWith("before")) reads.seen.push([event.action, structuredClone(event.params)]);
          if (reads.mode === "before" && event.action === "beforeFindMany") event.params.where = { $and: [event.params.where, { title: "two" }] };
        });
      } };`,
  });
  const author = await app.documents("api::author.author").create({ data: { name: "Ann" } });
  for (const title of ["one", "two"]) {
    const data = { title, secret: "s", author: author.documentId };
    await app.documents(NOTE).create({ data, status: "published" });
  }
});
afterAll(() => app.close());

const reads = (): { mode: string; seen: [action: string, params: Body][] } => (globalThis as Body).reads;
beforeEach(() => {
  reads().mode = "";
  reads().seen.length = 0;
});

async function ask(query: string, mode = ""): Promise<Body> {
  reads().mode = mode;
  return (await app.call("POST", "/graphql", { query }, {})).body;
}

const LIST = "{ notes { title author { name } } }";
const rows = (...titles: string[]) => titles.map((title) => ({ title, author: { name: "Ann" } }));

test("a list is findMany with what was asked for, and the query of it", async () => {
  expect(await ask(LIST)).toEqual({ data: { notes: rows("one", "two") } });
  expect(reads().seen).toEqual([
    ["findMany", { start: 0, limit: 10, status: "published" }],
    ["beforeFindMany", { where: { publishedAt: { $notNull: true } }, offset: 0, limit: 10 }],
  ]);
  reads().seen.length = 0;
  await ask(
    '{ notes(filters: { title: { eq: "one" } }, sort: "author.name:desc", pagination: { limit: 2 }, status: DRAFT) { title } }',
  );
  expect(reads().seen).toEqual([
    [
      "findMany",
      { sort: ["author.name:desc"], start: 0, limit: 2, filters: { title: { $eq: "one" } }, status: "draft" },
    ],
    [
      "beforeFindMany",
      {
        where: { publishedAt: { $null: true }, title: { $eq: "one" } },
        orderBy: [{ author: { name: "desc" } }],
        offset: 0,
        limit: 2,
      },
    ],
  ]);
});

test("a connection is counted only when that is selected", async () => {
  const data = { notes_connection: { nodes: [{ title: "one" }, { title: "two" }], pageInfo: { total: 2 } } };
  expect(await ask("{ notes_connection { nodes { title } pageInfo { total } } }")).toEqual({ data });
  expect(reads().seen.map(([action]) => action)).toEqual(["findMany", "beforeFindMany", "count", "beforeCount"]);
  reads().seen.length = 0;
  await ask("{ notes_connection { nodes { title } } }");
  expect(reads().seen.map(([action]) => action)).toEqual(["findMany", "beforeFindMany"]);
});

const answers: Readonly<Record<string, readonly [list: Body, total: number]>> = {
  filter: [{ data: { notes: rows("one") } }, 1],
  change: [{ data: { notes: rows("changed one", "changed two") } }, 2],
  extra: [{ data: { notes: [...rows("one", "two"), { title: "extra", author: null }] } }, 2],
  none: [{ data: { notes: [] } }, 7],
  before: [{ data: { notes: rows("two") } }, 2],
};
for (const [mode, [list, total]] of Object.entries(answers)) {
  test(`what code makes of a read is answered: ${mode}`, async () => {
    // as often as it takes for operations to be prepared and answers to be cached
    for (let request = 0; request < 3; request++) expect(await ask(LIST, mode)).toEqual(list);
    const { data } = await ask("{ notes_connection { pageInfo { total } } }", mode);
    expect(data.notes_connection.pageInfo.total).toBe(total);
    expect(await ask(LIST)).toEqual({ data: { notes: rows("one", "two") } });
  });
}

test("rows behind relations are read without code, in the version that was asked for", async () => {
  const { data } = await ask("{ authors { notes { title } } }", "change");
  expect(data.authors).toEqual([{ notes: [{ title: "one" }, { title: "two" }] }]);
});

test("errors of code are answered as Strapi answers them", async () => {
  const refused = await ask("{ notes_connection { pageInfo { total } } }", "refuse");
  expect(refused.errors[0].extensions).toEqual({
    code: "STRAPI_APPLICATION_ERROR",
    error: { name: "ApplicationError", message: "not now", details: { a: 1 } },
  });
  const crashed = await ask(LIST, "crash");
  expect(crashed).toMatchObject({ data: null, errors: [{ message: "crashed", path: ["notes"] }] });
});

test("drafts are in no relation of what is published, though hooks watch reads", async () => {
  const author = await app.documents("api::author.author").findFirst();
  const { documentId } = await app.documents(NOTE).create({ data: { title: "draft", author: author!.documentId } });
  const paths = [
    "authors?populate[notes][fields][0]=title",
    "authors?populate[notes][filters][title]=draft",
    "notes?populate[author][populate][notes][fields][0]=title",
  ];
  const seen = [await ask("{ authors { notes { title } } notes { author { notes { title } } } }")];
  for (const path of paths) seen.push((await app.call("GET", `/api/${path}`, undefined, {})).body);
  seen.push((await app.call("GET", `/api/authors/${author!.documentId}?populate=notes`, undefined, {})).body);
  await app.documents(NOTE).delete({ documentId: String(documentId) });
  for (const body of seen)
    expect([body.errors, JSON.stringify(body)]).toEqual([undefined, expect.not.stringContaining("draft")]);
});

test("documents are filtered by their publication, though hooks watch reads", async () => {
  const { documentId } = await app.documents(NOTE).create({ data: { title: "draft" } });
  const titles: unknown[] = [];
  for (const query of ["hasPublishedVersion=false&status=draft", "publicationFilter=never-published&status=draft"]) {
    const { body } = await app.call("GET", `/api/notes?${query}`, undefined, {});
    titles.push(body.data.map(({ title }: Body) => title));
  }
  await app.documents(NOTE).delete({ documentId: String(documentId) });
  expect(titles).toEqual([["draft"], ["draft"]]);
});

const invalid = [
  "filters[title][$between]=a",
  "populate[author][filters][id][$between]=1",
  "sort=no",
  "populate[title]=x",
];
for (const query of invalid) {
  test(`a list with ${query} is a client error, and calls no hook of the database`, async () => {
    const { status } = await app.call("GET", `/api/notes?${query}`, undefined, {});
    expect([status, reads().seen.filter(([action]) => action.startsWith("before"))]).toEqual([400, []]);
  });
}

const lists = {
  "fields[0]": {},
  "populate[author][populate]=notes": { title: "one", author: { notes: [{ title: "one" }, { title: "two" }] } },
};
for (const [query, first] of Object.entries(lists)) {
  test(`a list with ${query} is answered as without hooks`, async () => {
    const { status, body } = await app.call("GET", `/api/notes?${query}`, undefined, {});
    expect(status).toBe(200);
    expect(body.data[0]).toMatchObject(first);
  });
}

test("writes answer what code makes of their results, which have all fields", async () => {
  const { data } = await ask(
    'mutation { createNote(data: { title: "new" }) { title secretly: documentId author { name } } }',
    "change",
  );
  expect(data.createNote).toEqual({ title: "changed new", secretly: expect.any(String), author: null });
  const [, params] = reads().seen.find(([action]) => action === "create")!;
  expect(params).toEqual({ status: "published", data: { title: "new" } });
  await ask(`mutation { deleteNote(documentId: "${data.createNote.secretly}") { documentId } }`);
});

test("what the caller may not look at stays so", async () => {
  const { errors } = await ask('{ notes(filters: { secret: { eq: "s" } }) { title } }');
  expect(errors[0].message).toContain("secret");
  expect(reads().seen).toEqual([]);
});
