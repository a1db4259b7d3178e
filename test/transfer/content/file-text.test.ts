/** Texts of content files: what is printed is read again as it was, and an edit touches what has changed. */
import { expect, test } from "bun:test";
import { parse, parseDocument } from "yaml";
import type { ContentFile } from "../../../src/transfer/content/content-file.ts";
import { ContentFileError } from "../../../src/transfer/content/file-error.ts";
import { type FileForm, lineOfKey, parseFile, printFile } from "../../../src/transfer/content/file-text.ts";
import { quickest, threadTime } from "../../processor-time.ts";
import { Random } from "../../random.ts";

const YAML: FileForm = { kind: "yaml" };
const JSON_FORM: FileForm = { kind: "json" };
const MARKDOWN: FileForm = { kind: "markdown", body: "text" };
const forms = [YAML, JSON_FORM, MARKDOWN];

const NASTY = [
  ...[
    "yes",
    "No",
    "null",
    "~",
    "true",
    "1e3",
    "0x1f",
    "0o17",
    "017",
    "1_000",
    "-1",
    ".5",
    "1.",
    ".inf",
    "12345678901234567890",
  ],
  ...[
    "- x",
    "-",
    "?",
    "? x",
    ":",
    "a: b",
    "a:",
    "#x",
    "x #y",
    " x ",
    "\t",
    "x\ty",
    "---",
    "...",
    "--- x",
    "'",
    '"',
    "it's",
    "",
    " ",
  ],
  ...[
    "😀",
    "é ü",
    "日本語",
    "\r",
    "a\r\nb",
    "a\rb\n",
    "\0",
    "a\0b\n",
    "\u2028",
    "a\u2028b\nc",
    "\u0085",
    "a\u0085b\nc",
    "\ufeff",
    "\ufeffa\nb",
  ],
  ...[
    "\n",
    "\n\n\n",
    "\na",
    "\n\n  a\nb",
    "a\n",
    "a\n\n",
    "a\n\n\n",
    "a\n  \n",
    "a\n   ",
    "a  \nb\t\n c",
    "  a\nb",
    "\ta\nb",
    "a\n\tb\n\n c",
  ],
  ...[
    "x\n<<<<<<< x\n=======\n>>>>>>> y\n",
    "<<<<<<< x",
    "<<<<<<< x\ny",
    "Head\n=======\ntext",
    "---\na: 1\n---\nb",
    "a\n---\nb",
  ],
  ...[
    "[x]",
    "{x}",
    "x, y",
    "[",
    "&a",
    "*a",
    "!x",
    "!!str x",
    "%x",
    "@x",
    "`x`",
    "|",
    ">",
    "| x",
    "<<",
    "=",
    "$id",
    "2026-01-31",
  ],
  ...[
    "2026-01-31T12:00:00.000Z",
    "12:30:00",
    "\u007f",
    "\u00a0x\u00a0",
    "\ufffe",
    "a\\b",
    "http://a.b/c?d=e#f",
    "(x)",
    "/x",
    "a\n# b\n- c\nd: e",
  ],
];
const WORDS = ["alpha", "Beta", "über", "x: y", "# z", "- w", "\n", "\n\n", "  ", "'q'", "“r”", "|", "1"];
const KEYS = [
  "title",
  "slug",
  "text",
  "seo",
  "items",
  "a b",
  "null",
  "1",
  "x-y",
  "é",
  "a: b",
  "#k",
  "-",
  "y",
  "__proto__",
  "<<",
  "",
];

const text = (random: Random): string =>
  random.chance(0.5)
    ? random.pick(NASTY)
    : Array.from({ length: 1 + random.below(12) }, () => random.pick(WORDS)).join(random.pick(["", " "]));

function value(random: Random, depth: number): unknown {
  const kind = random.below(depth > 3 ? 5 : 9);
  if (kind < 3) return text(random);
  if (kind === 3) return random.pick([0, 1, -1, 1.5, 1e21, 1e-7, 12345678901234567000, 9007199254740991, 0.1]);
  if (kind === 4) return random.pick([true, false, null]);
  if (kind === 5) return { type: "paragraph", children: [{ type: "text", text: text(random) }] };
  if (kind === 6) return Array.from({ length: random.below(4) }, () => value(random, depth + 1));
  return mapping(random, depth + 1);
}

