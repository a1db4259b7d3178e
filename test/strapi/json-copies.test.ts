import { expect, test } from "bun:test";
import { JsonValue, toJson } from "../../src/strapi/koa/json-copies.ts";

type Row = Record<string, unknown>;
interface Found {
  results: Row[];
  pagination: Row;
}

const rows = (count: number): Found => ({
  results: Array.from({ length: count }, (_, id) => ({ id, title: `t${id}`, author: { id: 1, tags: ["a", null] } })),
  pagination: { page: 1 },
});

async function sent(body: unknown): Promise<string | undefined> {
  const json = toJson(body);
  return json instanceof Blob ? json.text() : json;
}

const changes: Readonly<Record<string, (found: Found) => unknown>> = {
  nothing: () => undefined,
  "a scalar": ({ results }) => (results[1]!.title = "other"),
  "a value two levels down": ({ results }) => (results[1]!.author as { tags: unknown[] }).tags.push("b"),
  "a new name": ({ results }) => (results[0]!.extra = true),
  "a removed name": ({ results }) => delete results[0]!.title,
  "a name for another": ({ results }) => {
    delete results[0]!.title;
    results[0]!.other = undefined;
  },
  "a name for an inherited one": ({ results }) => {
    delete results[0]!.title;
    results[0]!.toString = Object.prototype.toString;
  },
  "an item less": ({ results }) => results.pop(),
  "another order": ({ results }) => results.reverse(),
  "an object of a class": ({ results }) => Object.setPrototypeOf(results[0]!, { toJSON: () => "row" }),
  "a value inside an object": ({ results }) => ((results[1]!.author as Row).id = 2),
  "an object by null": ({ results }) => (results[1]!.author = null),
  "an object by a list": ({ results }) => (results[1]!.author = []),
  "an object by an equal one with more": ({ results }) =>
    (results[0]!.author = { ...(results[0]!.author as Row), x: 1 }),
  "how a list is shown": ({ results }) => Object.assign(results, { toJSON: () => "rows" }),
  "an item by a hole": ({ results }) => delete results[1],
  "a date": ({ results }) => (results[0]!.title = new Date(0)),
};

for (const [name, change] of Object.entries(changes)) {
  test(`what code answers of a copy is its JSON after ${name} was changed`, async () => {
    for (const count of [2, 200]) {
      const value = new JsonValue(rows(count), true);
      // as often as it takes for answers to be kept
      for (let request = 0; request < 4; request++) {
        const found = value.copy() as Found;
        change(found);
        const { results, pagination } = found;
        expect(await sent(results)).toBe(JSON.stringify(results));
        for (const body of [{ data: results, meta: { pagination } }, { items: results }, { data: results }])
          expect(await sent(body)).toBe(JSON.stringify(body));
      }
      expect(value.copy()).toEqual(rows(count));
    }
  });
}

const flatRows = () => ({
  results: Array.from({ length: 30 }, (_, id) => ({ id, body: "x".repeat(100), author: { name: "a" } })),
});

test("bodies around an unchanged copy are never those of another response", async () => {
  const value = new JsonValue(flatRows(), true);
  const bodies: readonly ((data: unknown, other: unknown) => Row)[] = [
    (data) => ({ data, x: null }),
    (data) => ({ data: null, x: data }),
    (data) => ({ data, x: 1 }),
    (data) => ({ data, meta: { own: true } }),
    (data) => ({ data, meta: { own: true, more: undefined } }),
    (data) => ({ data, meta: { own: false } }),
    (data) => ({ data, at: new Date(0) }),
    (data) => ({ data, at: new Date(1) }),
    (data, other) => ({ data, other }),
    (data) => ({ data, again: data }),
    (data) => ({ data, large: "y".repeat(3_000) }),
    (data) => ({ data, large: "z".repeat(3_000) }),
  ];
  const bodyOf = (make: (typeof bodies)[number]): Row =>
    make((value.copy() as Found).results, (value.copy() as Found).results);
  for (const make of bodies) {
    for (let request = 0; request < 4; request++) {
      const body = bodyOf(make);
      expect(await sent(body)).toBe(JSON.stringify(body));
    }
    for (const other of bodies) {
      const body = bodyOf(other);
      expect(await sent(body)).toBe(JSON.stringify(body));
    }
  }
});

test("copies share no object with the value, nor with each other", () => {
  const value = new JsonValue({ ...flatRows(), mixed: [1, { a: { b: [{}] } }, ["x"]] }, true);
  const objectsIn = (inner: unknown): object[] =>
    typeof inner === "object" && inner !== null ? [inner, ...Object.values(inner).flatMap(objectsIn)] : [];
  const all = [value.copy(), value.copy(), value.copy()].flatMap(objectsIn);
  expect(all.length).toBeGreaterThan(180);
  expect(new Set(all).size).toBe(all.length);
});

