/** Values of enumerations as names in GraphQL, made as the reference makes them. */
import type slugify from "@sindresorhus/slugify";

/** Other scripts are transliterated: "Привет" is `Privet`. May begin with a digit. */
export function slugOf(value: string): string {
  // most values are words, and the table of other scripts is large
  if (/^[A-Za-z0-9]+$/.test(value)) return value;
  const slug = require("@sindresorhus/slugify") as typeof slugify;
  return slug(value, { decamelize: false, lowercase: false, separator: "_" });
}

export const isEnumName = (name: string): boolean => /^[_A-Za-z][_0-9A-Za-z]*$/.test(name);

/** What would be no name even then gets an underscore in front. */
export function enumValueName(value: string): string {
  const name = slugOf(value);
  return isEnumName(name) && !["true", "false", "null"].includes(name) ? name : `_${name}`;
}
