/** The rules of attributes in requests to the content-type builder: a row per attribute type, with the reference's messages. */
import { isEmail } from "../../attributes/email.ts";
import type { Shape, Test } from "../../shape.ts";

type Given = Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, Shape>>;

const text: Shape = { type: "string", strict: true };
const flag: Shape = { type: "boolean", strict: true };
const number: Shape = { type: "number", strict: true };

const isInteger: Test = (value: number, path) => (Number.isInteger(value) ? undefined : `${path} must be an integer`);
const isPositive: Test = (value: number, path) => (value > 0 ? undefined : `${path} must be a positive number`);
const atMost = (most: number): Test => {
  return (value: number, path) => (value > most ? `${path} must be less than or equal to ${most}` : undefined);
};
const atLeastOne: Test = (list: unknown[], path) =>
  list.length === 0 ? `${path} field must have at least 1 items` : undefined;
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

const NAME = /^[A-Za-z][_0-9A-Za-z]*$/;
const UID = /^[A-Za-z0-9-_.~]*$/;
export const isName: Test = (value: string, path) =>
  value === "" || NAME.test(value) ? undefined : `${path} must match the following regex: ${NAME}`;

const integer: Shape = { ...number, tests: [isInteger] };
const digits: Shape = { ...text, nullable: true, tests: [areDigits] };
const length: Shape = { ...number, tests: [isInteger, isPositive] };
const required = { required: flag };
const unique = { unique: flag };
const lengths = { minLength: length, maxLength: length };
const regex: Shape = { ...text, tests: [isPattern] };
const range = { min: number, max: number };

/** `maxLength` with a limit, which must not be below `minLength`. */
const limited = ({ minLength }: Given, most: number): Shape => ({
  ...length,
  tests: [
    isInteger,
    isPositive,
    atMost(most),
    (value: number) =>
      typeof minLength === "number" && value < minLength
        ? "maxLength must be greater or equal to minLength"
        : undefined,
  ],
});

const isJson: Test = (value: unknown, path) => {
  if (typeof value !== "string") return undefined;
  try {
    JSON.parse(value);
    return undefined;
  } catch {
    return `${path} is not a valid JSON`;
  }
};

function uidDefault({ targetField, regex: own }: Given): Shape {
  const alone: Test = () =>
    targetField === undefined || targetField === null
      ? undefined
      : "cannot define a default UID if the targetField is set";
  const fits: Test = (value: string, path) => {
    const pattern = typeof own === "string" && isPattern(own as never, "") === undefined ? new RegExp(own) : UID;
    const message = `${path} must match the custom regex or the default one "${UID}"`;
    return value === "" || pattern.test(value) ? undefined : message;
  };
  return { ...text, tests: [alone, fits] };
}

const dated = (): Fields => ({ default: text, ...required, ...unique });
const decimal = (): Fields => ({ default: number, ...required, ...unique, ...range });
const media = ["images", "videos", "files", "audios"];

/** `attributes`: the other attributes of the same type. */
const rows: Readonly<Record<string, (given: Given, attributes: Given) => Fields>> = {
  media: () => ({
    multiple: flag,
    ...required,
    allowedTypes: { type: "array", strict: true, tests: [atLeastOne], item: () => ({ ...text, oneOf: media }) },
  }),
  uid: (given, attributes) => ({
    ...required,
    targetField: {
      ...text,
      nullable: true,
      oneOf: Object.keys(attributes).filter((key) => ["string", "text"].includes(String(typeOf(attributes[key])))),
    },
    default: uidDefault(given),
    minLength: length,
    maxLength: limited(given, 256),
    regex,
  }),
  string: (given) => ({
    default: text,
    ...required,
    ...unique,
    minLength: length,
    maxLength: limited(given, 255),
    regex,
  }),
  text: () => ({ default: text, ...required, ...unique, ...lengths, regex }),
  richtext: () => ({ default: text, ...required, ...lengths }),
  blocks: () => required,
  json: () => ({ default: { type: "mixed", strict: true, tests: [isJson] }, ...required }),
  enumeration: (given) => ({
    enum: {
      type: "array",
      strict: true,
      required: true,
      tests: [atLeastOne, areUnique],
      item: () => ({ ...text, required: true, tests: [startsWithoutNumber] }),
    },
    default: Array.isArray(given.enum) ? { ...text, oneOf: given.enum } : text,
    enumName: { ...text, tests: [isName] },
    ...required,
  }),
  password: () => ({ ...required, ...lengths }),
  email: () => ({
    default: {
      ...text,
      tests: [(value: string, path) => (isEmail(value) ? undefined : `${path} must be a valid email`)],
    },
    ...required,
    ...unique,
    ...lengths,
  }),
  integer: () => ({ default: integer, ...required, ...unique, min: integer, max: integer }),
  biginteger: () => ({ default: digits, ...required, ...unique, min: digits, max: digits }),
  float: decimal,
  decimal,
  time: dated,
  datetime: dated,
  date: dated,
  timestamp: () => ({}),
  boolean: () => ({ default: { ...flag, nullable: true }, ...required }),
  component: () => ({ ...required, repeatable: flag, component: { ...text, required: true }, ...range }),
  dynamiczone: () => ({
    ...required,
    components: {
      type: "array",
      strict: true,
      required: true,
      missing: (path) => `${path} must be an array`,
      tests: [atLeastOne],
      item: () => ({ ...text, required: true }),
    },
    ...range,
  }),
  customField: () => ({}),
};

const typeOf = (attribute: unknown): unknown => (attribute as Given | null | undefined)?.type;

/** In the reference's order, which messages list. */
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
  collectionType: [
    "oneToOne",
    "oneToMany",
    "manyToOne",
    "manyToMany",
    "morphOne",
    "morphMany",
    "morphToOne",
    "morphToMany",
  ],
  component: ["oneToOne", "oneToMany"],
} as const;

const common: Fields = {
  configurable: { ...flag, nullable: true },
  private: { ...flag, nullable: true },
  pluginOptions: { type: "object", strict: true },
};

/** Allowed attribute types of a content-type or component. */
export interface Place {
  readonly types: readonly string[];
  readonly relations: readonly string[];
  /** The content-types that a relation can lead to. */
  readonly targets: readonly string[];
}

function relationFields({ relation }: Given, { relations, targets }: Place): Fields {
  const kind: Shape = {
    ...text,
    required: true,
    tests: [
      (value: string) =>
        relations.includes(value) ? undefined : `must be one of the following values: ${relations.join(", ")}`,
    ],
  };
  const fields = { type: { ...text, required: true }, relation: kind, ...common, ...required };
  if (relation === undefined || String(relation).startsWith("morphTo")) return fields;
  return {
    ...fields,
    target: { ...text, required: true, oneOf: targets },
    targetAttribute: { ...text, nullable: true, tests: [isName] },
  };
}

/** The shape of one attribute. Its `type` has been checked before. */
export function attributeShape(name: string, given: Given, attributes: Given, place: Place): Shape {
  const key: Test = () =>
    NAME.test(name) ? undefined : `Attribute name '${name}' must match the following regex: ${NAME}`;
  const fields =
    given.type === "relation"
      ? relationFields(given, place)
      : {
          type: { ...text, required: true, oneOf: place.types },
          ...common,
          ...rows[String(given.type)]?.(given, attributes),
        };
  return { type: "object", strict: true, tests: [key], fields };
}
