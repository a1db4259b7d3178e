/** Validates the body of `update-schema`, with Strapi's messages. */

import type { RawContentType, RawSchema } from "../../engine/schema/definition.ts";
import { isReserved, reservedNames, snakeCase } from "../../engine/schema/reserved-names.ts";
import { applicationError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { JsonObject } from "../call.ts";
import { typeName } from "../content-manager/type-name.ts";
import { relationNames, typeNames } from "./attribute-shapes.ts";
import { toRecord, typeRules } from "./input.ts";
import { type AllowedProperties, propertiesCheck } from "./update-attributes.ts";
import {
  type Check,
  createListCheck,
  type Fields,
  flag,
  formatIssues,
  INVALID,
  type Issue,
  matching,
  notEmpty,
  object,
  oneOf,
  optional,
  record,
  text,
  WRONG_FORM,
} from "./update-checks.ts";

const MAX_PARTS = 1_000;
const NAME = /^[A-Za-z][_0-9A-Za-z]*$/;
const CATEGORY = /^[A-Za-z][-_0-9A-Za-z]*$/;
const ICON = /^[A-Za-z0-9][-A-Za-z0-9]*$/;
const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** Names of attributes that types with drafts cannot have. */
const RESERVED_WITH_DRAFTS = ["status"];

export interface Update {
  readonly contentTypes?: readonly JsonObject[];
  readonly components?: readonly JsonObject[];
}

/** The attributes of a list by name, without removed ones. */
export const readAttributes = (list: unknown): JsonObject =>
  Object.fromEntries(
    (Array.isArray(list) ? list : [])
      .map(toRecord)
      .filter(({ action }) => action !== "delete")
      .map(({ name, properties }) => [String(name), properties]),
  );

const attributeName = text(matching(NAME), (name) =>
  isReserved(name, reservedNames.attributes) ? "Attribute name is reserved" : undefined,
);

/** An entry of a list of attributes. Those of a new type can only be created. */
const attributeCheck =
  (allowed: AllowedProperties, isNew: boolean): Check =>
  (input) => {
    const { action } = toRecord(input);
    const properties = propertiesCheck(allowed);
    if (action === "create") return object({ name: attributeName, properties })(input);
    if (isNew) return WRONG_FORM;
    if (action === "update") return object({ name: text(), properties })(input);
    return object({ action: oneOf("delete"), name: text() })(input);
  };

const haveUniqueNames = (list: readonly unknown[]): string | undefined => {
  const names = new Set(list.map((item) => snakeCase(String(toRecord(item).name))));
  return names.size === list.length ? undefined : "Attributes must have unique names";
};

/** The attribute that a uid is made of: one that takes text. A missing one counts only for new uids: it may be renamed. */
function targetFieldProblem(list: readonly unknown[]): string | undefined {
  for (const { action, properties } of list.map(toRecord)) {
    const { type, targetField } = toRecord(properties);
    if (type !== "uid" || !targetField) continue;
    const target = list.map(toRecord).find(({ name }) => name === targetField);
    if (!target && action === "create") return "Target does not exist";
    const targetType = toRecord(target?.properties).type;
    if (target && targetType !== "string" && targetType !== "text") return "Invalid target type";
  }
  return undefined;
}

const isShort = (list: readonly unknown[]): string | undefined =>
  list.length > MAX_PARTS ? `At most ${MAX_PARTS} items are allowed` : undefined;

const uid: Check = text((value) => (value === "" ? INVALID : undefined));
const modelName = text(notEmpty, matching(KEBAB, "Must be kebab case"), (name) =>
  isReserved(name, reservedNames.models) ? "Model name is reserved" : undefined,
);

const typeFields: Fields = {
  uid,
  displayName: text(notEmpty),
  description: optional(text()),
  draftAndPublish: flag,
  options: optional(record),
  pluginOptions: optional(record),
};

const newTypeFields: Fields = {
  plugin: optional(text(notEmpty)),
  collectionName: optional(text(matching(CATEGORY))),
  singularName: modelName,
  pluralName: modelName,
  config: optional(record),
};

const typeAttributes = (kind: keyof typeof relationNames, isNew: boolean): Check => {
  const allowed = { types: typeNames.contentType, relations: relationNames[kind] };
  return createListCheck(attributeCheck(allowed, isNew), isShort, haveUniqueNames, targetFieldProblem);
};

/** Why a type cannot have drafts, if it cannot. */
function draftsProblem(types: readonly RawContentType[], input: JsonObject): string | undefined {
  if (!input.draftAndPublish) return undefined;
  const stored = types.find((type) => type.uid === input.uid)?.definition.attributes ?? {};
  const listed = (Array.isArray(input.attributes) ? input.attributes : []).map(toRecord);
  const removed = new Set(listed.filter(({ action }) => action === "delete").map(({ name }) => name));
  const names = [...Object.keys(input.action === "create" ? {} : stored), ...Object.keys(readAttributes(listed))];
  const reserved = [...new Set(names)].filter(
    (name) => !removed.has(name) && RESERVED_WITH_DRAFTS.includes(snakeCase(name)),
  );
  return reserved.length === 0
    ? undefined
    : `Cannot enable draft and publish while the following attribute names are reserved: ${reserved.join(", ")}. Rename them or remove them first.`;
}

const haveDifferentNames = ({ singularName, pluralName }: JsonObject): string | undefined =>
  singularName === pluralName ? "Singular and plural names must be different" : undefined;

function typeIssues(types: readonly RawContentType[], input: unknown): readonly Issue[] {
  const { action, kind } = toRecord(input);
  const hasDrafts = (value: JsonObject) => draftsProblem(types, value);
  if (action === "delete") return object({ uid })(input);
  if (action !== "create" && action !== "update") return WRONG_FORM;
  const isSingle = kind === "singleType";
  if (kind !== undefined && kind !== "collectionType" && !isSingle) return WRONG_FORM;
  const isNew = action === "create";
  if (isNew && kind === undefined) return WRONG_FORM;
  const attributes = typeAttributes(isSingle ? "singleType" : "collectionType", isNew);
  if (isNew) return object({ ...typeFields, ...newTypeFields, attributes }, haveDifferentNames, hasDrafts)(input);
  const issues = object({ ...typeFields, attributes })(input);
  // without its kind, the entry is read as one of each, whose problems Strapi does not tell
  if (issues.length > 0 && kind === undefined) return WRONG_FORM;
  return issues.length > 0 ? issues : object({}, hasDrafts)(input);
}

const category = text(notEmpty, matching(CATEGORY));
const componentFields: Fields = {
  uid,
  displayName: text(notEmpty),
  icon: optional(text(matching(ICON))),
  description: optional(text()),
  pluginOptions: optional(record),
};

const ofComponent = { types: typeNames.component, relations: relationNames.component };

function componentIssues(input: unknown): readonly Issue[] {
  const { action } = toRecord(input);
  const attributes = createListCheck(attributeCheck(ofComponent, action === "create"), isShort, haveUniqueNames);
  if (action === "delete") return object({ uid })(input);
  if (action === "create") return object({ ...componentFields, category, config: optional(record), attributes })(input);
  if (action === "update") return object({ ...componentFields, category: optional(category), attributes })(input);
  return WRONG_FORM;
}

/** The `data` of a body. Throws an ApplicationError if it is no object. */
function readData(body: unknown): JsonObject {
  if (body === undefined) throw applicationError("Schema is required");
  if (!isRecord(body)) throw applicationError("Invalid schema, expected an object with a data property");
  const { data } = body;
  if (isRecord(data)) return data;
  throw applicationError(`Invalid input: expected object, received ${typeName(data)}`);
}

/** Throws an ApplicationError for the first relation that leads to no type. */
export function checkTargets(attributes: JsonObject, known: ReadonlySet<string>): void {
  for (const { type, target, relation } of Object.values(attributes).map(toRecord)) {
    if (type !== "relation" || String(relation).startsWith("morphTo")) continue;
    if (typeof target === "string" && !known.has(target)) throw applicationError(`Content type ${target} not found`);
  }
}

/** Types that relations can lead to, with those that an update creates. */
export function listTargets(schema: RawSchema, { contentTypes = [] }: Update): ReadonlySet<string> {
  const newUids = contentTypes.filter(({ action }) => action === "create").map((input) => String(input.uid));
  return new Set([...schema.types.map((type) => type.uid), ...typeRules(schema, newUids).targets]);
}

/** Throws an ApplicationError with the first problem. */
export function readUpdate({ types }: RawSchema, body: unknown): Update {
  const data = readData(body);
  for (const list of [data.components, data.contentTypes]) {
    if (list === undefined) continue;
    if (!Array.isArray(list)) throw applicationError(`Invalid input: expected array, received ${typeName(list)}`);
    const problem = isShort(list);
    if (problem) throw applicationError(problem);
  }
  const { components = [], contentTypes = [] } = data as { components?: unknown[]; contentTypes?: unknown[] };
  const messages = [
    ...components.map((input) => formatIssues(componentIssues(input))),
    ...contentTypes.map((input) => formatIssues(typeIssues(types, input))),
  ];
  const message = messages.find((item) => item !== undefined);
  if (message !== undefined) throw applicationError(message);
  return data as unknown as Update;
}
