/** Quotes an identifier for SQL. Values are never quoted, but bound. */
export const quote = (identifier: string): string => `"${identifier.replaceAll('"', '""').replaceAll("\0", "")}"`;
