/** A three-way merge of the texts of a content file, as git needs it: by fields, with what is neither field nor value kept. */
import { markConflicts } from "./conflict-markers.ts";
import type { ContentFile } from "./content-file.ts";
import { ContentFileError } from "./file-error.ts";
import { type FileForm, parseFile, printFile } from "./file-text.ts";
import { isBody, splitMarkdown } from "./markdown.ts";
import { type ConflictSide, mergeFiles } from "./merge.ts";
import { equalValues } from "./versions.ts";

export interface Texts {
  /** Undefined: both sides added the file. */
  readonly base: string | undefined;
  readonly ours: string;
  readonly theirs: string;
  /** What a merge by lines makes of them, if it has no conflicts. */
  readonly byLines: string | undefined;
}

/**
 * Undefined if the texts can only be merged by lines: one of them cannot be read, or a comment would be lost. The text is that of one
 * side, in which the values that the other changed are replaced; if there are conflicts, it has their markers.
 */
export function mergeTexts({ base, ours, theirs, byLines }: Texts, form: FileForm) {
  const [before, our, their] = [base, ours, theirs].map((text) => (text === undefined ? undefined : read(text, form)));
  if (!our || !their || (base !== undefined && !before)) return undefined;
  const merge = (side: ConflictSide) => mergeFiles(before, our, their, side);
  const { file, conflicts } = merge("ours");
  const byTheirs = merge("theirs").file;
  if (!file || !byTheirs) return undefined;
  // with the comments and the order of both sides
  if (conflicts.length === 0 && byLines !== undefined && equalValues(read(byLines, form), file))
    return { text: byLines, conflicts };
  const hasOnlyValues = (text: string, changed: ContentFile): boolean =>
    base !== undefined && printFile(changed, form, base) === text;
  const previous = hasOnlyValues(ours, our) && !hasOnlyValues(theirs, their) ? theirs : ours;
  const text = printFile(file, form, previous);
  const merged = conflicts.length === 0 ? text : markConflicts(text, printFile(byTheirs, form, previous));
  if (conflicts.length > 0 && merged === text) return undefined;
  const known = listComments(base ?? "", form);
  const kept = listComments(merged, form);
  const added = [ours, theirs]
    .flatMap((each) => [...listComments(each, form)])
    .filter((comment) => !known.has(comment));
  return added.every((comment) => kept.has(comment)) ? { text: merged, conflicts } : undefined;
}

/** Undefined for a text that cannot be read, or whose text below the front matter could not be printed there again. */
function read(text: string, form: FileForm): ContentFile | undefined {
  try {
    const file = parseFile(text, form);
    const body = form.body === undefined ? undefined : file[form.body];
    return body === undefined || isBody(body) ? file : undefined;
  } catch (error) {
    if (error instanceof ContentFileError) return undefined;
    throw error;
  }
}

/** Behind values without quotes, and in lines of their own. */
const COMMENTS = /^(?:[^"'|>#\n]*[ \t])?(#.*?)[ \t\r]*$/gm;

function listComments(text: string, { kind }: FileForm): ReadonlySet<string> {
  if (kind === "json") return new Set();
  const yaml = kind === "yaml" || text === "" ? text : readFront(text);
  return new Set([...yaml.matchAll(COMMENTS)].map(([, comment]) => comment!));
}

function readFront(text: string): string {
  const { front } = splitMarkdown(text);
  return front ? text.slice(front.start, front.end) : "";
}
