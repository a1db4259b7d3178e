/** Validates requests to the content-type builder, with Strapi's messages. */

import { withAdministration } from "../../engine/schema/builtin/administration.ts";
import type { ComponentDefinition, ContentTypeDefinition, RawSchema } from "../../engine/schema/definition.ts";
import { snakeCase } from "../../engine/schema/names.ts";
import { isReserved, reservedNames } from "../../engine/schema/reserved-names.ts";
import type { Problem } from "../../lib/errors.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import { isKebabCase } from "../../lib/kebab-case.ts";
import { checkShape, minCharacters, notEmpty, type Shape, type Test } from "../../lib/shape.ts";
import { anyObject, exactly, type Fields, flag, listOf, objectOf, requiredText, text } from "../body.ts";
import type { AdminCall, JsonObject } from "../call.ts";
import { type AttributeRules, attributeShape, relationNames, typeNames } from "./attribute-shapes.ts";
import { builderProblems } from "./builder-error.ts";

const KINDS = ["singleType", "collectionType"];
const CATEGORY = /^[A-Za-z][-_0-9A-Za-z]*$/;
const ICON = /^[A-Za-z0-9][-A-Za-z0-9]*$/;

const matching = (pattern: RegExp, message: (path: string) => string): Test => {
  return (value: string, path) => (value === "" || pattern.test(value) ? undefined : message(path));
};

const isCollectionName = matching(CATEGORY, (path) => `${path} must match the following regex: ${CATEGORY}`);
const isCategory = matching(
  CATEGORY,
  (path) => `${path} must start with a letter and only contain letters, numbers, dashes and underscores`,
);
const isIcon = matching(
  ICON,
  (path) =>
    `${path} is not a valid icon name. Make sure your icon name starts with an alphanumeric character and only includes alphanumeric characters or dashes.`,
);

/** Validates each attribute by the rules of its type. Invalid names are refused for every type. */
function attributesShape(input: unknown, rules: AttributeRules): Shape {
  const attributes = toRecord(input);
  const names = Object.keys(attributes);
  const refusedShape = (message: string): Shape => ({ type: "mixed", strict: true, tests: [() => message] });
  const createShape = (name: string): Shape => {
    if (!rules.known.includes(name) && isReserved(name, reservedNames.attributes))
      return refusedShape(`Attribute keys cannot be one of ${reservedNames.attributes.join(", ")}`);
    if (names.some((other) => other !== name && snakeCase(other) === snakeCase(name)))
      return refusedShape(`Attribute ${name} conflicts with an existing key`);
    const attribute = attributes[name];
    if (attribute !== undefined && attribute !== null && !isRecord(attribute)) return anyObject;
    if (!attribute || attribute.type === undefined)
      return refusedShape("Attribute must have either a type or a target");
    return attributeShape(name, attribute, attributes, rules);
  };
  const fields = Object.fromEntries(names.map((name) => [name, createShape(name)]));
  return objectOf(fields, { required: true, missing: () => "attributes.required" });
}

/** The part that types and components share. */
const modelFields = (input: unknown, rules: AttributeRules): Fields => ({
  description: text,
  options: anyObject,
  pluginOptions: anyObject,
  collectionName: { ...text, nullable: true, tests: [isCollectionName] },
  attributes: attributesShape(toRecord(input).attributes, rules),
  draftAndPublish: flag,
});

/** A test that refuses the names of all types, also of those of the administration. */
function untaken(
  { types }: RawSchema,
  listNames: (definition: ContentTypeDefinition) => readonly (string | undefined)[],
) {
  const names = withAdministration(types).flatMap(({ definition }) => listNames(definition));
  const taken = new Set(names.flatMap((name) => (name ? [snakeCase(name)] : [])));
  return (value: string): string | undefined =>
    taken.has(snakeCase(value))
      ? `contentType: name \`${value}\` is already being used by another content type.`
      : undefined;
}

function nameShape(schema: RawSchema, isPlural: boolean, isNew: boolean): Shape {
  const tests = [
    ...(isNew ? [untaken(schema, ({ info }) => [info.singularName, info.pluralName])] : []),
    // Strapi says it twice of a name that is a table's, too
    ...(isNew && isPlural ? [untaken(schema, ({ collectionName }) => [collectionName])] : []),
  ];
  return {
    ...requiredText,
    tests: [
      notEmpty,
      ...tests,
      (value: string) =>
        isReserved(value, reservedNames.models)
          ? `Content Type name cannot be one of ${reservedNames.models.join(", ")}`
          : undefined,
      (value: string, path) =>
        value === "" || (isKebabCase(value) && /^[a-z]/.test(value))
          ? undefined
          : `${path} is not in kebab case (an-example-of-kebab-case)`,
    ],
  };
}

/** What attributes may be in a request. */
export interface RequestRules {
  /** Names cannot be changed later, and are checked for new types only. */
  readonly isNew: boolean;
  /** The names of attributes that the type or component has. */
  readonly known: readonly string[];
  /** The types that the request creates. */
  readonly newUids: readonly string[];
}

