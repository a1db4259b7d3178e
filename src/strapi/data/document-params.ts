/** Converts parameters of `strapi.documents`: to those of requests, and to those of `strapi.db.query`. */

import type { Params } from "../../engine/query/parse.ts";
import { type ContentType, findTarget, type Model, type Schema } from "../../engine/schema/model.ts";
import { ApiError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { mapValues, pickBy } from "../../lib/records.ts";
import { conditions } from "./operands.ts";

/** Actions without a `documentId` parameter. */
const WITHOUT_ID: ReadonlySet<string> = new Set(["findMany", "findFirst", "count", "create"]);

/** Converts to parameters of requests. Throws an ApiError for values that Strapi refuses. */
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
  return mapValues(value, (inner) => datesAsStrings(inner));
}

/** Converts `sort` to `orderBy`: `"author.name:desc"` becomes `{ author: { name: "desc" } }`. */
function parseOrder(sort: unknown): unknown {
  if (Array.isArray(sort)) return sort.flatMap(parseOrder);
  if (typeof sort !== "string") return sort;
  return sort.split(",").map((key) => {
    const [path = "", direction = "asc"] = key.trim().split(":");
    return path.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), direction);
  });
}

const splitNames = (list: unknown): unknown =>
  typeof list === "string" ? list.split(",").map((name) => name.trim()) : list;

/** Converts `fields` to `select`. Rows always have their ids. */
function createSelect(fields: unknown, isComponent: boolean): unknown {
  const names = splitNames(fields);
  if (!Array.isArray(names)) return names;
  // a client may send a name without a value
  return [...(isComponent ? ["id"] : ["id", "documentId"]), ...names.filter((name) => name !== null)];
}

/** The rows to which parameters apply. */
export interface Place {
  readonly model: Model;
  /** Undefined: of several schemas. */
  readonly schema: Schema | undefined;
}

/** Nested options under the names of `strapi.db.query`. As in requests, nested lists have no pages. */
function nestedPopulate(options: unknown, isComponent: boolean, place: Place | undefined): unknown {
  if (typeof options === "string") return isFalseWord(options) ? undefined : true;
  if (!isRecord(options)) return options === false ? undefined : options;
  const { populate, on, fields, sort, limit: _, start: __, ...others } = options;
  const onUid = (own: unknown, uid: string): unknown => {
    const component = place?.model.components.get(uid);
    const schema = component ?? place?.model.types.get(uid);
    return nestedPopulate(own, component !== undefined, place && { ...place, schema });
  };
  return {
    ...others,
    ...(fields === undefined ? {} : { select: createSelect(fields, isComponent) }),
    ...(sort === undefined ? {} : { orderBy: parseOrder(sort) }),
    ...(populate === undefined ? {} : { populate: populate === "*" ? true : createPopulate(populate, place) }),
    ...(isRecord(on) ? { on: mapValues(on, onUid) } : {}),
  };
}

/** In query strings. */
const isFalseWord = (text: string): boolean => ["false", "f", "0"].includes(text);

/** Without those that are not populated: `strapi.db.query` populates all that are named. */
const withoutUndefined = (record: Params): Params => pickBy(record, (value) => value !== undefined);

function createPopulate(populate: unknown, place: Place | undefined): unknown {
  if (!isRecord(populate)) return splitNames(populate);
  const convert = (options: unknown, name: string): unknown => {
    const kind = place?.schema?.attributes.get(name)?.kind;
    return nestedPopulate(options, kind === "component" || kind === "zone", place && placeBelow(place, name));
  };
  return withoutUndefined(mapValues(populate, convert));
}

/** The place of a content-type or component, or of what an attribute of it populates. */
export function placeIn(model: Model, uid: string, field?: string): Place {
  const place = { model, schema: model.types.get(uid) ?? model.components.get(uid) };
  return field === undefined ? place : placeBelow(place, field);
}

/** Where parameters apply that are nested below an attribute. */
function placeBelow({ model, schema }: Place, name: string): Place {
  const attribute = schema?.attributes.get(name);
  const isNested = attribute !== undefined && attribute.kind !== "scalar";
  return { model, schema: isNested ? findTarget(model, attribute) : undefined };
}

/**
 * Those of a client, without what only `strapi.db.query` has: the server checks the parameters of requests, and could not know what the others
 * reveal.
 */
export function clientParams(params: Params): Params {
  const { where: _where, select: _select, orderBy: _orderBy, offset: _offset, groupBy: _groupBy, ...own } = params;
  return own;
}

/** Converts to parameters of `strapi.db.query`, except for `filters`. `place`: undefined for types outside of the model. */
export function queryParams({ fields, sort, start, populate, ...params }: Params, place?: Place): Params {
  return {
    ...params,
    ...(fields === undefined ? {} : { select: createSelect(fields, place?.schema?.modelType === "component") }),
    ...(populate === undefined ? {} : { populate: populate === "*" ? true : createPopulate(populate, place) }),
    ...(sort === undefined ? {} : { orderBy: parseOrder(sort) }),
    ...(start === undefined ? {} : { offset: start }),
  };
}
