/** Sample values: one row for each type of attribute. */

import type { ScalarTypeName } from "../../engine/attributes/index.ts";
import type { ScalarAttribute } from "../../engine/schema/model.ts";
import { upperFirst } from "../../engine/schema/names.ts";
import { stringMatching } from "./from-pattern.ts";
import type { Random } from "./random.ts";
import { email, fitLength, sentences, slug, textFor, title } from "./texts.ts";
import { ADJECTIVES, NOUNS } from "./words.ts";

export interface ValueContext {
  readonly random: Random;
  readonly attribute: ScalarAttribute;
  /** The name of the type or component that has the attribute. */
  readonly owner: string;
  /** The values generated so far for the document or entry. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Plausible values are taken: any that is allowed will do. */
  readonly isCrowded: boolean;
}

/** Undefined: the attribute is left out. */
type GenerateValue = (context: ValueContext) => unknown;

const DAY_MS = 24 * 60 * 60 * 1000;
/** A fixed date, so that a seed always yields the same documents. */
const FIRST_DAY = Date.UTC(2025, 0, 1);
const DAYS = 700;
const MANY_DAYS = 300_000;
const STRING_LENGTH = 255;
const LONGEST = 100_000;

const numberOr = (value: unknown, otherwise: number): number => {
  const number = value === undefined || value === null || value === "" ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : otherwise;
};

const readLengths = ({ definition }: ScalarAttribute, max: number): readonly [min: number, max: number] => [
  numberOr(definition.minLength, 0),
  numberOr(definition.maxLength, 0) || max,
];

/** Plausible ranges of numbers by attribute name. */
const RANGES: readonly (readonly [name: RegExp, min: number, max: number])[] = [
  [/year/i, 1990, 2026],
  [/rating|stars|score/i, 1, 5],
  [/minutes|duration/i, 3, 60],
  [/price|amount|cost|total/i, 5, 200],
  [/lat(itude)?$/i, -60, 60],
  [/(lng|lon|longitude)$/i, -180, 180],
  [/percent|progress/i, 0, 100],
  [/age$/i, 18, 80],
];

const CROWDED_RANGE = 1_000_000;

/** The plausible range for the name, within the attribute's own limits. */
function chooseRange({
  attribute: { name, definition },
  isCrowded,
}: ValueContext): readonly [min: number, max: number] {
  const [, usualMin, usualMax] = isCrowded
    ? [undefined, -CROWDED_RANGE, CROWDED_RANGE]
    : (RANGES.find(([pattern]) => pattern.test(name)) ?? [undefined, 1, 100]);
  const min = Math.max(usualMin, numberOr(definition.min, Number.NEGATIVE_INFINITY));
  const max = Math.min(usualMax, numberOr(definition.max, Number.POSITIVE_INFINITY));
  if (min <= max) return [min, max];
  const span = usualMax - usualMin;
  return min > usualMax ? [min, numberOr(definition.max, min + span)] : [numberOr(definition.min, max - span), max];
}

const integer: GenerateValue = (context) => {
  const { random } = context;
  const [min, max] = chooseRange(context);
  return Math.ceil(min) > Math.floor(max) ? undefined : random.between(Math.ceil(min), Math.floor(max));
};

const decimal: GenerateValue = (context) => {
  const { random } = context;
  const [min, max] = chooseRange(context);
  const value = Math.round((min + random.next() * (max - min)) * 100) / 100;
  return Math.min(max, Math.max(min, value));
};

/** A string that matches the attribute's pattern, if it has one, and its length limits. */
const text =
  (generate: GenerateValue, limit: number): GenerateValue =>
  (context) => {
    const { random, attribute } = context;
    const { regex } = attribute.definition;
    if (typeof regex === "string") return stringMatching(random, regex);
    const [min, max] = readLengths(attribute, limit);
    const fitting = fitLength(random, String(generate(context)), min, max);
    return context.isCrowded ? numbered(random, fitting, max) : fitting;
  };

/** A text with a number at its end, which fits. */
const numbered = (random: Random, value: string, max: number): string => {
  const number = `-${random.between(2, 99_999)}`.slice(0, max);
  return value.slice(0, Math.max(0, max - number.length)) + number;
};

const instant: GenerateValue = ({ random }) =>
  new Date(FIRST_DAY + random.between(0, DAYS * 24 * 12) * 5 * 60 * 1000).toISOString();

const DOMAIN = "@example.com";
const SHORT_DOMAIN = "@b.co";

const address: GenerateValue = ({ random, attribute, isCrowded }) => {
  const [min, max] = readLengths(attribute, STRING_LENGTH);
  const domain = max > DOMAIN.length ? DOMAIN : SHORT_DOMAIN;
  const [name = ""] = email(random).split("@");
  const local = isCrowded ? numbered(random, name, max - domain.length) : name.slice(0, max - domain.length);
  // neither ends with a dot, nor begins with a hyphen
  return local.replace(/^[.-]|[.-]$/g, "x").padEnd(min - domain.length, "a") + domain;
};

const paragraph = (words: string): object => ({ type: "paragraph", children: [{ type: "text", text: words }] });

const uid: GenerateValue = ({ random, attribute, data, isCrowded }) => {
  const { targetField, regex } = attribute.definition;
  if (typeof regex === "string") return stringMatching(random, regex);
  const source = typeof targetField === "string" ? data[targetField] : undefined;
  const [min, max] = readLengths(attribute, STRING_LENGTH);
  const value = slug(typeof source === "string" && slug(source) !== "" ? source : title(random));
  const fitting = value.slice(0, max).padEnd(min, "-a");
  return isCrowded ? numbered(random, fitting, max) : fitting;
};

const passphrase = text(
  ({ random }) => `${random.pick(ADJECTIVES)}-${random.pick(NOUNS)}-${random.between(1000, 9999)}`,
  70,
);

const generators: Readonly<Record<ScalarTypeName, GenerateValue>> = {
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
  email: address,
  // hashing is slow, and nobody would know the password
  password: (context) => (context.attribute.required ? passphrase(context) : undefined),
  uid,
  integer,
  biginteger: (context) => {
    const value = integer(context);
    return value === undefined ? undefined : String(value);
  },
  float: decimal,
  decimal,
  boolean: ({ random }) => random.chance(0.5),
  date: ({ random, isCrowded }) =>
    new Date(FIRST_DAY + random.between(0, isCrowded ? MANY_DAYS : DAYS) * DAY_MS).toISOString().slice(0, 10),
  time: ({ random, isCrowded }) =>
    isCrowded
      ? new Date(random.between(0, DAY_MS - 1)).toISOString().slice(11, -1)
      : `${String(random.between(7, 21)).padStart(2, "0")}:${random.pick(["00", "15", "30", "45"])}:00.000`,
  datetime: instant,
  timestamp: instant,
  json: ({ random }) => ({
    label: upperFirst(random.pick(NOUNS)),
    count: random.between(1, 9),
    tags: random.sample(ADJECTIVES, 2),
  }),
  enumeration: ({ random, attribute }) => {
    const { enum: values } = attribute.definition;
    return Array.isArray(values) && values.length > 0 ? random.pick(values) : undefined;
  },
};

export const valueFor: GenerateValue = (context) => generators[context.attribute.type.name as ScalarTypeName](context);
