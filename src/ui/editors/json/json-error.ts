/** Finds the position of a JSON syntax error. Engines report it in different formats, or not at all. */
import { parser } from "@lezer/json";
import { parseJsonText } from "./json-text.ts";

/** The first place where the grammar does not hold. */
function grammarError(text: string): number | undefined {
  let found: number | undefined;
  parser.parse(text).iterate({
    enter: ({ type, from }) => {
      if (type.isError) found ??= from;
      return found === undefined;
    },
  });
  return found;
}

/** The offset in the text; its end for texts that are cut off. */
function findOffset(message: string, text: string): number {
  const [, position] = /at position (\d+)/.exec(message) ?? [];
  if (position !== undefined) return Math.min(Number(position), text.length);
  const [, line, column] = /at line (\d+) column (\d+)/.exec(message) ?? [];
  if (line !== undefined) {
    const before = text.split("\n").slice(0, Number(line) - 1);
    return Math.min(before.join("\n").length + (before.length > 0 ? 1 : 0) + Number(column) - 1, text.length);
  }
  return grammarError(text) ?? text.length;
}

export interface JsonError {
  readonly message: string;
  readonly offset: number;
}

/** Why a text is not JSON; undefined if it is, or is blank. */
export function jsonError(text: string): JsonError | undefined {
  try {
    parseJsonText(text);
    return undefined;
  } catch (error) {
    const { message } = error as SyntaxError;
    const offset = findOffset(message, text);
    const found =
      offset < text.length
        ? `“${String.fromCodePoint(text.codePointAt(offset)!)}” is not expected here`
        : "it ends too early";
    return { message: `This is not JSON: ${found}`, offset };
  }
}

/** The message with its place, counted from 1. */
export function describeJsonError({ message, offset }: JsonError, text: string): string {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  return `${message} (line ${line}, column ${offset - before.lastIndexOf("\n")})`;
}
