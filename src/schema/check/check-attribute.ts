/** The rules about one attribute of a content-type or component. */
import { type TSchema, Type } from "@sinclair/typebox";
import { isScalarTypeName, scalarTypes } from "../../attributes/index.ts";
import { isGraphqlName } from "../enum-names.ts";
import type { AttributeCheck } from "./attribute-check.ts";
import { checkEnumeration } from "./check-enumeration.ts";
import { checkRelation } from "./check-relation.ts";
import { commonShape, isLinkedType, linkedShapes, type ShapeProblem, shapeProblems } from "./shapes.ts";

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
    if (!components.has(String(definition.component))) refuse("component", missingComponent(definition.component));
  },
  dynamiczone: ({ definition, components, refuse }) => {
    for (const uid of definition.components as readonly string[]) {
      if (!components.has(uid)) refuse("components", missingComponent(uid));
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

const isFatal = ({ key }: ShapeProblem): boolean => REQUIRED_KEYS.has(key.split(".")[0]!);

/** Cached by attribute type. */
const shapes = new Map<string, TSchema>();

function shapeOf(type: string): TSchema | undefined {
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

/** Names are keys of parameters, where these characters have a meaning. Any others are served over REST. */
const NAME = /^(?!__|\$)[^\p{C}.:,*[\]{}"'`\\]{1,100}$/u;

export function checkAttribute(check: AttributeCheck): void {
  const { name, definition, refuse, warn } = check;
  if (!NAME.test(name))
    refuse("", "a name must not begin with $ or two underscores, or contain . : , * quotes or brackets");
  else if (!isGraphqlName(name))
    warn("", "is not part of GraphQL, whose names hold only letters, digits and underscores");
  const { type } = definition;
  const shape = shapeOf(type);
  if (!shape) return refuse("type", `unknown attribute type "${type}"`);
  const problems = shapeProblems(shape, definition);
  for (const { key, reason } of problems) {
    if (isFatal({ key, reason })) refuse(key, reason);
    else warn(key, `${reason}; the key is not used as it is`);
  }
  if (!problems.some(isFatal)) checks[type]?.(check);
}