const mapping = (random: Random, depth: number): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: random.below(5) }, () => [random.pick(KEYS), value(random, depth)]));

function version(random: Random): Record<string, unknown> {
  const time = "2026-01-31T12:00:00.000Z";
  return {
    ...(random.chance(0.5) ? { $createdAt: time } : {}),
    ...(random.chance(0.3) ? { $updatedAt: time, $publishedAt: time } : {}),
    ...(random.chance(0.5) ? { $published: random.chance(0.5) || mapping(random, 1) } : {}),
    ...mapping(random, 0),
  };
}

const contentFile = (random: Random): ContentFile => ({
  ...version(random),
  ...(random.chance(0.5) ? { $id: "abc" } : {}),
  ...(random.chance(0.3) ? { $locales: { de: version(random), "pt-BR": version(random) } } : {}),
});

test("what is printed is read again as it was, by both parsers", () => {
  const random = new Random(1);
  for (let round = 0; round < 150; round++) {
    const file = contentFile(random);
    for (const form of forms) {
      const printed = printFile(file, form);
      expect(parseFile(printed, form)).toEqual(file);
      expect(printFile(parseFile(printed, form), form)).toBe(printed);
      if (form.kind === "yaml") expect(parse(printed, { intAsBigInt: false })).toEqual(file);
    }
  }
});

/** A text as somebody has worked on it: comments, empty lines, the keys in another order. */
function rework(printed: string, random: Random): string {
  const pairs = printed.split(/(?<=\n)(?=[^ \n])/);
  for (let at = pairs.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [pairs[at], pairs[other]] = [pairs[other]!, pairs[at]!];
  }
  let text = "";
  for (const [index, pair] of pairs.entries()) {
    if (random.chance(0.4)) text += `# note ${index}\n`;
    if (random.chance(0.2) && pair.startsWith("title: ") && !pair.includes("|")) {
      text += pair.replace("\n", " # behind\n");
    } else text += pair;
    if (random.chance(0.3)) text += "\n";
  }
  if (random.chance(0.2)) text = text.trimEnd();
  if (random.chance(0.2)) text = text.replaceAll("\n", "\r\n");
  return random.chance(0.2) ? `\ufeff${text}` : text;
}

type Mutable = Record<string, unknown>;

/** The mappings whose keys are cells. */
const levels = (file: Mutable): Mutable[] =>
  [file, file.$published, ...Object.values((file.$locales ?? {}) as Mutable)].filter(
    (level): level is Mutable => typeof level === "object" && level !== null,
  );

const withoutBom = (text: string): string => text.replace("\ufeff", "");

