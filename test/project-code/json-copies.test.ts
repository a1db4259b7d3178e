import { expect, test } from "bun:test";
import { JsonValue, jsonOf } from "../../src/project-code/http/json-copies.ts";

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
  const json = jsonOf(body);
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
      const value = new JsonValue(rows(count));
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

/** Objects without lists inside are copied and compared by functions for the whole list. */
const flatRows = () => ({
  results: Array.from({ length: 30 }, (_, id) => ({ id, body: "x".repeat(100), author: { name: "a" } })),
});

test("bodies around an unchanged copy are never those of another response", async () => {
  const value = new JsonValue(flatRows());
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
  const value = new JsonValue({ ...flatRows(), mixed: [1, { a: { b: [{}] } }, ["x"]] });
  const objectsIn = (inner: unknown): object[] =>
    typeof inner === "object" && inner !== null ? [inner, ...Object.values(inner).flatMap(objectsIn)] : [];
  const all = [value.copy(), value.copy(), value.copy()].flatMap(objectsIn);
  expect(all.length).toBeGreaterThan(180);
  expect(new Set(all).size).toBe(all.length);
});

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
