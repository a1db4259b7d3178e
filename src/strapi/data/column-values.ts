/**
 * Converts values for columns as Strapi's database does: it stores what a document's validation would refuse, such as
 * objects as text.
 */
import type { ScalarType } from "../../engine/attributes/attribute-type.ts";
import { isTrue } from "../../engine/attributes/boolean.ts";
import type { Schema } from "../../engine/schema/model.ts";
import { ApiError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { errors } from "../packages/database-errors.ts";

type Convert = (value: unknown) => unknown;

/** The text of a value, as lodash's `toString`: of lists, that of their items. */
function toText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(toText).join(",");
  return Object.is(value, -0) ? "-0" : String(value);
}

function parseNumber(value: unknown): number {
  const isNumeric = typeof value === "number" || (typeof value === "string" && value.trim() !== "");
  const number = isNumeric ? Number(value) : Number.NaN;
  if (!Number.isFinite(number)) throw new Error(`Expected a valid Number, got ${toText(value)}`);
  return number;
}

function parseDigits(value: unknown): string {
  const text = typeof value === "string" ? value.trim() : value;
  const isWhole = typeof text === "bigint" || Number.isInteger(text);
  if (!isWhole && !(typeof text === "string" && /^[+-]?\d+$/.test(text)))
    throw new Error(`Expected a valid BigInteger, got ${toText(value)}`);
  const digits = BigInt(text as string | number | bigint);
  if (BigInt.asIntN(64, digits) !== digits) throw new Error(`Expected a valid BigInteger, got ${toText(value)}`);
  return digits.toString();
}

/** By attribute type. Others are cast as in a document, or converted where they are stored. */
const conversions: Readonly<Record<string, Convert>> = {
  string: toText,
  text: toText,
  richtext: toText,
  email: toText,
  uid: toText,
  enumeration: toText,
  password: toText,
  integer: parseNumber,
  float: parseNumber,
  decimal: parseNumber,
  biginteger: parseDigits,
  boolean: isTrue,
};

/** The errors about invalid times. */
const formatErrors: Readonly<Record<string, typeof errors.InvalidDateError>> = {
  date: errors.InvalidDateError,
  datetime: errors.InvalidDateTimeError,
  timestamp: errors.InvalidDateTimeError,
  time: errors.InvalidTimeError,
};

function checkFormat(type: ScalarType, value: unknown, FormatError: typeof errors.InvalidDateError): void {
  try {
    type.store(value);
  } catch (error) {
    if (error instanceof ApiError) throw new FormatError(error.message);
    throw error;
  }
}

/** Converts the scalar values of data that hooks may have changed. Throws an Error for one that its column cannot store. */
export function convertScalars(type: Schema, data: unknown): void {
  if (!isRecord(data)) return;
  for (const [name, value] of Object.entries(data)) {
    const attribute = type.attributes.get(name);
    if (attribute?.kind !== "scalar" || attribute.system) continue;
    const converted = columnValue(attribute.type, value);
    if (!Object.is(converted, value)) data[name] = converted;
  }
}

/** Throws an Error for a value that the column cannot store. */
export function columnValue(type: ScalarType, value: unknown): unknown {
  const { name, cast } = type;
  if (value === null || value === undefined) return value;
  const convert = Object.hasOwn(conversions, name) ? conversions[name] : cast;
  const converted = convert ? convert(value) : value;
  const format = formatErrors[name];
  if (format !== undefined) checkFormat(type, converted, format);
  return converted;
}
