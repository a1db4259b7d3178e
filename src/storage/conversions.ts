/**
 * How stored values change when a schema gives an attribute another type. Values are read as `readSql` selects them, and
 * undefined stands for a value that does not convert.
 */
import { type ScalarType, type ScalarTypeName, type SqlValue, scalarTypes } from "../attributes/index.ts";
import { quote } from "./quote.ts";

const texts = new Set([
  "string",
  "text",
  "richtext",
  "email",
  "uid",
  "enumeration",
  "date",
  "time",
  "datetime",
  "timestamp",
]);
const json = new Set(["json", "blocks"]);

/** The value as a client would send it, from the form in which it is stored. */
function toPlain(stored: SqlValue, from: string): unknown {
  if (from === "boolean") return stored === 1;
  if (json.has(from)) return JSON.parse(stored as string);
  return stored;
}

const typeOf = (name: string): ScalarType => scalarTypes[name as ScalarTypeName];

/** The expression that selects a column without loss: whole numbers of 64 bits as text. */
export const readSql = (column: string, type: string): string =>
  typeOf(type).column.read?.(quote(column)) ?? quote(column);

/**
 * Converts by the rules that hold when a client writes the value: what it could write converts. Secrets convert to
 * nothing, since their hashes would be served, and nothing converts to a secret.
 */
export function convert(stored: SqlValue, from: string, to: string): SqlValue | undefined {
  if (stored === null) return null;
  const type = typeOf(to);
  if (typeOf(from).secret !== type.secret) return undefined;
  const plain = toPlain(stored, from);
  if (texts.has(to) && (typeof plain === "number" || typeof plain === "boolean" || typeof plain === "bigint"))
    return String(plain);
  if (json.has(from) && texts.has(to)) return typeof plain === "string" ? plain : JSON.stringify(plain);
  const value = type.cast?.(plain) ?? plain;
  if (type.expects && !type.expects.is(value)) return undefined;
  const at = { path: "", draft: true };
  if (type.rules?.some((rule) => rule(value as never, { type: to }, at) !== undefined)) return undefined;
  if (type.inside && type.inside(value, "").length > 0) return undefined;
  try {
    return type.store(value);
  } catch {
    // the format shows only when it is stored: dates and times
    return undefined;
  }
}

/** Whether two stored values of one type are the same; they may differ in how a whole number is read. */
const isSame = (a: SqlValue, b: SqlValue): boolean => (a === null || b === null ? a === b : String(a) === String(b));

/** A value of each type that an attribute has had, by the type's name. */
export type TypedValues = ReadonlyMap<string, SqlValue>;

/**
 * The types whose values say the same as the current one: nobody has edited the attribute since it had them. One value
 * leads to another when it converts to it, over any number of steps; a value that does not convert leads to null.
 */
function unedited(values: TypedValues, current: string): string[] {
  const reached = [current];
  for (const to of reached) {
    for (const [from, value] of values) {
      if (value === null || reached.includes(from)) continue;
      if (isSame(convert(value, from, to) ?? null, values.get(to) ?? null)) reached.push(from);
    }
  }
  return reached;
}

/**
 * The value of an attribute that gets the type `to`: the value that it had with that type, unless it was edited since;
 * else what the current value converts to; else what an earlier value that was not edited converts to.
 */
export function changedValue(values: TypedValues, from: string, to: string): SqlValue | undefined {
  const current = values.get(from) ?? null;
  const earlier = values.get(to) ?? null;
  // most attributes have had one type only
  if (values.size === 1) return convert(current, from, to);
  const sources = unedited(values, from);
  if (earlier !== null && sources.includes(to)) return earlier;
  let converted: SqlValue | undefined;
  for (const type of sources) {
    converted = convert(values.get(type) ?? null, type, to);
    if (converted !== undefined && converted !== null) return converted;
  }
  return current === null ? null : undefined;
}
