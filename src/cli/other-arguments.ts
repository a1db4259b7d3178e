/** Arguments in forms that are rare, and messages about those that are wrong. */
import { parseArgs } from "node:util";
import { nearest } from "../nearest.ts";
import { type Arguments, type Options, UsageError } from "./arguments.ts";

const MOST_TYPOS = 2;

/** The end of a message about a word that is not known: what it may be instead. */
export function hintFor(word: string, known: Iterable<string>): string {
  const meant = nearest(word, known, MOST_TYPOS);
  return meant === undefined ? "" : `; did you mean ${meant}?`;
}

/** Throws a UsageError. `name`: the command's. */
export function parseOther(name: string, options: Options, args: readonly string[]): Arguments {
  const types = Object.fromEntries(Object.entries(options).map(([option, { type }]) => [option, { type }]));
  const all = { args: [...args], options: types, allowPositionals: true };
  const { tokens } = parseArgs({ ...all, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option" || Object.hasOwn(options, token.name)) continue;
    const known = Object.keys(options).map((option) => `--${option}`);
    const hint = hintFor(token.rawName, known);
    throw new UsageError(`unknown option ${token.rawName}${hint} (galley ${name} --help lists the options)`);
  }
  try {
    return parseArgs(all);
  } catch (error) {
    // the first sentence says what is wrong
    const [problem] = (error as Error).message.split(/\.\s/);
    throw new UsageError(`${problem} (galley ${name} --help lists the options)`);
  }
}
