/** Reads the body of `update-schema`. Its types and components follow the rules of the builder's other requests. */

import type { RawContentType, RawSchema } from "../../engine/schema/definition.ts";
import type { Problem } from "../../lib/errors.ts";
import { checkShape, type Shape, type Test } from "../../lib/shape.ts";
import type { JsonObject } from "../call.ts";
import type { AttributeRules } from "./attribute-shapes.ts";
import { BuilderError } from "./builder-error.ts";
import { cleanAttributes } from "./definitions.ts";
import { checkComponent, checkType, recordOf, refuse } from "./input.ts";
import { snakeCase } from "./reserved-names.ts";

const MAX_PARTS = 1_000;

export interface Update {
  readonly contentTypes?: readonly JsonObject[];
  readonly components?: readonly JsonObject[];
}

/** The attributes of a list by name, without removed ones. */
export const attributesOf = (list: unknown): JsonObject =>
  Object.fromEntries(
    (Array.isArray(list) ? list : [])
      .map(recordOf)
      .filter(({ action }) => action !== "delete")
      .map(({ name, properties }) => [String(name), properties]),
  );

const text: Shape = { type: "string", strict: true, required: true };
const isShort: Test = (list: unknown[], path) =>
  list.length > MAX_PARTS ? `${path} must have at most ${MAX_PARTS} items` : undefined;
const haveUniqueNames: Test = (list: unknown[]) => {
  const names = new Set(list.map((item) => snakeCase(String(recordOf(item).name))));
  return names.size === list.length ? undefined : "Attributes must have unique names";
};

const attributeEntry = (actions: readonly string[]): Shape => ({
  type: "object",
  strict: true,
  required: true,
  fields: {
    action: { ...text, oneOf: actions },
    name: { ...text, missing: (path) => `${path} is not a name` },
    properties: { type: "object", strict: true },
  },
});

/** A type or component. The attributes of a new one can only be created. */
function entryShape(entry: unknown): Shape {
  const { action } = recordOf(entry);
  const item = attributeEntry(action === "create" ? ["create"] : ["create", "update", "delete"]);
  const tests = [isShort, haveUniqueNames];
  return {
    type: "object",
    strict: true,
    required: true,
    fields: {
      action: { ...text, oneOf: ["create", "update", "delete"] },
      uid: text,
      attributes: { type: "array", strict: true, required: action !== "delete", tests, item: () => item },
    },
  };
}

const list: Shape = { type: "array", strict: true, tests: [isShort], item: entryShape };
const bodyShape: Shape = {
  type: "object",
  strict: true,
  required: true,
  fields: { data: { type: "object", strict: true, required: true, fields: { contentTypes: list, components: list } } },
};

/** Responses of the content manager have the state of a version under this name. Throws a BuilderError. */
function checkDrafts(stored: RawContentType | undefined, input: JsonObject): void {
  const hasDrafts = input.draftAndPublish ?? stored?.definition.options?.draftAndPublish;
  const reserved = Object.keys(attributesOf(input.attributes)).filter((name) => snakeCase(name) === "status");
  if (!hasDrafts || reserved.length === 0) return;
  throw new BuilderError(
    `Cannot enable draft and publish while the following attribute names are reserved: ${reserved.join(", ")}. Rename them or remove them first.`,
  );
}

/** The keys of an entry that components have in other requests, too. */
const COMPONENT_KEYS = ["displayName", "icon", "category", "description", "pluginOptions"];

/** Throws a BuilderError with the problems of the body, or of the first entry that has any. Missing types are found later. */
export function readUpdate(schema: RawSchema, body: unknown): Update {
  const problems: Problem[] = [];
  checkShape(bodyShape, body, "", problems);
  refuse(problems);
  const update = recordOf(body).data as Update;
  const { contentTypes = [], components = [] } = update;
  const created = contentTypes.filter(({ action }) => action === "create").map(({ uid }) => String(uid));
  const targets = [...schema.types.map(({ uid }) => uid), ...created, "admin::user", "__self__", "__contentType__"];
  const rulesOf = (entry: JsonObject): Partial<AttributeRules> => {
    const known = (entry.attributes as JsonObject[]).filter(({ action }) => action === "update");
    return { targets, known: new Set(known.map(({ name }) => String(name))) };
  };
  for (const entry of components) {
    const stored = schema.components.find(({ uid }) => uid === entry.uid);
    if (entry.action === "delete" || (entry.action === "update" && !stored)) continue;
    const given = Object.fromEntries(Object.entries(entry).filter(([key]) => COMPONENT_KEYS.includes(key)));
    const attributes = cleanAttributes(attributesOf(entry.attributes));
    checkComponent(schema, { component: { category: stored?.category, ...given, attributes } }, rulesOf(entry));
  }
  for (const entry of contentTypes) {
    const stored = schema.types.find(({ uid }) => uid === entry.uid);
    if (entry.action === "delete" || (entry.action === "update" && !stored)) continue;
    const isNew = entry.action === "create";
    const attributes = isNew ? attributesOf(entry.attributes) : cleanAttributes(attributesOf(entry.attributes));
    const { kind, info } = stored?.definition ?? {};
    const names = isNew ? {} : { singularName: info?.singularName, pluralName: info?.pluralName };
    checkType(schema, { contentType: { kind, ...entry, ...names, attributes } }, isNew, rulesOf(entry));
    checkDrafts(isNew ? undefined : stored, entry);
  }
  return update;
}
