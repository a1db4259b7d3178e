/** Runs a JavaScript regular expression on an engine with linear time. */
import type { AST } from "@eslint-community/regexpp";
import { type Pattern, UnsupportedPatternError } from "./engine.ts";

const { RE2JS } = require("re2js") as typeof import("re2js");

type Range = readonly [first: number, last: number];

const MAX_CODE_POINT = 0x10ffff;
/** The engine refuses a larger repeat count. */
const MAX_REPEAT = 1_000;

/**
 * Without the `u` flag, JavaScript's patterns match surrogates individually; the engine does not. So each surrogate is mapped
 * to a private-use character, in strings and in patterns.
 */
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;
const SURROGATE_BASE = 0x100000;
const SURROGATES = /[\ud800-\udfff]/g;
const mapSurrogates = (text: string): string =>
  text.replace(SURROGATES, (half) => String.fromCodePoint(SURROGATE_BASE + half.charCodeAt(0) - FIRST_SURROGATE));

const sets: Readonly<Record<"digit" | "word" | "space" | "end", readonly Range[]>> = {
  digit: [[0x30, 0x39]],
  word: [
    [0x30, 0x39],
    [0x41, 0x5a],
    [0x5f, 0x5f],
    [0x61, 0x7a],
  ],
  space: [
    [0x09, 0x0d],
    [0x20, 0x20],
    [0xa0, 0xa0],
    [0x1680, 0x1680],
    [0x2000, 0x200a],
    [0x2028, 0x2029],
    [0x202f, 0x202f],
    [0x205f, 0x205f],
    [0x3000, 0x3000],
    [0xfeff, 0xfeff],
  ],
  /** The characters that `.` does not match. */
  end: [
    [0x0a, 0x0a],
    [0x0d, 0x0d],
    [0x2028, 0x2029],
  ],
};

/** The range, with the private-use characters of the surrogates in it. */
function withMappedSurrogates([first, last]: Range): Range[] {
  if (last < FIRST_SURROGATE || first > LAST_SURROGATE) return [[first, last]];
  const offset = SURROGATE_BASE - FIRST_SURROGATE;
  return [
    [first, last],
    [Math.max(first, FIRST_SURROGATE) + offset, Math.min(last, LAST_SURROGATE) + offset],
  ];
}

function complement(ranges: readonly Range[]): Range[] {
  const out: Range[] = [];
  let next = 0;
  for (const [first, last] of [...ranges].sort(([a], [b]) => a - b)) {
    if (first > next) out.push([next, first - 1]);
    next = Math.max(next, last + 1);
  }
  if (next <= MAX_CODE_POINT) out.push([next, MAX_CODE_POINT]);
  return out;
}

function toRanges(set: AST.CharacterSet): Range[] {
  if (set.kind === "any") return complement(sets.end);
  if (set.kind === "property") throw new UnsupportedPatternError();
  return set.negate ? complement(sets[set.kind]) : [...sets[set.kind]];
}

function toMemberRanges(element: AST.CharacterClassElement): Range[] {
  if (element.type === "Character") return withMappedSurrogates([element.value, element.value]);
  if (element.type === "CharacterClassRange") return withMappedSurrogates([element.min.value, element.max.value]);
  if (element.type === "CharacterSet") return toRanges(element);
  throw new UnsupportedPatternError();
}

const escapeCode = (code: number): string => `\\x{${code.toString(16)}}`;
const printClass = (ranges: readonly Range[]): string =>
  ranges.length === 0
    ? `[^${escapeCode(0)}-${escapeCode(MAX_CODE_POINT)}]`
    : `[${ranges.map(([first, last]) => `${escapeCode(first)}-${escapeCode(last)}`).join("")}]`;

function printAssertion(assertion: AST.Assertion): string {
  if (assertion.kind === "start") return "\\A";
  if (assertion.kind === "end") return "\\z";
  if (assertion.kind === "word") return assertion.negate ? "\\B" : "\\b";
  throw new UnsupportedPatternError();
}

/** Larger counts are split. */
function printQuantifier({ element, min, max }: AST.Quantifier): string {
  const repeated = `(?:${print(element)})`;
  const parts: string[] = [];
  let [remainingMin, remainingMax] = [min, max];
  while (remainingMin > MAX_REPEAT || (remainingMax > MAX_REPEAT && Number.isFinite(remainingMax))) {
    const count = Math.min(remainingMin, MAX_REPEAT);
    parts.push(`${repeated}{${count},${MAX_REPEAT}}`);
    if (count === remainingMin && remainingMin < MAX_REPEAT)
      [remainingMin, remainingMax] = [0, remainingMax - MAX_REPEAT];
    else [remainingMin, remainingMax] = [remainingMin - count, remainingMax - MAX_REPEAT];
    if (parts.length > 20) throw new UnsupportedPatternError();
  }
  parts.push(`${repeated}{${remainingMin},${Number.isFinite(remainingMax) ? remainingMax : ""}}`);
  return parts.join("");
}

const printers: { readonly [Type in AST.Element["type"]]: (element: Extract<AST.Element, { type: Type }>) => string } =
  {
    Assertion: printAssertion,
    Character: ({ value }) => printClass(withMappedSurrogates([value, value])),
    CharacterSet: (set) => printClass(toRanges(set)),
    CharacterClass: ({ elements, negate }) => {
      const ranges = elements.flatMap((element) => toMemberRanges(element));
      return printClass(negate ? complement(ranges) : ranges);
    },
    Group: (group) => {
      if (group.modifiers) throw new UnsupportedPatternError();
      return printAlternatives(group.alternatives.map(({ elements }) => elements));
    },
    CapturingGroup: ({ alternatives }) => printAlternatives(alternatives.map(({ elements }) => elements)),
    Quantifier: printQuantifier,
    Backreference: () => {
      throw new UnsupportedPatternError();
    },
    ExpressionCharacterClass: () => {
      throw new UnsupportedPatternError();
    },
  };

const print = (element: AST.Element): string => (printers[element.type] as (element: AST.Element) => string)(element);

const printAlternatives = (alternatives: readonly (readonly AST.Element[])[]): string =>
  `(?:${alternatives.map((elements) => elements.map(print).join("")).join("|")})`;

/** `atStart`: matches only at the start of the string. Throws UnsupportedPatternError. */
export function linear(alternatives: readonly (readonly AST.Element[])[], { atStart = false } = {}): Pattern {
  const source = `${atStart ? "\\A" : ""}${printAlternatives(alternatives)}`;
  let engine: InstanceType<typeof RE2JS>;
  try {
    engine = RE2JS.compile(source);
  } catch (cause) {
    // the compiled program would be too large
    throw new UnsupportedPatternError("The pattern is too large", { cause });
  }
  return { test: (text) => engine.test(mapSurrogates(text)) };
}
