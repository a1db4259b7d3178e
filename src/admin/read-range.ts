/** The range in the parameters of lists that have no pages. */
import type { Params } from "../engine/query/parse.ts";

const wholeNumber = (value: unknown): number | undefined => {
  const number = typeof value === "string" || typeof value === "number" ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
};

/** `start` and `limit`; everything by default. As in Strapi, `page` and `pageSize` have no effect. */
export const readRange = ({
  start,
  limit,
}: Params): { readonly start: number; readonly limit: number | undefined } => ({
  start: wholeNumber(start) ?? 0,
  limit: wholeNumber(limit),
});