/** Allowed targets of relations. */
const listTargets = ({ types }: RawSchema, { newUids }: RequestRules): string[] => [
  ...[...types.map(({ uid }) => uid), ...newUids],
  ...["admin::user", "__self__", "__contentType__"],
];
const componentRules = (schema: RawSchema, rules: RequestRules): AttributeRules => ({
  types: typeNames.component,
  relations: relationNames.component,
  targets: listTargets(schema, rules),
  known: rules.known,
});

/** Unknown keys are refused, unlike those of types. `more`: the keys that only components in the same request may have. */
const componentShape = (input: unknown, rules: AttributeRules, more: Fields = {}): Shape =>
  exactly(
    {
      ...more,
      ...modelFields(input, rules),
      displayName: { ...requiredText, missing: () => "displayName.required", tests: [notEmpty] },
      icon: { ...text, nullable: true, tests: [isIcon] },
      category: { ...requiredText, nullable: true, missing: () => "category.required", tests: [isCategory] },
    },
    { required: true },
  );

const NESTED = "Component must have a uid or a tmpUID";

function nestedShape(rules: AttributeRules): Shape {
  const named: Test = (value: JsonObject) => ("uid" in value === "tmpUID" in value ? NESTED : undefined);
  return listOf((item) => ({ ...componentShape(item, rules, { uid: text, tmpUID: text }), tests: [named] }));
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length > 0) throw builderProblems(problems);
}

/** The problems of a body that defines a `part`, with the components that it uses. */
function bodyProblems(
  schema: RawSchema,
  body: JsonObject,
  part: "contentType" | "component",
  shape: Shape,
  rules: RequestRules,
): Problem[] {
  const problems: Problem[] = [];
  checkShape(shape, body[part], part, problems);
  const { singularName, pluralName } = toRecord(body.contentType);
  if (isRecord(body.contentType) && singularName === pluralName)
    problems.push({
      path: part,
      message: "contentType: singularName and pluralName should be different",
      value: body.contentType,
    });
  checkShape(nestedShape(componentRules(schema, { ...rules, known: [] })), body.components, "components", problems);
  const any: Shape = { type: "mixed", strict: true };
  checkShape(exactly({ [part]: any, components: any }), body, "", problems);
  return problems;
}

export const newUid = ({ singularName }: JsonObject): string => `api::${singularName}.${singularName}`;

export function typeProblems(schema: RawSchema, body: JsonObject, { newUids, ...rules }: RequestRules): Problem[] {
  const input = toRecord(body.contentType);
  const ownUid = typeof input.singularName === "string" ? [newUid(input)] : [];
  const all = { ...rules, newUids: [...newUids, ...ownUid] };
  const attributeRules = {
    types: typeNames.contentType,
    relations: relationNames[input.kind === "singleType" ? "singleType" : "collectionType"],
    targets: listTargets(schema, all),
    known: rules.known,
  };
  const fields = {
    ...modelFields(body.contentType, attributeRules),
    kind: { ...text, nullable: true, oneOf: KINDS },
    displayName: { ...requiredText, tests: [notEmpty] },
    singularName: nameShape(schema, false, rules.isNew),
    pluralName: nameShape(schema, true, rules.isNew),
  };
  return bodyProblems(schema, body, "contentType", objectOf(fields, { required: true }), all);
}

export const componentProblems = (schema: RawSchema, body: JsonObject, rules: RequestRules): Problem[] =>
  bodyProblems(schema, body, "component", componentShape(body.component, componentRules(schema, rules)), rules);

/** Throws a BuilderError with all problems. `before`: the definition that the body changes. */
export function checkType(schema: RawSchema, body: JsonObject, before?: ContentTypeDefinition): void {
  refuse(typeProblems(schema, body, rulesFor(before)));
}

/** As `checkType`. */
export function checkComponent(schema: RawSchema, body: JsonObject, before?: ComponentDefinition): void {
  refuse(componentProblems(schema, body, rulesFor(before)));
}

const rulesFor = (before: ContentTypeDefinition | ComponentDefinition | undefined): RequestRules => ({
  isNew: before === undefined,
  known: Object.keys(before?.attributes ?? {}),
  newUids: [],
});

/** Throws a BuilderError with all problems. */
function check(shape: Shape, value: unknown): void {
  const problems: Problem[] = [];
  checkShape(shape, value, "", problems);
  refuse(problems);
}

/** Throws a BuilderError. `kind`: of the listed types. */
export function checkKind(kind: unknown): void {
  check({ ...text, oneOf: KINDS }, kind);
}

/** The body; empty if there is none. Rejects with a BuilderError for a list, and for text. */
export async function builderBody({ rawBody }: Pick<AdminCall, "rawBody">): Promise<JsonObject> {
  const body = await rawBody();
  if (body === undefined) return {};
  check(anyObject, body);
  return body as JsonObject;
}

/** Throws a BuilderError. */
export function checkCategory(input: JsonObject): void {
  const name: Shape = {
    ...requiredText,
    missing: () => "name.required",
    tests: [minCharacters(3), isCategory],
  };
  check(exactly({ name }), input);
}
