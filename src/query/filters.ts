/** The `filters` parameter: its keys are checked first, then it becomes a condition. */

import { isTrue } from "../attributes/boolean.ts";
import type { SqlValue } from "../attributes/index.ts";
import { textOperand } from "../attributes/text-rules.ts";
import { ApiError, validationError } from "../errors.ts";
import { type Attribute, type Model, type Schema, targetOf } from "../schema/model.ts";
import { isRecord, joinPath, KeyCheck } from "./key-check.ts";
import { type ComparisonName, comparisons, isComparison, isGroup, isOperator, type Operator } from "./operators.ts";
import {
  allOf,
  type CanRead,
  type Condition,
  DOCUMENT_ID,
  type Field,
  ID,
  type JoinableAttribute,
  type Operand,
} from "./tree.ts";

/** Longest list that a condition takes; longer ones are refused. */
export const MAX_LIST = 1000;
/** Longest text that a condition looks for; SQLite's patterns end at 50,000 bytes. */
const MAX_TEXT = 10_000;

const ids: Readonly<Record<string, Field>> = { id: ID, documentId: DOCUMENT_ID };
const isId = (key: string): boolean => Object.hasOwn(ids, key);

/** An object that holds conditions, rather than an operand that happens to be an object. */
/** An operator that no attribute has. GraphQL tells it as a fault of the server's, as the reference does. */
export class AttributeOperatorError extends ApiError {
  constructor(operator: string) {
    super("ValidationError", `Undefined attribute level operator ${operator}`);
  }
}

const isFilterLike = (value: Record<string, unknown>, schema: Schema): boolean =>
  Object.keys(value).some((key) => isOperator(key) || schema.attributes.has(key));

