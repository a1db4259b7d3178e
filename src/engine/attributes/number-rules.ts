/** Casting, limits and operands of the number types. */
import { toText } from "../../lib/coerce.ts";
import { OperandError } from "../../lib/errors.ts";
import type { Rule, ScalarType, SqlValue } from "./attribute-type.ts";

export const numberType = {
  name: "number",
  is: (value: unknown) => typeof value === "number" && !Number.isNaN(value),
};

/** Casts numeric strings, ignoring whitespace. Other values become NaN, which the type check refuses. */
export function castNumber(value: unknown): unknown {
  if (typeof value === "number" || value === null) return value;
  if (typeof value === "string") {
    const digits = value.replace(/\s/g, "");
    return digits === "" ? Number.NaN : Number(digits);
  }
  // a list is the number that its string form begins with
  return Array.isArray(value) ? Number.parseFloat(toText(value)) : Number.NaN;
}

function toLimit(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

export const minimum =
  (read: (value: number) => number = (value) => value): Rule =>
  (value: number, definition, { path, draft }) => {
    const limitValue = toLimit(definition.min);
    if (draft || limitValue === undefined || value >= read(limitValue)) return undefined;
    return `${path} must be greater than or equal to ${read(limitValue)}`;
  };

export const maximum =
  (read: (value: number) => number = (value) => value): Rule =>
  (value: number, definition, { path }) => {
    const limitValue = toLimit(definition.max);
    if (limitValue === undefined || value <= read(limitValue)) return undefined;
    return `${path} must be less than or equal to ${read(limitValue)}`;
  };

export function numberOperand(value: unknown, attribute: string): SqlValue {
  if (value === null) return null;
  const text = typeof value === "string" ? value.trim() : value;
  const number = typeof text === "number" || (typeof text === "string" && text !== "") ? Number(text) : Number.NaN;
  if (!Number.isFinite(number)) {
    const message = `Invalid value for ${attribute}: expected a number`;
    throw new OperandError(message, `Expected a valid Number, got ${toText(value)}`);
  }
  return number;
}

/** A column of numbers keeps text that is not one. */
export function loadNumber(stored: SqlValue): SqlValue {
  if (typeof stored === "number" || stored === null) return stored;
  throw new Error("a number is not stored as text");
}

export const numberOptions: ScalarType["options"] = (t) => ({
  min: t.Optional(t.Union([t.Number(), t.String(), t.Null()])),
  max: t.Optional(t.Union([t.Number(), t.String(), t.Null()])),
  default: t.Optional(t.Union([t.Number(), t.String(), t.Null()])),
});

const finiteRule: Rule = (value: number, _definition, { path }) =>
  Number.isFinite(value) ? undefined : `${path} must be a finite number`;

/** The type of decimals and floats. */
export const fractionType = (name: string): ScalarType => ({
  name,
  column: { affinity: "REAL" },
  expects: numberType,
  cast: castNumber,
  rules: [finiteRule, minimum(), maximum()],
  store: (value) => value as number | null,
  load: loadNumber,
  operand: numberOperand,
  search: "number",
  graphqlName: "Float",
  options: numberOptions,
});
