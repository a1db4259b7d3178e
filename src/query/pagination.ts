/** The `pagination` parameter: pages or offsets, never both. */
import { textOf } from "../coerce.ts";
import { ApiError, validationError } from "../errors.ts";
import { isRecord } from "./key-check.ts";

export interface PaginationSettings {
  readonly defaultLimit: number;
  /** Undefined: no maximum. */
  readonly maxLimit: number | undefined;
  readonly withCount: boolean;
}

export interface Pagination {
  readonly style: "page" | "offset";
  readonly start: number;
  /** Undefined: all; only where the caller may ask for that. */
  readonly limit: number | undefined;
  readonly withCount: boolean;
}

type Meta = Readonly<Record<string, number>>;

const given = (value: unknown): boolean => value !== undefined && value !== null;

type Parameters = Readonly<Record<string, unknown>>;

const hasPages = ({ page, pageSize }: Parameters): boolean => given(page) || given(pageSize);
const hasOffsets = ({ start, limit }: Parameters): boolean => given(start) || given(limit);

/** Refuses both styles in one `pagination`. Throws a PaginationError. */
export function refuseMixedStyles(pagination: unknown): void {
  if (isRecord(pagination) && hasPages(pagination) && hasOffsets(pagination))
    throw new ApiError("PaginationError", "Cannot use both page & offset pagination in the same query");
}

const outside = (): ApiError =>
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

/** A list of one counts as what it holds, as everything does that a text can be made of. */
const numberOf = (value: unknown): number => (isRecord(value) ? Number.NaN : Number(value));
const atLeast = (least: number, value: unknown): number => Math.max(least, numberOf(value));

function whole(name: "Start" | "Limit", value: number, least = 0): number {
  if (Number.isInteger(value) && value >= least) return value;
  throw validationError(`convert${name}QueryParams expected a positive integer got ${value}`);
}

/** What a list's parameters say of its pages. Throws a PaginationError or ValidationError. */
export function readListPages(params: Parameters, settings: PaginationSettings): Pagination {
  if (hasPages(params)) throw outside();
  return readPagination(params.pagination, settings);
}

/** Throws a ValidationError for numbers that are none; too small ones become the smallest. */
export function readPagination(parameter: unknown, settings: PaginationSettings): Pagination {
  const { start, limit, page, pageSize, withCount } = isRecord(parameter) ? parameter : {};
  const cap = (size: number): number => Math.min(size, settings.maxLimit ?? size);
  const count = () => readCount(withCount, settings.withCount);
  // the style shows in the keys, whether or not they have values
  if (start !== undefined || limit !== undefined) {
    const from = whole("Start", given(start) ? atLeast(0, start) : 0);
    const size = whole("Limit", cap(given(limit) ? atLeast(1, limit) : settings.defaultLimit));
    return { style: "offset", start: from, limit: size, withCount: count() };
  }
  const size = cap(given(pageSize) ? atLeast(1, pageSize) : settings.defaultLimit);
  const number = given(page) ? atLeast(1, page) : 1;
  const from = whole("Start", (number - 1) * size);
  return { style: "page", start: from, limit: whole("Limit", size), withCount: count() };
}

export interface Offsets {
  readonly start: number;
  /** Undefined: all. */
  readonly limit: number | undefined;
}

/**
 * Top-level `start` and `limit`, as everything but a list with `pagination` has them; no limit, 0 or -1, is all. `page` and
 * `pageSize` have no effect and must be valid all the same, as in the reference. Throws a PaginationError or ValidationError.
 */
export function readOffsets(params: Parameters): Offsets {
  if (hasPages(params) && hasOffsets(params)) throw outside();
  for (const name of ["page", "pageSize"]) {
    const value = params[name];
    const number = numberOf(value);
    if (!given(value) || (Number.isInteger(number) && number > 0)) continue;
    throw new ApiError(
      "PaginationError",
      `Invalid '${name}' parameter. Expected an integer > 0, received: ${textOf(value)}`,
    );
  }
  const { start, limit } = params;
  const from = given(start) ? whole("Start", numberOf(start)) : 0;
  const size = given(limit) ? whole("Limit", numberOf(limit), -1) : 0;
  return { start: from, limit: size < 1 ? undefined : size };
}

/** `meta.pagination`; without a total, what depends on it is left out. */
export function paginationMeta({ style, start, limit }: Pagination, total: number | undefined): Meta {
  const size = limit ?? total ?? 0;
  if (style === "offset") return { start, limit: size, ...(total === undefined ? {} : { total }) };
  const page = size === 0 ? 1 : Math.floor(start / size) + 1;
  const counts: Meta = total === undefined ? {} : { pageCount: Math.ceil(total / size), total };
  return { page, pageSize: size, ...counts };
}
