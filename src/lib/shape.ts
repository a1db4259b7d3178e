/**
 * Validates structured input (blocks, bodies of other endpoints than documents) with Strapi's messages: first the type, then
 * membership, then the tests in order, then nested values. All problems are collected.
 */

import { tryParseJson } from "./coerce.ts";
import { byDepth, measureDepth } from "./depth.ts";
import { type Problem, problemsError } from "./errors.ts";
import { isRecord } from "./is-record.ts";
import { typeMessage } from "./print-value.ts";

export type Test = (value: never, path: string) => string | undefined;

export interface Shape {
  /** A `strapiID` is the id of a row: a string or an integer. */
  readonly type: "string" | "number" | "boolean" | "array" | "object" | "mixed" | "strapiID";
  readonly required?: boolean;
  /** Null has the type. Where `oneOf` lists values, it is refused all the same. */
  readonly nullable?: boolean;
  /** Validate a missing object as an empty one. */
  readonly emptyIfMissing?: boolean;
  /** Do not cast: "5" is not a number. */
  readonly strict?: boolean;
  readonly oneOf?: readonly unknown[];
  /** The value must equal that of a sibling field. */
  readonly sameAs?: { readonly field: string; readonly message: string };
  /** Refuse unknown keys. */
  readonly exact?: boolean;
  /** Run on values that are neither undefined nor null. */
  readonly tests?: readonly Test[];
  /** The message for a missing value, instead of "P is a required field". */
  readonly missing?: (path: string) => string;
  readonly fields?: Readonly<Record<string, Shape>>;
  readonly item?: (value: unknown) => Shape;
}

const typeTests: Record<Shape["type"], (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number" && !Number.isNaN(value),
  boolean: (value) => typeof value === "boolean",
  array: Array.isArray,
  object: isRecord,
  mixed: () => true,
  strapiID: (value) => typeof value === "string" || (Number.isInteger(value) && (value as number) >= 0),
};

/** Parses JSON; null for invalid JSON, and for another type. */
const parseOr = (text: string, fits: (value: unknown) => boolean): unknown => {
  const value = tryParseJson(text);
  return fits(value) ? value : null;
};

const casts: Record<Shape["type"], (value: unknown) => unknown> = {
  string: (value) => (typeof value === "number" || typeof value === "boolean" ? String(value) : value),
  number: (value) => (typeof value === "string" ? (value.trim() === "" ? Number.NaN : Number(value)) : value),
  boolean: (value) => {
    if (/^(true|1)$/i.test(String(value))) return true;
    return /^(false|0)$/i.test(String(value)) ? false : value;
  },
  array: (value) => (typeof value === "string" ? parseOr(value, Array.isArray) : null),
  object: (value) => (typeof value === "string" ? parseOr(value, isRecord) : null),
  mixed: (value) => value,
  strapiID: (value) => value,
};

/** Casts values of another type where possible; null becomes NaN where a number is expected. */
function castTo({ type, nullable }: Shape, input: unknown): unknown {
  if (input === undefined || typeTests[type](input)) return input;
  if (input === null) return type === "number" && !nullable ? Number.NaN : null;
  return casts[type](input);
}

/** Labels the root of a body, which has no path. */
const label = (path: string): string => path || "this";

/** Validates a value, adds to `problems`, and returns the cast value. */
export function checkShape(shape: Shape, raw: unknown, path: string, problems: Problem[]): unknown {
  const input = raw === undefined && shape.emptyIfMissing ? {} : raw;
  const fits = typeTests[shape.type];
  const value = shape.strict ? input : castTo(shape, input);
  const report = (message: string): void => void problems.push({ path, message, value });
  if (value !== undefined) {
    const isTyped = fits(value) || (value === null && shape.nullable === true);
    const isMember = shape.oneOf?.includes(value) ?? true;
    if (!isTyped) report(typeMessage(label(path), shape.type, value, input));
    if (!isMember) report(`${label(path)} must be one of the following values: ${shape.oneOf?.join(", ")}`);
    if (!isTyped || !isMember) return value;
  }
  const empty = value === undefined || value === null;
  for (const test of empty ? [] : (shape.tests ?? [])) {
    const message = test(value as never, label(path));
    if (message !== undefined) report(message);
  }
  if (shape.required && (empty || (value === "" && shape.type !== "strapiID"))) {
    report(shape.missing?.(label(path)) ?? `${label(path)} is a required field`);
  }
  if (shape.fields && isRecord(value)) {
    const cast = checkFields(shape.fields, value, path, problems);
    const unknown = shape.exact ? Object.keys(value).filter((key) => !Object.hasOwn(shape.fields!, key)) : [];
    if (unknown.length > 0) report(`${label(path)} field has unspecified keys: ${unknown.join(", ")}`);
    return cast;
  }
  if (shape.item && Array.isArray(value)) {
    const itemProblems: { depth: number; problems: Problem[] }[] = [];
    const items = value.map((item, index) => {
      const problemsInside: Problem[] = [];
      const kind = shape.item!(item);
      const checked = checkShape(kind, item, `${path}[${index}]`, problemsInside);
      itemProblems.push({ depth: kind.type === "mixed" ? 0 : measureDepth(item), problems: problemsInside });
      return checked;
    });
    for (const problem of byDepth(itemProblems)) problems.push(problem);
    return items;
  }
  return value;
}

/** Values of a wrong type are reported for their type, not here. */
const differs = (shape: Shape, value: unknown, other: unknown): boolean =>
  value !== undefined && typeTests[shape.type](value) && value !== other;

/** Validates a body; a missing one is an empty object. Throws one ValidationError with all problems. */
export function checkBody(shape: Shape, body: unknown): Record<string, unknown> {
  const problems: Problem[] = [];
  const value = checkShape(shape, body ?? {}, "", problems);
  if (problems.length > 0) throw problemsError(problems);
  return value as Record<string, unknown>;
}

function checkFields(
  fields: Readonly<Record<string, Shape>>,
  value: Record<string, unknown>,
  path: string,
  problems: Problem[],
): Record<string, unknown> {
  const out = { ...value };
  for (const [name, field] of Object.entries(fields)) {
    const fieldPath = path === "" ? name : `${path}.${name}`;
    if (field.sameAs && differs(field, value[name], value[field.sameAs.field])) {
      problems.push({ path: fieldPath, message: field.sameAs.message, value: value[name] });
      continue;
    }
    const cast = checkShape(field, value[name], fieldPath, problems);
    if (cast !== undefined) out[name] = cast;
  }
  return out;
}

/** Tests of texts and lists. */
export const minCharacters =
  (min: number): Test =>
  (value: string, path) =>
    value.length < min ? `${path} must be at least ${min} characters` : undefined;
export const maxCharacters =
  (max: number): Test =>
  (value: string, path) =>
    value.length > max ? `${path} must be at most ${max} characters` : undefined;
export const notEmpty = minCharacters(1);
export const hasItems: Test = (list: readonly unknown[], path) =>
  list.length === 0 ? `${path} field must have at least 1 items` : undefined;
