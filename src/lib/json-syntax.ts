/** Says where a text stops to be JSON, in the words of Strapi's engine (V8). */

/** Characters of the text that are shown on both sides of an unexpected one. */
const CONTEXT = 10;
/** Texts that are shown alone: what callers write that forgot to write JSON. */
const WHOLE: ReadonlySet<string> = new Set(["undefined", "NaN", "Infinity", "[object Object]"]);

const SPACES = /[ \n\r\t]*/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** A string up to its end, or to what it may not contain. */
const STRING = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*)*/y;

/** By what may follow: how anything else is refused. A value is the exception, see `unexpected`. */
const REFUSALS = {
  firstName: "Expected property name or '}' in JSON",
  name: "Expected double-quoted property name in JSON",
  colon: "Expected ':' after property name in JSON",
  "]": "Expected ',' or ']' after array element in JSON",
  "}": "Expected ',' or '}' after property value in JSON",
  end: "Unexpected non-whitespace character after JSON",
} as const;

export interface JsonProblem {
  readonly message: string;
  readonly at: number;
}

const atPosition = (problem: string, at: number): JsonProblem => ({ message: `${problem} at position ${at}`, at });

function unexpected(text: string, at: number): string {
  const character = text[at];
  if (character === undefined) return "Unexpected end of JSON input";
  if (WHOLE.has(text)) return `"${text}" is not valid JSON`;
  const isLong = text.length > 2 * CONTEXT;
  const start = isLong && at >= CONTEXT ? at - CONTEXT : 0;
  const end = isLong && at < text.length - CONTEXT ? at + CONTEXT : text.length;
  const shown = `${isLong && at >= CONTEXT ? "..." : ""}"${text.slice(start, end)}"${end < text.length ? "..." : ""}`;
  return `Unexpected token '${character}', ${shown} is not valid JSON`;
}

/** Why a text is not JSON, and where; undefined for JSON. Takes linear time, and no stack. */
export function locateJsonProblem(text: string): JsonProblem | undefined {
  /** The closing characters of open lists and objects. */
  const open: ("]" | "}")[] = [];
  let next: keyof typeof REFUSALS | "value" | "firstValue" = "value";
  let at = 0;
  const skip = (pattern: RegExp): boolean => {
    const start = at;
    pattern.lastIndex = at;
    if (pattern.test(text)) at = pattern.lastIndex;
    return at > start;
  };
  for (;;) {
    skip(SPACES);
    const character = text[at];
    const innermost = open.at(-1);
    const isValue: boolean = next === "value" || next === "firstValue";
    if (character === undefined && next === "end") return undefined;
    if (character === '"' && (isValue || next === "name" || next === "firstName")) {
      skip(STRING);
      if (at === text.length) return atPosition("Unterminated string in JSON", at);
      if (text[at] === "\\") return atPosition("Bad escaped character in JSON", at + 1);
      if (text[at] !== '"') return atPosition("Bad control character in string literal in JSON", at);
      at++;
      next = isValue ? (innermost ?? "end") : "colon";
    } else if (
      character === innermost &&
      (next === innermost || (innermost === "]" ? next === "firstValue" : next === "firstName"))
    ) {
      at++;
      open.pop();
      next = open.at(-1) ?? "end";
    } else if (isValue) {
      if (character === "[" || character === "{") {
        at++;
        open.push(character === "[" ? "]" : "}");
        next = character === "[" ? "firstValue" : "firstName";
      } else if (skip(SCALAR)) next = innermost ?? "end";
      else return { message: unexpected(text, at), at };
    } else if (next === "colon" && character === ":") {
      at++;
      next = "value";
    } else if (next === innermost && character === ",") {
      at++;
      next = innermost === "]" ? "value" : "name";
    } else return atPosition(REFUSALS[next as keyof typeof REFUSALS], at);
  }
}

/** The message for a text that is not JSON; undefined for JSON. */
export const jsonProblem = (text: string): string | undefined => locateJsonProblem(text)?.message;

/** What the location of a problem says in another way. */
const REPEATED = /(?: in JSON)? at position \d+$|, .* is not valid JSON$/s;

/** The message for a file that is not JSON, with line and column; undefined for JSON. */
export function locatedJsonProblem(text: string): string | undefined {
  const problem = locateJsonProblem(text);
  if (!problem) return undefined;
  const lines = text.slice(0, problem.at).split("\n");
  return `line ${lines.length}, column ${lines.at(-1)!.length + 1}: ${problem.message.replace(REPEATED, "")}`;
}
