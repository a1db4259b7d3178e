/** What each attribute type accepts, answers and refuses. A new type gets the shared suite by adding its rows here. */
import type { ScalarTypeName } from "../../../src/engine/attributes/index.ts";

export interface Fixture {
  /** Options of the attribute in its schema file. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** What is sent and what is answered; the same where the second is left out. */
  readonly accepted: readonly (readonly [sent: unknown, answered?: unknown])[];
  /** What is sent and the message that comes back; `value` stands for the attribute's name. */
  readonly refused: readonly (readonly [sent: unknown, message: string])[];
  /** Two answered values in ascending order, as they are sent and filtered by; absent: not comparable. */
  readonly ordered?: readonly [unknown, unknown];
  /** The value is never answered. */
  readonly secret?: true;
  /** Not a type that `unique` makes sense for. */
  readonly notUnique?: true;
}

const notText = (value: string): string => `value must be a \`string\` type, but the final value was: \`${value}\`.`;
const texts: Fixture = {
  accepted: [["plain"], [""], [" blanks "], ["ünï😀"], ["line\nbreak"]],
  refused: [
    [5, notText("5")],
    [true, notText("true")],
    [["a"], 'value must be a `string` type, but the final value was: `[\n  "\\"a\\""\n]`.'],
    [{}, notText("{}")],
    ["a\0b", "value must be well-formed text without null characters"],
    ["\ud800", "value must be well-formed text without null characters"],
  ],
  ordered: ["Apple", "apple"],
};

const notNumber = (sent: string): string =>
  `value must be a \`number\` type, but the final value was: \`NaN\` (cast from the value \`${sent}\`).`;
const fractions: Fixture = {
  options: { min: -10, max: 1000 },
  accepted: [[1.5], ["2.25", 2.25], [" 7 ", 7], ["1e2", 100], [0]],
  refused: [
    ["abc", notNumber('"abc"')],
    ["", notNumber('""')],
    [true, notNumber("true")],
    [1001, "value must be less than or equal to 1000"],
    [-10.5, "value must be greater than or equal to -10"],
  ],
  ordered: [1.5, 10.25],
};

const paragraph = (text: string) => [{ type: "paragraph", children: [{ type: "text", text }] }];
const noInstant = "Invalid format, expected a timestamp or an ISO date";

