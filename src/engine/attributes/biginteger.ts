/** An integer of up to 64 bits, returned as a string to keep all digits. */
import { toText } from "../../lib/coerce.ts";
import { OperandError, validationError } from "../../lib/errors.ts";
import type { Rule, ScalarType, SqlValue } from "./attribute-type.ts";
import { numberOptions } from "./number-rules.ts";

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

/** Digits without leading zeros or plus; undefined for values that are not integers of 64 bits. */
function toDigits(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isInteger(value) ? toDigits(BigInt(value)) : undefined;
  if (typeof value === "bigint") return value >= MIN && value <= MAX ? String(value) : undefined;
  if (typeof value !== "string" || value.length > 100 || !/^[+-]?\d+$/.test(value.trim())) return undefined;
  return toDigits(BigInt(value.trim().replace(/^\+/, "")));
}

/**
 * Strapi rounds exported values, which may then exceed 64 bits. As a string, SQLite would round them again. A blob is
 * stored unchanged, compares greater than every number, and is read as its digits.
 */
function restore(value: unknown): SqlValue {
  const text = toDigits(value);
  if (text !== undefined) return BigInt(text);
  if (typeof value !== "string" && typeof value !== "number") throw validationError("is not a valid biginteger");
  return Buffer.from(String(value)) as unknown as SqlValue;
}

const integerRule: Rule = (value: unknown, _definition, { path }) =>
  toDigits(value) === undefined ? `${path} must be a valid integer` : undefined;

export const biginteger: ScalarType = {
  name: "biginteger",
  column: { affinity: "INTEGER", read: (column) => `CAST(${column} AS TEXT)` },
  cast: (value) => toDigits(value) ?? value,
  rules: [integerRule],
  store: (value) => (value === null ? null : BigInt(value as string)),
  restore,
  operand: (value, attribute): SqlValue => {
    if (value === null) return null;
    const text = toDigits(value);
    if (text === undefined) {
      const message = `Invalid value for ${attribute}: expected a whole number`;
      throw new OperandError(message, `Expected a valid BigInteger, got ${toText(value)}`);
    }
    return BigInt(text);
  },
  search: "number",
  graphqlName: "Long",
  options: numberOptions,
};
