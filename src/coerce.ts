/** Values that clients have sent as texts and numbers: JavaScript's own conversions throw for `{ "toString": 1 }`. */

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
