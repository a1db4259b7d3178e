/** Operations that no client should send: refused quickly, with an error, and the process stays as it is. */

import { heapStats } from "bun:jsc";
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { withReason } from "../../../src/api/graphql/limits/selections.ts";
import { Storage } from "../../../src/engine/storage/storage.ts";
import { quickest, threadTime } from "../../processor-time.ts";
import { ADMIN, configFile, conformanceApp, FULL, type TestApp, testApp, typeFile } from "../../project.ts";
import { Random } from "../../random.ts";
import { type Ask, asker, PUBLIC, readData, readErrors } from "./ask.ts";

const LIMIT_MS = 100;
/** Where graphql-js compares fields with each other until its own limit: that takes most of the time allowed by itself. */
const COMPARING_MS = 300;
const comparing: ReadonlySet<string> = new Set(["one field with arguments 400 times", "one relation 150 times"]);
const MEGABYTE = 1_048_576;
const SEED = 20_261_121;

let app: TestApp;
let ask: Ask;
beforeAll(async () => {
  app = await conformanceApp();
  ask = asker(app);
  // the first request loads the packages
  await ask("{ __typename }");
});
afterAll(() => app.close());

const nest = (open: string, inner: string, close: string, levels: number): string =>
  open.repeat(levels) + inner + close.repeat(levels);
const times = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(" ");

const operations: Readonly<Record<string, () => string>> = {
  "10,000 levels": () => `{ categories { ${nest("parent { ", "name", " }", 10_000)} } }`,
  "100,000 aliases": () => `{ ${times(100_000, (index) => `a${index}: __typename`)} }`,
  "as many aliases as a body holds": () => `{ ${times(75_000, (index) => `a${index}:x`)} }`.slice(0, MEGABYTE - 100),
  "a fragment that contains itself": () => "{ tags { ...A } } fragment A on Tag { ...A }",
  "fragments that contain each other": () =>
    "{ categories { ...A } } fragment A on Category { parent { ...B } } fragment B on Category { children { ...A } }",
  "5 MB of text": () => `{ tags { label } } #${"x".repeat(5_000_000)}`,
  "fragments that double at every level": () =>
    `{ categories { ...F0 } } ${times(28, (index) => `fragment F${index} on Category { a: parent { ...F${index + 1} } b: parent { ...F${index + 1} } }`)} fragment F28 on Category { name }`,
  "one field 100,000 times": () => `{ tags { ${"label ".repeat(100_000)} } }`,
  "one field 900 times": () => `{ tags { ${"label ".repeat(900)} } }`,
  "one field with arguments 400 times": () =>
    `{ ${times(400, () => 'tags(pagination: {start: 1, limit: 2}, sort: ["label"]) { label }')} }`,
  "one relation 150 times": () =>
    `{ ${times(150, () => "categories { parent { parent { name } parent { slug } } parent { parent { rank } } }")} }`,
  "70 fragments that spread each other": () =>
    `{ tags { ${times(70, (index) => `...F${index}`)} } } ${times(70, (index) => `fragment F${index} on Tag { label ${times(70 - index - 1, (next) => `...F${index + next + 1}`)} }`)}`,
  "3,000 operations": () => times(3_000, (index) => `query Q${index} { tags { label } }`),
  "4,000 variables": () => `query (${times(4_000, (index) => `$v${index}: Int`)}) { tags { label } }`,
  "4,000 unknown fields": () => `{ tags { ${times(4_000, (index) => `x${index}`)} } }`,
  "5,000 brackets in a literal": () => `{ tags(filters: ${"{and: [".repeat(5_000)}) { label } }`,
  "a list of 9,000 values": () => `{ tags(filters: {label: {in: [${'"x",'.repeat(9_000)}]}}) { label } }`,
  "filters of 90 levels": () => `{ categories(filters: {${nest("parent: {", 'name: {eq: "x"}', "}", 90)}}) { name } }`,
  "a sort key of a megabyte": () => `{ tags(sort: "${"x".repeat(MEGABYTE - 100)}") { label } }`,
  "an introspection that goes round": () =>
    `{ __schema { types { ${nest("fields { type { ", "name", " } }", 12)} } } }`,
  "the whole schema 60 times": () =>
    `{ ${times(60, (index) => `a${index}: __schema { ...S }`)} } fragment S on __Schema { types { name fields { name args { name type { name } } type { name ofType { name } } } inputFields { name } } }`,
  "the names of all types 12 times": () => `{ ${times(12, (index) => `a${index}: __schema { types { name } }`)} }`,
  "all types 60 times": () =>
    `{ __schema { ${times(60, (index) => `a${index}: types { ...T }`)} } } fragment T on __Type { name fields { name args { name description } } inputFields { name description } }`,
  "the largest type 200 times": () =>
    `{ ${times(200, (index) => `a${index}: __type(name: "Query") { ...T }`)} } fragment T on __Type { fields { name args { name description type { name description } } } }`,
  "1,200 operations that spread 900 fragments": () =>
    `${times(1_200, (index) => `query Q${index} { tags { ...F0 } }`)} ${times(900, (index) => `fragment F${index} on Tag { ...F${index + 1} }`)} fragment F900 on Tag { label }`,
  "100 errors after 20,000 lines": () => `${"\n".repeat(20_000)}{ tags { ${times(100, (index) => `x${index}`)} } }`,
  "2,400 fragments that spread one another": () =>
    `{ tags { ...F0 } } ${times(2_400, (index) => `fragment F${index} on Tag { ...F${index + 1} }`)} fragment F2400 on Tag { label }`,
  "nothing but opening braces": () => "{".repeat(500_000),
  "a text that does not end": () => `{ tags(sort: "${"x".repeat(500_000)}`,
};

