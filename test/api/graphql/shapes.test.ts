/** A text is found valid or not whatever was asked before it, though texts of one shape are validated once. */
import { describe, expect, spyOn, test } from "bun:test";
import { buildSchema, GraphQLError, type GraphQLScalarType, GraphQLSchema, type ValueNode } from "graphql";
import { createEngine } from "../../../src/api/graphql/engine.ts";

const parseLiteral = (node: ValueNode): unknown => {
  if ("value" in node && node.value === "good") return node.value;
  throw new GraphQLError("not good");
};

/** `Own` takes one text only, as scalars like dates take some. */
function ownSchema(): GraphQLSchema {
  const schema = buildSchema(`
    scalar Own
    enum Colour { red green }
    input Filter { text: String, number: Int, own: Own, many: [Int], below: Filter }
    type Query { rows(text: String, id: ID, number: Int, float: Float, own: Own, colour: Colour, filter: Filter): [Row] }
    type Row { name(size: Int): String, rows(first: Int): [Row] }`);
  const types = schema
    .toConfig()
    .types.map((type) => (type.name === "Own" ? Object.assign(type, { parseLiteral }) : type));
  return new GraphQLSchema({ ...schema.toConfig(), types });
}

const settings = { depthLimit: 10, introspection: true } as Parameters<typeof createEngine>[1];

function problems(engine: ReturnType<typeof createEngine>, text: string): readonly string[] {
  const { schema, parse, validate } = engine.yoga.getEnveloped({});
  return validate(schema, parse(text)).map(({ message }) => message);
}

/** A text that is valid, and others with other values; whether those are as well. */
const families: readonly (readonly [valid: string, ...others: (readonly [string, boolean])[]])[] = [
  ["{ rows(number: 1) { name } }", ["{ rows(number: 999999999) { name } }", true]],
  ["{ rows(number: 2) { name } }", ["{ rows(number: 2147483648) { name } }", false]],
  ["{ rows(number: 3) { name } }", ["{ rows(number: -2147483649) { name } }", false]],
  [
    "{ rows(number: 4) { name } }",
    ['{ rows(number: "4") { name } }', false],
    ["{ rows(number: 4.5) { name } }", false],
  ],
  ['{ rows(text: "a") { name } }', ['{ rows(text: """b""") { name } }', true], ["{ rows(text: b) { name } }", false]],
  ["{ rows(id: 5) { name } }", ['{ rows(id: "5") { name } }', true], ["{ rows(id: 5.5) { name } }", false]],
  ["{ rows(float: 5) { name } }", ["{ rows(float: 5.5) { name } }", true], ['{ rows(float: "5") { name } }', false]],
  ['{ rows(own: "good") { name } }', ['{ rows(own: "bad") { name } }', false], ["{ rows(own: 5) { name } }", false]],
  [
    '{ rows(filter: {own: "good", text: "a"}) { name } }',
    ['{ rows(filter: {own: "evil", text: "a"}) { name } }', false],
  ],
  ["{ rows(filter: {many: [1, 2]}) { name } }", ["{ rows(filter: {many: [3, 3]}) { name } }", true]],
  [
    'query ($own: Own = "good") { rows(own: $own) { name } }',
    ['query ($own: Own = "b") { rows(own: $own) { name } }', false],
  ],
  ["{ rows { name(size: 1) name(size: 1) } }", ["{ rows { name(size: 1) name(size: 2) } }", false]],
  ["{ rows { name(size: 7) other: name(size: 8) } }", ["{ rows { name(size: 9) other: name(size: 9) } }", true]],
  [
    "{ rows(colour: red) { name } }",
    ["{ rows(colour: green) { name } }", true],
    ["{ rows(colour: blue) { name } }", false],
  ],
  ["{ rows { name } } # 1", ["{ rows { name } } # 2", true], ["{ rows { nam } } # 1", false]],
];

describe("texts of one shape", () => {
  test.each(families)("%s", (valid, ...others) => {
    const engine = createEngine(ownSchema(), settings);
    // the second time the result is known from the text itself
    for (let time = 0; time < 2; time++) expect(problems(engine, valid)).toEqual([]);
    for (const [text, isValid] of others) {
      const alone = problems(createEngine(ownSchema(), settings), text);
      expect(alone.length === 0).toBe(isValid);
      expect(problems(engine, text)).toEqual(alone);
    }
  });

  test("are validated once", () => {
    const schema = ownSchema();
    const id = schema.getType("ID") as GraphQLScalarType;
    const parsed = spyOn(id, "parseLiteral");
    const engine = createEngine(schema, settings);
    for (const value of ["a", "b", "c"]) expect(problems(engine, `{ rows(id: "${value}") { name } }`)).toEqual([]);
    expect(parsed).toHaveBeenCalledTimes(1);
    parsed.mockRestore();
  });
});
