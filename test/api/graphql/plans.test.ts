/** An operation is one plan: how many statements it runs depends on what it selects, never on how many rows there are. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createApp } from "../../../src/server/app.ts";
import { openProject, type Project } from "../../../src/server/project/project.ts";
import { CONFORMANCE, FULL } from "../../project.ts";
import { type Ask, asker, PUBLIC, readData } from "./ask.ts";

let project: Project;
let ask: Ask;
let rest: (path: string) => Promise<unknown>;

/** Statements that an answer took, besides those that look who asks. */
async function statements(work: () => Promise<unknown>): Promise<number> {
  const { storage } = project.context;
  await work();
  // what the first one knows of the content is forgotten
  storage.setMeta("test", "");
  await ask('{ articles(filters: {title: {eq: "none"}}) { slug } }');
  const before = storage.statements;
  await work();
  return storage.statements - before;
}

const ARTICLES = 25;

beforeAll(async () => {
  project = openProject(CONFORMANCE, { memory: true, publicRead: false, environment: {} });
  await project.idle();
  const app = createApp(project);
  ask = asker(app);
  rest = async (path) => {
    const response = await app.handle(new Request(`http://localhost${path}`, { headers: FULL }));
    expect(response.status).toBe(200);
    return response.json();
  };
  const { c, a, t1, t2 } = await readData(
    ask(`mutation {
      c: createCategory(data: {name: "News"}) { documentId }
      a: createAuthor(data: {name: "Ann"}) { documentId }
      t1: createTag(data: {label: "one"}) { documentId }
      t2: createTag(data: {label: "two"}) { documentId }
    }`),
  );
  for (let number = 0; number < ARTICLES; number++) {
    const data = {
      title: `Article ${number}`,
      category: c.documentId,
      author: a.documentId,
      tags: [t1.documentId, t2.documentId],
      sections: [
        { __typename: "ComponentSharedQuote", body: "q" },
        { __typename: "ComponentSharedRichText", body: "r" },
      ],
    };
    const { createArticle } = await readData(
      ask("mutation M($data: ArticleInput!) { createArticle(data: $data) { documentId } }", { data }),
    );
    await readData(
      ask(
        'mutation M($id: ID!, $data: ArticleInput!) { updateArticle(documentId: $id, locale: "fr", data: $data) { title } }',
        {
          id: createArticle.documentId,
          data: { title: `Article fr ${number}` },
        },
      ),
    );
  }
});
afterAll(() => project.close());

const FIELDS = `title author { name } category { name } tags { label } localizations { title }
  sections { __typename ... on ComponentSharedQuote { body } ... on ComponentSharedRichText { text: body } }`;
const list = (limit: number): string => `{ articles(pagination: {limit: ${limit}}) { ${FIELDS} } }`;

describe("the number of statements", () => {
  test("is not more than that of the same REST request", async () => {
    const names = ["author", "category", "tags", "sections", "localizations"];
    const populate = names.map((name, index) => `populate[${index}]=${name}`).join("&");
    const path = `/api/articles?pagination[limit]=${ARTICLES}&${populate}`;
    const answer = await readData(ask(list(ARTICLES)));
    expect(answer.articles).toHaveLength(ARTICLES);
    expect(answer.articles[0]).toMatchObject({
      author: { name: "Ann" },
      tags: [{ label: "one" }, { label: "two" }],
      sections: [{ body: "q" }, { text: "r" }],
      localizations: [{ title: expect.stringMatching(/^Article fr/) }],
    });
    expect(await statements(() => ask(list(ARTICLES)))).toBeLessThanOrEqual(await statements(() => rest(path)));
  });

  test("is the same for two rows and for twenty-five", async () => {
    expect(await statements(() => ask(list(2)))).toBe(await statements(() => ask(list(ARTICLES))));
  });

  const base = (): Promise<number> => statements(() => ask("{ articles { title } }"));
  const more: readonly (readonly [string, string, number])[] = [
    ["grows by one for a relation", "{ articles { title tags { label } } }", 1],
    ["grows by one for each level", "{ articles { title tags { label articles { title } } } }", 2],
    [
      "grows by one for each alias of a relation",
      '{ articles { a: tags { label } b: tags(sort: "label") { label } } }',
      2,
    ],
    [
      "does not grow for the arguments of a relation",
      '{ articles { tags(sort: "label:desc", filters: {label: {ne: "x"}}, pagination: {page: 2, pageSize: 1}) { label } } }',
      1,
    ],
    [
      "does not grow for a fragment",
      "{ articles { ...F ... on Article { tags { documentId } } } } fragment F on Article { tags { label } }",
      1,
    ],
    [
      "does not grow for what is skipped",
      "{ articles { title tags @skip(if: true) { label } author @include(if: false) { name } } }",
      0,
    ],
    ["does not grow for a connection's type", "{ articles { tags_connection { __typename } } }", 0],
    [
      "does not grow for the page's number",
      "{ articles_connection { nodes { title } pageInfo { page pageSize } } }",
      0,
    ],
    ["grows by one for the total", "{ articles_connection { nodes { title } pageInfo { total pageCount } } }", 1],
    ["is one less for the total alone", "{ articles_connection { pageInfo { total } } }", -1],
  ];
  for (const [name, query, by] of more) {
    test(name, async () => {
      expect((await ask(query)).body.errors).toBeUndefined();
      expect((await statements(() => ask(query))) - (await base())).toBe(by);
    });
  }

  test("does not grow for a relation that may not be read", async () => {
    const open = await statements(() => ask("{ articles { title } }", {}, PUBLIC));
    const closed = await statements(() => ask("{ articles { title category { name } author { name } } }", {}, PUBLIC));
    expect(closed).toBe(open);
  });

  test("is that of the write and of its plan for a mutation", async () => {
    const create = (fields: string) => () =>
      ask(`mutation { createTag(data: {label: "new"}) { ${fields} } }`).then(({ body }) =>
        expect(body.errors).toBeUndefined(),
      );
    expect(await statements(create("label articles { title }"))).toBe((await statements(create("label"))) + 1);
  });
});