describe("an operation is refused at once", () => {
  for (const [name, make] of Object.entries(operations)) {
    test(name, async () => {
      const body = JSON.stringify({ query: make() });
      const headers = { ...FULL, "content-type": "application/json", "content-length": String(body.length) };
      let response = new Response();
      let text = "";
      const limit = comparing.has(name) ? COMPARING_MS : LIMIT_MS;
      const ms = await quickest(limit, async () => {
        const start = threadTime();
        response = await app.handle(new Request("http://localhost/graphql", { method: "POST", headers, body }));
        text = await response.text();
        return threadTime() - start;
      });
      const answer = JSON.parse(text);
      expect(answer.errors?.[0]?.message ?? answer.error?.message).toEqual(expect.any(String));
      expect(response.status).toBeLessThan(500);
      expect(text.length).toBeLessThan(100_000);
      expect(ms).toBeLessThan(limit);
    });
  }
});

test("a validation that is aborted names its limit and the number", async () => {
  const { GraphQLError, validate, parse, buildSchema } = await import("graphql");
  const unknown = validate(buildSchema("type Query { a: Int }"), parse(`{ ${times(101, (index) => `x${index}`)} }`));
  expect(withReason(unknown.at(-1)!).message).toContain("error limit of 100 reached");
  expect(withReason(new GraphQLError("Validation aborted.")).message).toContain("the limit of 500000 steps");
});

test("the schema is answered to tools that read all of it twice", async () => {
  const { getIntrospectionQuery } = await import("graphql");
  const query = getIntrospectionQuery().replace("{", "{ again: __typename ...Second\n");
  const second = "fragment Second on Query { second: __schema { types { ...FullType } } }";
  const data = await readData(ask(`${query} ${second}`));
  expect(data.second.types).toEqual(data.__schema.types);
});

describe("variables with errors in every value are refused at once", () => {
  const filters = "query ($filters: ArticleFiltersInput) { articles(filters: $filters) { title } }";
  const cases: Readonly<Record<string, () => object>> = {
    "5,000 unknown keys": () => Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`titl${index}`, 1])),
    "5,000 unknown keys in a list": () => ({ or: Array.from({ length: 5_000 }, () => ({ titl: { eq: 1 } })) }),
    "one wrong value of 500,000 characters": () => ({ title: "x".repeat(500_000) }),
  };
  for (const [name, make] of Object.entries(cases)) {
    test(name, async () => {
      const variables = { filters: make() };
      // valid texts are prepared when they come the second time
      await ask(filters);
      const ms = await quickest(LIMIT_MS, async () => {
        const start = threadTime();
        const { status, body } = await ask(filters, variables);
        expect(status).toBe(400);
        expect(body.errors[0].message).toStartWith('Variable "$filters" got invalid value');
        expect(JSON.stringify(body).length).toBeLessThan(5_000);
        return threadTime() - start;
      });
      expect(ms).toBeLessThan(LIMIT_MS);
    });
  }
});

