/**
 * Reads the body of `update-schema`. Its entries keep the rules of the builder's other routes, whose messages name the place, unlike Strapi's.
 */

import type { RawComponent, RawContentType, RawSchema } from "../../engine/schema/definition.ts";
import { snakeCase } from "../../engine/schema/names.ts";
import { applicationError, type Problem } from "../../lib/errors.ts";
import { toRecord } from "../../lib/is-record.ts";
import { pickBy } from "../../lib/records.ts";
import { checkShape, type Shape, type Test } from "../../lib/shape.ts";
import { type Fields, listOf, maxItems, objectOf, requiredText, text } from "../body.ts";
import type { JsonObject } from "../call.ts";
import { cleanAttributes, componentUid } from "./definitions.ts";
import { componentProblems, newUid, typeProblems } from "./input.ts";

const MAX_PARTS = 1_000;
/** Names of attributes that types with drafts cannot have. */
const RESERVED_WITH_DRAFTS = ["status"];
/** Others have no effect: Strapi's panel sends `modelName`, `globalId` and more. */
const COMPONENT_KEYS: ReadonlySet<string> = new Set([
  "displayName",
  "icon",
  "description",
  "category",
  "pluginOptions",
]);

export interface Update {
  readonly contentTypes: readonly JsonObject[];
  readonly components: readonly JsonObject[];
}

const action: Shape = { ...requiredText, oneOf: ["create", "update", "delete"] };
const haveUniqueNames: Test = (list: readonly unknown[], path) =>
  new Set(list.map((item) => snakeCase(String(toRecord(item).name)))).size === list.length
    ? undefined
    : `${path} must have unique names`;
const partShape = (fields: Fields): Shape => objectOf(fields, { required: true });
const attributes = listOf(partShape({ action, name: text }), {
  required: true,
  tests: [maxItems(MAX_PARTS), haveUniqueNames],
});
const entries = listOf(
  (entry) => partShape({ action, uid: requiredText, ...(toRecord(entry).action === "delete" ? {} : { attributes }) }),
  { tests: [maxItems(MAX_PARTS)] },
);
const bodyShape = partShape({ data: partShape({ contentTypes: entries, components: entries }) });

function refuseFirst([problem]: readonly Problem[]): void {
  if (problem) throw applicationError(problem.message);
}

/** The attributes of an entry by name, without removed ones. */
function readAttributes(list: unknown): JsonObject {
  const remaining = (list as readonly JsonObject[]).filter((attribute) => attribute.action !== "delete");
  const isNew = (name: string): boolean => remaining.some((item) => item.name === name && item.action === "create");
  const byName = Object.fromEntries(remaining.map(({ name, properties }) => [name, properties]));
  return toRecord(cleanAttributes(byName, isNew));
}

/** Throws an ApplicationError for a type that cannot have drafts. */
function checkDrafts({ definition }: RawContentType, { draftAndPublish, attributes: list }: JsonObject): void {
  const changes = list as readonly JsonObject[];
  const removed = changes.filter((attribute) => attribute.action === "delete").map(({ name }) => name);
  const reserved = Object.keys(definition.attributes).filter(
    (name) => !removed.includes(name) && RESERVED_WITH_DRAFTS.includes(snakeCase(name)),
  );
  if (draftAndPublish && reserved.length > 0)
    throw applicationError(
      `Cannot enable draft and publish while the following attribute names are reserved: ${reserved.join(", ")}. Rename them or remove them first.`,
    );
}

/** Entries as the other routes have them. Throws an ApplicationError with the first problem. */
export function readUpdate(schema: RawSchema, body: unknown): Update {
  const problems: Problem[] = [];
  checkShape(bodyShape, body, "", problems);
  refuseFirst(problems);
  const { components = [], contentTypes = [] } = (body as { readonly data: Partial<Update> }).data;
  const newUids = contentTypes.filter((entry) => entry.action === "create").map(({ uid }) => String(uid));
  const rulesFor = (entry: JsonObject, before: RawContentType | RawComponent | undefined) => ({
    isNew: entry.action === "create",
    known: Object.keys(before?.definition.attributes ?? {}),
    newUids,
  });
  const readComponent = (entry: JsonObject): JsonObject => {
    if (entry.action === "delete") return entry;
    const { uid } = entry;
    const before = schema.components.find((item) => item.uid === uid);
    const component = {
      category: before?.category,
      ...pickBy(entry, (_, key) => COMPONENT_KEYS.has(key)),
      attributes: readAttributes(entry.attributes),
    };
    refuseFirst(componentProblems(schema, { component }, rulesFor(entry, before)));
    if (entry.action === "create" && uid !== componentUid(entry)) throw applicationError("component.invalidUID");
    if (entry.action === "create" && before) throw applicationError("component.alreadyExists");
    return { ...entry, attributes: component.attributes };
  };
  const readType = (entry: JsonObject): JsonObject => {
    if (entry.action === "delete") return entry;
    const before = schema.types.find(({ uid }) => uid === entry.uid);
    if (entry.action === "update" && !before) throw applicationError("contentType.notFound");
    if (before) checkDrafts(before, entry);
    const contentType = { ...before?.definition.info, ...entry, attributes: readAttributes(entry.attributes) };
    refuseFirst(typeProblems(schema, { contentType }, rulesFor(entry, before)));
    // types of plugins are not the project's
    if (entry.action === "create" && (entry.plugin !== undefined || entry.uid !== newUid(entry)))
      throw applicationError("contentType.invalidUID");
    return { ...entry, attributes: contentType.attributes };
  };
  return { components: components.map(readComponent), contentTypes: contentTypes.map(readType) };
}
