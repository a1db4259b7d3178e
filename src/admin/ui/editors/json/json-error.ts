/** Finds the position of a JSON syntax error. Engines report it in different formats, or not at all. */
import { parser } from "@lezer/json";

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
function offsetOf(message: string, text: string): number {
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

export type ParsedJson = { readonly value: unknown } | { readonly error: JsonError };

/** The value of the text; that of an empty one is null. */
export function parseJson(text: string): ParsedJson {
  if (text.trim() === "") return { value: null };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const { message } = error as SyntaxError;
    const offset = offsetOf(message, text);
    const found =
      offset < text.length
        ? `“${String.fromCodePoint(text.codePointAt(offset)!)}” is not expected here`
        : "it ends too early";
    return { error: { message: `This is not JSON: ${found}`, offset } };
  }
}
