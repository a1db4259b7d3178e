/** The `pagination` parameter: pages or offsets, never both. */
import { textOf } from "../../lib/coerce.ts";
import { ApiError, validationError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { isPresent } from "./key-check.ts";

export interface PaginationSettings {
  readonly defaultLimit: number;
  /** Undefined: no maximum. */
  readonly maxLimit: number | undefined;
  readonly withCount: boolean;
}

export interface Pagination {
  readonly style: "page" | "offset";
  readonly start: number;
  /** Undefined: all. */
  readonly limit: number | undefined;
  readonly withCount: boolean;
}

type Meta = Readonly<Record<string, number>>;

type Parameters = Readonly<Record<string, unknown>>;

const hasPages = ({ page, pageSize }: Parameters): boolean => isPresent(page) || isPresent(pageSize);
const hasOffsets = ({ start, limit }: Parameters): boolean => isPresent(start) || isPresent(limit);

/** Throws a PaginationError when `pagination` mixes page and offset parameters. */
export function refuseMixedStyles(pagination: unknown): void {
  if (isRecord(pagination) && hasPages(pagination) && hasOffsets(pagination))
    throw new ApiError("PaginationError", "Cannot use both page & offset pagination in the same query");
}

const misplacedPages = (): ApiError =>
  new ApiError(
    "PaginationError",
    "Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object",
  );

const COUNT: Readonly<Record<string, boolean>> = { true: true, t: true, "1": true, false: false, f: false, "0": false };

function readCount(value: unknown, byDefault: boolean): boolean {
  if (value === undefined) return byDefault;
  const word = typeof value === "object" ? "" : String(value);
  if (Object.hasOwn(COUNT, word)) return COUNT[word]!;
  throw validationError('Invalid withCount parameter. Expected "t","1","true","false","0","f"');
}

/** JavaScript's conversion, so that a list of one number is that number; objects are NaN. */
const numberOf = (value: unknown): number => (isRecord(value) ? Number.NaN : Number(value));
const atLeast = (least: number, value: unknown): number => Math.max(least, numberOf(value));

function integer(name: "Start" | "Limit", value: number, least = 0): number {
  if (Number.isInteger(value) && value >= least) return value;
  throw validationError(`convert${name}QueryParams expected a positive integer got ${value}`);
}

/** The pagination of a list. Throws a PaginationError or ValidationError. */
export function readListPages(params: Parameters, settings: PaginationSettings): Pagination {
  if (hasPages(params)) throw misplacedPages();
  return readPagination(params.pagination, settings);
}

/** Numbers that are too small become the minimum. Throws a ValidationError for what is no number. */
export function readPagination(parameter: unknown, settings: PaginationSettings): Pagination {
  const { start, limit, page, pageSize, withCount } = isRecord(parameter) ? parameter : {};
  const cap = (size: number): number => Math.min(size, settings.maxLimit ?? size);
  const count = () => readCount(withCount, settings.withCount);
  // the keys decide the style, even without values
  if (start !== undefined || limit !== undefined) {
    const from = integer("Start", isPresent(start) ? atLeast(0, start) : 0);
    const size = integer("Limit", cap(isPresent(limit) ? atLeast(1, limit) : settings.defaultLimit));
    return { style: "offset", start: from, limit: size, withCount: count() };
  }
  const size = cap(isPresent(pageSize) ? atLeast(1, pageSize) : settings.defaultLimit);
  const number = isPresent(page) ? atLeast(1, page) : 1;
  const from = integer("Start", (number - 1) * size);
  return { style: "page", start: from, limit: integer("Limit", size), withCount: count() };
}

export interface Offsets {
  readonly start: number;
  /** Undefined: all. */
  readonly limit: number | undefined;
}

/**
 * Top-level `start` and `limit`, for everything but lists with `pagination`. No limit, 0 or -1 means all. `page` and
 * `pageSize` have no effect, but must be valid, as in Strapi. Throws a PaginationError or ValidationError.
 */
export function readOffsets(params: Parameters): Offsets {
  if (hasPages(params) && hasOffsets(params)) throw misplacedPages();
  for (const name of ["page", "pageSize"]) {
    const value = params[name];
    const number = numberOf(value);
    if (!isPresent(value) || (Number.isInteger(number) && number > 0)) continue;
    throw new ApiError(
      "PaginationError",
      `Invalid '${name}' parameter. Expected an integer > 0, received: ${textOf(value)}`,
    );
  }
  const { start, limit } = params;
  const from = isPresent(start) ? integer("Start", numberOf(start)) : 0;
  const size = isPresent(limit) ? integer("Limit", numberOf(limit), -1) : 0;
  return { start: from, limit: size < 1 ? undefined : size };
}

/** `meta.pagination`; without a total, `total` and `pageCount` are omitted. */
export function paginationMeta({ style, start, limit }: Pagination, total: number | undefined): Meta {
  const size = limit ?? total ?? 0;
  if (style === "offset") return { start, limit: size, ...(total === undefined ? {} : { total }) };
  const page = size === 0 ? 1 : Math.floor(start / size) + 1;
  const counts: Meta = total === undefined ? {} : { pageCount: Math.ceil(total / size), total };
  return { page, pageSize: size, ...counts };
}
