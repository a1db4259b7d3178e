/** The rules of attributes in requests to the content-type builder: a row per attribute type, with Strapi's messages. */
import { emailTest } from "../../engine/access/auth-shapes.ts";
import { isJson } from "../../engine/attributes/json.ts";
import { matchesSchema } from "../../engine/attributes/text-rules.ts";
import { CREATOR } from "../../engine/schema/builtin/creator.ts";
import { mediaKinds } from "../../engine/schema/check/shapes.ts";
import { relationKinds } from "../../engine/schema/model.ts";
import { hasItems, type Shape, type Test } from "../../lib/shape.ts";
import {
  anyObject,
  type Fields,
  flag,
  isInteger,
  isPositive,
  listOf,
  number,
  objectOf,
  requiredText,
  text,
} from "../body.ts";
import type { JsonObject } from "../call.ts";

const areDigits: Test = (value: string, path) =>
  /^\d*$/.test(value) ? undefined : `${path} must match the following: "/^\\d*$/"`;
const isPattern: Test = (value: string, path) => {
  try {
    new RegExp(value);
    return undefined;
  } catch {
    return `${path} must be a valid RexExp pattern string`;
  }
};
const startsWithoutNumber: Test = (value: string, path) =>
  /^\d/.test(value) ? `${path} should not start with number` : undefined;
const areUnique: Test = (list: unknown[], path) =>
  new Set(list).size === list.length ? undefined : `${path} cannot contain duplicate values`;

export const NAME = /^[A-Za-z][_0-9A-Za-z]*$/;
const UID = /^[A-Za-z0-9-_.~]*$/;
const isName: Test = (value: string, path) =>
  value === "" || NAME.test(value) ? undefined : `${path} must match the following regex: ${NAME}`;

const integer: Shape = { ...number, tests: [isInteger] };
const digits: Shape = { ...text, nullable: true, tests: [areDigits] };
const length: Shape = { ...number, tests: [isInteger, isPositive] };
const required = { required: flag };
const unique = { unique: flag };
const regex: Shape = { ...text, tests: [isPattern] };

/** Two limits, of which the second is not below the first. */
const limits = (input: JsonObject, low: "min" | "minLength", high: "max" | "maxLength", shape: Shape): Fields => {
  const least = input[low];
  const isAbove: Test = (value: number) =>
    typeof least === "number" && value < least ? `${high} must be greater or equal to ${low}` : undefined;
  return { [low]: shape, [high]: { ...shape, tests: [...(shape.tests ?? []), isAbove] } };
};
const lengths = (input: JsonObject): Fields => limits(input, "minLength", "maxLength", length);
const range = (input: JsonObject, shape = number): Fields => limits(input, "min", "max", shape);

const noMatch = (path: string): string => `${path} must match the custom regex or the default one "${UID}"`;

function uidDefault({ targetField, regex: ownPattern }: JsonObject): Shape {
  const withoutTargetField: Test = () =>
    targetField === undefined || targetField === null
      ? undefined
      : "cannot define a default UID if the targetField is set";
  const matchesPattern: Test = (value: string, path) => {
    const hasPattern = typeof ownPattern === "string" && isPattern(ownPattern as never, "") === undefined;
    const isMatch = hasPattern ? matchesSchema(ownPattern, value, path) === undefined : UID.test(value);
    return value === "" || isMatch ? undefined : noMatch(path);
  };
  return { ...text, tests: [withoutTargetField, matchesPattern] };
}

const replacement: Shape = listOf(text, {
  tests: [
    (pair: unknown[], path) => (pair.length < 2 ? `${path} field must have at least 2 items` : undefined),
    (pair: unknown[], path) => (pair.length > 2 ? `${path} field must have less than or equal to 2 items` : undefined),
  ],
});

const slugOptions: Shape = objectOf({
  separator: text,
  lowercase: flag,
  decamelize: flag,
  customReplacements: listOf(replacement),
  preserveLeadingUnderscore: flag,
});

const temporal = (): Fields => ({ default: text, ...required, ...unique });
const decimal = (input: JsonObject): Fields => ({ default: number, ...required, ...unique, ...range(input) });

const plainText = (input: JsonObject): Fields => ({ default: text, ...required, ...unique, ...lengths(input), regex });

