/**
 * Regular expressions of schemas, with JavaScript's semantics but protected against exponential time. The runtime's engine,
 * which backtracks, runs only patterns that are obviously linear. An engine without backtracking runs nearly all others, and
 * the remaining ones have a timeout.
 */
import type { AST } from "@eslint-community/regexpp";
import { type Pattern, UnsupportedPatternError } from "./engine.ts";

function parse(source: string): AST.Pattern {
  const { RegExpParser } = require("@eslint-community/regexpp") as typeof import("@eslint-community/regexpp");
  return new RegExpParser().parsePattern(source);
}

type Elements = readonly AST.Element[];

const isStart = (element: AST.Element | undefined): boolean =>
  element?.type === "Assertion" && element.kind === "start";
const isGroup = (element: AST.Element): element is AST.Group | AST.CapturingGroup =>
  element.type === "Group" || element.type === "CapturingGroup";

/** The number of quantifiers that backtracking may try in combination; infinite if they are nested. */
function countChoices(elements: Elements): number {
  let count = 0;
  for (const element of elements) {
    if (element.type === "Quantifier") {
      const nested = countChoices([element.element]);
      const repeats = element.max > 1;
      if (nested > 0 && repeats) return Number.POSITIVE_INFINITY;
      count += nested + (element.min === element.max ? 0 : 1);
    } else if (isGroup(element)) {
      if (element.alternatives.length > 1) count++;
      for (const { elements: inner } of element.alternatives) count += countChoices(inner);
    } else if (element.type !== "Character" && element.type !== "CharacterSet" && element.type !== "CharacterClass") {
      if (element.type !== "Assertion" || element.kind === "lookahead" || element.kind === "lookbehind")
        return Number.POSITIVE_INFINITY;
    }
  }
  return count;
}

/** Anchored, with one quantifier at most: backtracking is linear. */
const isLinear = ({ alternatives }: AST.Pattern): boolean =>
  alternatives.every(({ elements }) => isStart(elements[0]) && countChoices(elements) <= 1);

type Lookahead = AST.LookaheadAssertion;
const isLookahead = (element: AST.Element | undefined): element is Lookahead =>
  element?.type === "Assertion" && element.kind === "lookahead";

/** Splits `^(?=A)(?!B)C`, the form of password rules, into `^A`, not `^B`, and `^C`. */
function splitLookaheads({ alternatives }: AST.Pattern): { lookaheads: Lookahead[]; rest: Elements } | undefined {
  const [first, ...others] = alternatives[0]!.elements;
  if (alternatives.length > 1 || !isStart(first) || !isLookahead(others[0])) return undefined;
  const end = others.findIndex((element) => !isLookahead(element));
  const lookaheads = (end < 0 ? others : others.slice(0, end)) as Lookahead[];
  return { lookaheads, rest: end < 0 ? [] : others.slice(end) };
}

function compile(source: string): Pattern {
  const pattern = parse(source);
  if (isLinear(pattern)) {
    const native = new RegExp(source);
    return { test: (text) => native.test(text) };
  }
  const { linear } = require("./linear.ts") as typeof import("./linear.ts");
  try {
    const parts = splitLookaheads(pattern);
    if (!parts) return linear(pattern.alternatives.map(({ elements }) => elements));
    const rest = linear([parts.rest], { atStart: true });
    const tests = parts.lookaheads.map(({ alternatives, negate }) => ({
      negate,
      pattern: linear(
        alternatives.map(({ elements }) => elements),
        { atStart: true },
      ),
    }));
    return { test: (text) => tests.every(({ negate, pattern }) => pattern.test(text) !== negate) && rest.test(text) };
  } catch (error) {
    if (!(error instanceof UnsupportedPatternError)) throw error;
    const { limited } = require("./limited.ts") as typeof import("./limited.ts");
    return limited(source);
  }
}

const patterns = new Map<string, Pattern>();

/** `source` comes from a checked schema, so that the cache is bounded. */
export const compilePattern = (source: string): Pattern => patterns.getOrInsertComputed(source, compile);
