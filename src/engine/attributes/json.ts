/** Any JSON value. A string that is valid JSON is parsed. */

import { tryParseJson } from "../../lib/coerce.ts";
import { MAX_DEPTH, measureDepth } from "../../lib/depth.ts";
import { validationError } from "../../lib/errors.ts";
import type { Rule, ScalarType, SqlValue } from "./attribute-type.ts";

const depthRule: Rule = (value: unknown, _definition, { path }) =>
  measureDepth(value) > MAX_DEPTH ? `${path} must not be nested deeper than ${MAX_DEPTH} levels` : undefined;

export const isJson = (text: string): boolean => tryParseJson(text) !== undefined;

function toJson(value: unknown): SqlValue {
  if (value === null || value === undefined) return null;
  // as Strapi's SQLite stores it
  if (typeof value === "boolean") return String(Number(value));
  return typeof value === "string" && isJson(value) ? value : JSON.stringify(value);
}

/** Stores a value without parsing strings. Throws a ValidationError for a value that is nested too deep. */
export function restoreJson(value: unknown): SqlValue {
  if (measureDepth(value) > MAX_DEPTH) throw validationError(`is nested deeper than ${MAX_DEPTH} levels`);
  return JSON.stringify(value);
}

export function fromJson(stored: SqlValue): unknown {
  if (stored === null) return null;
  if (typeof stored !== "string") throw new Error("JSON is stored as text");
  return JSON.parse(stored);
}

export const json: ScalarType = {
  name: "json",
  ignoresUnique: true,
  column: { affinity: "TEXT" },
  isLong: true,
  rules: [depthRule],
  store: toJson,
  restore: restoreJson,
  load: fromJson,
  operand: (value, attribute) => {
    if (measureDepth(value) > MAX_DEPTH) throw validationError(`Invalid value for ${attribute}`);
    return toJson(value);
  },
  graphqlName: "JSON",
  options: (t) => ({ default: t.Optional(t.Unknown()) }),
};
