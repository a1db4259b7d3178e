/**
 * Finds out whether a YAML text is simple: without what `Bun.YAML` accepts or merges silently (repeated keys, `<<`), and without what
 * only few files have (anchors, tags, explicit keys, quotes and flow collections over several lines). Everything else goes to the slow
 * parser, so that a doubt costs time and never an answer. Of 1,000 files, a checkout takes 0.03 s of processor time then, and 0.5 s with
 * the slow parser alone.
 */
import { tryParseJson } from "../../lib/coerce.ts";
import { repeatsKey } from "./json-keys.ts";

/** A key in quotes without escapes, or a plain one that cannot be read as a number. */
const KEY = /(?:"([^"\\\n]*)" *|'([^'\n]*)' *|([^\s"'[\]{}#&*!|>?%@`,\-+.~\d][^\n]*?)):(?=[ \t\n]|$)/y;
/** A key that may be read as a number or a directive. */
const UNUSUAL_KEY = /[\d+.~%-][^\n]*:(?=[ \t\n]|$)|-\t/y;
const QUOTED = /(?:"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\n]|'')*')[ \t]*(?:#.*)?$/my;
const SCALAR_LIST = /\[[^[\]{}"'&*!#|>%@`?\n]*\][ \t]*$/my;
const JSON_LINE = /[[{].*$/my;

const at = (pattern: RegExp, text: string, position: number): RegExpExecArray | null => {
  pattern.lastIndex = position;
  return pattern.exec(text);
};

function isSimpleFlow(text: string, position: number): boolean {
  if (at(SCALAR_LIST, text, position) !== null) return true;
  const line = at(JSON_LINE, text, position)![0].trimEnd();
  if (line.includes('"<<"')) return false;
  const value = tryParseJson(line);
  return value !== undefined && !repeatsKey(line, value);
}

/** Of a value that begins at a position. A block scalar is reported by its own answer, since its lines are skipped. */
function scanValue(text: string, position: number): "simple" | "block" | "complex" {
  switch (text[position]) {
    case "|":
    case ">":
      return "block";
    case '"':
    case "'":
      return at(QUOTED, text, position) === null ? "complex" : "simple";
    case "{":
    case "[":
      return isSimpleFlow(text, position) ? "simple" : "complex";
    case "&":
    case "*":
    case "!":
    case "?":
    case "\t":
      return "complex";
    default:
      return "simple";
  }
}

const skipSpaces = (text: string, position: number): number => {
  while (text[position] === " ") position++;
  return position;
};

/** `text`: with LF as its only line ends. */
export function isSimpleYaml(text: string): boolean {
  /** The mappings that are open at a line, outermost first. */
  const columns: number[] = [];
  const keys: Set<string>[] = [];
  /** Deeper lines belong to a block scalar. */
  let scalarColumn = Number.POSITIVE_INFINITY;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const lineStart = start;
    start = end + 1;
    let position = skipSpaces(text, lineStart);
    if (position >= end) continue;
    if (position - lineStart > scalarColumn) continue;
    scalarColumn = Number.POSITIVE_INFINITY;
    if (text[position] === "#") continue;
    let column = position - lineStart;
    let parent = column;
    while (text[position] === "-" && (text[position + 1] === " " || position + 1 === end)) {
      parent = position - lineStart;
      while (columns.length > 0 && columns.at(-1)! > parent) {
        columns.pop();
        keys.pop();
      }
      position = skipSpaces(text, position + 1);
      column = position - lineStart;
    }
    if (position >= end) continue;
    const match = at(KEY, text, position);
    if (match !== null) {
      const key = match[1] ?? match[2] ?? match[3]!.trimEnd();
      if (key === "<<") return false;
      while (columns.length > 0 && columns.at(-1)! > column) {
        columns.pop();
        keys.pop();
      }
      if (columns.at(-1) !== column) {
        columns.push(column);
        keys.push(new Set());
      }
      const known = keys.at(-1)!;
      if (known.has(key)) return false;
      known.add(key);
      position = skipSpaces(text, position + match[0].length);
      parent = column;
    } else if (at(UNUSUAL_KEY, text, position) !== null || (text.startsWith("---", position) && end > position + 3)) {
      return false;
    }
    if (position >= end) continue;
    const value = scanValue(text, position);
    if (value === "complex") return false;
    if (value === "block") scalarColumn = parent;
  }
  return true;
}
