/**
 * Visits the keys of `filters`, `sort` and `fields`, for checks, which throw, and for sanitizers, which remove: both see the same keys. An
 * answer applies to a key and everything below it.
 */
import { isRecord } from "../../lib/is-record.ts";
import { type Attribute, findTarget, type Model, type Schema } from "../schema/model.ts";
import { isMeaningful, isOrder } from "./list-params.ts";
import { isOperator } from "./operators.ts";
import { isIdKey, joinPath } from "./tree.ts";

export interface Visited {
  readonly schema: Schema;
  readonly key: string;
  readonly attribute: Attribute | undefined;
  readonly value: unknown;
  /** The attributes on the way to the key. */
  readonly path: string | null;
  /** The key is part of the operand of a scalar attribute. */
  readonly isInOperand: boolean;
}

/** `keep`: what is below the key is not visited. */
export type Answer = "visit" | "keep" | "remove";
export type Visit = (visited: Visited) => Answer;

export const isEmptied = (value: unknown): boolean =>
  value === undefined || (isRecord(value) && Object.keys(value).length === 0);

/** Maps the values of an object, and removes those for which `keep` returns undefined. */
export function mapEntries(value: object, keep: (name: string, inner: unknown) => unknown): Record<string, unknown> {
  const kept: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(value)) {
    const left = keep(name, inner);
    if (left !== undefined) kept.push([name, left]);
  }
  return Object.fromEntries(kept);
}

/** Whether an object contains conditions, rather than being an operand itself. */
const isFilterLike = (value: Record<string, unknown>, schema: Schema): boolean =>
  Object.keys(value).some((key) => isOperator(key) || schema.attributes.has(key));

/** What is left of filters. */
function visitFilters(
  model: Model,
  schema: Schema,
  filters: unknown,
  visit: Visit,
  path: string | null = null,
  isInOperand = false,
): unknown {
  if (Array.isArray(filters)) {
    const left = filters.map((item) => visitFilters(model, schema, item, visit, path, isInOperand));
    return left.filter((item) => !isEmptied(item));
  }
  if (!isRecord(filters)) return filters;
  return mapEntries(filters, (key, value) => {
    const attribute = schema.attributes.get(key);
    const answer = visit({ schema, key, attribute, value, path, isInOperand });
    if (answer === "remove") return undefined;
    if (answer === "keep" || value === null || value === undefined) return value;
    if (!attribute) {
      const isOperand = isOperator(key) && key !== "$not" && isRecord(value) && !isFilterLike(value, schema);
      return isOperand ? value : visitFilters(model, schema, value, visit, path, isInOperand);
    }
    const here = joinPath(path, key);
    const isScalar = attribute.kind === "scalar";
    // below a scalar attribute, Strapi expects attributes of the same type
    const target = isScalar ? schema : findTarget(model, attribute);
    if (!target || (isScalar && !isRecord(value))) return value;
    const left = visitFilters(model, target, value, visit, here, isScalar);
    return isEmptied(left) ? undefined : left;
  });
}

/** The first step of a path, and the rest with the direction in the form that Strapi checks. */
function splitFirst(text: string): { key: string | undefined; rest: string | undefined } {
  const [key, ...rest] = text
    .trim()
    .split(".")
    .flatMap((part) => part.split(":"));
  let left = "";
  for (const part of rest) {
    if (part === "") continue;
    if (left === "") left = part;
    else left += isOrder(part) ? `:${part}` : `.${part}`;
  }
  return { key: key === "" ? undefined : key, rest: rest.length > 0 ? left : undefined };
}

export const isEmpty = (value: unknown): boolean =>
  isEmptied(value) || value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** What is left of `sort`; undefined: nothing. */
function visitSort(model: Model, schema: Schema, sort: unknown, visit: Visit, path: string | null = null): unknown {
  /** The value that is left, in a list; undefined: the key is removed. */
  const visitKey = (key: string, value: unknown): readonly [unknown] | undefined => {
    const attribute = schema.attributes.get(key);
    const answer = visit({ schema, key, attribute, value, path, isInOperand: false });
    if (answer === "remove") return undefined;
    if (answer === "keep" || attribute?.kind === "scalar") return [value];
    const target = attribute ? findTarget(model, attribute) : schema;
    const left = target && visitSort(model, target, value, visit, attribute ? joinPath(path, key) : path);
    return isEmpty(left) ? undefined : [left];
  };
  if (typeof sort === "string") {
    const terms = sort.split(",");
    if (terms.length > 1)
      return terms.filter((term) => visitSort(model, schema, term, visit, path) !== undefined).join(",") || undefined;
    const { key, rest } = splitFirst(sort);
    return key !== undefined && visitKey(key, rest) ? sort : undefined;
  }
  if (typeof sort !== "object" || sort === null) return sort;
  if (!Array.isArray(sort)) return mapEntries(sort, (key, value) => visitKey(key, value)?.[0]);
  if (!isMeaningful(sort)) return [];
  const left =
    sort.every((item) => typeof item === "string") || sort.every(isRecord)
      ? sort.map((item) => visitSort(model, schema, item, visit, path))
      : sort.map((item, index) => visitKey(String(index), item)?.[0]);
  return left.filter((item) => !isEmptied(item));
}

/** Whether a key of `fields` is valid for every schema. */
export const isAnyField = (key: string): boolean => key === "*" || isIdKey(key);

/** What is left of `fields`; undefined: nothing. A list in one string becomes a list. */
function visitFields(model: Model, schema: Schema, fields: unknown, visit: Visit): unknown {
  if (typeof fields === "string" && fields.includes(",")) return visitFields(model, schema, fields.split(","), visit);
  const visitOne = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.flatMap((inner) => visitOne(inner) ?? []);
    // a list in a list, which `readFields` refuses
    if (typeof item !== "string" || item.includes(",")) return item;
    const key = item.trim();
    const attribute = schema.attributes.get(key);
    const answer = visit({ schema, key, attribute, value: undefined, path: null, isInOperand: false });
    return answer === "remove" ? undefined : item;
  };
  return visitOne(fields);
}

/** What is left of each parameter. */
export const visits = { filters: visitFilters, sort: visitSort, fields: visitFields };
export const isVisited = (name: string): name is keyof typeof visits => Object.hasOwn(visits, name);
