/** The rules about one attribute of a content-type or component. */
import { type TObject, Type } from "@sinclair/typebox";
import { hintFor } from "../../../lib/nearest.ts";
import { isScalarTypeName, scalarTypes } from "../../attributes/index.ts";
import { isFieldName, isGraphqlName, toSlug } from "../enum-names.ts";
import { tidyAttribute } from "../tidy.ts";
import type { AttributeCheck } from "./attribute-check.ts";
import { checkRelation } from "./check-relation.ts";
import { misspeltKeys } from "./misspelt-keys.ts";
import { commonShape, isLinkedType, linkedShapes, type ShapeProblem, shapeProblems } from "./shapes.ts";

/**
 * Strapi refuses content-types with values that are no valid names, or have equal names. It does not check components:
 * there, the last value with a name is used.
 */
function checkEnumeration({ definition, raw, refuse, warn }: AttributeCheck): void {
  const values = tidyAttribute(definition).enum as readonly string[];
  const isType = "folder" in raw;
  if (values.length === 0)
    warn("enum", "has no values, so that only null is valid; the attribute is not part of GraphQL");
  const names = values.map(toSlug);
  const invalid = values.find((_value, index) => !isGraphqlName(names[index]!));
  if (invalid !== undefined) {
    if (isType) refuse("enum", `invalid value "${invalid}": a letter must come before the first number`);
    else warn("enum", `"${invalid}" is not a name in GraphQL, where it gets an underscore in front`);
  }
  const seen = new Set<string>();
  const duplicate = names.findIndex((name) => seen.size === seen.add(name).size);
  if (duplicate < 0) return;
  const reason = `"${values[duplicate]}" and another value have the same name in GraphQL, ${names[duplicate]}`;
  if (isType) refuse("enum", reason);
  else warn("enum", `${reason}, which stands for the last of them`);
}

type Check = (check: AttributeCheck) => void;

function checkRegex({ definition, warn }: AttributeCheck): void {
  if (typeof definition.regex !== "string") return;
  try {
    new RegExp(definition.regex);
  } catch (cause) {
    warn("regex", `${(cause as Error).message}; values are not checked against it`);
  }
}

function checkCustomField({ definition, customFieldType, refuse, warn }: AttributeCheck): void {
  const type = customFieldType(String(definition.customField));
  const hint = 'config/galley.json declares it under "customFields"';
  if (type === undefined)
    warn("customField", `the type behind ${definition.customField} is not known; it is stored as text unless ${hint}`);
  else if (!isScalarTypeName(type)) refuse("customField", `there is no attribute type "${type}"; ${hint}`);
}

const missingComponent = (uid: unknown): string => `there is no component ${uid}`;

const checks: Readonly<Record<string, Check>> = {
  enumeration: checkEnumeration,
  relation: (check) => checkRelation(check, check.joins),
  component: ({ definition, components, refuse }) => {
    if (!components.has(String(definition.component)))
      refuse(
        "component",
        `${missingComponent(definition.component)}${hintFor(String(definition.component), components.keys())}`,
      );
  },
  dynamiczone: ({ definition, components, warn }) => {
    const uids = (tidyAttribute(definition).components ?? []) as readonly string[];
    if (uids.length === 0) warn("components", "lists no components, so that the zone stays empty");
    else if (uids.length < [definition.components].flat().length)
      warn("components", "lists values that are not strings");
    for (const uid of uids) {
      if (!components.has(uid))
        warn("components", `${missingComponent(uid)}; it is left out${hintFor(uid, components.keys())}`);
    }
  },
  uid: (check) => {
    checkRegex(check);
    const { definition, raw, warn } = check;
    if (!definition.targetField) return;
    const target = raw.definition.attributes[String(definition.targetField)];
    if (target?.type !== "string" && target?.type !== "text")
      warn("targetField", "must name a string or text attribute");
  },
  customField: checkCustomField,
  string: checkRegex,
  text: checkRegex,
  richtext: checkRegex,
  email: checkRegex,
  password: checkRegex,
};

/** Keys without which an attribute cannot be served; other problems are corrected with a warning. */
const REQUIRED_KEYS: ReadonlySet<string> = new Set([
  "type",
  "enum",
  "relation",
  "target",
  "component",
  "components",
  "customField",
]);

function isFatal({ raw, definition }: AttributeCheck, { key }: ShapeProblem): boolean {
  const [first] = key.split(".");
  // Strapi reads the values of components when it starts, but does not check them
  const isUnchecked = first === "enum" && !("folder" in raw) && (definition.enum ?? null) !== null;
  return REQUIRED_KEYS.has(first!) && !isUnchecked;
}

const TYPE_NAMES = [...Object.keys(scalarTypes), ...Object.keys(linkedShapes)];

/** Keys of attributes whose values are not checked. */
const OTHER_KEYS = ["type", "default", "pluginOptions", "conditions", "column", "editable", "visible"];

/** Cached by attribute type. */
const shapes = new Map<string, TObject>();

function findShape(type: string): TObject | undefined {
  const cached = shapes.get(type);
  if (cached) return cached;
  const properties = isLinkedType(type)
    ? linkedShapes[type]
    : isScalarTypeName(type)
      ? (scalarTypes[type].options?.(Type) ?? {})
      : undefined;
  if (!properties) return undefined;
  const shape = Type.Object({ ...commonShape, ...properties });
  shapes.set(type, shape);
  return shape;
}

/** With a meaning in parameters: of nested keys, lists and directions of sorting, and of operators. */
const SYNTAX = /[.:,[\]]|^\$/;

function checkName({ name, warn }: AttributeCheck): void {
  if (name === "__proto__") warn("", "is left out: objects cannot have a value of this name");
  else if (SYNTAX.test(name)) warn("", "is not part of GraphQL, and parameters such as sort cannot name it");
  else if (!isFieldName(name))
    warn("", "is not part of GraphQL, whose names hold only letters, digits and underscores");
}

export function checkAttribute(check: AttributeCheck): void {
  const { definition, refuse, warn } = check;
  checkName(check);
  const { type } = definition;
  const shape = findShape(type);
  if (!shape) return refuse("type", `unknown attribute type "${type}"${hintFor(type, TYPE_NAMES)}`);
  const problems = shapeProblems(shape, definition);
  const fatal = problems.filter((problem) => isFatal(check, problem));
  for (const { key, reason } of fatal) refuse(key, reason);
  for (const problem of problems)
    if (!fatal.includes(problem)) warn(problem.key, `${problem.reason}; the key is not used as it is`);
  if (!("customField" in definition))
    for (const { key, reason } of misspeltKeys(definition, [...Object.keys(shape.properties), ...OTHER_KEYS]))
      warn(key, reason);
  if (fatal.length === 0) checks[type]?.(check);
}
