/**
 * Converts values in conditions of code to those of requests: dates become strings, and `undefined` is handled as by Strapi's
 * columns, which refuse it or compare with another value.
 */

import { type Attribute, findTarget, type Model, type Schema } from "../../engine/schema/model.ts";
import { validationError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { mapValues } from "../../lib/records.ts";

/** Operators whose operands are converted to the type of the column. */
const CONVERTING: ReadonlySet<string> = new Set([
  "$not",
  "$in",
  "$notIn",
  "$eq",
  "$ne",
  "$gt",
  "$gte",
  "$lt",
  "$lte",
  "$between",
]);

const asNull = (): null => null;
const refused = (name: string): never => {
  throw new Error(`Undefined binding(s) detected when compiling WHERE. Undefined column(s): [t0.${name}]`);
};
const invalid = (message: string) => (): never => {
  throw validationError(message);
};

/** Converts `undefined` by column type. For other types it is an empty string. */
const undefinedByType: Readonly<Record<string, (name: string) => unknown>> = {
  boolean: asNull,
  json: asNull,
  blocks: asNull,
  integer: refused,
  biginteger: refused,
  float: refused,
  decimal: refused,
  date: invalid("Invalid format, expected yyyy-MM-dd"),
  datetime: invalid("Invalid format, expected a timestamp or an ISO date"),
  timestamp: invalid("Invalid format, expected a timestamp or an ISO date"),
  time: invalid("Expected a string, got a undefined"),
};

function convertUndefined(name: string, attribute: Attribute | undefined): unknown {
  if (name === "documentId") return "";
  if (attribute?.kind !== "scalar") return refused(name);
  const convert = undefinedByType[attribute.type.name];
  return convert ? convert(name) : "";
}

/** Converts conditions on rows of a schema. Throws for operands that cannot be compared. */
export function conditions(model: Model, schema: Schema | undefined, input: unknown): unknown {
  if (Array.isArray(input)) return input.map((item) => conditions(model, schema, item));
  if (input instanceof Date) return input.toISOString();
  if (!isRecord(input)) return input;
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => {
      if (key.startsWith("$")) return [key, conditions(model, schema, value)];
      const attribute = schema?.attributes.get(key);
      const isRelational = attribute !== undefined && attribute.kind !== "scalar" && isRecord(value);
      return [
        key,
        isRelational
          ? conditions(model, findTarget(model, attribute), withPresence(value))
          : operand(key, attribute, value, true),
      ];
    }),
  );
}

/** For relations, `$not: null` means `$notNull: true`. */
const withPresence = ({ $not: negated, ...value }: Readonly<Record<string, unknown>>): unknown =>
  negated === null ? { ...value, $notNull: true } : negated === undefined ? value : { ...value, $not: negated };

/** Whether any condition is on a relation or component, so that the query has a join. */
export function joins(schema: Schema, input: unknown): boolean {
  if (Array.isArray(input)) return input.some((item) => joins(schema, item));
  if (!isRecord(input)) return false;
  return Object.entries(input).some(([key, value]) =>
    key.startsWith("$") ? joins(schema, value) : (schema.attributes.get(key)?.kind ?? "scalar") !== "scalar",
  );
}

function operand(name: string, attribute: Attribute | undefined, value: unknown, converts: boolean): unknown {
  if (value === undefined) return converts ? convertUndefined(name, attribute) : "undefined";
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((item) => operand(name, attribute, item, converts));
  if (!isRecord(value)) return value;
  return mapValues(value, (inner, operator) =>
    operator === "$null" || operator === "$notNull"
      ? (inner ?? false)
      : operand(name, attribute, inner, CONVERTING.has(operator)),
  );
}
