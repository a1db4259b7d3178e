/** Case conversions of names, with Strapi's rules for splitting words. */
import { isKebabCase } from "../../lib/kebab-case.ts";

export const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A name or uid in Pascal case: `api::my-tag.my-tag` is `ApiMyTagMyTag`. */
export const pascalCase = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map(upperFirst)
    .join("");

/** A name of letters in camel case, of which each capital begins a word. */
const CAMEL_CASE = /^[a-z]+(?:[A-Z][a-z]+)*$/;

/** Strapi's name of an attribute's column, by which names are compared. Loads lodash for names with anything but letters. */
export const snakeCase = (name: string): string =>
  CAMEL_CASE.test(name)
    ? name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)
    : (require("lodash") as { snakeCase: (text: string) => string }).snakeCase(name);

/** The name of a folder or file in uids. */
export const kebabCase = (name: string): string => (isKebabCase(name) ? name : snakeCase(name).replaceAll("_", "-"));