/** `attributes`: the other attributes of the same type. */
const rows: Readonly<Record<string, (input: JsonObject, attributes: JsonObject) => Fields>> = {
  media: () => ({
    multiple: flag,
    ...required,
    allowedTypes: listOf({ ...text, oneOf: mediaKinds }, { tests: [hasItems] }),
  }),
  uid: (input, attributes) => ({
    ...required,
    targetField: {
      ...text,
      nullable: true,
      oneOf: Object.keys(attributes).filter((key) => ["string", "text"].includes(String(typeOf(attributes[key])))),
    },
    default: uidDefault(input),
    ...lengths(input),
    options: slugOptions,
    regex,
  }),
  string: plainText,
  text: plainText,
  richtext: (input) => ({ default: text, ...required, ...lengths(input) }),
  blocks: () => required,
  json: () => ({
    default: {
      type: "mixed",
      strict: true,
      tests: [
        (value: unknown, path) =>
          typeof value === "string" && !isJson(value) ? `${path} is not a valid JSON` : undefined,
      ],
    },
    ...required,
  }),
  enumeration: (input) => ({
    enum: listOf({ ...requiredText, tests: [startsWithoutNumber] }, { required: true, tests: [hasItems, areUnique] }),
    default: Array.isArray(input.enum) ? { ...text, oneOf: input.enum } : text,
    enumName: { ...text, tests: [isName] },
    ...required,
  }),
  password: (input) => ({ ...required, ...lengths(input) }),
  email: (input) => ({
    default: { ...text, tests: [emailTest] },
    ...required,
    ...unique,
    ...lengths(input),
  }),
  integer: (input) => ({ default: integer, ...required, ...unique, ...range(input, integer) }),
  biginteger: () => ({ default: digits, ...required, ...unique, min: digits, max: digits }),
  float: decimal,
  decimal,
  time: temporal,
  datetime: temporal,
  date: temporal,
  timestamp: () => ({}),
  boolean: () => ({ default: { ...flag, nullable: true }, ...required }),
  component: (input) => ({ ...required, repeatable: flag, component: requiredText, ...range(input) }),
  dynamiczone: (input) => ({
    ...required,
    components: listOf(requiredText, {
      required: true,
      missing: (path) => `${path} must be an array`,
      tests: [hasItems],
    }),
    ...range(input),
  }),
  customField: () => ({ customField: requiredText }),
};

const typeOf = (attribute: unknown): unknown => (attribute as JsonObject | null | undefined)?.type;

/** In Strapi's order, which messages list. */
const BASE_TYPES = [
  "media",
  "string",
  "text",
  "richtext",
  "blocks",
  "json",
  "enumeration",
  "password",
  "email",
  "integer",
  "biginteger",
  "float",
  "decimal",
  "date",
  "time",
  "datetime",
  "timestamp",
  "boolean",
  "relation",
];
export const typeNames = {
  contentType: [...BASE_TYPES, "uid", "component", "dynamiczone", "customField"],
  component: [...BASE_TYPES, "component", "customField"],
} as const;

/** Allowed kinds of relations, by the kind of the owning schema. */
export const relationNames = {
  singleType: ["oneToOne", "oneToMany", "morphOne", "morphMany", "morphToOne", "morphToMany"],
  collectionType: relationKinds,
  component: ["oneToOne", "oneToMany"],
} as const;

const common: Fields = {
  configurable: { ...flag, nullable: true },
  private: { ...flag, nullable: true },
  pluginOptions: anyObject,
  conditions: objectOf({ visible: anyObject }),
};

/** What attributes of a content-type or component may be. */
export interface AttributeRules {
  readonly types: readonly string[];
  readonly relations: readonly string[];
  /** The content-types that a relation can lead to. */
  readonly targets: readonly string[];
  /** Attributes of these names are there already: they may have a name that new ones cannot have. */
  readonly known: readonly string[];
}

const WITH_TARGET = new Set<unknown>(relationNames.collectionType.filter((name) => !name.startsWith("morphTo")));

function relationFields({ relation, target, targetAttribute }: JsonObject, rules: AttributeRules): Fields {
  const { relations, targets } = rules;
  // an administrator has no attributes for the other side
  const isRefused = target === CREATOR && typeof targetAttribute === "string";
  const named = target === CREATOR ? relationNames.component : relations;
  const relationKind: Shape = {
    ...requiredText,
    tests: [
      (value: string) =>
        relations.includes(value) && !isRefused
          ? undefined
          : `must be one of the following values: ${named.join(", ")}`,
    ],
  };
  const fields = { type: requiredText, relation: relationKind, ...common, ...required };
  if (!WITH_TARGET.has(relation)) return fields;
  return {
    ...fields,
    target: { ...requiredText, oneOf: targets },
    targetAttribute: { ...text, nullable: true, tests: [isName] },
  };
}

/** The shape of one attribute. Its `type` has been checked before. */
export function attributeShape(name: string, input: JsonObject, attributes: JsonObject, rules: AttributeRules): Shape {
  const key: Test = () =>
    NAME.test(name) || rules.known.includes(name)
      ? undefined
      : `Attribute name '${name}' must match the following regex: ${NAME}`;
  const type = String(input.type);
  const fields =
    input.type === "relation"
      ? relationFields(input, rules)
      : {
          type: { ...requiredText, oneOf: rules.types },
          ...common,
          ...(Object.hasOwn(rows, type) ? rows[type]!(input, attributes) : {}),
        };
  return objectOf(fields, { tests: [key] });
}
