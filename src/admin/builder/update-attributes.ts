/** The properties of attributes in `update-schema`: a row per type. */
import { isEmail } from "../../engine/attributes/email.ts";
import { isJson } from "../../engine/attributes/json.ts";
import { CREATOR } from "../../engine/schema/builtin/creator.ts";
import { mediaKinds } from "../../engine/schema/check/shapes.ts";
import type { JsonObject } from "../call.ts";
import { NAME, relationNames } from "./attribute-shapes.ts";
import { toRecord } from "./input.ts";
import {
  atLeastOne,
  type Check,
  createListCheck,
  type Fields,
  flag,
  INVALID,
  integer,
  matching,
  nullish,
  number,
  object,
  oneOf,
  optional,
  positive,
  record,
  text,
  WRONG_FORM,
} from "./update-checks.ts";

const required = { required: optional(flag) };
const unique = { unique: optional(flag) };
const lengths = { minLength: optional(positive), maxLength: optional(positive) };
const range = { min: optional(number), max: optional(number) };
const digits = nullish(text(matching(/^\d*$/)));

/** Reasons of this engine, in the words of Strapi's. */
const PATTERN_REASONS: readonly (readonly [RegExp, string])[] = [
  [/missing terminating \]/, "Unterminated character class"],
  [/missing \)/, "Unterminated group"],
  [/unmatched/i, "Unmatched ')'"],
  [/nothing to repeat/i, "Nothing to repeat"],
  [/\\ at end/, "\\ at end of pattern"],
];

function patternProblem(pattern: string): string | undefined {
  try {
    new RegExp(pattern);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*?: /, "") : "";
    const words = PATTERN_REASONS.find(([own]) => own.test(reason))?.[1] ?? reason;
    return `Invalid regular expression: /${pattern}/: ${words}`;
  }
}

const regex = optional(text(patternProblem));
const plainText: Fields = { default: nullish(text()), ...lengths, ...required, ...unique, regex };
const decimal: Fields = { ...required, ...unique, default: optional(number), ...range };
const temporal: Fields = { ...required, ...unique, default: optional(text()) };

const fieldsByType: Readonly<Record<string, Fields>> = {
  media: {
    multiple: optional(flag),
    ...required,
    allowedTypes: optional(createListCheck(oneOf(...mediaKinds), atLeastOne)),
  },
  string: plainText,
  text: plainText,
  richtext: { ...required, ...lengths, default: optional(text()) },
  blocks: required,
  json: { ...required, default: (value) => (typeof value === "string" && !isJson(value) ? WRONG_FORM : []) },
  enumeration: {
    ...required,
    default: optional(text()),
    enumName: optional(text((value) => (value === "" || NAME.test(value) ? undefined : "Invalid enum name"))),
    enum: createListCheck(
      text((value) => (/^\d/.test(value) ? INVALID : undefined)),
      atLeastOne,
      (values) => (new Set(values).size === values.length ? undefined : INVALID),
    ),
  },
  password: { ...required, ...lengths },
  email: {
    ...required,
    ...lengths,
    default: optional(text((value) => (isEmail(value) ? undefined : "Invalid email address"))),
    ...unique,
  },
  integer: { ...required, default: optional(integer), ...unique, min: optional(integer), max: optional(integer) },
  biginteger: { ...required, ...unique, default: digits, min: digits, max: digits },
  float: decimal,
  decimal,
  time: temporal,
  date: temporal,
  datetime: temporal,
  timestamp: {},
  boolean: { ...required, default: optional(flag) },
  component: { component: text(), repeatable: optional(flag), ...required, ...range },
  customField: { customField: text() },
  uid: {
    targetField: nullish(text()),
    ...required,
    default: nullish(text()),
    ...lengths,
    options: optional(
      object({
        separator: optional(text()),
        lowercase: optional(flag),
        decamelize: optional(flag),
        customReplacements: optional(
          createListCheck((pair) => (Array.isArray(pair) && pair.length === 2 ? pair.flatMap(text()) : WRONG_FORM)),
        ),
        preserveLeadingUnderscore: optional(flag),
      }),
    ),
    regex,
  },
  dynamiczone: { components: createListCheck(text(), atLeastOne), ...required, ...range },
};

const conditions = optional(
  object({
    visible: (value) =>
      record(value).length > 0 ? WRONG_FORM : Object.values(toRecord(value)).flatMap(createListCheck(() => [])),
  }),
);

const common: Fields = {
  configurable: nullish(flag),
  private: nullish(flag),
  pluginOptions: optional(record),
  conditions,
};

const relationFields = (allowed: readonly string[], relation: unknown): Fields => ({
  relation: oneOf(...allowed),
  ...common,
  ...required,
  ...(String(relation).startsWith("morphTo") ? {} : { target: text(), targetAttribute: nullish(text()) }),
});

const ONE_WAY: readonly string[] = relationNames.component;

/** Rules that compare properties, in Strapi's order. */
const comparisons: readonly ((properties: JsonObject) => string | undefined)[] = [
  ({ type, default: value, enum: values }) =>
    type === "enumeration" && typeof value === "string" && Array.isArray(values) && !values.includes(value || undefined)
      ? "Default value must be one of the enum values"
      : undefined,
  ({ type, target, relation, targetAttribute }) =>
    type === "relation" && target === CREATOR && (!ONE_WAY.includes(String(relation)) || targetAttribute !== undefined)
      ? `Relations to ${CREATOR} must be one of the following values: ${ONE_WAY.join(", ")} without targetAttribute`
      : undefined,
  ({ type, targetField, default: value }) =>
    type === "uid" && (targetField ?? undefined) !== undefined && (value ?? undefined) !== undefined
      ? "Cannot define a default UID if the targetField is set"
      : undefined,
  ({ min, max }) =>
    typeof min === "number" && typeof max === "number" && max < min ? "max must be greater or equal to min" : undefined,
  ({ minLength, maxLength }) =>
    typeof minLength === "number" && typeof maxLength === "number" && maxLength < minLength
      ? "maxLength must be greater or equal to minLength"
      : undefined,
];

export interface AllowedProperties {
  readonly types: readonly string[];
  readonly relations: readonly string[];
}

/** The properties of an attribute, in a schema that allows these types and relations. */
export const propertiesCheck =
  ({ types, relations }: AllowedProperties): Check =>
  (value) => {
    const { type, relation } = toRecord(value);
    if (typeof type !== "string" || !types.includes(type)) return WRONG_FORM;
    const fields =
      type === "relation"
        ? relationFields(relations, relation)
        : { ...common, searchable: optional(flag), ...fieldsByType[type] };
    const issues = object(fields)(value);
    if (issues.length > 0) return issues;
    // properties that the type does not have are not compared
    const known = Object.entries(toRecord(value)).filter(([name]) => name === "type" || Object.hasOwn(fields, name));
    return object({}, ...comparisons)(Object.fromEntries(known));
  };
