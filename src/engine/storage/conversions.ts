/**
 * Converts stored values when the type of an attribute changes. Values must have been selected by `readSql`; undefined is a
 * value that cannot be converted.
 */
import { type ScalarType, type ScalarTypeName, type SqlValue, scalarTypes } from "../attributes/index.ts";
import { quote } from "./sql.ts";

const findScalarType = (name: string): ScalarType => scalarTypes[name as ScalarTypeName];

const isJson = ({ graphqlName }: ScalarType): boolean => graphqlName === "JSON";
const isText = (type: ScalarType): boolean => type.column.affinity === "TEXT" && !isJson(type);

/** A stored value in the form that a client would send. Throws for one that cannot be read. */
const toPlain = (stored: SqlValue, from: ScalarType): unknown =>
  from.name === "boolean" || isJson(from) ? from.load!(stored) : stored;

/** The expression that selects a column without loss: integers of 64 bits as text. */
export const readSql = (column: string, type: string): string =>
  findScalarType(type).column.read?.(quote(column)) ?? quote(column);

/**
 * Converts by the rules for values from clients. Secrets are not converted, since their hashes would become visible, and
 * nothing is converted to a secret.
 */
export function convert(stored: SqlValue, from: string, to: string): SqlValue | undefined {
  if (stored === null) return null;
  const fromType = findScalarType(from);
  const type = findScalarType(to);
  if (fromType.isSecret !== type.isSecret) return undefined;
  let plain: unknown;
  try {
    plain = toPlain(stored, fromType);
  } catch {
    return undefined;
  }
  if (isText(type) && (typeof plain === "number" || typeof plain === "boolean" || typeof plain === "bigint"))
    return String(plain);
  if (isJson(fromType) && isText(type)) return typeof plain === "string" ? plain : JSON.stringify(plain);
  const value = type.cast?.(plain) ?? plain;
  if (type.expects && !type.expects.is(value)) return undefined;
  const at = { path: "", draft: true };
  if (type.rules?.some((rule) => rule(value as never, { type: to }, at) !== undefined)) return undefined;
  if (type.validateNested && type.validateNested(value, "").length > 0) return undefined;
  try {
    return type.store(value);
  } catch {
    // `store` checks the format of dates and times
    return undefined;
  }
}

/** Whether two stored values of one type are equal; integers may be numbers or strings. */
const isSame = (a: SqlValue, b: SqlValue): boolean => (a === null || b === null ? a === b : String(a) === String(b));

/** The value of an attribute for each type that it has had, by the type's name. */
export type TypedValues = ReadonlyMap<string, SqlValue>;

/**
 * The types whose values were converted, in any number of steps, to the current one, so that the attribute was not edited
 * since. A value that cannot be converted becomes null.
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
 * The value of an attribute after its type changes to `to`: its earlier value of that type, unless it was edited since; else
 * the converted current value; else a converted earlier value.
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
