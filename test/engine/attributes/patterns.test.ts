/** Regular expressions of schemas mean what they mean in JavaScript, and no text makes them take long. */
import { describe, expect, test } from "bun:test";
import { compilePattern } from "../../../src/engine/attributes/patterns/pattern.ts";
import { processTime } from "../../processor-time.ts";
import { testApp, typeFile } from "../../project.ts";
import { Random } from "../../random.ts";

const patterns = String.raw`^[a-z]+$
^\S+$
^\s*$
.
^.$
^..$
^[^]*$
[]
^[^a]$
\d{2,3}
^\w+([.-]?\w+)*@\w+([.-]?\w+)*(\.\w{2,3})+$
^(https?:\/\/)?[\w.-]+(\.[\w.-]+)+[\w\-._~:\/?#[\]@!$&'()*+,;=.]+$
^#([A-Fa-f0-9]{6}|[A-Fa-f0-9]{3})$
^\+?[0-9 ()-]{3,}$
a{
a{,2}
^{$
\bfoo\b
[\b]
[\w-]+
[a-z-0-9]
\u00e9
^\u{61}$
\x41
\cJ
\0
^[\s\S]{2,}$
^(?:a|b)+?$
^(?<n>a)$
\p{L}
\e
]
^[[]$
^[a-c&&b]$
\Qabc\E
\A
\z
^\D$
^\W+$
^[^\s]$
^[\S\d]$
\B
^[^\n]*$
^a|b$
(a)|b
^$
[[:alpha:]]
^[\u0400-\u04FF]+$
^(?=.*[A-Z])(?=.*\d).+$
^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[^\w\s]).{3,}$
^(?!foo|bar)[a-z.]*$
^(?!.*\.\.)(?!.*--)[a-z.-]+$
^(?!a$|b)
(?<=a)b
^(?<!a).
(a)\1
^(\w)\w*\1$
^((?!foo).)*$
^[A-Z]{2}\d{2}[A-Z0-9]{1,30}$
^(?:\d{1,1001}|x{2,1500})$
^.{1,2000}$
^(?:[a-z]{0,3}){1,1200}$
^(a+)+$
^(a|a)*$
^(.*)*$
(x+x+)+y
^[\ud83d][\ude00]$
^[^\ud83d]+$
^[😀]$
^[\0-\uffff]{2}$
\a
\8
\1
^\.$
^(\([0-9]{3}\) |[0-9]{3}-)[0-9]{3}-[0-9]{4}$`.split("\n");

const texts = [
  ..."|a|A1|abc|a b|a\u00a0b|a\vb|é|😀|😀😀|ab\ncd|\u2028|-|_|foo.bar|barfoo|a/b|1|12|123|2020-01-01|a-b-c|a--b|http://x.y/z?q=1".split(
    "|",
  ),
  ..."+49 123|#ffaa00|#ffa|x\r|ab12AB!|{|a{2}|a{|\\|]|[|\u212a|x@y.zz|a.b-c@d-e.org|ß|\ud800|\ude00|\ud83dx|\b|\0|(123) 456-7890|foo|Qabc".split(
    "|",
  ),
  "a".repeat(1_000),
  "1".repeat(1_001),
  "1".repeat(1_002),
  "x".repeat(1_500),
  "x".repeat(2_001),
  "aba",
  "abab",
];

describe("mean the same as in JavaScript", () => {
  for (const source of patterns) {
    test(source, () => {
      // texts that the runtime's engine is quick with
      const quick = texts.filter((text) => text.length < 20 || !/\)[*+]/.test(source));
      const native = new RegExp(source);
      const given = quick.map((text) => [text, compilePattern(source).test(text) ?? native.test(text)]);
      expect(given).toEqual(quick.map((text) => [text, native.test(text)]));
    });
  }

  test("whatever they are put together from", () => {
    const random = new Random(20_261_122);
    const atoms = [
      "a",
      "b",
      ".",
      "\\d",
      "\\w",
      "\\s",
      "[^a]",
      "[a-c\\d]",
      "\\.",
      "(?:ab|c)",
      "(b)",
      "\\b",
      "é",
      "[^\\w]",
      "😀",
    ];
    const counts = ["", "", "*", "+", "?", "{2}", "{1,3}", "{0,2}?"];
    const letters = ["a", "b", "c", "1", " ", ".", "é", "😀", "\n", "\u00a0", "\ud83d"];
    const piece = (depth: number): string => {
      const atom = depth > 0 && random.chance(0.3) ? `(${sequence(depth - 1)})` : random.pick(atoms);
      return atom + (atom === "\\b" ? "" : random.pick(counts));
    };
    const sequence = (depth: number): string =>
      Array.from({ length: 1 + random.below(3) }, () => piece(depth)).join(random.chance(0.15) ? "|" : "");
    for (let at = 0; at < 2_000; at++) {
      const source = `${random.chance(0.7) ? "^" : ""}${sequence(2)}${random.chance(0.7) ? "$" : ""}`;
      const native = new RegExp(source);
      for (let times = 0; times < 5; times++) {
        const text = Array.from({ length: random.below(8) }, () => random.pick(letters)).join("");
        expect([source, text, compilePattern(source).test(text)]).toEqual([source, text, native.test(text)]);
      }
    }
  });
});

describe("are done with any text in time", () => {
  const A = "a".repeat(1_000_000);
  const cases: readonly [string, string, boolean | undefined][] = [
    ["^(a+)+$", `${A}!`, false],
    ["^(a|a)*$", `${A}!`, false],
    ["^(a|aa)+$", A, true],
    ["a*a*a*b", A, false],
    ["\\s+$", `${" ".repeat(200_000)}!`, false],
    ["^(?=(a+)+$)(?!(b|b)+$)a", `${A}!`, false],
    ["^(?:.{1,500}){1,2}!?$", A, false],
    ["^(\\w+\\s?)*\\1!$", "a".repeat(40), undefined],
    ["^((?!b)a|a)+$", `${"a".repeat(60)}!`, undefined],
    ["^(\\w)\\1$", A, undefined],
  ];
  for (const [source, text, outcome] of cases) {
    test(`${source} with ${text.length} characters`, () => {
      const start = processTime();
      expect(compilePattern(source).test(text)).toBe(outcome);
      // seconds by far less than what backtracking takes
      expect(processTime() - start).toBeLessThan(5_000);
    });
  }
});

test("the pattern of an attribute is one of them", async () => {
  const app = await testApp(
    typeFile("post", { code: { type: "text", regex: "^(a+)+$" }, key: { type: "uid", regex: "^(k+)+$" } }),
  );
  const create = (data: Record<string, string>) => app.call("POST", "/api/posts", { data });
  const start = processTime();
  const { status, body } = await create({ code: `${"a".repeat(500_000)}!` });
  expect([status, body.error.message]).toEqual([400, 'code must match the following: "/^(a+)+$/"']);
  expect((await create({ key: `${"k".repeat(100_000)}!` })).status).toBe(400);
  expect((await create({ code: "aaa", key: "kkk" })).status).toBe(201);
  expect(processTime() - start).toBeLessThan(5_000);
  await app.close();
});
