/**
 * Values that clients have sent as texts and numbers: JavaScript's own conversions throw for `{ "toString": 1 }`, and SQLite
 * does not give back every text.
 */

/** As `String` does it. */
export function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "[object Object]";
  }
}

/** As `Number` does it. */
export function numberOf(value: unknown): number {
  try {
    return Number(value);
  } catch {
    return Number.NaN;
  }
}

/** Whether a text survives the way into SQLite and back: it has no half of a surrogate pair, and no null character. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

/** The message for a text that does not. */
export const unstorable = (text: string, path: string): string | undefined =>
  isStorable(text) ? undefined : `${path} must be well-formed text without null characters`;
