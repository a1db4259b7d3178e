/** Converts parameters of `strapi.documents`: to those of requests, and to those of `strapi.db.query`. */
import { ApiError } from "../../errors.ts";
import { isRecord } from "../../query/key-check.ts";
import type { Params } from "../../query/parse.ts";
import type { ContentType, Model } from "../../schema/model.ts";
import { conditions } from "./operands.ts";

/** Actions without a `documentId` parameter. */
const WITHOUT_ID: ReadonlySet<string> = new Set(["findMany", "findFirst", "count", "create"]);

/** Converts to parameters of requests. Throws an ApiError for values that the reference refuses. */
export function documentParams(model: Model, type: ContentType, action: string, params: Params): Params {
  const { filters, populate, documentId } = params;
  if (populate === true)
    throw new ApiError(
      "ValidationError",
      "Invalid populate parameter. Expected a string, an array of strings, a populate object",
    );
  return {
    ...params,
    // an empty id matches no document
    ...(WITHOUT_ID.has(action) ? {} : { documentId: documentId ?? "" }),
    ...(filters === undefined ? {} : { filters: conditions(model, type, filters) }),
    ...(populate === undefined ? {} : { populate: datesAsStrings(populate) }),
  };
}

function datesAsStrings(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(datesAsStrings);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, datesAsStrings(inner)]));
}

/** Converts `sort` to `orderBy`: `"author.name:desc"` becomes `{ author: { name: "desc" } }`. */
function orderOf(sort: unknown): unknown {
  if (Array.isArray(sort)) return sort.flatMap(orderOf);
  if (typeof sort !== "string") return sort;
  return sort.split(",").map((key) => {
    const [path = "", direction = "asc"] = key.trim().split(":");
    return path.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), direction);
  });
}

const namesOf = (list: unknown): unknown =>
  typeof list === "string" ? list.split(",").map((name) => name.trim()) : list;

/** Converts `fields` to `select`. Documents always have their ids. */
function selectOf(fields: unknown): unknown {
  const names = namesOf(fields);
  // a client may send a name without a value
  return Array.isArray(names) ? ["id", "documentId", ...names.filter((name) => name !== null)] : names;
}

const mapValues = (record: Params, convert: (value: unknown) => unknown): Params =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value)]));

/** Nested options under the names of `strapi.db.query`. As in requests, nested lists have no pages. */
function nestedPopulate(options: unknown): unknown {
  if (typeof options === "string") return isFalseWord(options) ? undefined : true;
  if (!isRecord(options)) return options === false ? undefined : options;
  const { populate, on, fields, sort, limit: _, start: __, ...others } = options;
  return {
    ...others,
    ...(fields === undefined ? {} : { select: selectOf(fields) }),
    ...(sort === undefined ? {} : { orderBy: orderOf(sort) }),
    ...(populate === undefined ? {} : { populate: populate === "*" ? true : populateOf(populate) }),
    ...(isRecord(on) ? { on: mapValues(on, nestedPopulate) } : {}),
  };
}

/** In query strings. */
const isFalseWord = (text: string): boolean => ["false", "f", "0"].includes(text);

/** Without those that are not populated: `strapi.db.query` populates all that are named. */
const withoutUndefined = (record: Params): Params =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));

const populateOf = (populate: unknown): unknown =>
  isRecord(populate) ? withoutUndefined(mapValues(populate, nestedPopulate)) : namesOf(populate);

/** Converts to parameters of `strapi.db.query`, except for `filters`. */
export function queryParams({ fields, sort, start, populate, ...params }: Params): Params {
  return {
    ...params,
    ...(fields === undefined ? {} : { select: selectOf(fields) }),
    ...(populate === undefined ? {} : { populate: populate === "*" ? true : populateOf(populate) }),
    ...(sort === undefined ? {} : { orderBy: orderOf(sort) }),
    ...(start === undefined ? {} : { offset: start }),
  };
}
