/** Values as canonical YAML: one fact a line, so that `git diff` shows fields and `git merge` merges them. */
import { isRecord } from "../../lib/is-record.ts";
import type { Json } from "../archive/shapes.ts";

/** What stands in an escape everywhere: control characters but tab and line feed, and others that YAML does not allow. */
const UNPRINTABLE = "\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\ufeff\\ufffe\\uffff";
const CONTROLS = new RegExp(`[${UNPRINTABLE}]`);
/** In one line also what editors take for line ends. */
const ESCAPED = new RegExp(`[${UNPRINTABLE}\\u2028\\u2029]`, "g");

const PLAIN_START = /^[\p{L}\p{N}(/$_]/u;
/** Within a plain text these begin a comment, or end a key. */
const PLAIN_END = /[:\s]$|: | #/;
const WORDS = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
const WORD_KEYS = /^(?:true|false|null)$/i;
/** What a parser may take for a number, and what looks so but is a date. */
const NUMBER = /^\d[\d.,_:+\-xXoOa-fA-F]*$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
const LINE_END = /[\n\t\u2028\u2029]/;
const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;
/** What ends a plain text in a flow collection. */
const FLOW_INDICATOR = /[,[\]{}]/;
/** The first line with text begins with it, so that its indentation can be seen. */
const BLOCK = /^\n*\S/;

/** The keys that have a value. */
export const listKeys = (mapping: Json): string[] => Object.keys(mapping).filter((key) => mapping[key] !== undefined);

const pad = (column: number): string => " ".repeat(column);

/** Whether a text of several lines can stand as it is. */
export const isPrintable = (text: string): boolean => !CONTROLS.test(text) && text.isWellFormed();

const quote = (text: string): string =>
  JSON.stringify(text.toWellFormed()).replace(
    ESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const isPlain = (text: string): boolean =>
  PLAIN_START.test(text) &&
  !PLAIN_END.test(text) &&
  !LINE_END.test(text) &&
  !WORDS.test(text) &&
  (!NUMBER.test(text) || DATE.test(text)) &&
  isPrintable(text);

/** An integer that a number holds only nearly is not printed in full: it would be read as a text. */
export const printNumber = (value: number): string =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : String(value);

const printLine = (text: string): string => (isPlain(text) ? text : quote(text));

const printKey = (key: string): string => (PLAIN_KEY.test(key) && !WORD_KEYS.test(key) ? key : quote(key));

const isBlockText = (text: string): boolean => text.includes("\n") && BLOCK.test(text) && isPrintable(text);

function printBlockText(text: string, column: number): string {
  const chomping = !text.endsWith("\n") ? "-" : text.endsWith("\n\n") ? "+" : "";
  const indent = pad(column + 2);
  let printed = `|${chomping}`;
  for (const line of (chomping === "-" ? text : text.slice(0, -1)).split("\n")) {
    printed += line === "" ? "\n" : `\n${indent}${line}`;
  }
  return printed;
}

/** A value in one line, as JSON, which is YAML. */
export function printFlow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => printFlow(item ?? null)).join(",")}]`;
  if (isRecord(value)) {
    const entries = listKeys(value).map((key) => `${quote(key)}:${printFlow(value[key])}`);
    return `{${entries.join(",")}}`;
  }
  if (typeof value === "string") return quote(value);
  return typeof value === "number" ? printNumber(value) : String(value);
}

/** A value in one line, with quotes only where they are needed. */
export function printLooseFlow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printLooseFlow).join(", ")}]`;
  if (isRecord(value)) {
    const entries = listKeys(value).map((key) => `${printKey(key)}: ${printLooseFlow(value[key])}`);
    return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
  }
  return typeof value === "string" && isPlain(value) && !FLOW_INDICATOR.test(value) ? value : printFlow(value);
}

/** An entry of a list of blocks. */
const isTextBlock = (value: unknown): boolean => isRecord(value) && "type" in value && "children" in value;

/**
 * What follows `key:`, or `-` of a list, with the space or line end before it, and without a line end after it. `column`: of the key,
 * or of the `-`.
 */
export function printValue(value: unknown, column: number): string {
  if (typeof value === "string") {
    return ` ${isBlockText(value) ? printBlockText(value, column) : printLine(value)}`;
  }
  if (Array.isArray(value)) {
    const indent = pad(column + 2);
    return value.length === 0 ? " []" : value.map((item) => `\n${indent}-${printEntry(item, column + 2)}`).join("");
  }
  if (isRecord(value)) {
    const printed = printMapping(value, column + 2);
    return printed === "" ? " {}" : `\n${printed}`;
  }
  return ` ${typeof value === "number" ? printNumber(value) : value}`;
}

/** What follows the `-` of a list at a column. */
export function printEntry(value: unknown, column: number): string {
  if (Array.isArray(value) || isTextBlock(value)) return ` ${printFlow(value)}`;
  if (!isRecord(value)) return printValue(value ?? null, column);
  const printed = printMapping(value, column + 2);
  return ` ${printed === "" ? "{}" : printed.slice(column + 2)}`;
}

/** What follows `key:`. The values of a published version stand in one line: an edit of the draft is one more changed line at most. */
export const printValueOf = (key: string, value: unknown, column: number): string =>
  key === "$published" && isRecord(value) ? ` ${printFlow(value)}` : printValue(value, column);

export const printPair = (key: string, value: unknown, column: number): string =>
  `${pad(column)}${printKey(key)}:${printValueOf(key, value, column)}`;

/** The lines of a mapping at a column, without the last line end; empty for an empty one. */
export const printMapping = (mapping: Json, column: number): string =>
  listKeys(mapping)
    .map((key) => printPair(key, mapping[key], column))
    .join("\n");
