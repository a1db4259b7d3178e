/** Filters: the operators are REST's; nulls, empty lists and groups mean what they mean in Strapi or in its types. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { comparisons } from "../../../src/engine/query/operators.ts";
import { conformanceApp, FULL, type TestApp } from "../../project.ts";
import { type Ask, asker, readData, readErrors } from "./ask.ts";

let app: TestApp;
let ask: Ask;

beforeAll(async () => {
  app = await conformanceApp();
  ask = asker(app);
  const create = (data: string): Promise<unknown> =>
    readData(ask(`mutation { createProduct(data: {parts: [{name: "p"}], ${data}}) { documentId } }`));
  await create(
    'name: "Anvil", description: "Heavy", stock: 3, price: 2.5, available: true, barcode: "9007199254740993", releaseDate: "2024-01-01", soldAt: "2024-01-01T10:00:00Z", opensAt: "08:00:00", condition: new',
  );
  await create(
    'name: "bell", description: "heavy too", stock: 30, price: 10, available: false, barcode: 5, releaseDate: "2024-02-01", soldAt: "2024-02-01T12:00:00+02:00", opensAt: "09:30:00.5", condition: used',
  );
  await create('name: "Çédille", available: true');
  const { world } = await readData(
    ask(
      'mutation { world: createCategory(data: {name: "World"}) { documentId } other: createCategory(data: {name: "Other", slug: "other"}) { documentId } }',
    ),
  );
  await readData(
    ask(
      `mutation { createArticle(data: {title: "In the world", category: "${world.documentId}"}) { title } none: createArticle(data: {title: "Nowhere"}) { title } }`,
    ),
  );
});
afterAll(() => app.close());

const names = async (filters: string): Promise<string[]> => {
  const { products } = await readData(ask(`{ products(filters: ${filters}, sort: "id") { name } }`));
  return products.map(({ name }: { name: string }) => name);
};

const ALL = ["Anvil", "bell", "Çédille"];

const cases: Readonly<Record<string, readonly [filters: string, found: readonly string[]]>> = {
  "between on an instant filters": ['{soldAt: {between: ["2024-01-01T00:00:00Z", "2024-01-31T00:00:00Z"]}}', ["Anvil"]],
  "in on an instant filters, whatever the offset": ['{soldAt: {in: ["2024-02-01T10:00:00Z"]}}', ["bell"]],
  "notIn on an instant filters": ['{soldAt: {notIn: ["2024-02-01T10:00:00Z"]}}', ["Anvil"]],
  "groups of nothing below an attribute restrict nothing": ["{name: {or: [], and: [], not: {or: []}}}", ALL],
  "not of several conditions is true where one fails": ["{stock: {not: {gt: 1, lt: 10}}}", ["bell"]],
  "empty lists and objects restrict nothing": ["{name: {in: [], notIn: []}, stock: {}, and: [], or: [], not: {}}", ALL],
  "lists of nothing but empty objects restrict nothing": ["{or: [{}, {name: {}}], and: [{}]}", ALL],
  "an empty alternative is not an alternative": ['{or: [{}, {name: {eq: "bell"}}]}', ["bell"]],
  "an attribute that is null is one without a value": ["{stock: null}", ["Çédille"]],
  "null in a list finds nothing": ["{stock: {in: [null]}}", []],
  "null in a negated list finds nothing": ['{name: {notIn: [null, "bell"]}}', []],
  "not in a list with null finds nothing": ['{name: {not: {in: [null, "bell"]}}}', []],
  "the text of an instant is not text to look for": ['{soldAt: {contains: "2024-01-01T10:00:00Z"}}', []],
  "and every instant lacks it": ['{soldAt: {nei: "2024-01-01T10:00:00Z"}}', ["Anvil", "bell"]],
  "the text of a date is": ['{releaseDate: {endsWith: "2024-01-01"}}', ["Anvil"]],
  "a text comparison with null looks for its word": ["{description: {contains: null}}", []],
  "a negated one finds what has not that word": ["{name: {not: {contains: null}}}", ALL],
  "a comparison with null finds nothing, nor does its negation": [
    "{or: [{stock: {gt: null}}, {stock: {not: {gt: null}}}]}",
    [],
  ],
  "a negated text comparison with null finds every text": ["{description: {notContains: null}}", ["Anvil", "bell"]],
  "not: null finds every value": ["{stock: {not: null}}", ["Anvil", "bell"]],
  "every digit of a big number counts": ["{barcode: {eq: 9007199254740993}}", ["Anvil"]],
  "and the number beside it is another": ["{barcode: {eq: 9007199254740992}}", []],
  "letter case counts": ['{description: {contains: "heavy"}}', ["bell"]],
  "unless it is told not to, in every alphabet": ['{name: {containsi: "çÉD"}}', ["Çédille"]],
  "a number's digits can be looked for": ["{stock: {contains: 3}}", ["Anvil", "bell"]],
};

describe("a filter finds", () => {
  for (const [name, [filters, found]] of Object.entries(cases)) {
    test(name, async () => expect(await names(filters)).toEqual([...found]));
  }
});

const articleCases: Readonly<Record<string, readonly [filters: string, found: readonly string[]]>> = {
  "not below a relation": ['{category: {not: {name: {eq: "Other"}}}}', ["In the world"]],
  "attributes and groups below one relation": [
    '{category: {name: {eq: "World"}, or: [{slug: {null: true}}, {slug: {eq: "x"}}]}}',
    ["In the world"],
  ],
  "a relation that is null or empty restricts nothing": [
    "{category: null, author: {}, tags: {label: {}}}",
    ["In the world", "Nowhere"],
  ],
  "a field of a relation that is null finds rows without it too": [
    "{category: {slug: null}}",
    ["In the world", "Nowhere"],
  ],
  "documentId null is not a relation": ["{category: {documentId: {null: true}}}", ["Nowhere"]],
};

describe("a filter through a relation finds", () => {
  for (const [name, [filters, found]] of Object.entries(articleCases)) {
    test(name, async () => {
      const { articles } = await readData(ask(`{ articles(filters: ${filters}, sort: "title") { title } }`));
      expect(articles.map(({ title }: { title: string }) => title)).toEqual([...found]);
    });
  }
});

describe("every operator finds what it finds in REST", () => {
  const operand = {
    value: '"bell"',
    text: '"bell"',
    list: '["bell", "Anvil"]',
    pair: '["Anvil", "bell"]',
    truth: "true",
  };
  for (const [name, { takes }] of Object.entries(comparisons)) {
    if (name === "$startsWithi" || name === "$endsWithi") continue;
    test(name, async () => {
      const value: unknown = JSON.parse(operand[takes]);
      const query = [value].flat().map((item, index) => {
        const place = Array.isArray(value) ? `[${index}]` : "";
        return `filters[name][${name}]${place}=${item}`;
      });
      const request = new Request(`http://localhost/api/products?sort=id&${query.join("&")}`, { headers: FULL });
      const { data } = (await (await app.handle(request)).json()) as { data: { name: string }[] };
      expect(await names(`{name: {${name.slice(1)}: ${operand[takes]}}}`)).toEqual(data.map((row) => row.name));
    });
  }
});

describe("a filter is refused", () => {
  const nested = (levels: number): string => `${"{parent: ".repeat(levels)}{name: {eq: "x"}}${"}".repeat(levels)}`;
  const refusals: Readonly<Record<string, readonly [query: string, message: string | RegExp]>> = {
    "that is a password's": ['{ products(filters: {password: {eq: "x"}}) { name } }', "Invalid key password"],
    "with half of a pair": ["{ products(filters: {stock: {between: [1]}}) { name } }", /between at stock/],
    "with more values than the limit": [
      `{ products(filters: {name: {in: [${'"x",'.repeat(1001)}]}}) { name } }`,
      /at most 1000 values/,
    ],
    "that is nested too deep": [`{ categories(filters: ${nested(60)}) { name } }`, /must not be nested deeper/],
    "with a text for a number that is none": [
      '{ products(filters: {barcode: {eq: "99999999999999999999"}}) { name } }',
      /barcode/,
    ],
    "with a sort key that is too long": [
      `{ products(sort: "${"x".repeat(5000)}") { name } }`,
      /at most 1000 characters/,
    ],
  };
  for (const [name, [query, message]] of Object.entries(refusals)) {
    test(name, async () => {
      const [error] = await readErrors(ask(query));
      expect(error.message).toMatch(message);
      expect(error.extensions).toMatchObject({ code: "BAD_USER_INPUT", error: { name: "ValidationError" } });
    });
  }
  test("as deep as is allowed it is answered", async () => {
    expect((await ask(`{ categories(filters: ${nested(27)}) { name } }`)).body).toEqual({ data: { categories: [] } });
  });
});

test("variables for big numbers are taken by their text", async () => {
  const query = "query Q($code: Long) { products(filters: {barcode: {eq: $code}}) { name } }";
  expect((await readData(ask(query, { code: [5] }))).products).toEqual([{ name: "bell" }]);
  for (const [code, message] of [
    [true, 'Expected type "Long". Cannot convert true to a BigInt'],
    ["", "BigInt cannot represent value: "],
    ["+5", "BigInt cannot represent value: +5"],
    ["007", "BigInt cannot represent value: 007"],
    [" 5", "BigInt cannot represent value:  5"],
  ] as const) {
    const [error] = await readErrors(ask(query, { code }));
    expect(error.message).toBe(`Variable "$code" got invalid value ${JSON.stringify(code)}; ${message}`);
  }
});

test("literals that are not a big number are named", async () => {
  const [error] = await readErrors(ask("{ products(filters: {barcode: {eq: {a: 1}}}) { name } }"));
  expect(error.message).toBe("BigInt cannot represent non-integer value: {a: 1}");
  expect(error.locations).toEqual([{ line: 1, column: 36 }]);
});

describe("a localization that a filter asks for", () => {
  test("may be the document itself, or a row of its other version", async () => {
    const { a } = await readData(ask('mutation { a: createArticle(data: {title: "One"}) { documentId } }'));
    const french = `mutation { updateArticle(documentId: "${a.documentId}", locale: "fr", status: DRAFT, data: {title: "Un"}) { title } }`;
    await readData(ask(french));
    const found = async (filter: string) =>
      (await readData(ask(`{ articles(filters: {localizations: {title: {eq: "${filter}"}}}) { title } }`))).articles;
    expect(await found("One")).toEqual([{ title: "One" }]);
    expect(await found("Un")).toEqual([{ title: "One" }]);
  });
});

test("a sort direction without a field sorts nothing", async () => {
  for (const sort of [":asc", ":", ":nowhere"]) {
    const { products } = await readData(ask(`{ products(sort: "${sort}") { name } }`));
    expect(products.map(({ name }: { name: string }) => name)).toEqual(ALL);
  }
});

describe("a group below an attribute is refused as Strapi does it", () => {
  const cases: readonly [string, string][] = [
    ['{name: {or: ["Anvil", "bell"]}}', "$or"],
    ['{name: {or: "Anvil"}}', "$or"],
    ["{stock: {or: [null, 3]}}", "$or"],
    ["{name: {and: null}}", "$and"],
    ['{name: {not: {or: ["Anvil"]}, startsWith: "b"}}', "$or"],
    ['{or: [{name: {and: ["Anvil"]}}]}', "$and"],
  ];
  test.each(cases)("%s", async (filters, operator) => {
    const { body } = await ask(`{ products(filters: ${filters}) { name } }`);
    expect(body).toEqual({
      errors: [
        {
          message: `Undefined attribute level operator ${operator}`,
          locations: [{ line: 1, column: 3 }],
          path: ["products"],
          extensions: { code: "INTERNAL_SERVER_ERROR" },
        },
      ],
      data: null,
    });
  });
});

test.each([
  ["{page: 2, pageSize: 1, start: null, limit: null}", ["bell"]],
  ["{page: 2, pageSize: 1}", ["bell"]],
  ["{page: null, pageSize: null, start: 1, limit: 1}", ["bell"]],
  ["{page: null, pageSize: 2, start: null, limit: null}", ["Anvil", "bell"]],
  ["{start: 1, limit: null}", ["bell"]],
  ["{start: null, limit: null, page: null, pageSize: null}", ALL],
])("null is no pagination: %s", async (pagination, expected) => {
  const { products } = await readData(ask(`{ products(pagination: ${pagination}, sort: "id") { name } }`));
  expect(products.map(({ name }: { name: string }) => name)).toEqual(expected);
});
