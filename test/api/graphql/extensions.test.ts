/** What a project's own code changes about the schema: types, resolvers, who may ask, and what is left out. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import * as graphql from "graphql";
import * as nexus from "nexus";
import { GraphqlEndpoint } from "../../../src/api/graphql/endpoint.ts";
import type { GraphqlExtensions } from "../../../src/api/graphql/extensions/extensions.ts";
import { userOperations } from "../../../src/api/graphql/user-operations.ts";
import { ResponseCache } from "../../../src/api/responses.ts";
import { readBody } from "../../../src/api/rest/body.ts";
import { CommonHeaders, respondToError } from "../../../src/api/rest/respond.ts";
import { DocumentService } from "../../../src/engine/documents/document-service.ts";
import { contentType } from "../../../src/engine/schema/model.ts";
import { ApiError } from "../../../src/lib/errors.ts";
import type { Project } from "../../../src/server/project/project.ts";
import { startProject } from "../../../src/server/start.ts";
import { ADMIN, type Body, componentFile, projectFolder, relation, typeFile } from "../../project.ts";

const folder = projectFolder({
  ...typeFile("tag", { label: { type: "string" } }),
  ...typeFile("secret", { word: { type: "string" } }),
  ...componentFile("shared.quote", { text: { type: "string" } }),
  ...typeFile("page", {
    slug: { type: "string" },
    body: { type: "text" },
    tags: relation("manyToMany", "tag"),
    secret: relation("manyToOne", "secret"),
    quote: { type: "component", component: "shared.quote" },
  }),
  ...typeFile("note", { text: { type: "string" } }, { draftAndPublish: true }),
  ...typeFile("shelf", { notes: relation("oneToMany", "note") }),
  ...typeFile("home", { title: { type: "string" } }, { kind: "singleType" }),
  "config/galley.json": JSON.stringify({
    roles: { public: ["api::page.page.find", "api::tag.tag.find"] },
    tokens: [
      { name: "full", type: "full-access", key: "test-full-access" },
      { name: "pages", type: "custom", key: "test-pages", permissions: ["api::page.page.findOne"] },
    ],
  }),
});
const PAGES = { authorization: "Bearer test-pages" };

let project: Project;
beforeAll(async () => {
  ({ project } = await startProject(folder.root, { memory: true, publicRead: false, environment: {} }));
  const { context } = project;
  const service = (name: string) => new DocumentService(context, contentType(context.model, `api::${name}.${name}`));
  const tag = await service("tag").create({ data: { label: "paper" } });
  const secret = await service("secret").create({ data: { word: "hush" } });
  const data = { slug: "one", body: "a b c", tags: [tag.documentId], secret: secret.documentId, quote: { text: "q" } };
  await service("page").create({ data });
  const note = await service("note").create({ data: { text: "published" }, status: "published" });
  await service("note").update({ documentId: String(note.documentId), data: { text: "draft" } });
  await service("shelf").create({ data: { notes: [note.documentId] } });
});
afterAll(async () => {
  await project.close();
  folder.remove();
});

type Send = (query: string, headers?: Readonly<Record<string, string>>) => Promise<Body>;

/** Asks a schema with these extensions. */
function asking(extensions: GraphqlExtensions): Send {
  const handle = handling(extensions);
  return async (query, headers) => (await handle(query, headers)).json();
}

function handling(extensions: GraphqlExtensions): (...args: Parameters<Send>) => Promise<Response> {
  const { context, access, settings, media } = project;
  const headers = new CommonHeaders(settings.http);
  const endpoint = new GraphqlEndpoint({
    context,
    identify: (request) => access.access.identify(request.headers.get("authorization")),
    users: userOperations(access),
    media: media(),
    settings,
    responses: new ResponseCache(context.storage),
    extensions,
    http: {
      readBody: (request) => readBody(request, settings.http.body),
      headers: (request) => headers.of(request),
      addPreflight: (own, sent) => headers.addPreflight(own, sent),
      respondToError,
    },
  });
  return async (query, own = {}) => {
    const request = new Request("http://localhost/graphql", {
      method: "POST",
      headers: { "content-type": "application/json", ...own },
      body: JSON.stringify({ query }),
    });
    return endpoint.handle({ request, params: {}, address: () => undefined } as never);
  };
}

