/** Sample texts, chosen by the name of an attribute, which is more specific than its type. */
import { upperFirst } from "../../engine/schema/names.ts";
import type { Random } from "./random.ts";
import * as words from "./words.ts";

const LISTS: Readonly<Record<string, readonly string[]>> = {
  adjective: words.ADJECTIVES,
  noun: words.NOUNS,
  place: words.PLACES,
  verb: words.VERBS,
};

const fillTemplate = (random: Random, pattern: string): string => {
  const words = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => random.pick(LISTS[name]!));
  return upperFirst(words.replaceAll(/\b(a) (?=[aeiou])/gi, "$1n "));
};

export const title = (random: Random): string => fillTemplate(random, random.pick(words.TITLES));
const sentence = (random: Random): string => fillTemplate(random, random.pick(words.SENTENCES));
export const sentences = (random: Random, min: number, max: number): string =>
  random
    .sample(words.SENTENCES, random.between(min, max))
    .map((pattern) => fillTemplate(random, pattern))
    .join(" ");
const personName = (random: Random): string => `${random.pick(words.FIRST_NAMES)} ${random.pick(words.LAST_NAMES)}`;
const label = (random: Random): string => `${random.pick(words.ADJECTIVES)} ${random.pick(words.NOUNS)}`;
export const slug = (text: string): string =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, "-")
    .replaceAll(/^-|-$/g, "");
export const email = (random: Random): string => `${slug(personName(random)).replace("-", ".")}@example.com`;
const url = (random: Random): string => `https://example.com/${slug(label(random))}`;
const digits = (random: Random, count: number): string =>
  Array.from({ length: count }, () => random.between(0, 9)).join("");

/** Types whose documents are people. */
const PEOPLE =
  /author|person|people|member|employee|user|writer|editor|customer|contact|speaker|artist|teacher|student|staff/i;

/** By words in an attribute's name; the first matching row is used. */
const byName: readonly (readonly [name: RegExp, make: (random: Random, owner: string) => string])[] = [
  [/e-?mail/i, email],
  [/phone|mobile|fax/i, (random) => `+00 ${digits(random, 3)} ${digits(random, 6)}`],
  [/first_?name|given_?name/i, (random) => random.pick(words.FIRST_NAMES)],
  [/last_?name|family_?name|surname/i, (random) => random.pick(words.LAST_NAMES)],
  [/user_?name|nick|handle/i, (random) => slug(personName(random))],
  [/author|editor|by_?line|full_?name|person|speaker|contact/i, personName],
  [/company|organi[sz]ation|publisher|brand|employer/i, (random) => random.pick(words.COMPANIES)],
  [/job|position|profession|role/i, (random) => upperFirst(random.pick(words.JOBS))],
  [/city|town/i, (random) => random.pick(words.CITIES)],
  [/country|nation/i, (random) => random.pick(words.COUNTRIES)],
  [/street|address/i, (random) => `${random.between(1, 180)} ${random.pick(words.STREETS)}`],
  [/zip|postal|post_?code/i, (random) => digits(random, 5)],
  [/url|link|href|website|homepage/i, url],
  [/colou?r/i, (random) => random.pick(words.COLOURS)],
  [
    /sku|isbn|code|reference|number/i,
    (random) => `${random.pick(words.NOUNS).slice(0, 3).toUpperCase()}-${digits(random, 4)}`,
  ],
  [/slug|path|key|identifier|icon/i, (random) => slug(label(random))],
  [/^(name|title)$/i, (random, owner) => (PEOPLE.test(owner) ? personName(random) : title(random))],
  [/title|headline|heading|subject|name/i, title],
  [/label|tag|category|caption|alt|button|cta/i, (random) => upperFirst(label(random))],
  [
    /summary|excerpt|description|teaser|lead|abstract|intro|bio|about|note|comment/i,
    (random) => sentences(random, 1, 2),
  ],
  [/body|content|text|story|article|quote/i, (random) => sentences(random, 2, 4)],
];

/** `owner`: the name of the type or component that has the attribute. */
export function textFor(random: Random, name: string, owner: string): string {
  const [, make] = byName.find(([pattern]) => pattern.test(name)) ?? [];
  return make ? make(random, owner) : upperFirst(label(random));
}

/** Fits a text to length limits: truncated between words if possible, and extended if it is too short. */
export function fitLength(random: Random, text: string, min: number, max: number): string {
  let long = text;
  while (long.length < min) long += ` ${sentence(random)}`;
  if (long.length <= max) return long;
  const cut = long.slice(0, max + 1);
  const end = cut.lastIndexOf(" ");
  return (end >= Math.max(1, min) ? cut.slice(0, end) : long.slice(0, max)).replace(/[\s,;:]+$/, "").padEnd(min, "a");
}
