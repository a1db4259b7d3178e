/** Converts values of an export to their stored form. */
import { validationError } from "../../lib/errors.ts";
import type { ScalarType, SqlValue } from "./attribute-type.ts";

/** Throws a ValidationError for a value that cannot be stored. */
export function restoreValue(type: ScalarType, value: unknown): SqlValue {
  if (value === null || value === undefined) return null;
  if (type.restore) return type.restore(value);
  if (typeof value === "string" || typeof value === "number") return value;
  if (typeof value === "boolean") return Number(value);
  throw validationError(`is not a valid ${type.name} but ${Array.isArray(value) ? "a list" : "an object"}`);
}
