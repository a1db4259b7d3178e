/** A text, or a list as one text; undefined for other values. */
export const textOf = (value: unknown): string | undefined =>
  Array.isArray(value) ? value.map(String).join(", ") : typeof value === "string" ? value : undefined;
