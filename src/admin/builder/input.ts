/** Validates requests to the content-type builder, with Strapi's messages. */

import { withAdministration } from "../../engine/schema/builtin/administration.ts";
import type { ContentTypeDefinition, RawSchema } from "../../engine/schema/definition.ts";
import { isReserved, reservedNames, snakeCase } from "../../engine/schema/reserved-names.ts";
import type { Problem } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { isKebabCase } from "../../lib/kebab-case.ts";
import { checkShape, type Shape, type Test } from "../../lib/shape.ts";
import type { AdminCall, JsonObject } from "../call.ts";
import { type AttributeRules, attributeShape, relationNames, typeNames } from "./attribute-shapes.ts";
import { builderProblems } from "./builder-error.ts";

export const toRecord = (value: unknown): JsonObject => (isRecord(value) ? value : {});

const KINDS = ["singleType", "collectionType"];
const CATEGORY = /^[A-Za-z][-_0-9A-Za-z]*$/;
const ICON = /^[A-Za-z0-9][-A-Za-z0-9]*$/;

const text: Shape = { type: "string", strict: true };
const atLeast = (min: number): Test => {
  return (value: string, path) => (value.length < min ? `${path} must be at least ${min} characters` : undefined);
};
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
    if (isReserved(name, reservedNames.attributes))
      return refusedShape(`Attribute keys cannot be one of ${reservedNames.attributes.join(", ")}`);
    if (names.some((other) => other !== name && snakeCase(other) === snakeCase(name)))
      return refusedShape(`Attribute ${name} conflicts with an existing key`);
    const attribute = attributes[name];
    if (attribute !== undefined && attribute !== null && !isRecord(attribute)) return { type: "object", strict: true };
    if (!attribute || attribute.type === undefined)
      return refusedShape("Attribute must have either a type or a target");
    return attributeShape(name, attribute, attributes, rules);
  };
  const fields = Object.fromEntries(names.map((name) => [name, createShape(name)]));
  return { type: "object", strict: true, required: true, missing: () => "attributes.required", fields };
}

/** The part that types and components share. */
const modelFields = (input: unknown, rules: AttributeRules): Readonly<Record<string, Shape>> => ({
  description: text,
  options: { type: "object", strict: true },
  pluginOptions: { type: "object", strict: true },
  collectionName: { ...text, nullable: true, tests: [isCollectionName] },
  attributes: attributesShape(toRecord(input).attributes, rules),
  draftAndPublish: { type: "boolean", strict: true },
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
    ...text,
    required: true,
    tests: [
      atLeast(1),
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

/** Allowed targets of relations: collection types. */
const listTargets = ({ types }: RawSchema): string[] => [
  ...types.filter(({ definition }) => (definition.kind ?? "collectionType") === "collectionType").map(({ uid }) => uid),
  "admin::user",
  "__self__",
  "__contentType__",
];

/** `more`: types that the request itself creates. */
export const componentRules = (schema: RawSchema, newUids: readonly string[] = []) => ({
  types: typeNames.component,
  relations: relationNames.component,
  targets: [...listTargets(schema), ...newUids],
});

export const typeRules = (
  schema: RawSchema,
  newUids: readonly string[] = [],
  kind: "singleType" | "collectionType" = "collectionType",
) => ({
  types: typeNames.contentType,
  relations: relationNames[kind],
  targets: [...listTargets(schema), ...newUids],
});

/** Unknown keys are refused, unlike those of types. `more`: the keys that only components in the same request may have. */
const componentShape = (input: unknown, rules: AttributeRules, more: Readonly<Record<string, Shape>> = {}): Shape => ({
  type: "object",
  strict: true,
  required: true,
  exact: true,
  fields: {
    ...more,
    ...modelFields(input, rules),
    displayName: { ...text, required: true, missing: () => "displayName.required", tests: [atLeast(1)] },
    icon: { ...text, nullable: true, tests: [isIcon] },
    category: { ...text, nullable: true, required: true, missing: () => "category.required", tests: [isCategory] },
  },
});

const NESTED = "Component must have a uid or a tmpUID";

function nestedShape(rules: AttributeRules): Shape {
  const named: Test = (value: JsonObject) => ("uid" in value === "tmpUID" in value ? NESTED : undefined);
  return {
    type: "array",
    strict: true,
    item: (item) => ({ ...componentShape(item, rules, { uid: text, tmpUID: text }), tests: [named] }),
  };
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length > 0) throw builderProblems(problems);
}

/** `part`: what is defined, beside components in the same request. */
function checkKeys(body: JsonObject, part: "contentType" | "component", problems: Problem[]): void {
  const any: Shape = { type: "mixed", strict: true };
  checkShape(
    { type: "object", strict: true, exact: true, fields: { [part]: any, components: any } },
    body,
    "",
    problems,
  );
}

/** Throws a BuilderError with all problems. `isNew`: names are validated as well; they cannot be changed later. */
export function checkType(schema: RawSchema, body: JsonObject, isNew: boolean): void {
  const { contentType, components } = body;
  const input = toRecord(contentType);
  const kind = input.kind === "singleType" ? "singleType" : "collectionType";
  const ownUid = typeof input.singularName === "string" ? [newUid(input)] : [];
  const rules = typeRules(schema, ownUid, kind);
  const problems: Problem[] = [];
  const names = {
    displayName: { ...text, required: true, tests: [atLeast(1)] },
    singularName: nameShape(schema, false, isNew),
    pluralName: nameShape(schema, true, isNew),
  };
  const fields = {
    ...modelFields(contentType, rules),
    kind: { ...text, nullable: true, oneOf: KINDS },
    ...names,
  };
  checkShape({ type: "object", strict: true, required: true, fields }, contentType, "contentType", problems);
  if (isRecord(contentType) && input.singularName === input.pluralName)
    problems.push({
      path: "contentType",
      message: "contentType: singularName and pluralName should be different",
      value: contentType,
    });
  checkShape(nestedShape(componentRules(schema, ownUid)), components, "components", problems);
  checkKeys(body, "contentType", problems);
  refuse(problems);
}

export const newUid = ({ singularName }: JsonObject): string => `api::${singularName}.${singularName}`;

/** Throws a BuilderError with all problems. */
export function checkComponent(schema: RawSchema, body: JsonObject): void {
  const { component, components } = body;
  const problems: Problem[] = [];
  const rules = componentRules(schema);
  checkShape(componentShape(component, rules), component, "component", problems);
  checkShape(nestedShape(rules), components, "components", problems);
  checkKeys(body, "component", problems);
  refuse(problems);
}

/** Throws a BuilderError. `kind`: of the listed types. */
export function checkKind(kind: unknown): void {
  const problems: Problem[] = [];
  checkShape({ ...text, oneOf: KINDS }, kind, "", problems);
  refuse(problems);
}

/** The body; empty if there is none. Rejects with a BuilderError for a list, and for text. */
export async function builderBody({ rawBody }: Pick<AdminCall, "rawBody">): Promise<JsonObject> {
  const body = await rawBody();
  if (body === undefined) return {};
  const problems: Problem[] = [];
  checkShape({ type: "object", strict: true }, body, "", problems);
  refuse(problems);
  return body as JsonObject;
}

/** Throws a BuilderError. */
export function checkCategory(input: JsonObject): void {
  const problems: Problem[] = [];
  const name: Shape = { ...text, required: true, missing: () => "name.required", tests: [atLeast(3), isCategory] };
  checkShape({ type: "object", strict: true, exact: true, fields: { name } }, input, "", problems);
  refuse(problems);
}