/** Rows of a list whose values are of different kinds. */
const unlikeRows: Readonly<Record<string, readonly unknown[]>> = {
  "null and an object": [{ a: null }, { a: { b: { c: 1 } } }, { a: { b: null } }],
  "null and a list": [{ a: null }, { a: [{ b: 1 }] }, { a: [] }],
  "lists of any length": [{ a: [] }, { a: [1] }, { a: [1, "x", null, true] }],
  "objects with different names": [{ a: { b: 1 } }, { a: { c: 1 } }, { a: { b: 1, c: 1 } }],
  "objects with names in another order": [{ a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } }],
  "a scalar and an object": [{ a: 1 }, { a: { b: 1 } }, { a: "x" }, { a: [] }, { a: null }],
  "components of a dynamic zone": [
    {
      zone: [
        { __component: "a.a", id: 1, text: "x" },
        { __component: "b.b", id: 1, items: [{ id: 1 }, { id: 2 }] },
      ],
    },
    { zone: [{ __component: "b.b", id: 2, items: [] }] },
    { zone: [] },
  ],
  "names that are not identifiers": [
    { "a-b": { class: 1 }, "a b": [{}], "": 1, 1: 2 },
    JSON.parse('{"__proto__":{"a":[1]}}'),
  ],
  "nested lists": [[[[1], []], [[{ a: [] }]]], [], [null]],
  "very many names": [Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`a${n}`, { b: [n] }]))],
  "very many names inside": [
    { a: Object.fromEntries(Array.from({ length: 299 }, (_, n) => [`a${n}`, n])), b: { c: [1] } },
  ],
  "deep lists": [JSON.parse(`${"[".repeat(40)}{"a":1}${"]".repeat(40)}`)],
  "deep objects": [JSON.parse(`${'{"a":'.repeat(40)}[1]${"}".repeat(40)}`)],
};

const isObject = (value: unknown): value is Row => typeof value === "object" && value !== null;

/** Calls `visit` for every object and list inside a value. */
function eachObject(value: unknown, visit: (object: Row) => void): void {
  if (!isObject(value)) return;
  visit(value);
  for (const inner of Object.values(value)) eachObject(inner, visit);
}

for (const [name, list] of Object.entries(unlikeRows)) {
  test(`copies of rows with ${name} are equal, and any change in them is seen`, async () => {
    const json = JSON.stringify(list);
    const value = new JsonValue({ results: JSON.parse(json) }, true);
    const copy = (): unknown[] => (value.copy() as { results: unknown[] }).results;
    expect(JSON.stringify(copy())).toBe(json);
    expect(await sent(copy())).toBe(json);
    let objects = 0;
    eachObject(list, () => objects++);
    const changes: readonly ((object: Row) => void)[] = [
      (object) => (object[Array.isArray(object) ? object.length : "added"] = 1),
      (object) => {
        for (const key of Object.keys(object)) object[key] = "other";
      },
    ];
    for (let target = 0; target < objects; target += Math.ceil(objects / 30))
      for (const change of changes) {
        const changed = copy();
        let index = 0;
        eachObject(changed, (object) => {
          if (index++ === target) change(object);
        });
        expect(await sent(changed)).toBe(JSON.stringify(changed));
        expect(await sent({ data: changed })).toBe(JSON.stringify({ data: changed }));
      }
    expect(await sent({ data: copy() })).toBe(JSON.stringify({ data: list }));
  });
}

test("bodies are written as JSON.stringify writes them", async () => {
  class Money {
    toJSON(): string {
      return "1.00";
    }
  }
  const bodies = [
    {},
    [],
    { a: undefined, b: () => 1, c: 1 },
    new Money(),
    { price: new Money() },
    "text",
    1,
    new Map(),
  ];
  for (const body of bodies) expect(await sent(body)).toBe(JSON.stringify(body));
});

test("an empty list says nothing of the items of others", async () => {
  const copyOf = (tags: readonly unknown[]) => new JsonValue({ emptyFirst: 1, tags }, false).copy() as Row;
  for (const tags of [[], ["a", "b"], [null], [["a"]], [[]], [{ a: 1 }]]) {
    const copy = copyOf(tags);
    expect(await sent(copy)).toBe(JSON.stringify({ emptyFirst: 1, tags }));
    (copy.tags as unknown[])[0] = "changed";
    expect(await sent(copy)).toBe(JSON.stringify({ emptyFirst: 1, tags: ["changed", ...tags.slice(1)] }));
  }
});