function check(model: Model, keys: KeyCheck, value: unknown, schema: Schema, path: string | null): void {
  if (Array.isArray(value)) {
    for (const item of value) check(model, keys, item, schema, path);
    return;
  }
  if (!isRecord(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    const attribute = schema.attributes.get(key);
    if (attribute) {
      const here = joinPath(path, key);
      keys.attribute(schema, attribute, here);
      if (inner === null || inner === undefined) continue;
      if (attribute.kind === "scalar") {
        // the reference looks for attributes of the same type below a scalar one, whatever that means
        if (isRecord(inner)) check(model, keys, inner, schema, here);
        continue;
      }
      const target =
        attribute.kind === "relation" && attribute.link.polymorphic ? undefined : targetOf(model, attribute);
      if (target) check(model, keys, inner, target, here);
      continue;
    }
    if (!isId(key) && !isOperator(key)) keys.report("unknown", { key, path });
    if (isOperator(key) && key !== "$not" && isRecord(inner) && !isFilterLike(inner, schema)) continue;
    check(model, keys, inner, schema, path);
  }
}

/** Throws "Invalid key" for the first key that is unknown or not for this caller. */
export function checkFilters(model: Model, schema: Schema, filters: unknown, canRead: CanRead): void {
  const keys = new KeyCheck(canRead);
  check(model, keys, filters, schema, null);
  keys.finish("filters");
}

function fieldOf(schema: Schema, key: string): Field | undefined {
  if (isId(key)) {
    if (key === "documentId" && schema.modelType === "component") throw validationError(`Invalid key ${key}`);
    return ids[key];
  }
  const attribute = schema.attributes.get(key);
  if (attribute?.kind !== "scalar") return undefined;
  return { name: key, column: attribute.column, type: attribute.type };
}

function cast(field: Field, value: unknown): SqlValue {
  if (isRecord(value) && field.type?.name !== "json") throw validationError(`Invalid value for ${field.name}`);
  if (field.type) return field.type.operand(value, field.name);
  if (typeof value === "number" || value === null) return value;
  // ids are whole numbers in the database; a text that is none matches nothing
  if (field === ID)
    return typeof value === "string" && /^\d{1,15}$/.test(value.trim())
      ? Number(value)
      : textOperand(value, field.name);
  return textOperand(value, field.name);
}

function listOf(field: Field, operator: string, value: unknown): readonly unknown[] {
  const list = Array.isArray(value) ? value : [value];
  if (list.length > MAX_LIST) {
    throw validationError(`${operator} at ${field.name} takes at most ${MAX_LIST} values, not ${list.length}`);
  }
  return list;
}

const NEVER: Condition = { kind: "any", of: [] };

const compare = (field: Field, operator: ComparisonName, operand: Operand): Condition => ({
  kind: "compare",
  field,
  operator,
  operand,
});

/** What a single operand of a `value` or `text` operator means; null asks for null where the operator has an answer to that. */
function single(field: Field, name: ComparisonName, operator: Operator, value: unknown): Condition {
  if (value === null || value === undefined) {
    if (operator.withNull) return compare(field, "$null", operator.withNull === "is");
    return NEVER;
  }
  if (operator.takes === "value") {
    const operand = cast(field, value);
    return operand === null ? single(field, name, operator, null) : compare(field, name, operand);
  }
  if (isRecord(value)) throw validationError(`Invalid value for ${field.name}`);
  const text = textOperand(value, field.name);
  if (text === null) return NEVER;
  if (String(text).length > MAX_TEXT) {
    throw validationError(`${name} at ${field.name} takes at most ${MAX_TEXT} characters`);
  }
  return compare(field, name, text);
}

const readers: Record<Operator["takes"], (field: Field, name: ComparisonName, value: unknown) => Condition> = {
  truth: (field, name, value) => compare(field, name, isRecord(value) || isTrue(value)),
  list: (field, name, value) => {
    // a given null stays: nothing is known to be equal to it, or to differ from it
    const list = listOf(field, name, value).map((item) => ({ item, operand: cast(field, item) }));
    const kept = list.filter(({ item, operand }) => operand !== null || item === null);
    return compare(
      field,
      name,
      kept.map(({ operand }) => operand),
    );
  },
  pair: (field, name, value) => {
    if (!Array.isArray(value) || value.length !== 2)
      throw validationError(`${name} at ${field.name} takes a list of two values`);
    return compare(
      field,
      name,
      value.map((item) => cast(field, item)),
    );
  },
  value: (field, name, value) => anyOf(field, name, value),
  text: (field, name, value) => anyOf(field, name, value),
};

/** Operators for one value take a list as "any of them". */
function anyOf(field: Field, name: ComparisonName, value: unknown): Condition {
  const operator = comparisons[name];
  if (!Array.isArray(value)) return single(field, name, operator, value);
  return { kind: "any", of: listOf(field, name, value).map((item) => single(field, name, operator, item)) };
}

/** The reference takes keys away that are neither attributes nor operators, and then operands that have no others. */
const saysNothing = (schema: Schema, operand: unknown): boolean =>
  isRecord(operand) &&
  Object.entries(operand).every(([key, inner]) =>
    isOperator(key) ? saysNothing(schema, inner) : !schema.attributes.has(key) && !isId(key),
  );

function readComparisons(schema: Schema, field: Field, value: unknown): Condition | undefined {
  if (value === null || value === undefined) return compare(field, "$null", true);
  if (Array.isArray(value)) return readers.list(field, "$in", value);
  if (!isRecord(value)) return single(field, "$eq", comparisons.$eq, value);
  const conditions: Condition[] = [];
  for (const [key, operand] of Object.entries(value)) {
    if (key === "$not") {
      const inner = readComparisons(schema, field, operand);
      if (inner) conditions.push({ kind: "not", of: inner });
      continue;
    }
    const takes = isComparison(key) ? comparisons[key].takes : undefined;
    if (isRecord(operand) && Object.keys(operand).length === 0) continue;
    if (isOperator(key) && takes !== "truth" && saysNothing(schema, operand)) continue;
    if (takes === undefined) throw new AttributeOperatorError(key);
    conditions.push(readers[takes](field, key as ComparisonName, operand));
  }
  return allOf(conditions);
}

function readRelated(
  model: Model,
  attribute: JoinableAttribute,
  target: Schema,
  value: unknown,
): Condition | undefined {
  const related = (of: Condition | undefined): Condition | undefined =>
    of && { kind: "related", attribute, target, of };
  if (!isRecord(value)) return related(readComparisons(target, ID, value));
  const keys = Object.keys(value);
  const operators = keys.filter(isOperator);
  if (
    operators.length === 0 ||
    (operators.length === 1 && keys.length === 1 && (keys[0] === "$and" || keys[0] === "$or"))
  ) {
    return related(read(model, target, value));
  }
  if (operators.length !== keys.length) {
    throw validationError(`Operators and attributes cannot be mixed at ${attribute.name}`);
  }
  if (operators.length > 1)
    throw validationError(`Only one operator is allowed at ${attribute.name}, but found: ${operators}`);
  if (isGroup(operators[0]!)) throw validationError(`${operators[0]} cannot stand at ${attribute.name}`);
  return related(readComparisons(target, ID, value));
}

const isJoinable = (attribute: Attribute): attribute is JoinableAttribute =>
  attribute.kind === "relation" || attribute.kind === "media" || attribute.kind === "component";

function readKey(model: Model, schema: Schema, key: string, value: unknown): Condition | undefined {
  if (key === "$and" || key === "$or") {
    if (saysNothing(schema, value)) return undefined;
    if (!Array.isArray(value)) throw validationError(`${key} takes a list`);
    if (value.length > MAX_LIST) throw validationError(`${key} takes at most ${MAX_LIST} entries`);
    const of = value.map((item) => read(model, schema, item)).filter((item) => item !== undefined);
    return of.length === 0 ? undefined : { kind: key === "$and" ? "all" : "any", of };
  }
  if (key === "$not") {
    if (value === null || value === undefined) return undefined;
    const list = Array.isArray(value) ? value : [value];
    if (!list.every(isRecord)) throw validationError("$not takes an object");
    const of = allOf(list.map((item) => read(model, schema, item)).filter((item) => item !== undefined));
    return of && { kind: "not", of };
  }
  if (isComparison(key)) {
    if (comparisons[key].takes !== "truth" && saysNothing(schema, value)) return undefined;
    throw validationError(`${key} needs an attribute`);
  }
  const field = fieldOf(schema, key);
  if (field) return readComparisons(schema, field, value);
  const attribute = schema.attributes.get(key);
  if (!attribute || !isJoinable(attribute)) throw validationError(`Invalid key ${key}`);
  const target = targetOf(model, attribute);
  if (!target) throw validationError(`Invalid key ${key}`);
  return readRelated(model, attribute, target, value);
}

/** Throws a ValidationError for filters that cannot hold any. */
export function checkFilterShape(filters: unknown): asserts filters is Record<string, unknown> {
  if (!isRecord(filters)) throw validationError("The filters parameter must be an object or an array");
}

function read(model: Model, schema: Schema, filters: unknown): Condition | undefined {
  if (Array.isArray(filters)) {
    // one of entries that say nothing says nothing; the reference cannot use any other (500)
    if (filters.every((item) => isRecord(item) && read(model, schema, item) === undefined)) return undefined;
    throw validationError("Filters that are a list belong into $and or $or");
  }
  checkFilterShape(filters);
  const conditions = Object.entries(filters).map(([key, value]) => readKey(model, schema, key, value));
  return allOf(conditions.filter((condition) => condition !== undefined));
}

/** Expects filters that `checkFilters` has accepted. Throws a ValidationError for operands that do not fit. */
export function readFilters(model: Model, schema: Schema, filters: unknown): Condition | undefined {
  return filters === undefined || filters === null ? undefined : read(model, schema, filters);
}
