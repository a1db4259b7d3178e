/** `pagination` of `@strapi/utils`: parameters and response metadata, by page or by offset. */
import { PaginationError } from "../errors.ts";

type Numbers = Readonly<Record<string, number | undefined>>;

export interface Settings {
  readonly defaults?: { readonly offset?: Numbers; readonly page?: Numbers };
  /** -1: unlimited. */
  readonly maxLimit?: number;
}

const OFFSETS = ["start", "limit"];
const PAGES = ["page", "pageSize"];
const hasAny = (args: Numbers, names: readonly string[]): boolean =>
  names.some((name) => args[name] !== undefined && args[name] !== null);

/** Converts pages to offsets. Throws a PaginationError for both at once. */
function withDefaultPagination(args: Numbers, { defaults = {}, maxLimit = -1 }: Settings = {}): Numbers {
  const offset = { start: 0, limit: 10, ...defaults.offset };
  const bounded = (limit: number): number => (maxLimit === -1 || limit < maxLimit ? limit : maxLimit);
  const normalize = (start: number, limit: number) => ({
    start: Math.max(start, 0),
    limit: bounded(limit === -1 ? limit : Math.max(limit, 1)),
  });
  const isPaged = hasAny(args, PAGES);
  const isOffset = hasAny(args, OFFSETS);
  if (!isPaged && !isOffset) return { ...args, ...normalize(offset.start, offset.limit) };
  if (isPaged && isOffset) throw new PaginationError("Cannot use both page & offset pagination in the same query");
  const others = Object.fromEntries(Object.entries(args).filter(([name]) => ![...OFFSETS, ...PAGES].includes(name)));
  const { page = 1, pageSize = 10 } = { page: 1, pageSize: 10, ...defaults.page, ...args };
  const size = normalize(0, Math.max(1, pageSize)).limit;
  const { start = 0, limit = 10 } = isPaged ? { start: (page - 1) * size, limit: size } : { ...offset, ...args };
  return { ...others, ...normalize(start, limit === -1 ? maxLimit : limit) };
}

const pagesOf = (total: number, size: number): number => (size > 0 ? Math.ceil(total / size) : 0);

function pageInfo(info: Numbers, total: number): Numbers {
  const { page, start } = info;
  if (page !== undefined && page !== null) {
    const pageSize = info.pageSize ?? total;
    return { page, pageSize, pageCount: pagesOf(total, pageSize), total };
  }
  if (start === undefined || start === null) return { ...info, page: 1, pageSize: 10, pageCount: 1, total };
  const limit = info.limit ?? total;
  return { page: Math.floor(start / limit) + 1, pageSize: limit, pageCount: pagesOf(total, limit), total };
}

function offsetInfo(info: Numbers, total: number): Numbers {
  const { page, start } = info;
  if (page !== undefined && page !== null) {
    const limit = info.pageSize ?? total;
    return { start: (page - 1) * limit, limit, total };
  }
  if (start === undefined || start === null) return { ...info, start: 0, limit: 10, total };
  return { start, limit: info.limit ?? total, total };
}

export const pagination = {
  withDefaultPagination,
  transformPagedPaginationInfo: pageInfo,
  transformOffsetPaginationInfo: offsetInfo,
};
