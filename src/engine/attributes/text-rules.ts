/** Rules and options of the text types. */
import { isStorable, unstorable } from "../../lib/coerce.ts";
import { validationError } from "../../lib/errors.ts";
import type { AttributeDefinition, Rule, ScalarType, SqlValue } from "./attribute-type.ts";

const wholeNumber = (value: unknown): value is number => Number.isInteger(value);

export const minLength: Rule = (value: string, definition, { path, draft }) => {
  const min = definition.minLength;
  if (draft || !wholeNumber(min) || min === 0 || value.length >= min) return undefined;
  return `${path} must be at least ${min} characters`;
};

/** `limit`: the default maximum. */
export const maxLength =
  (limit?: number): Rule =>
  (value: string, definition, { path }) => {
    const max = wholeNumber(definition.maxLength) ? definition.maxLength : limit;
    if (!max || value.length <= max) return undefined;
    return `${path} must be at most ${max} characters`;
  };

/** An empty string is valid unless the attribute is required. */
export const regex: Rule = (value: string, definition, { path, draft }) => {
  if (draft || typeof definition.regex !== "string" || (value === "" && !definition.required)) return undefined;
  return matchesSchema(definition.regex, value, path);
};

const mismatch = (pattern: RegExp, path: string): string => `${path} must match the following: "${pattern}"`;

/** For built-in patterns. */
export const matches = (pattern: RegExp, value: string, path: string): string | undefined =>
  pattern.test(value) ? undefined : mismatch(pattern, path);

/** For patterns of schemas, which may take exponential time on untrusted values (see `patterns/pattern.ts`). */
export function matchesSchema(source: string, value: string, path: string): string | undefined {
  const { compilePattern } = require("./patterns/pattern.ts") as typeof import("./patterns/pattern.ts");
  const outcome = compilePattern(source).test(value);
  if (outcome === undefined) return `${path} takes too long to be compared with "${new RegExp(source)}"`;
  return outcome ? undefined : mismatch(new RegExp(source), path);
}

const stringType = { name: "string", is: (value: unknown) => typeof value === "string" };

/** Strings that cannot be stored are refused. */
const storableRule: Rule = (value: string, _definition, { path }) => unstorable(value, path);

export function textOperand(value: unknown, attribute: string): SqlValue {
  if (value === null) return null;
  const operand = typeof value === "object" ? JSON.stringify(value) : String(value);
  if (!isStorable(operand)) throw validationError(`Invalid value for ${attribute}`);
  return operand;
}

type TextType = Pick<ScalarType, "column" | "expects" | "store" | "operand" | "search" | "rules" | "graphqlName">;

/** The common part of all text types. */
export const textType = (defaultMaximum?: number): TextType => ({
  column: { affinity: "TEXT" },
  expects: stringType,
  rules: [storableRule, minLength, maxLength(defaultMaximum), regex],
  store: (value) => value as string | null,
  operand: textOperand,
  search: "text",
  graphqlName: "String",
});

export const textOptions: ScalarType["options"] = (t) => ({
  minLength: t.Optional(t.Integer({ minimum: 0 })),
  maxLength: t.Optional(t.Integer({ minimum: 0 })),
  regex: t.Optional(t.String()),
  default: t.Optional(t.Union([t.String(), t.Null()])),
});

export type { AttributeDefinition };
