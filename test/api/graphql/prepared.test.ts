/** What was prepared for one text answers the others of its shape as they are answered step by step. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { PreparedRead } from "../../../src/api/graphql/prepared/prepared-read.ts";
import { PreparedReads } from "../../../src/api/graphql/prepared/prepared-reads.ts";
import { componentFile, relation, type TestApp, testApp, typeFile } from "../../project.ts";
import { type Ask, type Asked, asker, PUBLIC, readData } from "./ask.ts";

const FULL = { authorization: "Bearer test-full" };
let app: TestApp;
let ask: Ask;

beforeAll(async () => {
  app = await testApp({
    ...typeFile("tag", { label: { type: "string" }, secret: relation("manyToOne", "secret") }),
    ...typeFile("secret", { label: { type: "string" } }),
    ...componentFile("shared.quote", { text: { type: "string", required: true } }),
    ...typeFile("note", {
      text: { type: "string" },
      size: { type: "integer" },
      big: { type: "biginteger" },
      weight: { type: "float" },
      day: { type: "date" },
      colour: { type: "enumeration", enum: ["red", "dark blue"] },
      free: { type: "json" },
      tags: relation("manyToMany", "tag"),
      parts: { type: "dynamiczone", components: ["shared.quote"] },
    }),
    ...typeFile("page", { text: { type: "string", required: true } }, { draftAndPublish: true }),
    "config/galley.json": JSON.stringify({
      roles: { public: ["api::note.note.find", "api::tag.tag.find"] },
      tokens: [{ name: "full", type: "full-access", key: "test-full" }],
    }),
  });
  ask = asker(app);
  const { s } = await readData(ask('mutation { s: createSecret(data: {label: "s"}) { documentId } }', {}, FULL));
  for (const size of [1, 2, 3, 4]) {
    const { t } = await readData(
      ask(
        "mutation ($data: TagInput!) { t: createTag(data: $data) { documentId } }",
        { data: { label: `tag ${size}`, secret: s.documentId } },
        FULL,
      ),
    );
    const data = {
      text: `note ${size}`,
      size,
      big: String(size),
      weight: size / 2,
      day: `2026-01-0${size}`,
      colour: size % 2 ? "red" : "dark_blue",
      free: { size },
      tags: [t.documentId],
      parts: [{ __typename: "ComponentSharedQuote", text: `quote ${size}` }],
    };
    await readData(ask("mutation ($data: NoteInput!) { createNote(data: $data) { text } }", { data }, FULL));
  }
});
afterAll(() => app.close());

async function stepByStep(asking: () => Promise<Asked>): Promise<Asked> {
  const run = spyOn(PreparedReads.prototype, "run").mockReturnValue(undefined);
  try {
    return await asking();
  } finally {
    run.mockRestore();
  }
}

let times = 0;

/** Asks what nobody has asked before, so that no kept answer is found; says whether what was prepared did. */
async function prepared(query: string, variables = {}, headers: Readonly<Record<string, string>> = FULL) {
  const run = spyOn(PreparedRead.prototype, "run");
  const asked = await ask(query, { ...variables, times: ++times }, headers);
  const did = run.mock.results.some(({ type }) => type === "return");
  run.mockRestore();
  return { asked, did };
}

async function compare(query: string, isPrepared: boolean, variables = {}, headers = FULL): Promise<void> {
  const { asked, did } = await prepared(query, variables, headers);
  expect(asked).toEqual(await stepByStep(() => ask(query, { ...variables, times: ++times }, headers)));
  expect({ query, did }).toEqual({ query, did: isPrepared });
}

