/** Reads and checks the arguments of a list, as REST does. */

import type { Settings } from "../../../engine/config/settings.ts";
import { checkParams } from "../../../engine/query/check-params.ts";
import { readFilters } from "../../../engine/query/filters.ts";
import { isPresent, readPagination, readSort, refuseMixedStyles } from "../../../engine/query/list-params.ts";
import type { Params } from "../../../engine/query/parse.ts";
import type { CanRead, Query } from "../../../engine/query/tree.ts";
import type { Model, Schema } from "../../../engine/schema/model.ts";
import { measureDepth } from "../../../lib/depth.ts";
import { validationError } from "../../../lib/errors.ts";
import { toRecord } from "../../../lib/is-record.ts";
import { pickBy } from "../../../lib/records.ts";
import { filterParams } from "./filter-params.ts";

export interface ListArguments extends Pick<Query, "where" | "sort" | "start" | "limit"> {
  /** The filters in REST's form: a filter on the locale overrides the requested locale. */
  readonly filters: Params | undefined;
}

type Limits = Pick<Settings["graphql"], "defaultLimit" | "maxLimit">;

/** Levels of filters, including groups; SQLite limits the depth of expressions. */
const MAX_FILTER_DEPTH = 30;
/** Characters of one sort key; errors repeat unknown ones. */
const MAX_SORT_LENGTH = 1000;

function checkSize({ filters, sort }: Params): void {
  if (measureDepth(filters, MAX_FILTER_DEPTH) > MAX_FILTER_DEPTH) {
    throw validationError(`filters must not be nested deeper than ${MAX_FILTER_DEPTH} levels`);
  }
  if ([sort].flat().some((key) => typeof key === "string" && key.length > MAX_SORT_LENGTH)) {
    throw validationError(`sort takes keys of at most ${MAX_SORT_LENGTH} characters`);
  }
}

/**
 * In GraphQL, `limit: -1` is the maximum, also as the default; other numbers below 1 are 1, and so is null beside a `start`.
 * Other nulls are absent.
 */
function readPage(pagination: unknown, { defaultLimit, maxLimit }: Limits): Pick<Query, "start" | "limit"> {
  const input = toRecord(pagination);
  const given = pickBy(input, isPresent);
  if (input.limit === null && given.start !== undefined) given.limit = 1;
  refuseMixedStyles(given);
  if (defaultLimit === -1 && given.limit === undefined && given.pageSize === undefined) {
    // pages without a size are all the first one
    delete given.page;
    given.limit = -1;
  }
  const maxRows = maxLimit < 1 ? undefined : maxLimit;
  const { start, limit } = readPagination(given, { defaultLimit, maxLimit: maxRows, withCount: false });
  return { start, limit: given.limit === -1 ? maxRows : limit };
}

/** Throws a ValidationError or PaginationError. */
export function readListArguments(
  model: Model,
  schema: Schema,
  args: Params,
  limits: Limits,
  canRead: CanRead,
): ListArguments {
  const page = readPage(args.pagination, limits);
  checkSize(args);
  const filters = filterParams(model, schema, args.filters);
  checkParams(model, schema, { filters, sort: args.sort }, canRead);
  // errors in sort come before errors in operands
  const sort = readSort(model, schema, args.sort);
  return { filters, where: readFilters(model, schema, filters), sort, ...page };
}
