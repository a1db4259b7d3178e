/**
 * Substring matching in SQL. SQLite folds ASCII letters only, so a needle with other letters becomes a GLOB pattern
 * that lists the cases of each of its characters.
 */
import type { Bind } from "./operators.ts";

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

/** A GLOB class for one character; `^` would negate a class that begins with it, so it stands alone. */
function globClass(character: string): string {
  const cases = casesOf(character);
  if (cases.length === 1 && !"*?[".includes(character)) return character;
  return `[${cases.join("")}]`;
}

const glob = (text: string): string => [...text].map(globClass).join("");
const like = (text: string): string => text.replace(/[\\%_]/g, "\\$&");

/** `before` and `after` are the wildcards around the text, for LIKE and GLOB in turn. */
function folded(column: string, text: string, bind: Bind, before: boolean, after: boolean): string {
  if (isAscii(text)) {
    return `${column} LIKE ${bind(`${before ? "%" : ""}${like(text)}${after ? "%" : ""}`)} ESCAPE '\\'`;
  }
  return `${column} GLOB ${bind(`${before ? "*" : ""}${glob(text)}${after ? "*" : ""}`)}`;
}

export const sameText: Match = (column, text, bind) => folded(column, text, bind, false, false);

export const contains =
  (folding: Folding): Match =>
  (column, text, bind) =>
    folding === "folded" ? folded(column, text, bind, true, true) : `instr(${column}, ${bind(text)}) > 0`;

export const startsWith =
  (folding: Folding): Match =>
  (column, text, bind) => {
    if (folding === "folded") return folded(column, text, bind, false, true);
    return `substr(${column}, 1, ${[...text].length}) = ${bind(text)}`;
  };

export const endsWith =
  (folding: Folding): Match =>
  (column, text, bind) => {
    if (folding === "folded") return folded(column, text, bind, true, false);
    // every text ends with nothing; what is null stays unknown
    return text === "" ? `${column} = ${column}` : `substr(${column}, -${[...text].length}) = ${bind(text)}`;
  };
