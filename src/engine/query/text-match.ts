/**
 * Substring matching in SQL, in linear time: the wildcards of LIKE and GLOB take the product of both lengths for repetitive
 * text. SQLite folds the case of ASCII letters only, so other letters of the pattern are replaced in the text by one case
 * of them, or become GLOB character classes.
 */
import type { Bind } from "../storage/sql.ts";

type Match = (column: string, text: string, bind: Bind) => string;
/** Whether letters that differ in case only are the same. */
export type Folding = "exact" | "folded";

let variants: Map<string, string[]> | undefined;

/** All characters that differ from `character` in case only, itself included. The table is built on first use. */
export function listCases(character: string): readonly string[] {
  if (!variants) {
    variants = new Map();
    for (let code = 0; code < 0x1_20_00; code++) {
      const each = String.fromCodePoint(code);
      const upper = each.toUpperCase();
      if (upper === each && each.toLowerCase() === each) continue;
      variants.getOrInsertComputed(upper, () => []).push(each);
    }
  }
  return variants.get(character.toUpperCase()) ?? [character];
}

export const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);
const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const lengthOf = (text: string): number => [...text].length;

/** A GLOB class for one character. A single character without other cases needs none; `[^]` would be a negated class. */
function globClass(character: string): string {
  const cases = listCases(character);
  if (cases.length === 1 && !"*?[".includes(character)) return character;
  return `[${cases.join("")}]`;
}

const glob = (text: string): string => [...text].map(globClass).join("");
const like = (text: string): string => text.replace(/[\\%_]/g, "\\$&");

/** Matches at the start of the column, which takes one comparison; `after`: anything may follow. */
function foldedFromStart(column: string, text: string, bind: Bind, after: boolean): string {
  if (isAscii(text)) return `${column} LIKE ${bind(`${like(text)}${after ? "%" : ""}`)} ESCAPE '\\'`;
  return `${column} GLOB ${bind(`${glob(text)}${after ? "*" : ""}`)}`;
}

/** Each replacement copies the text in SQLite. Patterns in one or two scripts need fewer. */
const MAX_REPLACEMENTS = 100;

/** The column and the pattern, both case-folded for the pattern's letters; undefined for too many different letters. */
function folded(column: string, text: string, bind: Bind): { column: string; text: string } | undefined {
  const small = lower(text);
  if (isAscii(small)) return { column: `lower(${column})`, text: small };
  const replacements = new Map<string, string>();
  for (const letter of small) {
    const cases = listCases(letter);
    const chosen = cases.find((each) => /[a-z]/.test(each)) ?? cases[0]!;
    for (const other of cases) if (other !== chosen && lower(other) !== chosen) replacements.set(other, chosen);
  }
  if (replacements.size > MAX_REPLACEMENTS) return undefined;
  let replaced = `lower(${column})`;
  for (const [from, to] of replacements) replaced = `replace(${replaced}, ${bind(from)}, ${bind(to)})`;
  return { column: replaced, text: [...small].map((letter) => replacements.get(letter) ?? letter).join("") };
}

/** Patterns up to this length are matched faster by LIKE, whose worst case is then a small multiple of the text's length. */
const SHORT_PATTERN = 20;

function containsFolded(column: string, text: string, bind: Bind): string {
  if (text.length <= SHORT_PATTERN && isAscii(text)) return `${column} LIKE ${bind(`%${like(text)}%`)} ESCAPE '\\'`;
  const foldedPair = folded(column, text, bind);
  // a pattern with so many different letters rarely matches partially, so GLOB does not reach its worst case
  if (!foldedPair) return `${column} GLOB ${bind(`*${glob(text)}*`)}`;
  return `instr(${foldedPair.column}, ${bind(foldedPair.text)}) > 0`;
}

/** How often the text occurs in the column, case-folded; for very many different letters, 1 if it does. */
export function countFolded(column: string, text: string, bind: Bind): string {
  const pair = folded(column, text, bind);
  if (!pair) return containsFolded(column, text, bind);
  const rest = `replace(${pair.column}, ${bind(pair.text)}, '')`;
  return `(length(${column}) - length(${rest})) / ${lengthOf(text)}`;
}

export const sameText: Match = (column, text, bind) => foldedFromStart(column, text, bind, false);

export const contains =
  (folding: Folding): Match =>
  (column, text, bind) =>
    folding === "folded" ? containsFolded(column, text, bind) : `instr(${column}, ${bind(text)}) > 0`;

const LAST_BEFORE_SURROGATES = 0xd7_ff;
const LAST_CHARACTER = 0x10_ff_ff;

/** The smallest text behind all that start with `text`, in SQLite's order; undefined if there is none. */
function endOfPrefix(text: string): string | undefined {
  const characters = [...text.toWellFormed()];
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const code = last.codePointAt(0)!;
    const next = code === LAST_BEFORE_SURROGATES ? 0xe0_00 : code + 1;
    if (code < LAST_CHARACTER) return characters.join("") + String.fromCodePoint(next);
  }
  return undefined;
}

/** As a range, which an index finds. */
function exactFromStart(column: string, text: string, bind: Bind): string {
  const from = `${column} >= ${bind(text)}`;
  const end = endOfPrefix(text);
  return end === undefined ? from : `(${from} AND ${column} < ${bind(end)})`;
}

export const startsWith =
  (folding: Folding): Match =>
  (column, text, bind) =>
    folding === "folded" ? foldedFromStart(column, text, bind, true) : exactFromStart(column, text, bind);

export const endsWith =
  (folding: Folding): Match =>
  (column, text, bind) => {
    // every string ends with the empty string; null stays null
    if (text === "") return `${column} = ${column}`;
    const end = `substr(${column}, -${lengthOf(text)})`;
    return folding === "folded" ? foldedFromStart(end, text, bind, false) : `${end} = ${bind(text)}`;
  };
