/** Case conversions of names, with Strapi's rules for splitting words. */
import { isKebabCase } from "../../lib/kebab-case.ts";

/** The words of a name: split at other characters than letters and digits, and before capitals. */
export function words(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z\d]+/)
    .filter((word) => word !== "");
}

export const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const kebabCase = (name: string): string =>
  isKebabCase(name)
    ? name
    : words(name)
        .map((word) => word.toLowerCase())
        .join("-");

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
