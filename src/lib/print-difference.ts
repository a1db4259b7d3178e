/** Prints values that differ, for people: only as much of them as shows where. */

const MAX_LENGTH = 60;
/** Characters before the first difference of two long texts. */
const CONTEXT = 15;

function shorten(text: string, start: number): string {
  const from = text.length <= MAX_LENGTH ? 0 : Math.max(0, Math.min(start - CONTEXT, text.length - MAX_LENGTH));
  const end = from + MAX_LENGTH;
  return `${from > 0 ? "…" : ""}${text.slice(from, end)}${end < text.length ? "…" : ""}`;
}

/** The first place where two texts differ. */
function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}

const format = (value: unknown): string | undefined => JSON.stringify(value);

export const printOne = (value: unknown): string => shorten(format(value) ?? "", 0);

/** Undefined for no value. */
export function printBoth(one: unknown, other: unknown): [one: string | undefined, other: string | undefined] {
  const [first, second] = [format(one), format(other)];
  const start = firstDifference(first ?? "", second ?? "");
  return [first && shorten(first, start), second && shorten(second, start)];
}
