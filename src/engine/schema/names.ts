/** Case conversions of names, with Strapi's rules for splitting words. */
import { isKebabCase } from "../../lib/kebab-case.ts";

export const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Names in which lodash finds other words: with ordinals, and with other characters than ASCII has. */
const UNUSUAL = /\d(?:st|nd|rd|th)|[^ -~]|'/i;

/** Words also begin at capitals and digits: `page2s` is `Page2S`, `i18n` is `I18N`. Loads lodash for unusual names. */
export function pascalCase(name: string): string {
  if (UNUSUAL.test(name)) {
    const { camelCase } = require("lodash") as { camelCase: (text: string) => string };
    return upperFirst(camelCase(name));
  }
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
  return words.map((word) => upperFirst(word.toLowerCase())).join("");
}

/** A name of letters in camel case, of which each capital begins a word. */
const CAMEL_CASE = /^[a-z]+(?:[A-Z][a-z]+)*$/;

/** Strapi's name of an attribute's column, by which names are compared. Loads lodash for names with anything but letters. */
export const snakeCase = (name: string): string =>
  CAMEL_CASE.test(name)
    ? name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)
    : (require("lodash") as { snakeCase: (text: string) => string }).snakeCase(name);

/** The name of a folder or file in uids. */
export const kebabCase = (name: string): string => (isKebabCase(name) ? name : snakeCase(name).replaceAll("_", "-"));
