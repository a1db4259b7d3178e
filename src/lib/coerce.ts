/**
 * Converts values of clients to strings and numbers. JavaScript's conversions throw for `{ "toString": 1 }`, and SQLite cannot
 * store every string.
 */

/** As `String`, but never throws. */
export function toText(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "[object Object]";
  }
}

/** As `Number`, but never throws. */
export function toNumber(value: unknown): number {
  try {
    return Number(value);
  } catch {
    return Number.NaN;
  }
}

/** The value of a JSON text; undefined for any other text. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether SQLite returns a string unchanged: it has no lone surrogates, and no null characters. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

/** The message for a string that cannot be stored. */
export const unstorable = (text: string, path: string): string | undefined =>
  isStorable(text) ? undefined : `${path} must be well-formed text without null characters`;

/** The value, if it is a string. */
export const stringOrNone = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** The value, if it is a string with characters. */
export const filledString = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** The value, if it is a string; otherwise an empty one. */
export const stringOrEmpty = (value: unknown): string => (typeof value === "string" ? value : "");
