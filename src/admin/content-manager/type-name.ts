/** The kind of a value, in the words of the reference's messages. */
export function typeName(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return value === null ? "null" : typeof value;
}
