/** Recognizes values that are the same after they were JSON. */

const MAX_DEPTH = 32;

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** Whether JSON shows the value as it is. In values of code, there may be undefined, big integers, dates or functions. */
export function isJson(value: unknown, depth = 0): boolean {
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object") return typeof value === "string" || typeof value === "boolean";
  if (value === null) return true;
  if (depth === MAX_DEPTH || "toJSON" in value) return false;
  const inner: unknown[] = Object.values(value);
  if (Array.isArray(value) ? inner.length !== value.length : !isPlain(value)) return false;
  for (const item of inner) if (!isJson(item, depth + 1)) return false;
  return true;
}
