/** Ids of rows, as requests have them. */

/** What SQLite, which compares ids with strings in the reference, reads as a number. */
const NUMBER = /^\s*\+?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;

/** Ids of rows are whole numbers above zero, also as strings; anything else is the id of nothing. */
export function rowId(value: unknown): number | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const id = NUMBER.test(String(value)) ? Number(value) : 0;
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}
