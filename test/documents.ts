/** The documents for users: the README, and the pages of the manual by their names. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dir, "..");
export const PAGES = "data/manual/content/pages";

export const readText = (path: string): string => readFileSync(join(ROOT, path), "utf8");

export const readme = readText("README.md");

/** By path below the root: the README and all pages of the manual. */
export const documents: ReadonlyMap<string, string> = new Map([
  ["README.md", readme],
  ...readdirSync(join(ROOT, PAGES)).map((name) => [`${PAGES}/${name}`, readText(`${PAGES}/${name}`)] as const),
]);

/** The text of a page of the manual. */
export function page(name: string): string {
  const text = documents.get(`${PAGES}/${name}.md`);
  if (text === undefined) throw new Error(`the manual has no page ${name}`);
  return text;
}

export interface CodeBlock {
  /** Empty if none is named. */
  readonly language: string;
  /** The path beside the language, if there is one. */
  readonly file: string;
  readonly code: string;
  /** Only white space is between it and the block before. */
  readonly follows: boolean;
}

/** In order. */
export function codeBlocks(text: string): readonly CodeBlock[] {
  let end = 0;
  return [...text.matchAll(/^ *```(\w*) ?(\S*)\n([\s\S]*?)^ *```$/gm)].map((match) => {
    const [all, language = "", file = "", code = ""] = match;
    const follows = text.slice(end, match.index).trim() === "";
    end = match.index + all.length;
    return { language, file, code, follows };
  });
}
