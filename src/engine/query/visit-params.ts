/**
 * Visits the keys of `filters` and `sort`, for checks, which throw, and for sanitizers, which remove: both see the same keys. An answer
 * applies to a key and everything below it.
 */
import { isRecord } from "../../lib/is-record.ts";
import { type Attribute, hasVersions, type Model, type Schema, targetOf } from "../schema/model.ts";
import { joinPath, type KeyAccess, KeyCheck } from "./key-check.ts";
import { isMeaningful, isOrder } from "./list-params.ts";
import { isOperator } from "./operators.ts";
import { isIdKey } from "./tree.ts";

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
export type Visit = (visited: Visited) => "visit" | "keep" | "remove";

export const isEmptied = (value: unknown): boolean =>
  value === undefined || (isRecord(value) && Object.keys(value).length === 0);

/** Maps the values of an object, and removes those for which `keep` returns undefined. */
export function mapEntries(value: object, keep: (name: string, inner: unknown) => unknown): Record<string, unknown> {
  const kept = Object.entries(value).map(([name, inner]) => [name, keep(name, inner)] as const);
  return Object.fromEntries(kept.filter(([, inner]) => inner !== undefined));
}

/** Whether an object contains conditions, rather than being an operand itself. */
const isFilterLike = (value: Record<string, unknown>, schema: Schema): boolean =>
  Object.keys(value).some((key) => isOperator(key) || schema.attributes.has(key));

/** What is left of filters. */
export function visitFilters(
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
    const target = isScalar ? schema : targetOf(model, attribute);
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

const isEmpty = (value: unknown): boolean =>
  isEmptied(value) || value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** What is left of `sort`; undefined: nothing. */
export function visitSort(
  model: Model,
  schema: Schema,
  sort: unknown,
  visit: Visit,
  path: string | null = null,
): unknown {
  /** The value that is left, in a list; undefined: the key is removed. */
  const visitKey = (key: string, value: unknown): readonly [unknown] | undefined => {
    const attribute = schema.attributes.get(key);
    const answer = visit({ schema, key, attribute, value, path, isInOperand: false });
    if (answer === "remove") return undefined;
    if (answer === "keep" || attribute?.kind === "scalar") return [value];
    const target = attribute ? targetOf(model, attribute) : schema;
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

/** Throws "Invalid key" for the first key that is unknown or hidden from the caller. */
export function checkFilters(model: Model, schema: Schema, filters: unknown, ...access: KeyAccess): void {
  const keys = new KeyCheck(...access);
  visitFilters(model, schema, filters, ({ schema, key, attribute, path }) => {
    if (!attribute) {
      if (!isIdKey(key) && !isOperator(key)) keys.report("unknown", { key, path });
      return "visit";
    }
    keys.attribute(schema, attribute, joinPath(path, key));
    return isBehindMorph(attribute) ? "keep" : "visit";
  });
  keys.finish("filters");
}

/** Strapi does not check keys behind relations to several types. */
const isBehindMorph = (attribute: Attribute): boolean => attribute.kind === "relation" && attribute.link.polymorphic;

/** Throws "Invalid key" for the first key that is unknown, cannot be sorted by, or is hidden from the caller. */
export function checkSort(model: Model, schema: Schema, sort: unknown, ...access: KeyAccess): void {
  const keys = new KeyCheck(...access);
  visitSort(model, schema, sort, ({ schema, key, attribute, value, path }) => {
    if (isIdKey(key)) return "keep";
    if (!attribute) {
      const isStatus = key === "status" && hasVersions(schema);
      if (!isStatus) keys.report("unknown", { key, path });
      else if (isEmpty(value)) keys.report("empty", { key, path });
      return "keep";
    }
    const here = joinPath(path, key);
    keys.attribute(schema, attribute, here);
    if (attribute.kind !== "scalar" && isEmpty(value)) keys.report("empty", { key, path: here });
    return isBehindMorph(attribute) ? "keep" : "visit";
  });
  keys.finish("sort");
}