const pages = () => new DocumentService(project.context, contentType(project.context.model, "api::page.page"));
const bySlug: GraphqlExtensions = {
  typeDefs: ["type Query { pageBySlug(slug: String!): Page, pagesBySlug(slug: String!): [Page] }"],
  resolvers: {
    Query: {
      pageBySlug: async (_: unknown, { slug }: Body) => (await pages().findMany({ filters: { slug } }))[0],
      pagesBySlug: { resolve: (_: unknown, { slug }: Body) => pages().findMany({ filters: { slug } }) },
    },
  },
};
const FORBIDDEN = { message: "Forbidden access", extensions: { code: "FORBIDDEN" } };

describe("a field of the project", () => {
  test("sets the status of the response with its error, as with Apollo Server", async () => {
    const fail = (http: object) => () => {
      throw new graphql.GraphQLError("no", { extensions: { code: "MINE", http } });
    };
    const handle = handling({
      typeDefs: ["type Query { refused: String, invalid: String }"],
      resolvers: { Query: { refused: fail({ status: 409 }), invalid: fail({ status: 1 }) } },
      resolversConfig: { "Query.refused": { auth: false }, "Query.invalid": { auth: false } },
    });
    const response = await handle("{ refused }");
    expect(response.status).toBe(409);
    const { data, errors } = (await response.json()) as Body;
    expect([data, errors[0].extensions]).toEqual([{ refused: null }, { code: "MINE" }]);
    expect((await handle("{ invalid }")).status).toBe(200);
  });

  test("gets times of its arguments as dates, and may return dates", async () => {
    const toText = (value: unknown): string =>
      value instanceof Date ? `a date: ${value.toISOString()}` : String(value);
    const send = asking({
      typeDefs: [
        "scalar DateTime scalar Date type Times { at: DateTime, text: DateTime, day: Date }",
        "input Span { from: DateTime, days: [DateTime!] } type Query { seen(at: DateTime, day: Date, span: Span): [String!], times: Times }",
      ],
      resolvers: {
        Query: {
          seen: (_: unknown, { at, day, span }: Body) => [at, day, span.from, ...span.days].map(toText),
          times: () => ({ at: new Date(0), text: "2026-01-02T03:00:00+02:00", day: new Date(0) }),
        },
      },
      resolversConfig: { "Query.seen": { auth: false }, "Query.times": { auth: false } },
    });
    const span = '{ from: null, days: ["2026-01-02T03:00:00+02:00"] }';
    const { data, errors } = await send(
      `{ seen(at: "2026-01-01T00:00:00Z", day: "2026-01-01", span: ${span}) times { at text day } }`,
    );
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      seen: ["a date: 2026-01-01T00:00:00.000Z", "2026-01-01", "null", "a date: 2026-01-02T01:00:00.000Z"],
      times: { at: "1970-01-01T00:00:00.000Z", text: "2026-01-02T01:00:00.000Z", day: "1970-01-01" },
    });
  });

  test("answers generated types with what is selected below them", async () => {
    const { data, errors } = await asking(bySlug)(
      '{ pageBySlug(slug: "one") { slug tags { label } quote { text } } pagesBySlug(slug: "one") { t: tags_connection { nodes { label } } } none: pageBySlug(slug: "x") { slug } }',
      ADMIN,
    );
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      pageBySlug: { slug: "one", tags: [{ label: "paper" }], quote: { text: "q" } },
      pagesBySlug: [{ t: { nodes: [{ label: "paper" }] } }],
      none: null,
    });
  });

  test("answers the types of responses with values and nodes of its own", async () => {
    const page = async () => (await pages())[0];
    const pages = async () =>
      new DocumentService(project.context, contentType(project.context.model, "api::page.page")).findMany({});
    const extensions: GraphqlExtensions = {
      typeDefs: [
        `type Query { onePage: PageEntityResponse noPage: PageEntityResponse! home2: HomeEntityResponse
          allPages(slug: String): PageEntityResponseCollection related: PageRelationResponseCollection bare: PageEntityResponseCollection }
        type Unused { a: Int }
        extend type PageEntityResponseCollection { label: String }`,
      ],
      resolvers: {
        Query: {
          onePage: async () => ({ value: await page() }),
          noPage: () => ({ value: null }),
          home2: () => ({ value: { title: "made" } }),
          allPages: async (_parent: unknown, { slug }: Body) => {
            const args = { start: 0, limit: 1, filters: slug ? { slug: { $eq: slug } } : {} };
            return { nodes: await pages(), info: { args, resourceUID: "api::page.page" }, label: "own" };
          },
          related: async () => ({ nodes: await pages() }),
          bare: () => ({}),
        },
      },
    };
    const send = asking(extensions);
    const pageInfo = "pageInfo { total page pageSize pageCount }";
    const nodes = "nodes { slug tags { label } }";
    const { data, errors } = await send(
      `{ onePage { data { slug secret { word } } } noPage { data { slug } } home2 { data { title } } allPages { label ${nodes} ${pageInfo} }
        none: allPages(slug: "x") { ${pageInfo} } related { ${nodes} } bare { ${nodes} } pages_connection { ${nodes} ${pageInfo} } }`,
      ADMIN,
    );
    const all = [{ slug: "one", tags: [{ label: "paper" }] }];
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      onePage: { data: { slug: "one", secret: { word: "hush" } } },
      noPage: { data: null },
      home2: { data: { title: "made" } },
      allPages: { label: "own", nodes: all, pageInfo: { total: 1, page: 1, pageSize: 1, pageCount: 1 } },
      none: { pageInfo: { total: 0, page: 1, pageSize: 1, pageCount: 0 } },
      related: { nodes: all },
      bare: { nodes: [] },
      pages_connection: { nodes: all, pageInfo: { total: 1, page: 1, pageSize: 10, pageCount: 1 } },
    });
    expect((await send(`{ bare { ${pageInfo} } }`, ADMIN)).errors[0].message).toContain("args and resourceUID");
    const names = (await send("{ __schema { types { name } } }")).data.__schema.types.map(({ name }: Body) => name);
    expect(names).toContain("HomeEntityResponse");
    for (const unused of ["Unused", "TagEntityResponse", "HomeRelationResponseCollection"])
      expect(names).not.toContain(unused);
  });

  test("of a type of its own leads to rows, whose relations are read", async () => {
    const found = async () => ({ total: 1, pages: await pages().findMany({}) });
    const extensions: GraphqlExtensions = {
      typeDefs: [
        `type Found { total: Int, pages: [Page], first: Hit } union Hit = Page | Tag
        type Query { found: Found, hits: [Hit], some: Page } type Mutation { find: Found }`,
      ],
      resolvers: {
        Query: {
          found: async () => ({ ...(await found()), first: { ...(await pages().findFirst({})), __typename: "Page" } }),
          hits: async () => [
            ...(await pages().findMany({})).map((page) => ({ ...page, __typename: "Page" })),
            { label: "made", __typename: "Tag" },
          ],
          some: () => pages().findFirst({ fields: ["slug"] }),
        },
        Mutation: { find: found },
      },
    };
    const page = "slug tags { label } quote { text }";
    const hit = `__typename ... on Page { ${page} } ... on Tag { label }`;
    const query = `{ found { total pages { ${page} } first { ${hit} } } hits { ${hit} } some { ${page} } }`;
    const { data, errors } = await asking(extensions)(query, ADMIN);
    const one = { slug: "one", tags: [{ label: "paper" }], quote: { text: "q" } };
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      found: { total: 1, pages: [one], first: { __typename: "Page", ...one } },
      hits: [
        { __typename: "Page", ...one },
        { __typename: "Tag", label: "made" },
      ],
      some: one,
    });
    expect((await asking(extensions)(`mutation { find { pages { ${page} } } }`, ADMIN)).data.find.pages).toEqual([one]);
  });

  test("without drafts leads to the versions that a query asks for, by default published ones", async () => {
    const shelf = () =>
      new DocumentService(project.context, contentType(project.context.model, "api::shelf.shelf")).findFirst({});
    const send = asking({
      typeDefs: ["type Query { shelf0: Shelf } extend type Shelf { itself: Shelf }"],
      resolvers: { Query: { shelf0: shelf }, Shelf: { itself: shelf } },
    });
    const notes = "notes { text }";
    const { data, errors } = await send(
      `{ shelf0 { ${notes} } shelfs { itself { ${notes} } } drafts: shelfs(status: DRAFT) { itself { ${notes} } } }`,
      ADMIN,
    );
    expect(errors).toBeUndefined();
    const published = { notes: [{ text: "published" }] };
    expect(data).toEqual({
      shelf0: published,
      shelfs: [{ itself: published }],
      drafts: [{ itself: { notes: [{ text: "draft" }] } }],
    });
  });

  test("is for signed-in callers unless it says otherwise", async () => {
    const query = '{ pageBySlug(slug: "one") { slug } }';
    const withAuth = (auth: boolean | { scope?: string }) =>
      asking({ ...bySlug, resolversConfig: { "Query.pageBySlug": { auth } } });
    expect((await asking(bySlug)(query)).errors).toMatchObject([FORBIDDEN]);
    expect((await asking(bySlug)(query, PAGES)).errors).toMatchObject([FORBIDDEN]);
    expect((await withAuth(false)(query)).data.pageBySlug).toEqual({ slug: "one" });
    expect((await withAuth({ scope: "api::page.page.findOne" })(query, PAGES)).data.pageBySlug).toEqual({
      slug: "one",
    });
    expect((await withAuth({ scope: "api::page.page.findOne" })(query)).errors).toMatchObject([FORBIDDEN]);
    expect((await withAuth(true)(query)).errors).toMatchObject([FORBIDDEN]);
  });

  test("does not show relations that the caller may not look at", async () => {
    const send = asking({ ...bySlug, resolversConfig: { "Query.pageBySlug": { auth: false } } });
    const { data, errors } = await send('{ pageBySlug(slug: "one") { slug secret { word } } }');
    expect(data.pageBySlug).toEqual({ slug: "one", secret: null });
    expect(errors).toMatchObject([FORBIDDEN]);
  });

  test("of a generated type gets the whole row", async () => {
    const send = asking({
      typeDefs: ["extend type Page { words: Int }"],
      resolvers: { Page: { words: ({ body }: Body) => body.split(" ").length } },
    });
    expect((await send("{ pages { words } }")).data).toEqual({ pages: [{ words: 3 }] });
  });

  test("in the place of a generated one keeps its permission", async () => {
    const send = asking({ resolvers: { Query: { pages: () => [{ slug: "own" }], home: () => ({ title: "own" }) } } });
    expect((await send("{ pages { slug } }")).data).toEqual({ pages: [{ slug: "own" }] });
    expect((await send("{ home { title } }")).errors).toMatchObject([FORBIDDEN]);
  });

  test("has a context of its own, made once for an operation", async () => {
    let made = 0;
    const send = asking({
      typeDefs: ["type Query { a: String, b: String }"],
      resolvers: {
        Query: { a: (_p: unknown, _a: unknown, c: Body) => c.agent, b: (_p: unknown, _a: unknown, c: Body) => c.agent },
      },
      resolversConfig: { "Query.a": { auth: false }, "Query.b": { auth: false } },
      createContext: ({ request }) => ({ agent: `${request.headers.get("user-agent")} ${++made}` }),
    });
    expect((await send("{ a b }", { "user-agent": "tests" })).data).toEqual({ a: "tests 1", b: "tests 1" });
  });

  test("is run every time", async () => {
    let runs = 0;
    const send = asking({
      typeDefs: ["type Query { runs: Int }"],
      resolvers: { Query: { runs: () => ++runs } },
      resolversConfig: { "Query.runs": { auth: false } },
    });
    for (const expected of [1, 2, 3, 4]) expect((await send("{ runs }")).data).toEqual({ runs: expected });
  });

  test("that throws answers plain errors and those of the table, and hides others", async () => {
    const log = spyOn(console, "error").mockImplementation(() => {});
    const thrown: Record<string, unknown> = {
      plain: new Error("plain words"),
      table: new ApiError("ApplicationError", "table words"),
      other: Object.assign(new Error("no such table: secrets"), { code: "SQLITE_ERROR" }),
    };
    const names = Object.keys(thrown);
    const send = asking({
      typeDefs: [`type Query { ${names.map((name) => `${name}: Int`).join(" ")} }`],
      resolvers: {
        Query: Object.fromEntries(
          names.map((name) => [
            name,
            () => {
              throw thrown[name];
            },
          ]),
        ),
      },
      resolversConfig: Object.fromEntries(names.map((name) => [`Query.${name}`, { auth: false }])),
    });
    const errorOf = async (name: string) => (await send(`{ ${name} }`)).errors[0];
    expect(await errorOf("plain")).toMatchObject({
      message: "plain words",
      extensions: { code: "INTERNAL_SERVER_ERROR" },
    });
    expect(await errorOf("table")).toMatchObject({
      message: "table words",
      extensions: { code: "STRAPI_APPLICATION_ERROR" },
    });
    expect(await errorOf("other")).toEqual({
      message: "Internal Server Error",
      extensions: { code: "INTERNAL_SERVER_ERROR" },
    });
    log.mockRestore();
  });
});

