/** Markdown files: attributes in front matter, and the text of one attribute below it. */
import { ContentFileError } from "./file-error.ts";
import { isPrintable } from "./yaml-print.ts";

export interface MarkdownParts {
  /** Positions of the YAML between the fences; undefined without front matter. */
  readonly front: { readonly start: number; readonly end: number } | undefined;
  /** Where the text below begins. */
  readonly bodyStart: number;
}

const OPENING = /^---[ \t]*\r?\n/;
const CLOSING = /^---[ \t]*\r?(?:\n|$)/gm;
/** Markers of a merge, which would make the file one that is not resolved. */
const MARKERS = /^(?:<{7}|>{7})/m;

/** Throws a `ContentFileError` if front matter is not closed. */
export function splitMarkdown(text: string): MarkdownParts {
  const opening = OPENING.exec(text);
  if (opening === null) return { front: undefined, bodyStart: 0 };
  const start = opening[0].length;
  CLOSING.lastIndex = start;
  const closing = CLOSING.exec(text);
  if (closing === null) throw new ContentFileError("syntax", 1, "the front matter is not closed by a line ---");
  return { front: { start, end: closing.index }, bodyStart: closing.index + closing[0].length };
}

/** The text below front matter: without the empty line before it, and without the last line end. Undefined if it is empty. */
export function readBody(below: string, hasFront: boolean): string | undefined {
  const lines = below.replaceAll("\r\n", "\n");
  const start = hasFront && lines.startsWith("\n") ? 1 : 0;
  const body = lines.slice(start, lines.endsWith("\n") ? Math.max(start, lines.length - 1) : undefined);
  return body === "" ? undefined : body;
}

/** Whether a value is read from below the front matter as it is. */
export const isBody = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && isPrintable(value) && !MARKERS.test(value);

/** The text below front matter for a body, as `previous` has it: with an empty line before it, and a line end after it. */
export function printBody(body: string | undefined, previous = "\n\n"): string {
  if (body === undefined) return "";
  const lead = previous === "" || /^\r?\n/.test(previous) || body.startsWith("\n") ? "\n" : "";
  const end = previous === "" || previous.endsWith("\n") || body.endsWith("\n") ? "\n" : "";
  return `${lead}${body}${end}`;
}