test("a number of a million digits takes no longer than a text", async () => {
  const app = await testApp(typeFile("post", { big: { type: "biginteger" } }));
  const create = asker(app);
  const query = "mutation ($big: Long) { createPost(data: { big: $big }) { big } }";
  await create(query, { big: "1" }, ADMIN);
  const ms = await quickest(LIMIT_MS, async () => {
    const start = threadTime();
    const errors = await readErrors(create(query, { big: "9".repeat(900_000) }, ADMIN));
    expect(errors[0].message).toBe("big must be a valid integer");
    expect((await readErrors(create(query, { big: `0${"9".repeat(2_000)}` }, ADMIN)))[0].message).toContain(
      "invalid value",
    );
    return threadTime() - start;
  });
  expect(ms).toBeLessThan(LIMIT_MS);
  await app.close();
});

describe("errors repeat at most a kilobyte of an operation, and have an end", () => {
  const long = (index: number): string => `${"u".repeat(900)}${index}`;
  const cases: Readonly<Record<string, () => string>> = {
    "4,000 unknown fields": () => `{ tags { ${times(4_000, (index) => `x${index}`)} } }`,
    "90 unknown arguments": () => `{ ${times(90, (index) => `a${index}: tags(foo: 1) { label }`)} }`,
    "30 unknown fields with long names": () => `{ ${times(30, long)} }`,
    "three unknown fields with long names": () => `{ ${times(3, long)} }`,
    "fields of 30 long unknown fragments": () => `{ tags { ${times(30, (index) => `...${long(index)}`)} } }`,
    "20 unknown variables with long names": () =>
      `{ ${times(20, (at) => `a${at}: tags(sort: $${long(at)}) { label }`)} }`,
  };
  for (const [name, make] of Object.entries(cases)) {
    test(name, async () => {
      const { status, body } = await ask(make());
      const repeated =
        JSON.stringify(body)
          .match(/u{20,}/g)
          ?.join("").length ?? 0;
      expect([status, repeated <= 1_024, JSON.stringify(body).length < 4_200, body.errors.length <= 11]).toEqual([
        400,
        true,
        true,
        true,
      ]);
    });
  }

  test("a list that is cut off says so", async () => {
    const { body } = await ask(`{ tags { ${times(90, (index) => `x${index}`)} } }`);
    expect(body.errors.map(({ message }: { message: string }) => message).slice(-2)).toEqual([
      'Cannot query field "x9" on type "Tag".',
      "Too many errors: 80 more are not reported",
    ]);
  });

  test("a few are reported as they are", async () => {
    const errors = await readErrors(ask(`{ tags { ${times(20, (index) => `x${index}`)} } }`));
    expect(errors).toHaveLength(20);
  });

  test("of fields that fail one after the other", async () => {
    const wrong = (index: number) => `a${index}: createTag(data: {label: "t${index}"}) { label }`;
    const { body } = await ask(`mutation { ${times(300, wrong)} }`, {}, PUBLIC);
    expect(body.errors).toHaveLength(11);
    expect(body.errors[0]).toMatchObject({ message: "Forbidden access", path: ["a0"] });
    expect(body.data).toMatchObject({ a0: null, a299: null });
  });
});

describe("an answer", () => {
  beforeAll(async () => {
    const { made } = await readData(
      ask(
        `mutation { ${times(60, (index) => `t${index}: createTag(data: {label: "t${index}"}) { documentId }`)} made: createTag(data: {label: "last"}) { documentId } }`,
      ),
    );
    expect(made.documentId).toEqual(expect.any(String));
    const { tags } = await readData(ask("{ tags(pagination: {limit: -1}) { documentId } }"));
    const ids = tags.map(({ documentId }: { documentId: string }) => documentId);
    await readData(
      ask(
        `mutation M($tags: [ID]) { ${times(60, (index) => `a${index}: createArticle(data: {title: "Article ${index}", tags: $tags}) { documentId }`)} }`,
        { tags: ids },
      ),
    );
  });
  const rows = "pagination: {limit: -1}";

  test("that would be larger than anybody can use is refused, though little is read for it", async () => {
    const level = `tags(${rows}) { label articles(${rows}) { title `;
    const start = threadTime();
    const { body } = await ask(`{ articles(${rows}) { ${nest(level, "", "} }", 3)} } }`);
    expect(body.data).toBeNull();
    expect(body.errors).toMatchObject([
      { message: expect.stringContaining("500000 values"), extensions: { code: "BAD_USER_INPUT" } },
    ]);
    expect(threadTime() - start).toBeLessThan(2_000);
  });

  test("with a refusal in every row has an end as well", async () => {
    const { body } = await ask(
      `{ articles(${rows}) { tags(${rows}) { articles(${rows}) { author { name } category { name } } } } }`,
      {},
      PUBLIC,
    );
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0].message).toContain("500000 values");
  });

  test("of many rows is answered", async () => {
    const { articles } = await readData(ask(`{ articles(${rows}) { title tags(${rows}) { label } } }`));
    expect(articles).toHaveLength(60);
    expect(articles[59].tags).toHaveLength(61);
  });
});

