/**
 * Regular expressions of schemas. They mean what they mean in JavaScript, but no text makes them take long: the runtime's own
 * engine, which backtracks, runs only those that are plainly linear, an engine without backtracking nearly all others, and
 * what only backtracking can express has a time limit.
 */
import type { AST } from "@eslint-community/regexpp";
import { Inexpressible, type Pattern } from "./engine.ts";

function parse(source: string): AST.Pattern {
  const { RegExpParser } = require("@eslint-community/regexpp") as typeof import("@eslint-community/regexpp");
  return new RegExpParser().parsePattern(source);
}

type Elements = readonly AST.Element[];

const isStart = (element: AST.Element | undefined): boolean =>
  element?.type === "Assertion" && element.kind === "start";
const isGroup = (element: AST.Element): element is AST.Group | AST.CapturingGroup =>
  element.type === "Group" || element.type === "CapturingGroup";

/** Quantifiers that leave a choice, each of which may be tried for each choice of the others; infinite where they nest. */
function choices(elements: Elements): number {
  let count = 0;
  for (const element of elements) {
    if (element.type === "Quantifier") {
      const inside = choices([element.element]);
      const repeats = element.max > 1;
      if (inside > 0 && repeats) return Number.POSITIVE_INFINITY;
      count += inside + (element.min === element.max ? 0 : 1);
    } else if (isGroup(element)) {
      if (element.alternatives.length > 1) count++;
      for (const { elements: inner } of element.alternatives) count += choices(inner);
    } else if (element.type !== "Character" && element.type !== "CharacterSet" && element.type !== "CharacterClass") {
      if (element.type !== "Assertion" || element.kind === "lookahead" || element.kind === "lookbehind")
        return Number.POSITIVE_INFINITY;
    }
  }
  return count;
}

/** Anchored and with one choice at most: backtracking looks at each position a few times. */
const isPlain = ({ alternatives }: AST.Pattern): boolean =>
  alternatives.every(({ elements }) => isStart(elements[0]) && choices(elements) <= 1);

type Lookahead = AST.LookaheadAssertion;
const isLookahead = (element: AST.Element | undefined): element is Lookahead =>
  element?.type === "Assertion" && element.kind === "lookahead";

/** `^(?=A)(?!B)C` is `^A`, not `^B`, and `^C`: the form that rules for passwords have. */
function splitLookaheads({ alternatives }: AST.Pattern): { lookaheads: Lookahead[]; rest: Elements } | undefined {
  const [first, ...others] = alternatives[0]!.elements;
  if (alternatives.length > 1 || !isStart(first) || !isLookahead(others[0])) return undefined;
  const end = others.findIndex((element) => !isLookahead(element));
  const lookaheads = (end < 0 ? others : others.slice(0, end)) as Lookahead[];
  return { lookaheads, rest: end < 0 ? [] : others.slice(end) };
}

function compile(source: string): Pattern {
  const tree = parse(source);
  if (isPlain(tree)) {
    const native = new RegExp(source);
    return { test: (text) => native.test(text) };
  }
  const { linear } = require("./linear.ts") as typeof import("./linear.ts");
  try {
    const split = splitLookaheads(tree);
    if (!split) return linear(tree.alternatives.map(({ elements }) => elements));
    const rest = linear([split.rest], true);
    const tests = split.lookaheads.map(({ alternatives, negate }) => ({
      negate,
      pattern: linear(
        alternatives.map(({ elements }) => elements),
        true,
      ),
    }));
    return { test: (text) => tests.every(({ negate, pattern }) => pattern.test(text) !== negate) && rest.test(text) };
  } catch (error) {
    if (!(error instanceof Inexpressible)) throw error;
    const { limited } = require("./limited.ts") as typeof import("./limited.ts");
    return limited(source);
  }
}

const patterns = new Map<string, Pattern>();

/** `source` comes from a schema, which has been checked, so that the number of patterns is bounded. */
export const patternOf = (source: string): Pattern => patterns.getOrInsertComputed(source, compile);