export const fixtures: Readonly<Record<ScalarTypeName, Fixture>> = {
  string: { ...texts, refused: [...texts.refused, ["x".repeat(256), "value must be at most 255 characters"]] },
  text: { ...texts, accepted: [...texts.accepted, ["x".repeat(5_000)]] },
  richtext: texts,
  email: {
    accepted: [["a@b.co"], ["A@B.CO"], ["x.y+z@sub.example.org"], ["ü@b.co"], ["a@b.c"]],
    refused: [
      ["a@b", "value must be a valid email"],
      ["notmail", "value must be a valid email"],
      ["@x.io", "value must be a valid email"],
      ["a b@x.io", "value must be a valid email"],
      [`${"a.".repeat(5_000)}@x.io`, "value must be a valid email"],
      ["", "value cannot be empty"],
      [5, notText("5")],
    ],
    ordered: ["a@b.co", "b@b.co"],
  },
  password: { accepted: [["secret"], [""]], refused: [[5, notText("5")]], secret: true },
  uid: {
    accepted: [["a-b_c.d~1"], ["A"]],
    refused: [
      ["a b", 'value must match the following: "/^[A-Za-z0-9-_.~]*$/"'],
      ["ü", 'value must match the following: "/^[A-Za-z0-9-_.~]*$/"'],
    ],
    ordered: ["a", "b"],
  },
  integer: {
    accepted: [[5], ["5", 5], ["1e3", 1000], [" 7 ", 7], [-3], [0], [["8", 9], 8]],
    refused: [
      [5.5, "value must be an integer"],
      ["abc", notNumber('"abc"')],
      [true, notNumber("true")],
      [{}, notNumber("{}")],
    ],
    ordered: [2, 10],
  },
  biginteger: {
    accepted: [
      ["007", "7"],
      ["+42", "42"],
      [5, "5"],
      ["-9223372036854775808"],
      ["9223372036854775807"],
      [" 12 ", "12"],
    ],
    refused: [
      ["1.5", "value must be a valid integer"],
      [1.5, "value must be a valid integer"],
      ["", "value must be a valid integer"],
      [true, "value must be a valid integer"],
      ["9223372036854775808", "value must be a valid integer"],
    ],
    ordered: ["7", "9007199254740993"],
  },
  float: fractions,
  decimal: fractions,
  boolean: {
    accepted: [[true], [false], ["true", true], ["FALSE", false], ["1", true], [0, false], [["true"], true]],
    refused: [
      ["t", 'value must be a `boolean` type, but the final value was: `"t"`.'],
      [2, "value must be a `boolean` type, but the final value was: `2`."],
      [[], "value must be a `boolean` type, but the final value was: `[]`."],
    ],
    ordered: [false, true],
    notUnique: true,
  },
  date: {
    accepted: [["2024-02-29"], ["2024-01-31T23:59:00+02:00", "2024-01-31"]],
    refused: [
      ["2023-02-29", "Invalid date"],
      ["29.02.2024", "Invalid format, expected yyyy-MM-dd"],
      ["", "Invalid format, expected yyyy-MM-dd"],
      [5, "Invalid format, expected yyyy-MM-dd"],
    ],
    ordered: ["1999-12-31", "2024-02-29"],
  },
  time: {
    accepted: [
      ["09:30:15", "09:30:15.000"],
      ["23:59:59.9", "23:59:59.900"],
    ],
    refused: [
      ["09:30", "Invalid time format, expected HH:mm:ss.SSS"],
      ["24:00:00", "Invalid time format, expected HH:mm:ss.SSS"],
      [9, "Expected a string, got a number"],
    ],
    ordered: ["08:00:00.000", "09:30:15.000"],
  },
  datetime: {
    accepted: [
      ["2024-02-29T09:00:00+01:00", "2024-02-29T08:00:00.000Z"],
      [1_717_200_000_000, "2024-06-01T00:00:00.000Z"],
      [-86_400_000, "1969-12-31T00:00:00.000Z"],
      ["5 ", "1970-01-01T00:00:00.005Z"],
      [["2024-02-29T08:00:00Z"], "2024-02-29T08:00:00.000Z"],
    ],
    refused: [
      [" 5", noInstant],
      [[], noInstant],
      ["2024-02-30T00:00:00Z", noInstant],
      ["Thu, 29 Feb 2024 08:00:00 GMT", noInstant],
      ["", noInstant],
      [{}, noInstant],
    ],
    ordered: ["1999-12-31T00:00:00.000Z", "2024-02-29T08:00:00.000Z"],
  },
  timestamp: {
    accepted: [["2024-06-01T00:00:00Z", "1717200000000"]],
    refused: [["soon", noInstant]],
    ordered: ["915148800000", "1717200000000"],
  },
  json: {
    accepted: [[{ a: [1, null, "x"] }], [[]], [true, 1], [0], ["text"], ['{"a":1}', { a: 1 }], ["5", 5]],
    refused: [],
    notUnique: true,
  },
  blocks: {
    accepted: [[paragraph("x")], [[]], [JSON.stringify(paragraph("y")), paragraph("y")], ["text", null], [{}, null]],
    refused: [
      [[{ type: "nope" }], "Block node is of invalid type"],
      [[{ type: "paragraph" }], "value[0].children is a required field"],
      [[null], "value[0] must be a `object` type, but the final value was: `null`."],
      [["text"], "Block node is of invalid type"],
      [[{ type: "image", children: [] }], "11 errors occurred"],
      [[{ type: "heading", level: null, children: paragraph("x") }], "3 errors occurred"],
    ],
    notUnique: true,
  },
  enumeration: {
    options: { enum: ["low", "high", "true"] },
    accepted: [["low"], [true, "true"]],
    refused: [["nope", "value must be one of the following values: low, high, true, "]],
    ordered: ["high", "low"],
    notUnique: true,
  },
};
