/** Merges requests into definitions of types and components: keys missing from a request are kept. */

import type slugify from "@sindresorhus/slugify";
import type pluralize from "pluralize";
import type { ComponentDefinition, ContentTypeDefinition } from "../../engine/schema/definition.ts";
import { filledString } from "../../lib/coerce.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import { isKebabCase } from "../../lib/kebab-case.ts";
import { pickBy } from "../../lib/records.ts";
import type { JsonObject } from "../call.ts";
import { BuilderError } from "./builder-error.ts";
import type { SchemaEdit } from "./schema-edit.ts";

export const toSlug = (name: string): string => (require("@sindresorhus/slugify") as typeof slugify)(name);
const tableName = (name: string): string => toSlug(name).replaceAll("-", "_");
const toPlural = (name: string): string => (require("pluralize") as typeof pluralize)(name);

/** Keys that a file has only if the request has them. */
const optionalKeys = (input: JsonObject): Partial<ContentTypeDefinition> => ({
  ...(isRecord(input.pluginOptions) ? { pluginOptions: input.pluginOptions } : {}),
  ...(isRecord(input.config) ? { config: input.config } : {}),
});

/**
 * As in Strapi, the options of a type are those of the request, except `draftAndPublish`, which counts beside them only. Unlike
 * there, private attributes stay private and drafts stay drafts if a request does not mention them: it would publish them.
 */
function readOptions(input: JsonObject, before: ContentTypeDefinition | undefined): ContentTypeDefinition["options"] {
  const { privateAttributes, draftAndPublish } = before?.options ?? {};
  const drafts = typeof input.draftAndPublish === "boolean" ? input.draftAndPublish : draftAndPublish;
  return {
    ...(privateAttributes === undefined ? {} : { privateAttributes }),
    ...pickBy(toRecord(input.options), (_, key) => key !== "draftAndPublish"),
    ...(drafts === undefined ? {} : { draftAndPublish: drafts }),
  };
}

/** The file of a type: other keys that are missing from the request are kept. */
export function typeDefinition(input: JsonObject, before: ContentTypeDefinition | undefined): ContentTypeDefinition {
  const singularName = before?.info.singularName ?? String(input.singularName);
  const pluralName = before?.info.pluralName ?? String(input.pluralName);
  const description = typeof input.description === "string" ? input.description : before?.info.description;
  return {
    ...before,
    kind: filledString(input.kind) ?? before?.kind ?? "collectionType",
    collectionName: before?.collectionName ?? filledString(input.collectionName) ?? pluralName.replaceAll("-", "_"),
    info: {
      ...before?.info,
      singularName,
      pluralName,
      displayName: String(input.displayName ?? before?.info.displayName),
      ...(description === undefined ? {} : { description }),
    },
    options: readOptions(input, before),
    ...optionalKeys(input),
    attributes: {},
  };
}

export const componentUid = ({ category, displayName }: JsonObject): string =>
  `${toSlug(String(category))}.${toSlug(String(displayName))}`;

/** Throws a BuilderError for a name that is not valid as a file name. */
export function putComponent(edit: SchemaEdit, uid: string, input: JsonObject): void {
  const existing = edit.component(uid);
  const before = existing?.definition;
  const [category = "", name = ""] = uid.split(".");
  if (!before && !(isKebabCase(category) && isKebabCase(name)))
    throw new BuilderError("component.category and component.displayName must have letters or digits");
  const file = existing?.file ?? `src/components/${category}/${name}.json`;
  const displayName = String(input.displayName ?? before?.info?.displayName ?? name);
  const definition: ComponentDefinition = {
    ...before,
    collectionName: before?.collectionName ?? `components_${tableName(category)}_${tableName(toPlural(displayName))}`,
    info: {
      ...before?.info,
      displayName,
      ...(typeof input.icon === "string" ? { icon: input.icon } : {}),
      ...(typeof input.description === "string" ? { description: input.description } : {}),
    },
    options: before?.options ?? {},
    ...(isRecord(input.pluginOptions) ? { pluginOptions: input.pluginOptions } : {}),
    attributes: {},
  };
  edit.put({ uid, file, category, definition }, toRecord(input.attributes));
}

/** Components in the same request. New ones have a temporary uid that is valid within the request only. */
export function putNested(edit: SchemaEdit, components: unknown, owner?: string): ReadonlyMap<string, string> {
  const uids = new Map<string, string>();
  const list = (Array.isArray(components) ? components : []).filter(isRecord);
  for (const input of list) if (typeof input.tmpUID === "string") uids.set(input.tmpUID, componentUid(input));
  for (const input of list) {
    const requestedUid = filledString(input.uid);
    const uid = requestedUid !== undefined && edit.component(requestedUid) ? requestedUid : componentUid(input);
    putComponent(edit, uid, { ...input, attributes: resolveTemporaryUids(input.attributes, uids, owner) });
  }
  return uids;
}

/** The placeholder for the request's own type in targets of relations. */
const SELF = new Set(["__self__", "__contentType__"]);

/** Attributes with the request's temporary uids replaced. `self`: the uid of the request's own type. */
export function resolveTemporaryUids(
  attributes: unknown,
  uids: ReadonlyMap<string, string>,
  self?: string,
): JsonObject {
  const resolveUid = (uid: unknown): unknown => uids.get(uid as string) ?? uid;
  return Object.fromEntries(
    Object.entries(toRecord(attributes)).map(([key, attribute]) => {
      const { component, components, target } = toRecord(attribute);
      const single = component === undefined ? {} : { component: resolveUid(component) };
      const zone = Array.isArray(components) ? { components: components.map(resolveUid) } : {};
      const selfTarget = self !== undefined && SELF.has(target as string) ? { target: self } : {};
      return [key, { ...toRecord(attribute), ...single, ...zone, ...selfTarget }];
    }),
  );
}

/**
 * Attributes of a change, without empty defaults, and without `targetField` of uids if this attribute does not exist. `isNew`: only that of
 * attributes that were there before may have been removed.
 */
export function cleanAttributes(attributes: unknown, isNew: (name: string) => boolean = () => false): unknown {
  if (!isRecord(attributes)) return attributes;
  return Object.fromEntries(
    Object.entries(attributes).map(([name, attribute]) => {
      if (!isRecord(attribute)) return [name, attribute];
      const { default: defaultValue, targetField } = attribute;
      const isMissing = targetField === null || (!isNew(name) && !Object.hasOwn(attributes, String(targetField)));
      const removed = [
        ...(defaultValue === "" || defaultValue === null ? ["default"] : []),
        ...(attribute.type === "uid" && isMissing ? ["targetField"] : []),
      ];
      return [name, pickBy(attribute, (_, key) => !removed.includes(key))];
    }),
  );
}