/** Lines between what both texts begin with and what both end with. */
function changedLines(before: string, after: string): { removed: number; added: number } {
  const [a, b] = [withoutBom(before).split("\n"), withoutBom(after).split("\n")];
  let head = 0;
  while (head < Math.min(a.length, b.length) && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  return { removed: a.length - head - tail, added: b.length - head - tail };
}

/** But those behind a key that is removed. */
const comments = (text: string, removed: boolean): string[] =>
  withoutBom(text).match(removed ? /^# note \d+/gm : /^# note \d+|# behind/gm) ?? [];
const lineCount = (value: unknown): number => printFile({ value } as ContentFile, YAML).split("\n").length - 1;

test("a change of one value touches its lines and nothing else", () => {
  const random = new Random(2);
  let edits = 0;
  for (let round = 0; round < 500; round++) {
    const previous = rework(printFile(contentFile(random), YAML), random);
    const before = parseFile(previous, YAML);
    const changed = structuredClone(before) as Mutable;
    const level = random.pick(levels(changed));
    const key = random.pick(["title", "slug", "seo", "items", "fresh"]);
    const old = level[key];
    const isRemoved = random.chance(0.3);
    if (isRemoved) delete level[key];
    else level[key] = value(random, 1);
    const after = printFile(changed as ContentFile, YAML, previous);
    expect(parseFile(after, YAML)).toEqual(changed as ContentFile);
    if (Bun.deepEquals(before, changed)) {
      expect(after).toBe(previous);
      continue;
    }
    edits++;
    // a mapping that gets its first key or loses its last one changes as a whole
    // and a last line without an end may get one or two
    const edge = (Object.keys(level).length <= 1 ? 3 : 0) + (previous.endsWith("\n") ? 0 : 2);
    const { removed, added } = changedLines(previous, after);
    expect(comments(after, isRemoved)).toEqual(comments(previous, isRemoved));
    expect(removed).toBeLessThanOrEqual((old === undefined ? 0 : lineCount(old)) + edge + 3);
    expect(added).toBeLessThanOrEqual((level[key] === undefined ? 0 : lineCount(level[key])) + edge);
  }
  expect(edits).toBeGreaterThan(350);
});

test("a Markdown file is edited in its front matter, and below it", () => {
  const random = new Random(3);
  for (let round = 0; round < 500; round++) {
    let previous = printFile(contentFile(random), MARKDOWN);
    if (random.chance(0.3)) previous = previous.replaceAll("\n", "\r\n");
    if (random.chance(0.3)) previous = `\ufeff${previous}`;
    const before = parseFile(previous, MARKDOWN);
    expect(printFile(before, MARKDOWN, previous)).toBe(previous);
    const changed = { ...before, [random.pick(["text", "title"])]: text(random) };
    const after = printFile(changed, MARKDOWN, previous);
    expect(parseFile(after, MARKDOWN)).toEqual(changed);
    expect(after.startsWith("\ufeff")).toBe(previous.startsWith("\ufeff"));
    if (previous.includes("\r\n")) expect(after).not.toMatch(/[^\r]\n/);
  }
});

test("whatever stands in a text, both parsers agree, and no repeated key is overlooked", () => {
  const random = new Random(4);
  let repeated = 0;
  for (let round = 0; round < 500; round++) {
    const lines = printFile(contentFile(random), YAML).split("\n");
    for (let count = random.below(3); count >= 0; count--) {
      const at = random.below(lines.length);
      const line = random.pick(lines);
      lines.splice(at, random.below(2), random.chance(0.5) ? line : line.replace(/\w+:/, "title:"));
    }
    const changed = lines.join("\n");
    const document = parseDocument(changed, { prettyErrors: false, logLevel: "silent", merge: true });
    const isRepeated = document.errors[0]?.code === "DUPLICATE_KEY";
    if (isRepeated) repeated++;
    try {
      const file = parseFile(changed, YAML);
      expect(isRepeated).toBe(false);
      if (document.errors.length === 0) expect(file).toEqual(document.toJS());
    } catch (error) {
      expect(error).toBeInstanceOf(ContentFileError);
    }
  }
  expect(repeated).toBeGreaterThan(25);
});

const PAGE = `# About
title: 'Hello'   # the title
tags: [a, b]
seo:   # for search
  # inner
  image: { path: a/b, alt: "y" }
items:
- one
# between
- two   # second
- a: 1
  b: 2
text: >-
  folded

blocks:
  - {"type":"paragraph","children":[{"type":"text","text":"A"}]}
  - {"type":"paragraph","children":[{"type":"text","text":"B"}]}
`;

// biome-ignore lint/suspicious/noExplicitAny: the tests know what is in the file
const edits: readonly [string, (file: any) => void, (text: string) => string][] = [
  [
    "the id of a new file comes first",
    (file) => {
      file.$id = "abc";
    },
    (text) => `$id: abc\n${text}`,
  ],
  [
    "a comment behind a value stays",
    (file) => {
      file.title = "a: b";
    },
    (text) => text.replace("'Hello'", '"a: b"'),
  ],
  [
    "a list in brackets stays one",
    (file) => {
      file.tags.push("c, d");
    },
    (text) => text.replace("[a, b]", '[a, b, "c, d"]'),
  ],
  [
    "a mapping in braces within a component stays one",
    (file) => {
      file.seo.image.alt = "z";
    },
    (text) => text.replace('{ path: a/b, alt: "y" }', "{ path: a/b, alt: z }"),
  ],
  [
    "a comment behind the key of a component stays when it gets a text of several lines",
    (file) => {
      file.seo = "x\ny";
    },
    (text) => text.replace(/seo:.*\n.*inner\n.*\n/, "seo: |-   # for search\n  x\n  y\n"),
  ],
  [
    "a new key of a component follows those before it",
    (file) => {
      file.seo.title = "x";
    },
    (text) => text.replace('alt: "y" }\n', 'alt: "y" }\n  title: x\n'),
  ],
  [
    "an entry of a list is replaced",
    (file) => {
      file.items[1] = 2;
    },
    (text) => text.replace("- two", "- 2"),
  ],
  [
    "an entry is removed",
    (file) => {
      file.items.splice(1, 1);
    },
    (text) => text.replace("- two   # second\n", ""),
  ],
  [
    "the first key of an entry is removed",
    (file) => {
      delete file.items[2].a;
    },
    (text) => text.replace("- a: 1\n  b", "- b"),
  ],
  [
    "an entry becomes another one",
    (file) => {
      file.items[2] = { c: 1, d: 2 };
    },
    (text) => text.replace("a: 1\n  b: 2", "c: 1\n  d: 2"),
  ],
  [
    "an entry is put between others",
    (file) => {
      file.items.splice(2, 0, { c: 1, d: [2] });
    },
    (text) => text.replace("# second\n", "# second\n- c: 1\n  d:\n    - 2\n"),
  ],
  [
    "a block is changed in its line",
    (file) => {
      file.blocks[1].children[0].text = "C";
    },
    (text) => text.replace('"B"', '"C"'),
  ],
  [
    "a folded text is replaced with a block",
    (file) => {
      file.text = "x\n\ny\n";
    },
    (text) => text.replace(">-\n  folded\n", "|\n  x\n\n  y\n"),
  ],
  [
    "a text that ends with empty lines takes in that of the file, also behind a removed key",
    (file) => {
      file.items = "x\n\n";
      delete file.text;
    },
    (text) => text.replace(/items:.*(?=blocks)/s, "items: |+\n  x\n\n"),
  ],
  [
    "locales come last",
    (file) => {
      file.$locales = { de: { $createdAt: "2026-01-31", title: "x" } };
    },
    (text) => `${text}$locales:\n  de:\n    $createdAt: 2026-01-31\n    title: x\n`,
  ],
];

for (const [name, change, expected] of edits) {
  test(name, () => {
    const file = structuredClone(parseFile(PAGE, YAML));
    change(file);
    expect(printFile(file, YAML, PAGE)).toBe(expected(PAGE));
  });
}

test("what an alias or a merge key inserts is printed out when it cannot be edited", () => {
  const previous = "a: &x {c: 1}\nb:\n  <<: *x\n  d: 2\n";
  const file = parseFile(previous, YAML);
  expect(file).toEqual({ a: { c: 1 }, b: { c: 1, d: 2 } });
  expect(printFile({ ...file, a: 1 }, YAML, previous)).toBe("a: 1\nb:\n  c: 1\n  d: 2\n");
});

test("the canonical text is made for git diff", () => {
  const file = {
    title: "Hello: world",
    $locales: { de: { title: "Hallo", $createdAt: "2026-01-31T12:00:00.000Z" } },
    text: "One\n\n  two  \n",
    tags: ["tags/a", "tags/b"],
    count: 12345678901234567000,
    big: "12345678901234567890",
    zone: [{ __component: "a.b", n: 1, link: { url: "https://x.y" } }],
    blocks: [{ type: "paragraph", children: [{ type: "text", text: "é" }] }],
    json: { list: [[1, 2], []], empty: {} },
    $published: { title: null },
    $id: "abc",
  };
  expect(printFile(file, YAML)).toBe(`$id: abc
$published: {"title":null}
title: "Hello: world"
text: |
  One

    two${"  "}
tags:
  - tags/a
  - tags/b
count: 1.2345678901234567e+19
big: "12345678901234567890"
zone:
  - __component: a.b
    n: 1
    link:
      url: https://x.y
blocks:
  - {"type":"paragraph","children":[{"type":"text","text":"é"}]}
json:
  list:
    - [1,2]
    - []
  empty: {}
$locales:
  de:
    $createdAt: 2026-01-31T12:00:00.000Z
    title: Hallo
`);
  expect(printFile({ text: "a\nb", title: "x" }, MARKDOWN)).toBe("---\ntitle: x\n---\n\na\nb\n");
});

test("values that no number can hold, tags and dates are texts", () => {
  const read = { n: "12345678901234567890", f: 31, d: "2026-01-31", b: "aGk=", t: "2026-01-31", x: { a: 1 } };
  const yaml =
    "n: 12345678901234567890\nf: 0x1f\nd: 2026-01-31\nb: !!binary aGk=\nt: !!timestamp 2026-01-31\nx: !y {a: 1}\n";
  expect(parseFile(yaml, YAML)).toEqual(read);
  expect(parseFile('{"n":12345678901234567890,"f":31}', JSON_FORM)).toEqual({ n: read.n, f: 31 });
});

test("a JSON file keeps only whether it ends with a line end", () => {
  expect(printFile({ a: 1 }, JSON_FORM)).toBe('{\n  "a": 1\n}\n');
  expect(printFile({ a: 1 }, JSON_FORM, '{"a":2}')).toBe('{\n  "a": 1\n}');
  expect(printFile({ a: 1 }, JSON_FORM, '{"a":1}')).toBe('{"a":1}');
});

const bomb = Array.from({ length: 25 }, (_, level) =>
  level === 0 ? "a0: &a0 [x,x,x,x,x,x,x,x,x]" : `a${level}: &a${level} [${Array(9).fill(`*a${level - 1}`)}]`,
).join("\n");

const refused: readonly [string, FileForm, string, ContentFileError["kind"], number, RegExp][] = [
  ["a list that is not closed", YAML, "a: 1\nb: [1\nc: 2", "syntax", 3, /end with a ]/],
  ["nested mappings in a line", YAML, "a: 1\nb: c: d", "syntax", 2, /Nested mappings/],
  ["a tab as indentation", YAML, "a:\n\t- 1", "syntax", 2, /Tabs/],
  ["a repeated key", YAML, "a: 1\nb: 2\na: 3", "duplicate", 3, /key a stands twice/],
  ["a repeated key in quotes", YAML, "'a': 1\n\"a\": 2", "duplicate", 2, /key "a" stands twice/],
  ["a repeated key of an entry", YAML, "a:\n  - x: 1\n    y: 2\n    x: 3", "duplicate", 4, /key x/],
  ["a repeated key in braces", YAML, "a: {b: 1, b: 2}", "duplicate", 1, /key b/],
  ["a repeated key of a block", YAML, 'a:\n  - {"b":1,"b":2}', "duplicate", 2, /key "b"/],
  ["a repeated key after a tab", YAML, "a:\t1\na: 2", "duplicate", 2, /key a/],
  ["a second document after an end", YAML, "---\na: &x 1\n...\n---\nb: 2", "syntax", 4, /second document/],
  ["a merge that is not resolved", YAML, "a: 1\n<<<<<<< HEAD\nb: 1\n=======\n", "conflict", 2, /HEAD/],
  ["the middle of a merge alone", YAML, "a: 1\n=======\nb: 1", "conflict", 2, /=======/],
  ["a list", YAML, "- a", "syntax", 1, /not a mapping/],
  ["two documents", YAML, "a: 1\n---\nb: 2", "syntax", 2, /second document/],
  ["nothing", YAML, " \n", "syntax", 1, /empty/],
  ["binary data", YAML, "a: 1\nb\0", "syntax", 2, /not a text/],
  ["an infinite number", YAML, "a: .inf", "syntax", 1, /not a value of JSON/],
  ["deep lists", YAML, `a: ${"[".repeat(300)}${"]".repeat(300)}`, "syntax", 1, /deeper than 200/],
  ["very deep lists", YAML, `a: ${"[".repeat(100_000)}`, "syntax", 1, /deeper than 200/],
  ["very deep entries", YAML, `a: 1\nb:\n  ${"- ".repeat(50_000)}x`, "syntax", 1, /deeper than 200/],
  ["a value within itself", YAML, "a: &x [*x, *x]", "syntax", 1, /deeper than 200/],
  ["a bomb of aliases", YAML, bomb, "syntax", 1, /alias count/],
  ["an unknown key", YAML, "a: 1\n$foo: 1", "key", 2, /\$foo is unknown/],
  ["a key of the file in a locale", YAML, "$locales:\n  de:\n    $id: x", "key", 3, /\$locales\.de\.\$id is unknown/],
  ["a key in the published values", YAML, "$published:\n  $id: x", "key", 2, /\$published\.\$id is unknown/],
  ["an id that is a number", YAML, "$id: 12", "key", 1, /\$id must be a text/],
  ["published that is false", YAML, "$published: false", "key", 1, /true, or a mapping/],
  ["locales that are a list", YAML, "$locales: [de]", "key", 1, /mapping of locales/],
  ["a locale without a mapping", YAML, "$locales:\n  de: 1", "key", 1, /mapping of locales/],
  ["a locale without a code", YAML, '$locales:\n  "": {title: x}', "key", 1, /mapping of locales/],
  ["a time that is none", YAML, "$createdAt: 2026-13-01", "key", 1, /must be a time/],
  ["JSON with a comma too many", JSON_FORM, '{\n"a":1,\n}', "syntax", 3, /property name/],
  ["JSON with a repeated key", JSON_FORM, '{"a":{"x":1,\n"y":"\\"","\\u0078":2}}', "duplicate", 2, /twice/],
  ["JSON that is a list", JSON_FORM, "[1]", "syntax", 1, /not a mapping/],
  ["front matter that is not closed", MARKDOWN, "---\na: 1\nb", "syntax", 1, /not closed/],
  ["a repeated key in front matter", MARKDOWN, "---\na: 1\na: 2\n---\nx", "duplicate", 3, /key a/],
  ["the body in two places", MARKDOWN, "---\ntext: x\n---\ny", "duplicate", 4, /below it/],
  ["text below front matter for no attribute", { kind: "markdown" }, "---\na: 1\n---\nx", "key", 4, /no attribute/],
  ["a merge that is not resolved below", MARKDOWN, "x\n<<<<<<< H\na\n=======\nb\n>>>>>>> x", "conflict", 2, /H/],
];

for (const [name, form, content, kind, line, reason] of refused) {
  test(`refused: ${name}`, () => {
    let thrown: unknown;
    try {
      parseFile(content, form);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ContentFileError);
    const error = thrown as ContentFileError;
    expect([error.kind, error.line]).toEqual([kind, line]);
    expect(error.reason).toMatch(reason);
  });
}

test("an empty document at the end of a YAML file stays there", () => {
  for (const lineEnd of ["\n", "\r\n"]) {
    const text = (value: number): string => ["# kept", `a: ${value}`, "---", "# the end", ""].join(lineEnd);
    expect(printFile({ a: 2 } as ContentFile, YAML, text(1))).toBe(text(2));
  }
});

test("the line of an attribute is found", () => {
  const yaml = "a: 1\n# c\nsections:\n  - title: x\n  - b: 1\n  - b: 2\n    title: y\n";
  expect(lineOfKey(yaml, YAML, ["sections", 2, "title"])).toBe(7);
  expect(lineOfKey(yaml, YAML, ["sections", 2, "missing"])).toBe(6);
  const markdown = `\ufeff---\r\n${yaml}---\r\n\r\nText`;
  expect(lineOfKey(markdown, MARKDOWN, ["sections", 2, "title"])).toBe(8);
  expect(lineOfKey(markdown, MARKDOWN, ["text"])).toBe(11);
  expect(lineOfKey('{\n "a": 1,\n "b": [\n  {"c": 1}\n ]\n}', JSON_FORM, ["b", 0, "c"])).toBe(4);
});

test("100 files of 5 KB are read and printed in a few milliseconds", async () => {
  const paragraph = "Some text with words and **things**: or not [link](http://a.b/c)\n\n";
  const file = {
    $id: "abcdefghijklmnop",
    title: "Hello: world",
    text: paragraph.repeat(40),
    blocks: Array.from({ length: 8 }, (_, at) => ({
      type: "paragraph",
      children: [
        { type: "text", text: `Lorem ipsum dolor sit amet ${at}` },
        { type: "text", bold: true, text: "x: y" },
      ],
    })),
    zone: Array.from({ length: 15 }, (_, at) => ({
      __component: "a.b",
      title: `Title ${at}`,
      at,
      link: { url: "/z" },
    })),
  };
  const printed = printFile(file, YAML);
  expect(printed.length).toBeGreaterThan(4_500);
  const time = (work: () => unknown) => async () => {
    const start = threadTime();
    for (let count = 0; count < 100; count++) work();
    return threadTime() - start;
  };
  expect(
    await quickest(
      30,
      time(() => parseFile(printed, YAML)),
    ),
  ).toBeLessThan(30);
  expect(
    await quickest(
      30,
      time(() => printFile(file, YAML)),
    ),
  ).toBeLessThan(30);
});
