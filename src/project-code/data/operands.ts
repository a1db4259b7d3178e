/**
 * Values of conditions as code writes them, in the form of requests: dates are strings, and `undefined` is what the reference's
 * columns make of it, which refuse it or compare with something that is rarely there.
 */
import { isRecord } from "../../query/key-check.ts";
import { type Attribute, type Model, type Schema, targetOf } from "../../schema/model.ts";

/** Operators whose operand is converted to the type of the column. */
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
  throw new Error(message);
};

/** What `undefined` is to columns; to those of other types it is an empty string. */
const undefinedIn: Readonly<Record<string, (name: string) => unknown>> = {
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

function undefinedOf(name: string, attribute: Attribute | undefined): unknown {
  if (name === "documentId") return "";
  if (attribute?.kind !== "scalar") return refused(name);
  const convert = undefinedIn[attribute.type.name];
  return convert ? convert(name) : "";
}

/** Conditions on the rows of a schema; throws for operands that no row could be compared with. */
export function conditions(model: Model, schema: Schema | undefined, given: unknown): unknown {
  if (Array.isArray(given)) return given.map((item) => conditions(model, schema, item));
  if (given instanceof Date) return given.toISOString();
  if (!isRecord(given)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => {
      if (key.startsWith("$")) return [key, conditions(model, schema, value)];
      const attribute = schema?.attributes.get(key);
      const isOfRows = attribute !== undefined && attribute.kind !== "scalar" && isRecord(value);
      return [
        key,
        isOfRows
          ? conditions(model, targetOf(model, attribute), withPresence(value))
          : operand(key, attribute, value, true),
      ];
    }),
  );
}

/** "not null" of a relation: there is a target. */
const withPresence = ({ $not: negated, ...value }: Readonly<Record<string, unknown>>): unknown =>
  negated === null ? { ...value, $notNull: true } : negated === undefined ? value : { ...value, $not: negated };

/** Whether conditions go through a relation or component, at any place. */
export function joins(schema: Schema, given: unknown): boolean {
  if (Array.isArray(given)) return given.some((item) => joins(schema, item));
  if (!isRecord(given)) return false;
  return Object.entries(given).some(([key, value]) =>
    key.startsWith("$") ? joins(schema, value) : (schema.attributes.get(key)?.kind ?? "scalar") !== "scalar",
  );
}

function operand(name: string, attribute: Attribute | undefined, value: unknown, converts: boolean): unknown {
  if (value === undefined) return converts ? undefinedOf(name, attribute) : "undefined";
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((item) => operand(name, attribute, item, converts));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([operator, inner]) => [
      operator,
      // both ask whether there is a value; without an answer, the opposite
      operator === "$null" || operator === "$notNull"
        ? (inner ?? false)
        : operand(name, attribute, inner, CONVERTING.has(operator)),
    ]),
  );
}
