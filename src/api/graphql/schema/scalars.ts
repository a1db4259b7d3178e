/** The custom scalars, with the messages of `graphql-scalars`, which Strapi uses. */
import { GraphQLError, GraphQLScalarType, Kind, print, type ValueNode, valueFromASTUntyped } from "graphql";
import { time } from "../../../engine/attributes/time.ts";

/** Codes of Strapi's list without a name in Unicode's data. */
const OTHER_CODES: ReadonlySet<string> = new Set(
  "aig bah dwr svc vic en-US-POSIX gmv lao gof lir tch val val-ES".split(" "),
);

let languages: Intl.DisplayNames | undefined;
let regions: Intl.DisplayNames | undefined;

/** Case-sensitive: `de-AT` is valid, `DE` is not. */
function isLocaleCode(code: string): boolean {
  if (OTHER_CODES.has(code)) return true;
  languages ??= new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });
  regions ??= new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });
  try {
    const locale = new Intl.Locale(code);
    const { language, region } = locale;
    if (locale.toString() !== code || languages.of(language) === undefined) return false;
    return region === undefined || (region !== "ZZ" && regions.of(region) !== undefined);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const JSON_SPECIFICATION = "http://www.ecma-international.org/publications/files/ECMA-ST/ECMA-404.pdf";

export const json = new GraphQLScalarType<unknown, unknown>({
  name: "JSON",
  description: `The \`JSON\` scalar type represents JSON values as specified by [ECMA-404](${JSON_SPECIFICATION}).`,
  specifiedByURL: JSON_SPECIFICATION,
  parseValue: (value) => value,
  parseLiteral: (node, variables) => valueFromASTUntyped(withoutEnums(node), variables),
});

/** Drops enum values, which are no JSON, as Strapi does. */
function withoutEnums(node: ValueNode): ValueNode {
  if (node.kind === Kind.LIST) return { ...node, values: node.values.map(withoutEnums) };
  if (node.kind === Kind.ENUM) return { kind: Kind.NULL };
  if (node.kind !== Kind.OBJECT) return node;
  const fields = node.fields.filter(({ value }) => value.kind !== Kind.ENUM);
  return { ...node, fields: fields.map((field) => ({ ...field, value: withoutEnums(field.value) })) };
}

/** The value of a literal in messages; lists and objects have none. */
const literalValue = (node: ValueNode): unknown => ("value" in node ? node.value : false);

const isRealDay = (text: string): boolean => {
  const day = text.slice(0, 10);
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
};

interface TextFormat {
  readonly name: string;
  readonly description: string;
  /** The messages for a string that does not match, and for a value that is not a string. */
  readonly text: string;
  readonly other: string;
  readonly pattern: RegExp;
  readonly parse: (text: string) => string;
  readonly serialize: (value: unknown) => string;
}

/** A scalar whose values are strings of one format. */
function textScalar({ name, description, text, other, pattern, parse, serialize }: TextFormat): GraphQLScalarType {
  const parseText = (value: string, nodes?: ValueNode): string => {
    if (pattern.test(value) && isRealDay(value)) return parse(value);
    throw new GraphQLError(`${name} cannot represent an invalid ${text} ${value}.`, { nodes });
  };
  const refuse = (value: unknown, nodes?: ValueNode): never => {
    throw new GraphQLError(`${name} cannot represent non ${other} type ${String(value)}`, { nodes });
  };
  return new GraphQLScalarType({
    name,
    description,
    serialize,
    parseValue: (value) => (typeof value === "string" ? parseText(value) : refuse(JSON.stringify(value))),
    parseLiteral: (node) =>
      node.kind === Kind.STRING ? parseText(node.value, node) : refuse(literalValue(node), node),
  });
}

export const dateTime = textScalar({
  name: "DateTime",
  description:
    "A date-time string at UTC, such as 2007-12-03T10:15:30Z, compliant with the `date-time` format outlined in section 5.6 of the RFC 3339 profile of the ISO 8601 standard for representation of dates and times using the Gregorian calendar.",
  text: "date-time-string",
  other: "string or Date",
  pattern: /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i,
  parse: (value) => new Date(value.toUpperCase()).toISOString(),
  // stored in the form that is returned, except for timestamps: milliseconds since 1970 in a string
  serialize: (value) => {
    if (value instanceof Date) return value.toISOString();
    const text = String(value);
    if (text.endsWith("Z")) return text;
    return new Date(/^-?\d+$/.test(text) ? Number(text) : text).toISOString();
  },
});

export const date = textScalar({
  name: "Date",
  description:
    "A date string, such as 2007-12-03, compliant with the `full-date` format outlined in section 5.6 of the RFC 3339 profile of the ISO 8601 standard for representation of dates and times using the Gregorian calendar.",
  text: "date-string",
  other: "string",
  pattern: /^\d{4}-\d{2}-\d{2}$/,
  parse: (value) => value,
  serialize: (value) => (value instanceof Date ? value.toISOString().slice(0, 10) : String(value)),
});

export const timeOfDay = new GraphQLScalarType({
  name: "Time",
  description: "A time string with format HH:mm:ss.SSS",
  serialize: String,
  parseValue: (value) => time.store(value),
  parseLiteral: (node) => {
    if (node.kind !== Kind.STRING) throw new Error("Time cannot represent non string type");
    return time.store(node.value);
  },
});

/** Longer numbers are not converted, which would take quadratic time. */
const MAX_CONVERTED_LENGTH = 1_000;

/** The digits of an integer in any JavaScript notation; an empty string for a long one in another notation. */
function parseDigits(value: string | boolean): string {
  if (typeof value === "string" && value.length > MAX_CONVERTED_LENGTH) return /^-?[1-9]\d*$/.test(value) ? value : "";
  try {
    return String(BigInt(value));
  } catch {
    throw new Error(`Cannot convert ${value} to a BigInt`);
  }
}

/** An integer as a string of digits, to keep all of them; other notations are refused. */
function wholeNumber(value: string | boolean): string {
  const digits = parseDigits(value);
  if (digits !== value) throw new GraphQLError(`BigInt cannot represent value: ${value}`);
  return digits;
}

export const long = new GraphQLScalarType({
  name: "Long",
  description: "The `BigInt` scalar type represents non-fractional signed whole numeric values.",
  // beyond the safe integers it stays a string
  serialize: (value) => (Number.isSafeInteger(Number(value)) ? Number(value) : String(value)),
  // other values are converted to strings first
  parseValue: (value) => wholeNumber(String(value)),
  parseLiteral: (node) => {
    if (!("value" in node))
      throw new GraphQLError(`BigInt cannot represent non-integer value: ${print(node)}`, { nodes: node });
    return wholeNumber(node.value);
  },
});

/** As in Strapi, literals are checked, variables are not. */
export const localeCode = new GraphQLScalarType<unknown, unknown>({
  name: "I18NLocaleCode",
  description: "A string used to identify an i18n locale",
  parseValue: (value) => value,
  parseLiteral: (node) => {
    if (node.kind !== Kind.STRING) throw new Error("Locale cannot represent non string type");
    if (node.value === "*" || isLocaleCode(node.value)) return node.value;
    throw new Error("Unknown locale supplied");
  },
});
