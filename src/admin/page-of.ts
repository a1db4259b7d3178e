/** Pages in the parameters of lists that have none by default. */
import type { Params } from "../query/parse.ts";

const MAX_PAGE_SIZE = 1000;

const wholeNumber = (value: unknown): number | undefined => {
  const number = typeof value === "string" || typeof value === "number" ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
};

/** The requested range: `page` and `pageSize`, or `start` and `limit`; everything by default. */
export function pageOf({ page, pageSize, start, limit }: Params): {
  readonly start: number;
  readonly limit: number | undefined;
} {
  const number = wholeNumber(page);
  const size = wholeNumber(pageSize);
  if (number !== undefined || size !== undefined) {
    const of = Math.min(Math.max(size ?? 10, 1), MAX_PAGE_SIZE);
    return { start: (Math.max(number ?? 1, 1) - 1) * of, limit: of };
  }
  return { start: wholeNumber(start) ?? 0, limit: wholeNumber(limit) };
}
