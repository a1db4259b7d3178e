/** What is selected is what is answered: aliases, fragments, directives, variables, and arguments at every depth. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { conformanceApp, type TestApp } from "../../project.ts";
import { type Ask, asker, readData } from "./ask.ts";

let app: TestApp;
let ask: Ask;

beforeAll(async () => {
  app = await conformanceApp();
  ask = asker(app);
  const { a, b, ann, bob } = await readData(
    ask(`mutation {
      a: createTag(data: {label: "apple"}) { documentId }
      b: createTag(data: {label: "berry"}) { documentId }
      ann: createAuthor(data: {name: "Ann", pin: "1234"}) { documentId }
      bob: createAuthor(data: {name: "Bob"}) { documentId }
      world: createCategory(data: {name: "World"}) { documentId }
    }`),
  );
  await readData(
    ask(`mutation {
      createArticle(data: {
        title: "First", slug: "first", author: "${ann.documentId}", tags: ["${b.documentId}", "${a.documentId}"],
        links: [{label: "b"}, {label: "a"}],
        sections: [{__typename: "ComponentSharedQuote", body: "q"}, {__typename: "ComponentBasicCard", heading: "h", items: [{name: "i"}]}]
      }) { documentId }
      second: createArticle(data: {title: "Second", author: "${bob.documentId}"}) { documentId }
    }`),
  );
});
afterAll(() => app.close());

interface Case {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly data: unknown;
}

const first = (fields: string): string => `{ articles(filters: {slug: {eq: "first"}}) { ${fields} } }`;
const one = (row: unknown): unknown => ({ articles: [row] });

const cases: Readonly<Record<string, Case>> = {
  "an alias names the answer, not the attribute": {
    query: first("name: title t: title"),
    data: one({ name: "First", t: "First" }),
  },
  "an alias may be another attribute's name": {
    query: first("slug: title title: author { name: documentId title: name }  author: slug"),
    data: one({ slug: "First", title: { name: expect.any(String), title: "Ann" }, author: "first" }),
  },
  "a relation under two aliases has the arguments of each": {
    query: first('up: tags(sort: "label") { label } down: tags(sort: "label:desc") { label } tags { label }'),
    data: one({
      up: [{ label: "apple" }, { label: "berry" }],
      down: [{ label: "berry" }, { label: "apple" }],
      tags: [{ label: "berry" }, { label: "apple" }],
    }),
  },
  "selections of one field are merged, wherever they stand": {
    query: `query { articles(filters: {slug: {eq: "first"}}) { author { name } ...A ... on Article { author { articles { title } } } } }
      fragment A on Article { author { pin ...B } tags { label } }
      fragment B on Author { articles { slug } }`,
    data: one({
      author: { name: "Ann", pin: null, articles: [{ slug: "first", title: "First" }] },
      tags: [{ label: "berry" }, { label: "apple" }],
    }),
  },
  "nodes under two aliases each have their own selection": {
    query: first("tags_connection { a: nodes { label } b: nodes { text: label articles { title } } __typename }"),
    data: one({
      tags_connection: {
        a: [{ label: "berry" }, { label: "apple" }],
        b: [
          { text: "berry", articles: [{ title: "First" }] },
          { text: "apple", articles: [{ title: "First" }] },
        ],
        __typename: "TagRelationResponseCollection",
      },
    }),
  },
  "a page's information can be asked for twice": {
    query:
      "{ articles_connection(pagination: {pageSize: 1}) { a: pageInfo { page } b: pageInfo { total pageCount } nodes { title } } }",
    data: { articles_connection: { a: { page: 1 }, b: { total: 2, pageCount: 2 }, nodes: [{ title: "First" }] } },
  },
  "entries of a zone are there even when nothing of them is selected": {
    query: first("sections { ... on ComponentBasicCard { heading items { name } } } none: sections { __typename }"),
    data: one({
      sections: [{}, { heading: "h", items: [{ name: "i" }] }],
      none: [{ __typename: "ComponentSharedQuote" }, { __typename: "ComponentBasicCard" }],
    }),
  },
  "a zone under two aliases": {
    query: first(
      "a: sections { ... on ComponentSharedQuote { body } } b: sections { ... on ComponentSharedQuote { text: body } ... on ComponentBasicCard { link { label } } }",
    ),
    data: one({ a: [{ body: "q" }, {}], b: [{ text: "q" }, { link: null }] }),
  },
  "directives decide with variables": {
    query:
      'query Q($yes: Boolean!, $no: Boolean = false) { articles(filters: {slug: {eq: "first"}}) { title @skip(if: $yes) slug @include(if: $yes) author @include(if: $no) { name } ...T @skip(if: $no) } } fragment T on Article { tags(pagination: {limit: 1}) { label } }',
    variables: { yes: true },
    data: one({ slug: "first", tags: [{ label: "berry" }] }),
  },
  "arguments of nested fields take variables, and their defaults": {
    query:
      'query Q($sort: [String], $page: PaginationArg = {limit: 1}, $filters: TagFiltersInput) { articles(filters: {slug: {eq: "first"}}) { tags(sort: $sort, pagination: $page, filters: $filters) { label } } }',
    variables: { sort: "label", filters: { label: { ne: "apple" } } },
    data: one({ tags: [{ label: "berry" }] }),
  },
  "repeatable components have arguments too": {
    query: first(
      'links(sort: "label", pagination: {start: 1}) { label } links_2: links(filters: {label: {eq: "b"}}) { label }',
    ),
    data: one({ links: [{ label: "b" }], links_2: [{ label: "b" }] }),
  },
  "a root field is answered once for each alias": {
    query:
      '{ a: articles(sort: "title") { title } b: articles(sort: "title:desc") { title } c: articles_connection { pageInfo { total } } }',
    data: {
      a: [{ title: "First" }, { title: "Second" }],
      b: [{ title: "Second" }, { title: "First" }],
      c: { pageInfo: { total: 2 } },
    },
  },
  "a password is null, and a relation without a target too": {
    query: '{ authors(sort: "name") { name pin profile { headline } avatar { url } } }',
    data: {
      authors: [
        { name: "Ann", pin: null, profile: null, avatar: null },
        { name: "Bob", pin: null, profile: null, avatar: null },
      ],
    },
  },
  "a union of all types is selected from": {
    query: "{ uploadFiles { related { __typename ... on Article { title } } } }",
    data: { uploadFiles: [] },
  },
};

describe("a selection is answered as it stands", () => {
  for (const [name, { query, variables, data }] of Object.entries(cases)) {
    test(name, async () => expect((await ask(query, variables)).body).toEqual({ data }));
  }
});

describe("localizations", () => {
  test("are those of each row, also when they are on the page themselves", async () => {
    const { createNote } = await readData(ask('mutation { createNote(data: {text: "en"}) { documentId } }'));
    await readData(
      ask(`mutation { updateNote(documentId: "${createNote.documentId}", locale: "fr", data: {text: "fr"}) { text } }`),
    );
    const { notes } = await readData(ask('{ notes(locale: "*", sort: "text") { text localizations { text } } }'));
    expect(notes).toEqual([
      { text: "en", localizations: [{ text: "fr" }] },
      { text: "fr", localizations: [{ text: "en" }] },
    ]);
  });
});
