/** Parses the `filters` parameter to a condition. */

import { ApiError, invalidKeyError, validationError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { isTrue } from "../attributes/boolean.ts";
import type { SqlValue } from "../attributes/index.ts";
import { textOperand } from "../attributes/text-rules.ts";
import { type Attribute, findTarget, type Model, type Schema } from "../schema/model.ts";
import { type ComparisonName, comparisons, isComparison, isGroup, isOperator, type Operator } from "./operators.ts";
import {
  allOf,
  type Condition,
  type Field,
  ID,
  idFields,
  isIdKey,
  type JoinableAttribute,
  joinPath,
  type Operand,
} from "./tree.ts";

/** The maximum number of values in a list. */
export const MAX_LIST = 1000;
/** The maximum length of a search string, in characters: a search may take the product of both lengths. */
export const MAX_TEXT = 1_000;

/** An unknown operator of an attribute. GraphQL reports it as an internal error, as Strapi does. */
export class AttributeOperatorError extends ApiError {
  readonly operator: string;
  /** Where it stands. */
  readonly path: string;

  constructor(operator: string, path: string) {
    super("ValidationError", `Undefined attribute level operator ${operator}`);
    this.operator = operator;
    this.path = path;
  }
}

function findField(schema: Schema, key: string): Field | undefined {
  if (isIdKey(key)) {
    if (key === "documentId" && schema.modelType === "component") throw validationError(`Invalid key ${key}`);
    return idFields[key];
  }
  const attribute = schema.attributes.get(key);
  if (attribute?.kind !== "scalar") return undefined;
  return { name: key, column: attribute.column, type: attribute.type };
}

function cast(field: Field, value: unknown): SqlValue {
  if (isRecord(value) && field.type?.name !== "json") throw validationError(`Invalid value for ${field.name}`);
  if (field.type) return field.type.operand(value, field.name);
  if (typeof value === "number" || value === null) return value;
  // ids are integers in the database; any other string matches nothing
  if (field === ID)
    return typeof value === "string" && /^\d{1,15}$/.test(value.trim())
      ? Number(value)
      : textOperand(value, field.name);
  return textOperand(value, field.name);
}

function parseList(field: Field, operator: string, value: unknown): readonly unknown[] {
  // nested lists are flattened, and an object equals nothing, as in Strapi
  const list = (Array.isArray(value) ? value : [value])
    .flat(Number.POSITIVE_INFINITY)
    .filter((item) => !isRecord(item) || !Array.isArray(value) || field.type?.name === "json");
  if (list.length > MAX_LIST) {
    throw validationError(`${operator} at ${field.name} takes at most ${MAX_LIST} values, not ${list.length}`);
  }
  return list;
}

const compare = (field: Field, operator: ComparisonName, operand: Operand): Condition => ({
  kind: "compare",
  field,
  operator,
  operand,
});

/** Neither true nor false in SQL, so that it does not hold below `$not`, either. */
const unknown = (field: Field): Condition => compare(field, "$in", [null]);

/** The condition for one operand of a `value` or `text` operator. Null tests for null if the operator has `withNull`. */
function readSingle(field: Field, name: ComparisonName, operator: Operator, value: unknown): Condition {
  if (value === null || value === undefined) {
    if (operator.withNull) return compare(field, "$null", operator.withNull === "is");
    return operator.takes === "text" ? compare(field, name, "null") : unknown(field);
  }
  if (operator.takes === "value") {
    const operand = cast(field, value);
    return operand === null ? readSingle(field, name, operator, null) : compare(field, name, operand);
  }
  if (isRecord(value)) throw validationError(`Invalid value for ${field.name}`);
  const text = textOperand(value, field.name);
  if (text === null) return unknown(field);
  if (String(text).length > MAX_TEXT) {
    throw validationError(`${name} at ${field.name} takes at most ${MAX_TEXT} characters`);
  }
  return compare(field, name, text);
}

const readers: Record<Operator["takes"], (field: Field, name: ComparisonName, value: unknown) => Condition> = {
  truth: (field, name, value) => compare(field, name, isRecord(value) || isTrue(value)),
  list: (field, name, value) => {
    // an explicit null is kept: in SQL nothing equals it, and nothing differs from it
    const list = parseList(field, name, value).map((item) => ({ item, operand: cast(field, item) }));
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
  value: (field, name, value) => readAny(field, name, value),
  text: (field, name, value) => readAny(field, name, value),
};

/** A list for an operator of one value means any of them. */
function readAny(field: Field, name: ComparisonName, value: unknown): Condition {
  const operator = comparisons[name];
  if (!Array.isArray(value)) return readSingle(field, name, operator, value);
  return { kind: "any", of: parseList(field, name, value).map((item) => readSingle(field, name, operator, item)) };
}

/** Strapi removes keys that are neither attributes nor operators, and then operands that are empty. */
const isIgnored = (schema: Schema, operand: unknown): boolean =>
  isRecord(operand) &&
  Object.entries(operand).every(([key, inner]) =>
    isOperator(key) ? isIgnored(schema, inner) : !schema.attributes.has(key) && !isIdKey(key),
  );

const isListOfRecords = (value: unknown): value is readonly Record<string, unknown>[] =>
  Array.isArray(value) && value.length > 0 && value.every(isRecord);

function readComparisons(schema: Schema, field: Field, value: unknown, path: string): Condition | undefined {
  if (value === null || value === undefined) return compare(field, "$null", true);
  if (Array.isArray(value)) return readers.list(field, "$in", value);
  if (!isRecord(value)) return readSingle(field, "$eq", comparisons.$eq, value);
  const conditions: Condition[] = [];
  for (const [key, operand] of Object.entries(value)) {
    if (key === "$not") {
      const inner = isListOfRecords(operand)
        ? allOf(
            operand.map((member) => readComparisons(schema, field, member, path)).filter((each) => each !== undefined),
          )
        : readComparisons(schema, field, operand, path);
      if (inner) conditions.push({ kind: "not", of: inner });
      continue;
    }
    const takes = isComparison(key) ? comparisons[key].takes : undefined;
    if (isRecord(operand) && Object.keys(operand).length === 0) continue;
    if (isOperator(key) && takes !== "truth" && isIgnored(schema, operand)) continue;
    if (takes === undefined) throw new AttributeOperatorError(key, path);
    conditions.push(readers[takes](field, key as ComparisonName, operand));
  }
  return allOf(conditions);
}

interface Reader {
  readonly model: Model;
  /** Unknown keys are ignored instead of refused. */
  readonly ignoresUnknown: boolean;
  /** The relations and components on the way to the filters. */
  readonly path: string | null;
}

function readRelated(
  reader: Reader,
  attribute: JoinableAttribute,
  target: Schema,
  value: unknown,
): Condition | undefined {
  const related = (of: Condition | undefined): Condition | undefined =>
    of && { kind: "related", attribute, target, of };
  const path = joinPath(reader.path, attribute.name);
  if (!isRecord(value)) return related(readComparisons(target, ID, value, path));
  const keys = Object.keys(value);
  const operators = keys.filter(isOperator);
  if (
    operators.length === 0 ||
    (operators.length === 1 && keys.length === 1 && (keys[0] === "$and" || keys[0] === "$or"))
  ) {
    // Strapi does not check keys behind relations to several types and to creators, and ignores unknown ones
    const isUnchecked =
      attribute.kind === "relation" && (attribute.link.polymorphic || attribute.virtual === "creator");
    return related(read({ ...reader, path, ignoresUnknown: isUnchecked || reader.ignoresUnknown }, target, value));
  }
  if (operators.length !== keys.length) {
    throw validationError(`Operators and attributes cannot be mixed at ${attribute.name}`);
  }
  if (operators.length > 1)
    throw validationError(`Only one operator is allowed at ${attribute.name}, but found: ${operators}`);
  if (isGroup(operators[0]!)) throw validationError(`${operators[0]} cannot stand at ${attribute.name}`);
  return related(readComparisons(target, ID, value, path));
}

const isJoinable = (attribute: Attribute): attribute is JoinableAttribute =>
  attribute.kind === "relation" || attribute.kind === "media" || attribute.kind === "component";

/** A member of a group: an object, or a list, which is an `$and` of its members, at any depth. */
function readMember(reader: Reader, schema: Schema, member: unknown): Condition | undefined {
  return Array.isArray(member) ? allOf(readMembers(reader, schema, member)) : read(reader, schema, member);
}

const readMembers = (reader: Reader, schema: Schema, members: readonly unknown[]): Condition[] =>
  members.map((member) => readMember(reader, schema, member)).filter((condition) => condition !== undefined);

function readGroup(reader: Reader, schema: Schema, key: "$and" | "$or", value: unknown): Condition | undefined {
  if (isIgnored(schema, value)) return undefined;
  if (!Array.isArray(value)) throw validationError(`${key} takes a list`);
  if (value.length > MAX_LIST) throw validationError(`${key} takes at most ${MAX_LIST} entries`);
  const of = readMembers(reader, schema, value);
  return of.length === 0 ? undefined : { kind: key === "$and" ? "all" : "any", of };
}

function readNot(reader: Reader, schema: Schema, value: unknown): Condition | undefined {
  if (value === null || value === undefined) return undefined;
  const list = Array.isArray(value) ? value : [value];
  if (!list.every((member) => isRecord(member) || Array.isArray(member)))
    throw validationError("$not takes an object or a list");
  const of = allOf(readMembers(reader, schema, list));
  return of && { kind: "not", of };
}

function readKey(reader: Reader, schema: Schema, key: string, value: unknown): Condition | undefined {
  if (key === "$and" || key === "$or") return readGroup(reader, schema, key, value);
  if (key === "$not") return readNot(reader, schema, value);
  if (isComparison(key)) {
    if (comparisons[key].takes !== "truth" && isIgnored(schema, value)) return undefined;
    throw validationError(`${key} needs an attribute`);
  }
  const field = findField(schema, key);
  if (field) return readComparisons(schema, field, value, joinPath(reader.path, key));
  const attribute = schema.attributes.get(key);
  const target = attribute && findTarget(reader.model, attribute);
  if (attribute && target && isJoinable(attribute)) return readRelated(reader, attribute, target, value);
  if (reader.ignoresUnknown) return undefined;
  throw invalidKeyError({ key, path: attribute ? joinPath(reader.path, key) : reader.path });
}

/** Throws a ValidationError for filters that are not an object. */
export function checkFilterShape(filters: unknown): asserts filters is Record<string, unknown> {
  if (!isRecord(filters)) throw validationError("The filters parameter must be an object or an array");
}

function read(reader: Reader, schema: Schema, filters: unknown): Condition | undefined {
  checkFilterShape(filters);
  const conditions = Object.entries(filters).map(([key, value]) => readKey(reader, schema, key, value));
  return allOf(conditions.filter((condition) => condition !== undefined));
}

/** Expects filters that `checkParams` has accepted. Throws a ValidationError for operands that do not fit. */
export function readFilters(model: Model, schema: Schema, filters: unknown): Condition | undefined {
  if (filters === undefined || filters === null) return undefined;
  const reader: Reader = { model, ignoresUnknown: false, path: null };
  if (!Array.isArray(filters)) return read(reader, schema, filters);
  // a list of empty filters is empty; Strapi fails for any other list (500)
  if (filters.every((item) => isRecord(item) && read(reader, schema, item) === undefined)) return undefined;
  throw validationError("Filters that are a list belong into $and or $or");
}