test("nothing more is read once an operation has exceeded a limit", async () => {
  const notes = await testApp({ ...typeFile("note", { text: { type: "text" } }), ...configFile() });
  const own = asker(notes);
  const text = "x".repeat(500_000);
  for (let index = 0; index < 10; index++) {
    await readData(own("mutation ($text: String) { createNote(data: {text: $text}) { documentId } }", { text }, ADMIN));
  }
  const read = spyOn(Storage.prototype, "all");
  const { body } = await own(`{ ${times(200, (index) => `a${index}: notes { text }`)} }`, {}, ADMIN);
  const statements = read.mock.calls.length;
  read.mockRestore();
  await notes.close();
  expect(body.errors[0].message).toContain("limits.characters");
  expect(statements).toBeLessThan(60);
});

test("500 aliased mutations are run", async () => {
  const { m499 } = await readData(
    ask(
      `mutation { ${times(500, (index) => `m${index}: createNote(data: {text: "n${index}"}) { documentId text }`)} }`,
    ),
  );
  expect(m499.text).toBe("n499");
});

test("the memory does not grow with fragments that multiply what is prepared", async () => {
  const heap = (): number => {
    Bun.gc(true);
    return heapStats().heapSize;
  };
  const fragments = times(
    9,
    (index) => `fragment F${index} on Category { a: parent { ...F${index + 1} } b: parent { ...F${index + 1} } }`,
  );
  const round = async (name: string): Promise<void> => {
    const query = `{ ${name}: categories { ...F0 } } ${fragments} fragment F9 on Category { name slug }`;
    // variables that nothing uses, so that no kept answer is found
    for (const time of [1, 2, 3]) await readData(ask(query, { time }));
  };
  await round("first");
  const before = heap();
  for (let index = 0; index < 30; index++) await round(`q${index}`);
  expect((heap() - before) / MEGABYTE).toBeLessThan(15);
}, 180_000);

test("the memory does not grow with operations that are never the same", async () => {
  const round = async (seed: number): Promise<void> => {
    for (const [name, make] of Object.entries(operations)) {
      if (name !== "100,000 aliases" && !comparing.has(name)) await ask(`${make()} # ${seed}`);
    }
    await ask(`{ ${times(1_500, (index) => `a${seed}_${index}: __typename`)} }`);
  };
  /** The least of some looks: the system gets freed memory back a little later. */
  const memory = async (): Promise<number> => {
    let least = Number.POSITIVE_INFINITY;
    for (let look = 0; look < 5; look++) {
      Bun.gc(true);
      least = Math.min(least, process.memoryUsage().rss);
      await Bun.sleep(200);
    }
    return least;
  };
  for (let seed = 0; seed < 10; seed++) await round(seed);
  const before = await memory();
  for (let seed = 10; seed < 30; seed++) await round(seed);
  expect(((await memory()) - before) / MEGABYTE).toBeLessThan(40);
}, 180_000);

test("documents that are cut and mixed at random are refused or answered, never more", async () => {
  const random = new Random(SEED);
  const parts = Object.values(operations).map((make) => make().slice(0, 300));
  parts.push(
    '{ articles(filters: {title: {eq: "x"}}, sort: ["title", null]) { ...F title @skip(if: true) } }',
    "fragment F on Article { tags_connection { nodes { label } } }",
  );
  for (let index = 0; index < 2_000; index++) {
    const [a, b] = [random.pick(parts), random.pick(parts)];
    const query = a.slice(0, random.below(a.length)) + b.slice(random.below(b.length));
    const { status, body } = await ask(query);
    expect([query, status < 500, "errors" in body || "data" in body]).toEqual([query, true, true]);
    expect(JSON.stringify(body)).not.toContain("Internal Server Error");
  }
}, 180_000);
