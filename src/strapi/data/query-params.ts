/** Reads conditions, sort keys and names in parameters of `strapi.db.query`. Throws the errors of Strapi's database. */

import { readFilters } from "../../engine/query/filters.ts";
import { readSort } from "../../engine/query/list-params.ts";
import { isOperator } from "../../engine/query/operators.ts";
import type { Condition, SortKey } from "../../engine/query/tree.ts";
import { type Attribute, findTarget, type Model, type Schema } from "../../engine/schema/model.ts";
import { snakeCase } from "../../engine/schema/names.ts";
import { ApiError, OperandError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { noSuchColumn } from "../packages/database-errors.ts";
import { conditions } from "./operands.ts";

/** Columns that are not attributes. */
const COLUMNS: ReadonlySet<string> = new Set(["id", "documentId"]);

const isColumn = (schema: Schema, name: string): boolean =>
  name === "id" || (name === "documentId" && schema.modelType === "contentType");

/** Parameters of Strapi's database are no client errors. */
function asDatabaseError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new Error(error instanceof OperandError ? error.columnMessage : error.message, { cause: error });
  }
}

/** By Strapi's name of the column. The name as it is where no attribute has such a column. */
function attributeOfColumn({ attributes }: Schema, column: string): string {
  if (column === "document_id") return "documentId";
  const found = attributes
    .values()
    .find((attribute) => attribute.kind === "scalar" && snakeCase(attribute.name) === column);
  return found?.name ?? column;
}

const isPlain = (value: unknown): boolean => !isRecord(value) || value instanceof Date;

/** Relations compare with ids. */
function ofRelation(model: Model, attribute: Attribute, value: unknown): unknown {
  const target = findTarget(model, attribute);
  if (!isRecord(value) || !target) return value;
  const { $not: negated, ...others } = value;
  const isNegatedId = negated !== undefined && negated !== null && isPlain(negated);
  const own = ofAttributes(model, target, isNegatedId ? others : value);
  return isNegatedId ? { $and: [own, { id: { $not: negated } }] } : own;
}

/** Conditions on columns as those on their attributes. */
function ofAttributes(model: Model, schema: Schema, where: unknown): unknown {
  if (Array.isArray(where)) return where.map((item) => ofAttributes(model, schema, item));
  if (isPlain(where)) return where;
  const entries = Object.entries(where as Record<string, unknown>);
  return Object.fromEntries(entries.flatMap(([key, value]) => ofEntry(model, schema, where as object, key, value)));
}

function ofEntry(model: Model, schema: Schema, where: object, key: string, value: unknown): [string, unknown][] {
  const isList = key === "$and" || key === "$or";
  if (isList && !Array.isArray(value)) throw new Error(`Operator ${key} must be an array`);
  if (isList || key === "$not") return [[key, ofAttributes(model, schema, value)]];
  if (isOperator(key)) return [[key, value]];
  const name = schema.attributes.has(key) ? key : attributeOfColumn(schema, key);
  const attribute = schema.attributes.get(name);
  if (!attribute && !isColumn(schema, name)) throw noSuchColumn(key);
  if (attribute?.kind === "zone") throw new Error("You cannot filter on relation types");
  if (isRecord(value) && "$jsonSupersetOf" in value)
    throw new Error("Json superset where clause not actually supported by SQLite");
  const own = attribute && attribute.kind !== "scalar" ? ofRelation(model, attribute, value) : value;
  return [[name !== key && name in where ? key : name, own]];
}

/** Of `where`, or of `filters`. */
function parseCondition(model: Model, schema: Schema, where: unknown): Condition | undefined {
  if (where === undefined || where === null) return undefined;
  if (!isRecord(where)) throw new Error("Where must be an object");
  const own = ofAttributes(model, schema, where);
  return asDatabaseError(() => readFilters(model, schema, conditions(model, schema, own)));
}

/** Both hold. `filters` may be a function of the type, such as that of `queryParams` for a status. */
export function parseWhere(model: Model, schema: Schema, where: unknown, filters: unknown): Condition | undefined {
  const one = parseCondition(model, schema, where);
  const { uid } = schema;
  const other = parseCondition(
    model,
    schema,
    typeof filters === "function" ? filters({ uid, meta: { uid } }) : filters,
  );
  return one && other ? { kind: "all", of: [one, other] } : (one ?? other);
}

/** Sort keys as nested objects. An invalid direction means ascending. */
function parseOrder(model: Model, schema: Schema, orderBy: unknown): unknown[] {
  if (Array.isArray(orderBy)) return orderBy.flatMap((entry) => parseOrder(model, schema, entry));
  if (typeof orderBy !== "string" && !isRecord(orderBy)) throw new Error("Invalid orderBy syntax");
  const keys: [string, unknown][] = typeof orderBy === "string" ? [[orderBy, "asc"]] : Object.entries(orderBy);
  return keys.flatMap(([name, value]) => {
    if (COLUMNS.has(name)) return [{ [name]: parseDirection(value) }];
    const attribute = schema.attributes.get(name);
    if (!attribute) throw new Error(`Attribute ${name} not found on model ${schema.uid}`);
    if (attribute.kind === "scalar") return [{ [name]: parseDirection(value) }];
    const target = findTarget(model, attribute);
    if (!target) throw new Error(`You cannot order on ${attribute.kind} types`);
    return parseOrder(model, target, value).map((inner) => ({ [name]: inner }));
  });
}

const parseDirection = (value: unknown): string => (/^desc$/i.test(String(value)) ? "desc" : "asc");

export function parseSort(model: Model, schema: Schema, orderBy: unknown): readonly SortKey[] {
  if (orderBy === undefined || orderBy === null) return [];
  const own = parseOrder(model, schema, orderBy);
  return asDatabaseError(() => readSort(model, schema, own));
}

/** The selected names; undefined for all columns. */
export function selectedNames(select: unknown): readonly string[] | undefined {
  const list = typeof select === "string" ? [select] : select;
  if (!Array.isArray(list) || list.length === 0 || list.includes("*")) return undefined;
  return list.map(String);
}

/** The selected attributes and ids. Throws an Error for a name that is not a column. */
export function selectedColumns(schema: Schema, select: unknown): readonly string[] | undefined {
  return selectedNames(select)?.map((given) => {
    const name = schema.attributes.has(given) ? given : attributeOfColumn(schema, given);
    if (isColumn(schema, name) || schema.attributes.get(name)?.kind === "scalar") return name;
    throw noSuchColumn(given);
  });
}

const parseNumber = (value: unknown): number | undefined =>
  value === undefined || value === null || Number.isNaN(Number(value)) ? undefined : Math.trunc(Number(value));

/** Zero means unlimited, as in Strapi. */
const toLimit = (limit: number | undefined): number | undefined =>
  limit === undefined || limit < 1 ? undefined : limit;

export const parsePage = (offset: unknown, limit: unknown): { start: number; limit: number | undefined } => ({
  start: Math.max(0, parseNumber(offset) ?? 0),
  limit: toLimit(parseNumber(limit)),
});
