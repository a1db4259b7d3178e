/** Parses row ids of requests. */

/**
 * The strings that SQLite converts to a number when Strapi compares them with an id. Each character is matched in one way only:
 * a long text of digits would otherwise take time quadratic in its length.
 */
const NUMBER = /^\s*\+?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i;

/** A positive integer, as a number or string; undefined for other values, which match no row. */
export function rowId(value: unknown): number | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const id = NUMBER.test(String(value)) ? Number(value) : 0;
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}
