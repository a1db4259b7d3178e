/** A string, or a list joined to a string; undefined for other values. */
export const readText = (value: unknown): string | undefined =>
  Array.isArray(value) ? value.map(String).join(", ") : typeof value === "string" ? value : undefined;
