/** What of a text the trigram indexes can find (see `storage/search-index.ts`): groups of three characters, in FTS5's syntax. */
import { type Folding, isAscii, listCases } from "./text-match.ts";

/** More groups of a long text say little more. */
const MOST_GROUPS = 8;
/** A group with more spellings says little. */
const MOST_SPELLINGS = 8;

/** Capital letters that SQLite's tokenizer folds as `toLowerCase` does. */
const FOLDED = /[A-Z\u00c0-\u0250\u0386-\u0527]/;

/** The characters to look for in place of one: the tokenizer folds less than the condition does. */
export function spellings(character: string): readonly string[] {
  const cases = listCases(character);
  if (cases.length === 1) return cases;
  return [...new Set(cases.map((each) => (FOLDED.test(each) ? each.toLowerCase() : each)))];
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Undefined for a group with many spellings. */
function groupMatch(characters: readonly (readonly string[])[]): string | undefined {
  if (characters.reduce((product, { length }) => product * length, 1) > MOST_SPELLINGS) return undefined;
  const all = characters.reduce<readonly string[]>(
    (starts, next) => starts.flatMap((start) => next.map((character) => start + character)),
    [""],
  );
  return all.length === 1 ? quoted(all[0]!) : `(${all.map(quoted).join(" OR ")})`;
}

/** Evenly spread over the list. */
function spread<T>(list: readonly T[], most: number): readonly T[] {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, at) => list[Math.round((at * (list.length - 1)) / (most - 1))]!);
}

/** Each finds every row that contains the text; none if it is too short, or has what no index finds. */
export function trigramGroups(text: string, folding: Folding): readonly string[] {
  // the tokenizer ends at this character
  if (text.includes("\0")) return [];
  // in a text of ASCII letters, these have no other cases, see `text-match.ts`
  const isPlain = folding === "exact" || isAscii(text);
  const characters = [...text].map((character) => (isPlain ? [character] : spellings(character)));
  const groups = new Set<string>();
  for (let at = 0; at + 3 <= characters.length; at++) {
    const group = groupMatch(characters.slice(at, at + 3));
    if (group !== undefined) groups.add(group);
  }
  return spread([...groups], MOST_GROUPS);
}
