/** The key of a text stands for all texts that graphql-js reads in the same way but for their literals. */
import { expect, test } from "bun:test";
import { Lexer, parse, Source, type Token, TokenKind } from "graphql";
import { parameterize } from "../../../src/api/graphql/prepared/parameterize.ts";
import { Random } from "../../random.ts";

function tokens(text: string): Token[] {
  const lexer = new Lexer(new Source(text));
  const all: Token[] = [];
  while (lexer.advance().kind !== TokenKind.EOF) all.push(lexer.token);
  return all;
}

const isLiteral = ({ kind, value }: Token): boolean =>
  kind === TokenKind.STRING ||
  kind === TokenKind.BLOCK_STRING ||
  (kind === TokenKind.INT && value.replace("-", "").length <= 9);

const isValid = (text: string): boolean => {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
};

const keyOf = (text: string): string | undefined => {
  try {
    return parameterize(text).key;
  } catch {
    return undefined;
  }
};

const argument = (value: string): string => `{ a(b: ${value}) }`;

const same: readonly (readonly [string, string])[] = [
  [argument("1"), argument("-23")],
  [argument('"a"'), argument('"b # c"')],
  [argument('"a"'), argument('"\\" \\u{1F600} 😀"')],
  [argument('""'), argument('"x"')],
  [argument('"""a"""'), argument('"""\n  " and \\""" and ""\n"""')],
  [argument('[1 2 "a""b"]'), argument('[3 4 "c""d"]')],
  [`${argument("1")} # 1`, `${argument("2")} # "`],
];

for (const [one, other] of same)
  test(`${JSON.stringify(one)} and ${JSON.stringify(other)} share a key`, () => {
    expect(parameterize(one).key).toBe(parameterize(other).key);
  });

const different: readonly (readonly [string, string])[] = [
  [argument("1"), argument("007")],
  [argument("1"), argument("1.5")],
  [argument("1"), argument("1e-5")],
  [argument("1.5"), argument("2.5")],
  [argument("1"), argument("1a")],
  [argument("1"), argument("1234567890")],
  [argument("1"), argument('"1"')],
  [argument('"a"'), argument('"""a"""')],
  [argument('["a""b"]'), argument('["""b"]')],
  [argument('"a"'), argument('"\n"')],
  [argument('"a"'), argument('"\ud800"')],
  [argument("[1, 1]"), argument("[1, 2]")],
  ["{ a1 }", "{ a2 }"],
  [`${argument("1")} #`, `${argument("1")} #\ud800`],
];

for (const [one, other] of different)
  test(`${JSON.stringify(one)} and ${JSON.stringify(other)} do not`, () => {
    expect(keyOf(one)).not.toBe(keyOf(other));
  });

test("a string that cannot be read is refused", () => {
  expect(() => parameterize(argument('"\\q"'))).toThrow("Invalid character escape sequence");
});

test("literals are those of graphql-js, and no key of a valid text is that of an invalid one", () => {
  const random = new Random(20_261_127);
  const pieces = [
    '"',
    '""',
    '"""',
    "\\",
    '\\"',
    "#",
    "\n",
    "1",
    "-",
    "-2",
    ".",
    "1.5",
    "e",
    "a1",
    "$b",
    " ",
    ",",
    "\ud800",
    "é",
    "😀",
  ];
  const whole = ['"c"', '"d"', '"""e"""', "3", "45", "-6", "true", "F", "# g\n"];
  const validities = new Map<string, boolean>();
  let valid = 0;
  for (let time = 0; time < 8_000; time++) {
    const from = time % 3 === 0 ? whole : [...whole, ...pieces];
    const parts = Array.from({ length: 1 + random.below(5) }, () => random.pick(from));
    const text = argument(`[${parts.join(random.pick(["", " "]))}]`);
    const is = isValid(text);
    const key = keyOf(text);
    if (is) {
      valid++;
      const literals = tokens(text).filter(isLiteral);
      expect(parameterize(text).literals as readonly object[]).toEqual(
        literals.map(({ kind, value, start }) => ({ kind, value, start })),
      );
    }
    if (key === undefined) continue;
    expect({ text, is: validities.get(key) ?? is }).toEqual({ text, is });
    validities.set(key, is);
  }
  expect(valid).toBeGreaterThan(1_500);
});