/** Texts of one shape. Of the last ones the values are not what the schema takes, so that there is an error to tell. */
const families: Readonly<Record<string, readonly (readonly [texts: string[], wrong?: string[]])[]>> = {
  "values in arguments": [
    [['{ notes(filters: {text: {eq: "note 1"}}) { text } }', '{ notes(filters: {text: {eq: "note 2"}}) { text } }']],
    [["{ notes(filters: {size: {gt: 1}}) { size } }", "{ notes(filters: {size: {gt: 3}}) { size } }"]],
    [["{ notes(filters: {big: {eq: 1}}) { big } }", "{ notes(filters: {big: {eq: 4}}) { big } }"]],
    [["{ notes(filters: {weight: {lt: 1}}) { weight } }", "{ notes(filters: {weight: {lt: 2}}) { weight } }"]],
    [["{ notes(filters: {size: {in: [1, 2]}}) { size } }", "{ notes(filters: {size: {in: [3, 4]}}) { size } }"]],
    [["{ notes(filters: {size: {in: 1}}) { size } }", "{ notes(filters: {size: {in: 4}}) { size } }"]],
    [
      ['{ notes(sort: "text:desc") { text } }', '{ notes(sort: "size") { text } }'],
      ['{ notes(sort: "nothing") { text } }'],
    ],
    [
      ['{ notes(sort: ["colour", "text:desc"]) { text } }', '{ notes(sort: ["weight", "size"]) { text } }'],
      ['{ notes(sort: ["weight", "nothing"]) { text } }'],
    ],
    [['{ notes(sort: """text:desc""") { text } }', '{ notes(sort: """size""") { text } }']],
    [["{ notes(pagination: {limit: 2, start: 1}) { text } }", "{ notes(pagination: {limit: 1, start: 3}) { text } }"]],
    [['{ note(documentId: "a") { text } }', '{ note(documentId: "b") { text } }']],
  ],
  "values further down": [
    [
      [
        '{ notes { tags(filters: {label: {eq: "tag 1"}}) { label } } }',
        '{ notes { tags(filters: {label: {eq: "tag 2"}}) { label } } }',
      ],
    ],
    [
      ['{ notes { tags(sort: "label") { label } } }', '{ notes { tags(sort: "label:desc") { label } } }'],
      ['{ notes { tags(sort: "nothing") { label } } }'],
    ],
    [
      [
        "{ notes { ...N } } fragment N on Note { tags(pagination: {limit: 1}) { label } }",
        "{ notes { ...N } } fragment N on Note { tags(pagination: {limit: 3}) { label } }",
      ],
    ],
  ],
  "all that can be selected": [
    [["{ notes { __typename text size big weight day colour free } }"]],
    [["{ a: notes { b: text c: tags { d: label } e: tags { f: label } tags_connection { nodes { label } } } }"]],
    [["{ notes { parts { __typename ... on ComponentSharedQuote { text } } } }"]],
    [["{ notes_connection { nodes { text tags { label } } pageInfo { total page pageSize pageCount } } }"]],
    [["{ notes_connection { a: nodes { text } b: nodes { size } } }"]],
    [["{ notes { ...A ...B } } fragment A on Note { tags { label } } fragment B on Note { tags { documentId } }"]],
    [
      [
        "{ a: notes_connection { ...A nodes { size } } b: notes_connection { ...A } } fragment A on NoteEntityResponseCollection { nodes { text } }",
      ],
    ],
  ],
  "values that a scalar looks at, beside others": [
    [
      [
        '{ notes(filters: {day: {gt: "2026-01-02"}, size: {lt: 4}}) { day } }',
        '{ notes(filters: {day: {gt: "2026-01-02"}, size: {lt: 5}}) { day } }',
      ],
      [
        '{ notes(filters: {day: {gt: "2026-01-03"}, size: {lt: 4}}) { day } }',
        '{ notes(filters: {day: {gt: "2026-01-99"}, size: {lt: 4}}) { day } }',
      ],
    ],
  ],
};

for (const [name, members] of Object.entries(families)) {
  describe(name, () => {
    test.each(members.map(([texts, wrong = []]) => [texts[0] as string, texts, wrong] as const))(
      "%s",
      async (first, texts, wrong) => {
        expect((await prepared(first)).did).toBe(false);
        for (const text of [...texts, first]) await compare(text, true);
        for (const text of wrong) await compare(text, false);
        await compare(first, true);
      },
    );
  });
}

test.each([
  '{ notes(sort: "text") @include(if: true) { text } }',
  "{ __schema { queryType { name } } }",
  "{ __proto__: notes { text } }",
  "{ notes { __proto__: text } }",
  "{ notes { text } __typename }",
  'mutation { updateNote(documentId: "x", data: {size: 7}) { text } }',
])("is answered step by step: %s", async (text) => {
  for (let time = 0; time < 3; time++) await compare(text, false);
});

describe("variables", () => {
  const query = `query Q($size: Int, $sort: [String] = "text", $limit: Int = 9) {
    notes(filters: {size: {gt: $size}}, sort: $sort) { text tags(pagination: {limit: $limit}) { label } }
  }`;
  test("have their values and defaults, and are checked", async () => {
    await prepared(query, { size: 1 });
    await compare(query, true, { size: 1 });
    await compare(query, true, { size: 2, sort: ["text:desc"], limit: 1 });
    await compare(query, true, { size: 2, sort: "size" });
    await compare(query, true, {});
    await compare(query, false, { size: "many" });
    await compare(query, false, { size: 2, sort: ["nothing"] });
    await compare(query, true, { size: 3 });
  });
});

test("several operations of one text are prepared apart", async () => {
  const query = "query A { notes { text } } query B { notes { size } }";
  const named = async (operationName: string): Promise<unknown> => {
    const body = JSON.stringify({ query, operationName, variables: { times: ++times } });
    const headers = { "content-type": "application/json", ...FULL };
    const response = await app.handle(new Request("http://localhost/graphql", { method: "POST", headers, body }));
    return response.json();
  };
  const texts = { data: { notes: [1, 2, 3, 4].map((size) => ({ text: `note ${size}` })) } };
  const sizes = { data: { notes: [1, 2, 3, 4].map((size) => ({ size })) } };
  for (let time = 0; time < 3; time++) {
    expect(await named("A")).toEqual(texts);
    expect(await named("B")).toEqual(sizes);
    expect(await named("C")).toMatchObject({ errors: [{ message: 'Unknown operation named "C".' }] });
    expect(await named("")).toHaveProperty("errors");
  }
});

test("what one caller may see is not prepared for another", async () => {
  const query = "{ notes { tags { label secret { label } } } }";
  await prepared(query);
  await compare(query, true);
  await compare(query, false, {}, PUBLIC as typeof FULL);
  await compare(query, true);
  const { asked } = await prepared(query, {}, PUBLIC);
  expect(asked.body.errors[0].message).toBe("Forbidden access");
});

test("a value that must be there and is not is told", async () => {
  const create = (text: string | null) =>
    readData(
      ask(
        "mutation ($data: PageInput!) { createPage(data: $data, status: DRAFT) { documentId } }",
        { data: { text } },
        FULL,
      ),
    );
  const query = "{ pages(status: DRAFT) { text } }";
  await create("a text");
  await prepared(query);
  await compare(query, true);
  await create(null);
  await compare(query, false);
  const { asked } = await prepared(query);
  expect(asked.body.errors[0].message).toBe("Cannot return null for non-nullable field Page.text.");
});