describe("a generated field", () => {
  test("is behind middlewares, and these before policies", async () => {
    const calls: string[] = [];
    const send = asking({
      resolversConfig: {
        "Query.pages": {
          middlewares: [
            async (next, parent, args, context, info) => {
              calls.push("first");
              const rows = (await next(parent, { ...(args as object), sort: ["slug"] }, context, info)) as Body[];
              return rows.map((row) => ({ ...row, slug: `${row.slug}!` }));
            },
            (next, parent, args, context, info) => {
              calls.push("second");
              return next(parent, args, context, info);
            },
          ],
          policies: [
            ({ args }) => {
              calls.push(`policy ${JSON.stringify((args as Body).sort)}`);
              return true;
            },
          ],
        },
      },
    });
    for (const _ of [1, 2, 3]) {
      calls.length = 0;
      expect((await send("{ pages { slug tags { label } } }")).data).toEqual({
        pages: [{ slug: "one!", tags: [{ label: "paper" }] }],
      });
      expect(calls).toEqual(["first", "second", 'policy ["slug"]']);
    }
  });

  test("shows policies and middlewares whole rows", async () => {
    const seen: unknown[] = [];
    const see = (row: unknown) => seen.push([(row as Body).body, (row as Body).id]);
    const send = asking({
      resolversConfig: {
        "Query.pages": {
          middlewares: [
            async (next, ...rest) => {
              const rows = (await next(...rest)) as Body[];
              see(rows[0]);
              return rows;
            },
          ],
        },
        "Page.slug": { policies: [({ parent }) => void see(parent)] },
        "Page.tags": {
          middlewares: [
            async (next, parent, ...rest) => {
              see(parent);
              const tags = (await next(parent, ...rest)) as Body[];
              return tags.filter(({ label, id }) => label === "paper" && id > 0);
            },
          ],
        },
      },
    });
    const pages = [{ slug: "one", tags: [{ documentId: expect.any(String) }] }];
    expect(await send("{ pages { slug tags { documentId } } }")).toEqual({ data: { pages } });
    expect(await send("{ page: pages_connection { nodes { slug } } }")).toMatchObject({ data: {} });
    expect(seen).toEqual(Array(4).fill(["a b c", expect.any(Number)]));
  });

  test("of a relation is read with the arguments that middlewares give it", async () => {
    const send = asking({
      resolversConfig: {
        "Page.tags": {
          middlewares: [
            (next, parent, args, ...rest) => {
              const { filters } = args as Body;
              return next(
                parent,
                { ...(args as Body), filters: { and: [filters, { label: { ne: "paper" } }] } },
                ...rest,
              );
            },
          ],
        },
        "Page.tags_connection": {
          middlewares: [
            (next, parent, args, ...rest) => {
              (args as Body).filters = { label: { eq: "glass" } };
              return next(parent, args, ...rest);
            },
          ],
        },
      },
    });
    const query = `{ pages { slug p: tags(filters: { label: { eq: "paper" } }) { label } tags(filters: {}) { label }
      tags_connection { nodes { label } } } }`;
    expect(await send(query)).toEqual({
      data: { pages: [{ slug: "one", p: [], tags: [], tags_connection: { nodes: [] } }] },
    });
  });

  test("has its nodes in middlewares of a connection, which may replace them", async () => {
    const seen: unknown[] = [];
    const send = asking({
      resolversConfig: {
        "Query.pages_connection": {
          middlewares: [
            async (next, parent, args, context, info) => {
              const { nodes, ...rest } = (await next(parent, args, context, info)) as Body;
              seen.push(nodes.map(({ slug, documentId }: Body) => [slug, typeof documentId]));
              return { ...rest, nodes: nodes.map((node: Body) => ({ ...node, slug: node.slug.toUpperCase() })) };
            },
          ],
        },
        "Page.tags_connection": {
          middlewares: [
            async (next, ...rest) => {
              const found = (await next(...rest)) as Body;
              return { ...found, nodes: found.nodes.filter(({ label }: Body) => label !== "paper") };
            },
          ],
        },
      },
    });
    const query = `{ pages_connection { nodes { slug quote { text } tags { label } tags_connection { nodes { label } } }
      other: nodes { slug } pageInfo { total } } none: pages_connection { pageInfo { total } } }`;
    expect(await send(query, ADMIN)).toEqual({
      data: {
        pages_connection: {
          nodes: [{ slug: "ONE", quote: { text: "q" }, tags: [{ label: "paper" }], tags_connection: { nodes: [] } }],
          other: [{ slug: "ONE" }],
          pageInfo: { total: 1 },
        },
        none: { pageInfo: { total: 1 } },
      },
    });
    expect(seen).toEqual([[["one", "string"]], []]);
  });

  test("is refused by a policy", async () => {
    const send = asking({ resolversConfig: { "Query.pages": { policies: [() => false] } } });
    expect((await send("{ pages { slug } }")).errors).toMatchObject([
      { message: "Policy Failed", extensions: { code: "FORBIDDEN", error: { name: "PolicyError" } } },
    ]);
  });

  test("can be open to everybody, or need another permission", async () => {
    const withAuth = (auth: false | { scope: string }) => asking({ resolversConfig: { "Query.home": { auth } } });
    expect(await withAuth(false)("{ home { title } }")).toEqual({ data: { home: null } });
    expect(await withAuth({ scope: "api::page.page.find" })("{ home { title } }")).toEqual({ data: { home: null } });
    expect((await withAuth({ scope: "api::page.page.delete" })("{ home { title } }")).errors).toMatchObject([
      FORBIDDEN,
    ]);
  });
});

