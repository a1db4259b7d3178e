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
