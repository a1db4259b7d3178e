/** Converts parameters of `strapi.db.query` to those of requests: `where` to `filters`, `orderBy` to `sort`. */
import { isRecord } from "../../query/key-check.ts";
import type { Params } from "../../query/parse.ts";
import { type Model, type Schema, targetOf } from "../../schema/model.ts";
import { conditions } from "./operands.ts";

/** Columns that are not attributes. */
const COLUMNS: ReadonlySet<string> = new Set(["id", "documentId"]);

/** Removes parameters without a value. */
const withoutNil = (params: Params): Params =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined && value !== null));

function filtersOf(model: Model, schema: Schema | undefined, where: unknown): unknown {
  if (where === undefined || where === null) return undefined;
  if (Array.isArray(where)) throw new Error("Where must be an object");
  return conditions(model, schema, schema ? ofAttributes(model, schema, where) : where);
}

/** Conditions on columns as those on their attributes: the reference passes names that it does not know to the database. */
function ofAttributes(model: Model, schema: Schema, where: unknown): unknown {
  if (Array.isArray(where)) return where.map((item) => ofAttributes(model, schema, item));
  if (!isRecord(where)) return where;
  return Object.fromEntries(
    Object.entries(where).map(([key, value]) => {
      if (key.startsWith("$")) return [key, ofAttributes(model, schema, value)];
      const attribute = schema.attributes.get(key);
      const target = attribute && isRecord(value) ? targetOf(model, attribute) : undefined;
      if (target) return [key, ofAttributes(model, target, value)];
      const name = attribute ? key : attributeOfColumn(schema, key);
      return [name in where ? key : name, value];
    }),
  );
}

/** The name as it is where no attribute has such a column. */
function attributeOfColumn({ attributes }: Schema, column: string): string {
  if (column === "document_id") return "documentId";
  const found = attributes.values().find((attribute) => attribute.kind === "scalar" && attribute.column === column);
  return found?.name ?? column;
}

/** Sort keys as nested objects. An invalid direction means ascending. */
function sortOf(model: Model, schema: Schema, orderBy: unknown): unknown[] {
  if (Array.isArray(orderBy)) return orderBy.flatMap((entry) => sortOf(model, schema, entry));
  const keys: [string, unknown][] =
    typeof orderBy === "string" ? [[orderBy, "asc"]] : isRecord(orderBy) ? Object.entries(orderBy) : [];
  return keys.flatMap(([name, value]) => {
    if (COLUMNS.has(name)) return [{ [name]: directionOf(value) }];
    const attribute = schema.attributes.get(name);
    if (!attribute) throw new Error(`Attribute ${name} not found on model ${schema.uid}`);
    if (attribute.kind === "scalar") return [{ [name]: directionOf(value) }];
    const target = targetOf(model, attribute);
    if (!target) throw new Error(`You cannot order on ${attribute.kind} types`);
    return sortOf(model, target, value).map((inner) => ({ [name]: inner }));
  });
}

const directionOf = (value: unknown): string => (/^desc$/i.test(String(value)) ? "desc" : "asc");

function populateOf(model: Model, schema: Schema | undefined, populate: unknown): unknown {
  if (populate === true) return "*";
  if (!isRecord(populate)) {
    if (typeof populate === "string" || typeof populate === "number") throw new Error("Populate must be an object");
    return populate;
  }
  return Object.fromEntries(
    Object.entries(populate)
      .filter(([, value]) => value !== false && value !== undefined && value !== null)
      .map(([key, value]) => {
        const attribute = schema?.attributes.get(key);
        const target = attribute && targetOf(model, attribute);
        return [key, isRecord(value) ? nestedOf(model, target, value) : value];
      }),
  );
}

/** Nested parameters. They may also have the names of `strapi.documents`: `fields`, `sort` and `filters`. */
function nestedOf(model: Model, schema: Schema | undefined, { on, count, ...query }: Params): Params {
  const { where, filters, select, fields, orderBy, sort, populate, limit, offset, start } = query;
  const fragments = isRecord(on)
    ? Object.fromEntries(
        Object.entries(on).map(([uid, value]) => [
          uid,
          isRecord(value) ? nestedOf(model, model.components.get(uid) ?? model.types.get(uid), value) : value,
        ]),
      )
    : undefined;
  return withoutNil({
    filters: andOf(filtersOf(model, schema, where), filtersOf(model, schema, filters)),
    fields: fieldsOf(select ?? fields),
    sort: orderBy === undefined || !schema ? (orderBy ?? sort) : sortOf(model, schema, orderBy),
    populate: populate === "*" ? "*" : populateOf(model, schema, populate),
    limit,
    start: offset ?? start,
    on: fragments,
    count,
  });
}

const andOf = (one: unknown, other: unknown): unknown =>
  one !== undefined && other !== undefined ? { $and: [one, other] } : (one ?? other);

/** The selected names; undefined for all columns. */
export function selectedNames(select: unknown): readonly unknown[] | undefined {
  const list = typeof select === "string" ? [select] : select;
  return !Array.isArray(list) || list.includes("*") ? undefined : list;
}

const fieldsOf = (select: unknown): unknown => selectedNames(select)?.filter((name) => name !== "id");

/** Converts parameters of a query. Throws for names that the reference's database refuses. */
export function paramsOf(model: Model, schema: Schema, query: Params): Params {
  const { where, filters, select, orderBy, populate, limit, offset, _q } = query;
  for (const name of selectedNames(select) ?? []) {
    const isColumn = COLUMNS.has(String(name)) || schema.attributes.get(String(name))?.kind === "scalar";
    if (!isColumn) throw new Error(`no such column: t0.${String(name)}`);
  }
  const filtered = typeof filters === "function" ? undefined : filtersOf(model, schema, filters);
  return withoutNil({
    filters: andOf(filtersOf(model, schema, where), filtered),
    fields: fieldsOf(select),
    sort: orderBy === undefined || orderBy === null ? undefined : sortOf(model, schema, orderBy),
    populate: populateOf(model, schema, populate),
    limit,
    start: offset,
    _q,
  });
}

const numberOf = (value: unknown): number | undefined =>
  value === undefined || value === null || Number.isNaN(Number(value)) ? undefined : Number(value);

/** Zero means unlimited, as in the reference. */
const limitOf = (limit: number | undefined): number | undefined =>
  limit === undefined || limit < 1 ? undefined : limit;

export const pageOf = (offset: unknown, limit: unknown): { start: number; limit: number | undefined } => ({
  start: numberOf(offset) ?? 0,
  limit: limitOf(numberOf(limit)),
});
