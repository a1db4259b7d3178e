/** Converts values of enumerations to GraphQL names, by Strapi's rules. */
import type slugify from "@sindresorhus/slugify";

/** Transliterates other scripts ("Привет" becomes `Privet`) and joins words with underscores. May begin with a digit. */
export function toSlug(value: string): string {
  // fast path that avoids loading the large transliteration table
  if (/^[A-Za-z0-9]+$/.test(value)) return value;
  const slug = require("@sindresorhus/slugify") as typeof slugify;
  return slug(value, { decamelize: false, lowercase: false, separator: "_" });
}

/** Whether a name can be that of a field: names with two underscores in front are those of introspection. */
export const isFieldName = (name: string): boolean => isGraphqlName(name) && !name.startsWith("__");

/** Whether a name can be one in GraphQL. */
export const isGraphqlName = (name: string): boolean => /^[_A-Za-z][_0-9A-Za-z]*$/.test(name);

/** The GraphQL name of a value. Adds an underscore in front if the slug is not a valid name. */
export function enumValueName(value: string): string {
  const name = toSlug(value);
  return isGraphqlName(name) && !["true", "false", "null"].includes(name) ? name : `_${name}`;
}
