/**
 * Substring matching in SQL, in a time that grows with the text alone: with the wildcards of LIKE and GLOB, a repetitive
 * text costs its length times that of the pattern. SQLite folds the case of ASCII letters only. The other letters of a
 * pattern are replaced in the text by the one case that the pattern has, or listed as classes of GLOB.
 */
import type { Bind } from "./sql.ts";

type Match = (column: string, text: string, bind: Bind) => string;
type Folding = "exact" | "folded";

let variants: Map<string, string[]> | undefined;

/** Every character that differs from `character` in case only, itself included. Built once, when first needed. */
function casesOf(character: string): readonly string[] {
  if (!variants) {
    variants = new Map();
    for (let code = 0; code < 0x1_20_00; code++) {
      const each = String.fromCodePoint(code);
      const upper = each.toUpperCase();
      if (upper === each && each.toLowerCase() === each) continue;
      const group = variants.get(upper) ?? [];
      group.push(each);
      variants.set(upper, group);
    }
  }
  return variants.get(character.toUpperCase()) ?? [character];
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);
const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const lengthOf = (text: string): number => [...text].length;

/** A GLOB class for one character; `^` would negate a class that begins with it, so it stands alone. */
function globClass(character: string): string {
  const cases = casesOf(character);
  if (cases.length === 1 && !"*?[".includes(character)) return character;
  return `[${cases.join("")}]`;
}

const glob = (text: string): string => [...text].map(globClass).join("");
const like = (text: string): string => text.replace(/[\\%_]/g, "\\$&");

/** The text from its beginning; `after`: followed by anything. Without a wildcard before it, a pattern is compared once. */
function foldedFromStart(column: string, text: string, bind: Bind, after: boolean): string {
  if (isAscii(text)) return `${column} LIKE ${bind(`${like(text)}${after ? "%" : ""}`)} ESCAPE '\\'`;
  return `${column} GLOB ${bind(`${glob(text)}${after ? "*" : ""}`)}`;
}

/** Each is a copy of the text in SQLite. Texts in one or two scripts have fewer. */
const MOST_REPLACED = 100;

/** The column and the text with one case for all letters of the text; undefined for too many different letters. */
function folded(column: string, text: string, bind: Bind): { column: string; text: string } | undefined {
  const small = lower(text);
  if (isAscii(small)) return { column: `lower(${column})`, text: small };
  const one = new Map<string, string>();
  for (const letter of small) {
    const cases = casesOf(letter);
    const chosen = cases.find((each) => /[a-z]/.test(each)) ?? cases[0]!;
    for (const other of cases) if (other !== chosen && lower(other) !== chosen) one.set(other, chosen);
  }
  if (one.size > MOST_REPLACED) return undefined;
  let replaced = `lower(${column})`;
  for (const [from, to] of one) replaced = `replace(${replaced}, ${bind(from)}, ${bind(to)})`;
  return { column: replaced, text: [...small].map((letter) => one.get(letter) ?? letter).join("") };
}

/** So short a pattern is found faster by LIKE, whose worst case is then a small multiple of the text's length. */
const SHORT = 20;

function containsFolded(column: string, text: string, bind: Bind): string {
  if (text.length <= SHORT && isAscii(text)) return `${column} LIKE ${bind(`%${like(text)}%`)} ESCAPE '\\'`;
  const same = folded(column, text, bind);
  // with so many different letters a pattern seldom begins to match
  if (!same) return `${column} GLOB ${bind(`*${glob(text)}*`)}`;
  return `instr(${same.column}, ${bind(same.text)}) > 0`;
}

export const sameText: Match = (column, text, bind) => foldedFromStart(column, text, bind, false);

export const contains =
  (folding: Folding): Match =>
  (column, text, bind) =>
    folding === "folded" ? containsFolded(column, text, bind) : `instr(${column}, ${bind(text)}) > 0`;

export const startsWith =
  (folding: Folding): Match =>
  (column, text, bind) => {
    if (folding === "folded") return foldedFromStart(column, text, bind, true);
    return `substr(${column}, 1, ${lengthOf(text)}) = ${bind(text)}`;
  };

export const endsWith =
  (folding: Folding): Match =>
  (column, text, bind) => {
    // every text ends with nothing; what is null stays unknown
    if (text === "") return `${column} = ${column}`;
    const end = `substr(${column}, -${lengthOf(text)})`;
    return folding === "folded" ? foldedFromStart(end, text, bind, false) : `${end} = ${bind(text)}`;
  };
