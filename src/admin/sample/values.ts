/** Sample values: one row for each type of attribute. */
import type { ScalarTypeName } from "../../attributes/index.ts";
import type { ScalarAttribute } from "../../schema/model.ts";
import { textMatching } from "./from-pattern.ts";
import type { Random } from "./random.ts";
import { capitalized, email, fitted, sentences, slug, textFor, title } from "./texts.ts";
import { ADJECTIVES, NOUNS } from "./words.ts";

export interface ValuePlace {
  readonly random: Random;
  readonly attribute: ScalarAttribute;
  /** The name of the type or component that has the attribute. */
  readonly owner: string;
  /** What the document, or the entry, has so far. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Undefined: the attribute is left out. */
type Make = (place: ValuePlace) => unknown;

const DAY_MS = 24 * 60 * 60 * 1000;
/** A fixed date, so that a seed makes the same documents at any time. */
const FIRST_DAY = Date.UTC(2025, 0, 1);
const DAYS = 700;
const STRING_LENGTH = 255;
const LONGEST = 100_000;

const numberOr = (value: unknown, otherwise: number): number => {
  const number = value === undefined || value === null || value === "" ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : otherwise;
};

const lengthsOf = ({ definition }: ScalarAttribute, most: number): readonly [least: number, most: number] => [
  numberOr(definition.minLength, 0),
  numberOr(definition.maxLength, 0) || most,
];

/** Plausible ranges of numbers by attribute name. */
const RANGES: readonly (readonly [name: RegExp, least: number, most: number])[] = [
  [/year/i, 1990, 2026],
  [/rating|stars|score/i, 1, 5],
  [/minutes|duration/i, 3, 60],
  [/price|amount|cost|total/i, 5, 200],
  [/lat(itude)?$/i, -60, 60],
  [/(lng|lon|longitude)$/i, -180, 180],
  [/percent|progress/i, 0, 100],
  [/age$/i, 18, 80],
];

/** The plausible range for the name, within the attribute's own limits. */
function rangeOf({ name, definition }: ScalarAttribute): readonly [least: number, most: number] {
  const [, usualLeast, usualMost] = RANGES.find(([pattern]) => pattern.test(name)) ?? [undefined, 1, 100];
  const least = Math.max(usualLeast!, numberOr(definition.min, Number.NEGATIVE_INFINITY));
  const most = Math.min(usualMost!, numberOr(definition.max, Number.POSITIVE_INFINITY));
  if (least <= most) return [least, most];
  const span = usualMost! - usualLeast!;
  return least > usualMost!
    ? [least, numberOr(definition.max, least + span)]
    : [numberOr(definition.min, most - span), most];
}

const whole: Make = ({ random, attribute }) => {
  const [least, most] = rangeOf(attribute);
  return Math.ceil(least) > Math.floor(most) ? undefined : random.between(Math.ceil(least), Math.floor(most));
};

const fraction: Make = ({ random, attribute }) => {
  const [least, most] = rangeOf(attribute);
  const value = Math.round((least + random.next() * (most - least)) * 100) / 100;
  return Math.min(most, Math.max(least, value));
};

/** A string that matches the attribute's pattern, if it has one, and its length limits. */
const text =
  (make: Make, limit: number): Make =>
  (place) => {
    const { random, attribute } = place;
    const { regex } = attribute.definition;
    if (typeof regex === "string") return textMatching(random, regex);
    return fitted(random, String(make(place)), ...lengthsOf(attribute, limit));
  };

const instant = (random: Random): string =>
  new Date(FIRST_DAY + random.between(0, DAYS * 24 * 12) * 5 * 60 * 1000).toISOString();

const paragraph = (words: string): object => ({ type: "paragraph", children: [{ type: "text", text: words }] });

const uid: Make = ({ random, attribute, data }) => {
  const { targetField, regex } = attribute.definition;
  if (typeof regex === "string") return textMatching(random, regex);
  const source = typeof targetField === "string" ? data[targetField] : undefined;
  const [least, most] = lengthsOf(attribute, STRING_LENGTH);
  const value = slug(typeof source === "string" && slug(source) !== "" ? source : title(random));
  return value.slice(0, most).padEnd(least, "-a");
};

const makers: Readonly<Record<ScalarTypeName, Make>> = {
  string: text(({ random, attribute, owner }) => textFor(random, attribute.name, owner), STRING_LENGTH),
  text: text(({ random }) => sentences(random, 1, 2), LONGEST),
  richtext: text(
    ({ random }) => `## ${title(random)}\n\n${sentences(random, 2, 4)}\n\n${sentences(random, 1, 3)}`,
    LONGEST,
  ),
  blocks: ({ random }) => [
    { type: "heading", level: 2, children: [{ type: "text", text: title(random) }] },
    paragraph(sentences(random, 2, 4)),
    paragraph(sentences(random, 1, 3)),
  ],
  email: ({ random }) => email(random),
  // hashing takes long, and nobody would know it
  password: ({ random, attribute }) =>
    attribute.required
      ? text(
          () => `${random.pick(ADJECTIVES)}-${random.pick(NOUNS)}-${random.between(1000, 9999)}`,
          70,
        )({
          random,
          attribute,
          owner: "",
          data: {},
        })
      : undefined,
  uid,
  integer: whole,
  biginteger: (place) => {
    const value = whole(place);
    return value === undefined ? undefined : String(value);
  },
  float: fraction,
  decimal: fraction,
  boolean: ({ random }) => random.chance(0.5),
  date: ({ random }) => new Date(FIRST_DAY + random.between(0, DAYS) * DAY_MS).toISOString().slice(0, 10),
  time: ({ random }) =>
    `${String(random.between(7, 21)).padStart(2, "0")}:${random.pick(["00", "15", "30", "45"])}:00.000`,
  datetime: ({ random }) => instant(random),
  timestamp: ({ random }) => instant(random),
  json: ({ random }) => ({
    label: capitalized(random.pick(NOUNS)),
    count: random.between(1, 9),
    tags: random.some(ADJECTIVES, 2),
  }),
  enumeration: ({ random, attribute }) => {
    const { enum: values } = attribute.definition;
    return Array.isArray(values) && values.length > 0 ? random.pick(values) : undefined;
  },
};

export const valueFor: Make = (place) => makers[place.attribute.type.name as ScalarTypeName](place);