describe("shadow CRUD can be switched off", () => {
  const messageOf = async (shadowCrud: GraphqlExtensions["shadowCrud"], query: string): Promise<string | undefined> =>
    (await asking(shadowCrud ? { shadowCrud } : {})(query, ADMIN)).errors?.[0].message;
  const PAGE = "api::page.page";
  type Rules = NonNullable<GraphqlExtensions["shadowCrud"]>;
  const cases: Readonly<Record<string, readonly [rules: Rules, gone: readonly string[], there: readonly string[]]>> = {
    "for a type, with the relations to it": [
      { "api::tag.tag": { disabled: true } },
      [
        "{ tags { label } }",
        "{ pages { tags { label } } }",
        "{ pages(filters: {tags: {label: {eq: null}}}) { slug } }",
        "mutation { createPage(data: {tags: []}) { slug } }",
      ],
      ["{ pages { slug secret { word } } }"],
    ],
    "for a component": [
      { "shared.quote": { disabled: true } },
      ["{ pages { quote { text } } }"],
      ["{ pages { slug } }"],
    ],
    "for queries": [
      { [PAGE]: { queriesDisabled: true } },
      ["{ pages { slug } }", '{ page(documentId: "x") { slug } }', "{ pages_connection { nodes { slug } } }"],
      ['mutation { updatePage(documentId: "none", data: {}) { slug } }'],
    ],
    "for mutations": [
      { [PAGE]: { mutationsDisabled: true } },
      ["mutation { createPage(data: {}) { slug } }", 'mutation { deletePage(documentId: "x") { documentId } }'],
      ["{ pages { slug } }"],
    ],
    "for an action": [
      { [PAGE]: { disabledActions: ["find", "create"] } },
      ["{ pages { slug } }", "mutation { createPage(data: {}) { slug } }"],
      ['{ page(documentId: "x") { slug } }'],
    ],
    "for all actions": [
      { [PAGE]: { disabledActions: ["*"] } },
      ["{ pages { slug } }", '{ page(documentId: "x") { slug } }', "mutation { createPage(data: {}) { slug } }"],
      ["{ tags { label } }"],
    ],
    "for an attribute in answers": [
      { [PAGE]: { disabledParts: { slug: ["output"] } } },
      ["{ pages { slug } }"],
      ['{ pages(filters: {slug: {eq: "one"}}) { body } }'],
    ],
    "for an attribute in inputs": [
      { [PAGE]: { disabledParts: { slug: ["input"] } } },
      ['mutation { createPage(data: {slug: "x"}) { slug } }'],
      ["{ pages { slug } }"],
    ],
    "for an attribute in filters": [
      { [PAGE]: { disabledParts: { slug: ["filters"] } } },
      ['{ pages(filters: {slug: {eq: "x"}}) { slug } }'],
      ["{ pages { slug } }"],
    ],
  };
  for (const [name, [rules, gone, there]] of Object.entries(cases)) {
    test(name, async () => {
      for (const query of gone) {
        expect([query, await messageOf(rules, query)]).toEqual([
          query,
          expect.stringMatching(/^(Cannot query field|Field ".*" is not defined)/),
        ]);
      }
      for (const query of there) {
        expect([query, await messageOf(rules, query)]).toEqual([query, await messageOf({}, query)]);
      }
    });
  }
});

