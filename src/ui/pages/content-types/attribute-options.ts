/** Labels and hints of attribute types and their options. The server defines which options a type has. */
import { developerDetails } from "../../developer-details.ts";
import { listText } from "../../list-text.ts";
import { type Attribute, typeName } from "../../model.ts";
import type { OptionSchema, Options, Schemas } from "./schemas.ts";

export interface AttributeKind {
  readonly label: string;
  readonly hint: string;
  /** What a new one has, since it cannot be served without. */
  readonly initial?: Readonly<Record<string, unknown>>;
}

const FILE_KINDS = ["images", "files", "videos", "audios"];

/** In the order in which they are offered. */
export const attributeKinds: Readonly<Record<string, AttributeKind>> = {
  string: { label: "Short text", hint: "A title, a name: one line" },
  text: { label: "Long text", hint: "A summary, an address: any length" },
  blocks: { label: "Rich text (blocks)", hint: "Headings and lists, as JSON" },
  richtext: { label: "Rich text (Markdown)", hint: "Headings and lists, as Markdown" },
  uid: { label: "UID", hint: "A name for URLs, from another text" },
  integer: { label: "Integer", hint: "A whole number, like 10" },
  biginteger: { label: "Big integer", hint: "Up to 19 digits, as a string" },
  decimal: { label: "Decimal", hint: "An exact number, like 2.22" },
  float: { label: "Float", hint: "Many decimals, like 3.33333" },
  boolean: { label: "Boolean", hint: "Yes or no" },
  date: { label: "Date", hint: "A day, like 2026-11-22" },
  time: { label: "Time", hint: "A time of day, like 09:30" },
  datetime: { label: "Date and time", hint: "A moment, in UTC" },
  timestamp: { label: "Timestamp", hint: "A moment, as a number" },
  enumeration: { label: "Enumeration", hint: "One of a list of values", initial: { enum: [] } },
  email: { label: "Email", hint: "An email address" },
  password: { label: "Password", hint: "Hashed, and never returned" },
  json: { label: "JSON", hint: "Any JSON value" },
  media: { label: "Media", hint: "Files of the media library", initial: { multiple: false, allowedTypes: FILE_KINDS } },
  relation: { label: "Relation", hint: "Documents of a content-type", initial: { relation: "oneToOne" } },
  component: { label: "Component", hint: "Attributes, once or repeated", initial: { repeatable: false } },
  dynamiczone: { label: "Dynamic zone", hint: "Components of several kinds", initial: { components: [] } },
  customField: { label: "Custom field", hint: "A field of a plugin" },
};

const labels: Readonly<Record<string, string>> = {
  required: "Required",
  unique: "Unique",
  private: "Private: not in the Content API",
  configurable: "Can be changed here",
  writable: "Can be written by the Content API",
  searchable: "Searchable",
  default: "Default value",
  minLength: "Minimum length",
  maxLength: "Maximum length",
  regex: "Regular expression",
  min: "Minimum",
  max: "Maximum",
  enum: "Values, one in each line",
  enumName: "Name in GraphQL",
  targetField: "Generated from",
  options: "Options of the slug, as JSON",
  multiple: "Multiple files",
  allowedTypes: "Allowed file types",
  relation: "Relation type",
  target: "Content-type",
  targetAttribute: "Name of the other side",
  morphBy: "Attribute of the other side",
  component: "Component",
  components: "Components",
  repeatable: "Repeatable",
  customField: "Custom field",
  localized: "Different in each locale",
};

export const optionLabel = (key: string): string => labels[key] ?? key;

/** Options without an input: `targetAttribute` stands for the first two. */
const HIDDEN = new Set(["inversedBy", "mappedBy", "configurable"]);
const VALUE_ONLY = new Set(["unique", "searchable"]);
const NOT_SEARCHED = new Set("json blocks boolean password media relation component dynamiczone".split(" "));
const NOT_UNIQUE = new Set([...NOT_SEARCHED, "richtext", "uid"]);

const isEditable = (key: string, type: string): boolean =>
  !HIDDEN.has(key) &&
  !(key === "unique" && NOT_UNIQUE.has(type)) &&
  !(key === "searchable" && NOT_SEARCHED.has(type)) &&
  !(VALUE_ONLY.has(key) && type === "dynamiczone");

/** Where the dialog has an option: what the attribute is, what its values must be, or how the API treats it. */
export type OptionGroup = "Basics" | "Rules" | "API";

export const optionGroups: readonly OptionGroup[] = ["Basics", "Rules", "API"];

const RULES = new Set(["required", "unique", "min", "max", "minLength", "maxLength", "regex"]);
const OF_API = new Set(["private", "writable", "searchable", "enumName"]);

export const groupOf = (key: string): OptionGroup => (RULES.has(key) ? "Rules" : OF_API.has(key) ? "API" : "Basics");

export interface Option {
  readonly key: string;
  readonly schema: OptionSchema;
}

/** The options of a type: its own first, then those that all have. */
export function listOptions(type: string, { options, common }: Schemas): readonly Option[] {
  const own: Options = options[type] ?? {};
  const relation: Options = type === "relation" ? { targetAttribute: { type: "string" } } : {};
  return Object.entries({ ...own, ...relation, ...common })
    .filter(([key]) => isEditable(key, type))
    .map(([key, schema]) => ({ key, schema: withoutNull(schema) }));
}

/** The first alternative that is no null; a choice of words stays one. */
function withoutNull(schema: OptionSchema): OptionSchema {
  const choices = schema.anyOf?.filter(({ type }) => type !== "null") ?? [];
  if (choices.length === 0 || choices.every((choice) => choice.const !== undefined)) return schema;
  return choices[0]!;
}

/** The definition with another type: options that both have are kept. */
export function withType(definition: Attribute, type: string, schemas: Schemas): Attribute {
  const sharedKeys = new Set(["pluginOptions", "conditions", ...listOptions(type, schemas).map(({ key }) => key)]);
  // a default value of another type is not valid
  sharedKeys.delete("default");
  const entries = Object.entries(definition).filter(([key]) => sharedKeys.has(key));
  return { type, ...attributeKinds[type]?.initial, ...Object.fromEntries(entries) };
}

const MAX_NAMES = 6;

/** "many to one" for `manyToOne`. */
export const relationWords = (relation: unknown): string =>
  String(relation)
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();

/** The display name of a type or component; its uid for developers. */
const nameOf = (uid: string): string => (developerDetails.value ? uid : typeName(uid));

/** Options in few words, for the list of attributes. */
export function formatSummary(definition: Attribute): string {
  const { type, target, relation, component, components, repeatable } = definition;
  const words = [
    ...["required", "unique", "private"].filter((key) => definition[key] === true),
    type === "relation"
      ? [typeof target === "string" ? nameOf(target) : "", relationWords(relation)].filter(Boolean).join(", ")
      : "",
    type === "component" ? `${nameOf(String(component))}${repeatable === true ? ", repeatable" : ""}` : "",
    type === "dynamiczone" && Array.isArray(components) ? listText(components.map(nameOf), MAX_NAMES) : "",
  ];
  return words.filter(Boolean).join(" · ");
}
