/** The type of a value, as Strapi's messages name it. */
export function typeName(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return value === null ? "null" : typeof value;
}