describe("types of nexus", () => {
  test("extend the generated ones with the project's own package", async () => {
    const send = asking({
      nexus: {
        nexus,
        graphql,
        types: [
          nexus.extendType({
            type: "Query",
            definition(t) {
              t.field("firstPage", { type: "Page", resolve: async () => (await pages().findMany({}))[0] });
            },
          }),
          nexus.extendType({
            type: "Page",
            definition(t) {
              t.string("title", { resolve: (page: Body) => page.slug.toUpperCase() });
            },
          }),
        ],
      },
      resolversConfig: { "Query.firstPage": { auth: false } },
    });
    expect(await send("{ firstPage { slug title tags { label } } pages { title } }")).toEqual({
      data: { firstPage: { slug: "one", title: "ONE", tags: [{ label: "paper" }] }, pages: [{ title: "ONE" }] },
    });
  });

  test("keep values of enums, conversions of scalars, and how types of values are found", async () => {
    const send = asking({
      nexus: {
        nexus,
        graphql,
        types: [
          nexus.enumType({ name: "Size", members: { SMALL: 1, LARGE: 2 } }),
          nexus.scalarType({
            name: "Loud",
            serialize: (value) => `${value}!`,
            parseValue: (value) => `v${value}`,
            parseLiteral: (node) => ("value" in node ? `l${node.value}` : null),
          }),
          nexus.objectType({ name: "Note", definition: (t) => t.string("note") }),
          nexus.unionType({
            name: "Hit",
            resolveType: (hit) => ("note" in hit ? "Note" : "Page") as never,
            definition: (t) => t.members("Note", "Page"),
          }),
          nexus.extendType({
            type: "Query",
            definition(t) {
              t.field("size", { type: "Size", args: { of: "Size" }, resolve: (_parent, { of }) => 3 - of });
              t.field("loud", { type: "Loud", args: { of: "Loud" }, resolve: (_parent, { of }) => of });
              t.list.field("hits", {
                type: "Hit",
                resolve: async () => [{ note: "n" }, ...(await pages().findMany({}))],
              });
            },
          }),
        ],
      },
    });
    const { data, errors } = await send(
      '{ size(of: SMALL) loud(of: "a") hits { __typename ... on Page { tags { label } } ... on Note { note } } }',
      ADMIN,
    );
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      size: "LARGE",
      loud: "la!",
      hits: [
        { __typename: "Note", note: "n" },
        { __typename: "Page", tags: [{ label: "paper" }] },
      ],
    });
  });

  test("replace generated fields, with their types and arguments", async () => {
    const send = asking({
      nexus: {
        nexus,
        graphql,
        types: [
          nexus.extendType({
            type: "Query",
            definition(t) {
              t.field("page", {
                type: "Tag",
                args: { slug: nexus.nonNull(nexus.stringArg()) },
                resolve: (_, { slug }) => ({ label: `of ${slug}` }) as never,
              });
            },
          }),
          nexus.extendType({
            type: "Page",
            definition(t) {
              t.field("slug", { type: "Int", resolve: (page: Body) => page.slug.length });
            },
          }),
        ],
      },
      resolversConfig: { "Query.page": { auth: false } },
    });
    expect(await send('{ page(slug: "one") { label } pages { slug } }')).toEqual({
      data: { page: { label: "of one" }, pages: [{ slug: 3 }] },
    });
    const { errors } = await send('{ page(documentId: "x") { label } }');
    expect(errors.map(({ message }: Body) => message)).toContainEqual(expect.stringContaining("documentId"));
  });
});

test("definitions that do not fit the schema are an error that names them", () => {
  expect(() => asking({ typeDefs: ["type Query { wrong: Nothing }"] })).toThrow(/Nothing/);
  expect(() => asking({ resolvers: { Query: { nothing: () => 1 } } })).toThrow(/nothing/);
});
