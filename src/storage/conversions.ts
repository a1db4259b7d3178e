/** How stored values change when a schema gives an attribute another type. A value that does not convert answers undefined. */
import { type ScalarTypeName, type SqlValue, scalarTypes } from "../attributes/index.ts";

const texts = new Set([
  "string",
  "text",
  "richtext",
  "email",
  "uid",
  "enumeration",
  "password",
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

/** Converts by the rules that hold when a client writes the value: what it could write converts. */
export function convert(stored: SqlValue, from: string, to: string): SqlValue | undefined {
  if (stored === null) return null;
  const type = scalarTypes[to as ScalarTypeName];
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
