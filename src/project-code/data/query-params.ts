/** Parameters of `strapi.db.query` in the words of the document service: `where` is `filters`, `orderBy` is `sort`. */
import { isRecord } from "../../query/key-check.ts";
import type { Params } from "../../query/parse.ts";

/** Values as filters take them. Throws for an undefined one, which would match anything. */
function operand(value: unknown, path: string): unknown {
  if (value === undefined) throw new Error(`Undefined binding(s) detected when compiling ${path}`);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((item, index) => operand(item, `${path}[${index}]`));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, operand(inner, `${path}.${key}`)]));
}

export const filtersOf = (where: unknown): unknown =>
  where === undefined || where === null
    ? undefined
    : Array.isArray(where)
      ? { $and: operand(where, "where") }
      : operand(where, "where");

function populateOf(populate: unknown): unknown {
  if (populate === true || populate === "*") return "*";
  if (!isRecord(populate)) return populate;
  return Object.fromEntries(
    Object.entries(populate)
      .filter(([, value]) => value !== false && value !== undefined && value !== null)
      .map(([key, value]) => [key, isRecord(value) ? nestedOf(value) : value]),
  );
}

function nestedOf({ on, count, ...query }: Params): Params {
  const params = paramsOf(query);
  const fragments = isRecord(on)
    ? Object.fromEntries(Object.entries(on).map(([uid, value]) => [uid, isRecord(value) ? paramsOf(value) : value]))
    : undefined;
  return { ...params, ...(fragments ? { on: fragments } : {}), ...(count === undefined ? {} : { count }) };
}

const FIELDS_OF_ALL = new Set(["*"]);

function fieldsOf(select: unknown): unknown {
  const list = typeof select === "string" ? [select] : select;
  if (!Array.isArray(list) || list.some((name) => FIELDS_OF_ALL.has(name))) return undefined;
  return list.filter((name) => name !== "id");
}

/** Without a value, a parameter is left out. */
export function paramsOf(query: Params): Params {
  const { where, filters, select, fields, orderBy, sort, populate, limit, offset, start, _q } = query;
  const where_ = filtersOf(where);
  const filtered = typeof filters === "function" ? undefined : filtersOf(filters);
  const both = where_ !== undefined && filtered !== undefined ? { $and: [where_, filtered] } : (where_ ?? filtered);
  const params = {
    filters: both,
    fields: fieldsOf(select ?? fields),
    sort: orderBy ?? sort,
    populate: populateOf(populate),
    limit,
    start: offset ?? start,
    _q,
  };
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined && value !== null));
}
