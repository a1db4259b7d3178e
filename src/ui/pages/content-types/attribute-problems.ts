/** What is wrong with an attribute, or the names of a type, while they are written. The server checks all of it again. */
import type { Attribute } from "../../model.ts";
import type { Draft, DraftAttribute, TypeDraft } from "./draft.ts";
import type { ReservedNames, Schemas } from "./schemas.ts";

/** As the server compares names: Strapi's are reserved in snake case. */
const snakeCase = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
    .split(/[_-]/)
    .filter(Boolean)
    .join("_")
    .toLowerCase();

function isReserved(name: string, words: readonly string[]): boolean {
  const snake = snakeCase(name);
  return words.some((word) => (word.endsWith("*") ? snake.startsWith(word.slice(0, -1)) : snake === word));
}

/** Undefined: the name can be taken. */
export function nameProblem(
  name: string,
  { attributes }: Draft,
  own: DraftAttribute | undefined,
  reserved: ReservedNames,
): string | undefined {
  if (name === "") return "Enter a name";
  if (!/^(?!__)[_A-Za-z][_0-9A-Za-z]*$/.test(name))
    return "A name begins with a letter and has only letters, digits and underscores";
  if (isReserved(name, reserved.attributes) && own?.original !== name) return `${name} is a reserved name`;
  const isTaken = attributes.some((other) => other.key !== own?.key && other.name.toLowerCase() === name.toLowerCase());
  return isTaken ? `An attribute ${name} already exists` : undefined;
}

/** Of the API IDs of a new type. One that is not written yet has no problem. */
export function apiIdProblem(
  which: "singularName" | "pluralName",
  draft: Pick<TypeDraft, "singularName" | "pluralName">,
  { types, reserved }: Pick<Schemas, "types" | "reserved">,
): string | undefined {
  const name = draft[which];
  if (name === "") return undefined;
  if (!/^[a-z][a-z\d]*(?:-[a-z\d]+)*$/.test(name)) return "Lower-case letters, digits and hyphens, such as blog-post";
  if (isReserved(name, reserved.models)) return `${name} is a reserved name`;
  const owner = types.find(({ schema }) => schema.singularName === name || schema.pluralName === name);
  if (owner) return `The content-type ${owner.schema.displayName} has this ID`;
  return which === "pluralName" && name === draft.singularName ? "The same as the singular" : undefined;
}

function isBroken(pattern: string): boolean {
  try {
    new RegExp(pattern);
    return false;
  } catch {
    return true;
  }
}

const isAbove = (low: unknown, high: unknown): boolean =>
  low !== undefined && high !== undefined && low !== "" && high !== "" && Number(low) > Number(high);

const isFraction = (value: unknown): boolean => value !== undefined && value !== "" && !Number.isInteger(Number(value));

type Problems = Readonly<Record<string, string | undefined>>;

/** Told while it is typed. */
export function wrongOptions(attribute: Attribute): Problems {
  const { type, regex, min, max, minLength, maxLength, enum: values, default: initial } = attribute;
  const list = Array.isArray(values) ? (values as readonly string[]) : [];
  const twice = list.find((value, index) => list.indexOf(value) !== index);
  // also what another type of the attribute has left
  const wrongNumber = (value: unknown) =>
    type === "integer" && isFraction(value) ? "Enter a whole number" : undefined;
  return {
    min: wrongNumber(min),
    regex: typeof regex === "string" && isBroken(regex) ? "This is not a regular expression" : undefined,
    max: wrongNumber(max) ?? (isAbove(min, max) ? "The maximum is below the minimum" : undefined),
    maxLength: isAbove(minLength, maxLength) ? "The maximum is below the minimum" : undefined,
    enum: twice === undefined ? undefined : `${twice} is listed twice`,
    default:
      type === "enumeration" && initial !== undefined && !list.includes(String(initial))
        ? "Choose one of the values, or none"
        : undefined,
  };
}

/** A relation to documents of any type. */
export const isMorph = (relation: unknown): boolean => String(relation).startsWith("morph");

/** Told when the attribute is to be added: at first everything is missing. */
export function missingOptions({ type, enum: values, relation, target, component, components }: Attribute): Problems {
  const isEmpty = (list: unknown): boolean => !Array.isArray(list) || list.length === 0;
  return {
    enum: type === "enumeration" && isEmpty(values) ? "Enter at least one value" : undefined,
    target: type === "relation" && !isMorph(relation) && !target ? "Choose a content-type" : undefined,
    component: type === "component" && !component ? "Choose a component" : undefined,
    components: type === "dynamiczone" && isEmpty(components) ? "Choose at least one component" : undefined,
  };
}
