/** Parameters that code gives to documents: as requests have them, and as the database is asked with them. */
import { ApiError } from "../../errors.ts";
import { isRecord } from "../../query/key-check.ts";
import type { Params } from "../../query/parse.ts";
import type { ContentType, Model } from "../../schema/model.ts";
import { conditions } from "./operands.ts";

/** Actions that find what they are about by other parameters. */
const WITHOUT_ID: ReadonlySet<string> = new Set(["findMany", "findFirst", "count", "create"]);

/** In the form of requests. Throws for what the reference refuses. */
export function documentParams(model: Model, type: ContentType, action: string, given: Params): Params {
  const { filters, populate, documentId } = given;
  if (populate === true)
    throw new ApiError(
      "ValidationError",
      "Invalid populate parameter. Expected a string, an array of strings, a populate object",
    );
  return {
    ...given,
    // no document has none
    ...(WITHOUT_ID.has(action) ? {} : { documentId: documentId ?? "" }),
    ...(filters === undefined ? {} : { filters: conditions(model, type, filters) }),
    ...(populate === undefined ? {} : { populate: datesAsTexts(populate) }),
  };
}

function datesAsTexts(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(datesAsTexts);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, datesAsTexts(inner)]));
}

/** Sort keys as the database takes them: `"author.name:desc"` is `{ author: { name: "desc" } }`. */
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

/** Documents always have their ids. */
function selectOf(fields: unknown): unknown {
  const names = namesOf(fields);
  return Array.isArray(names) ? ["id", "documentId", ...names] : names;
}

/** Parameters of documents as those of `strapi.db.query`; the conditions are the caller's to convert. */
export function queryParams({ fields, sort, start, populate, ...params }: Params): Params {
  return {
    ...params,
    ...(fields === undefined ? {} : { select: selectOf(fields) }),
    ...(populate === undefined ? {} : { populate: populate === "*" ? true : namesOf(populate) }),
    ...(sort === undefined ? {} : { orderBy: orderOf(sort) }),
    ...(start === undefined ? {} : { offset: start }),
  };
}
