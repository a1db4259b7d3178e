/** Merges requests into definitions of types and components: keys missing from a request are kept. */
import type slugify from "@sindresorhus/slugify";
import { isRecord } from "../../query/key-check.ts";
import type { ComponentDefinition, ContentTypeDefinition } from "../../schema/definition.ts";
import { isKebabCase } from "../../schema/names.ts";
import { BuilderError } from "./builder-error.ts";
import { type Given, recordOf, textOf } from "./input.ts";
import type { SchemaEdit } from "./schema-edit.ts";

export const slugOf = (name: string): string => (require("@sindresorhus/slugify") as typeof slugify)(name);
const tableName = (name: string): string => slugOf(name).replaceAll("-", "_");

/** Keys that are left out of a file when they are empty. */
const keptOptions = (given: Given): Partial<ContentTypeDefinition> => ({
  ...(isRecord(given.pluginOptions)
    ? { pluginOptions: given.pluginOptions as ContentTypeDefinition["pluginOptions"] & object }
    : {}),
  ...(isRecord(given.config) ? { config: given.config } : {}),
});

/** The file of a type: keys missing from the request are kept. */
export function typeDefinition(given: Given, before: ContentTypeDefinition | undefined): ContentTypeDefinition {
  const singularName = before?.info.singularName ?? String(given.singularName);
  const pluralName = before?.info.pluralName ?? String(given.pluralName);
  const description = textOf(given.description) ?? before?.info.description;
  return {
    ...before,
    kind: textOf(given.kind) ?? before?.kind ?? "collectionType",
    collectionName: before?.collectionName ?? textOf(given.collectionName) ?? pluralName.replaceAll("-", "_"),
    info: {
      ...before?.info,
      singularName,
      pluralName,
      displayName: String(given.displayName ?? before?.info.displayName),
      ...(description === undefined ? {} : { description }),
    },
    options: {
      ...before?.options,
      ...recordOf(given.options),
      draftAndPublish: Boolean(given.draftAndPublish ?? before?.options?.draftAndPublish ?? false),
    },
    ...keptOptions(given),
    attributes: {},
  };
}

export const componentUid = ({ category, displayName }: Given): string =>
  `${slugOf(String(category))}.${slugOf(String(displayName))}`;

/** Throws a BuilderError for a name that is not valid as a file name. */
export function putComponent(edit: SchemaEdit, uid: string, given: Given): void {
  const before = edit.component(uid);
  const [category = "", name = ""] = uid.split(".");
  if (!before && !(isKebabCase(category) && isKebabCase(name)))
    throw new BuilderError("component.category and component.displayName must have letters or digits");
  const file = edit.componentFile(uid) ?? `src/components/${category}/${name}.json`;
  if (!file.endsWith(".json")) throw new BuilderError(`${file} is code, which the builder cannot change`);
  const definition: ComponentDefinition = {
    ...before,
    collectionName: before?.collectionName ?? `components_${tableName(category)}_${tableName(name)}s`,
    info: {
      ...before?.info,
      displayName: String(given.displayName ?? before?.info?.displayName ?? name),
      ...(textOf(given.icon) ? { icon: String(given.icon) } : {}),
      ...(textOf(given.description) ? { description: String(given.description) } : {}),
    },
    options: before?.options ?? {},
    ...(isRecord(given.pluginOptions) ? { pluginOptions: given.pluginOptions } : {}),
    attributes: {},
  };
  edit.putComponent(uid, file, category, definition, recordOf(given.attributes));
}

/** Components in the same request. New ones have a temporary uid that is valid within the request only. */
export function putNested(edit: SchemaEdit, components: unknown, owner?: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const list = (Array.isArray(components) ? components : []).filter(isRecord);
  for (const given of list) if (typeof given.tmpUID === "string") names.set(given.tmpUID, componentUid(given));
  for (const given of list) {
    const known = textOf(given.uid);
    const uid = known !== undefined && edit.component(known) ? known : componentUid(given);
    putComponent(edit, uid, { ...given, attributes: withNames(given.attributes, names, owner) });
  }
  return names;
}

/** The placeholder for the request's own type in targets of relations. */
const SELF = new Set(["__self__", "__contentType__"]);

/** Attributes with temporary names of the request replaced by uids. */
export function withNames(attributes: unknown, names: ReadonlyMap<string, string>, self?: string): Given {
  const nameOf = (uid: unknown): unknown => names.get(uid as string) ?? uid;
  return Object.fromEntries(
    Object.entries(recordOf(attributes)).map(([key, attribute]) => {
      const { component, components, target } = recordOf(attribute);
      const own = component === undefined ? {} : { component: nameOf(component) };
      const zone = Array.isArray(components) ? { components: components.map(nameOf) } : {};
      const aim = self !== undefined && SELF.has(target as string) ? { target: self } : {};
      return [key, { ...recordOf(attribute), ...own, ...zone, ...aim }];
    }),
  );
}

/** Attributes of a change, without empty defaults, and without `targetField` of uids if this attribute does not exist. */
export function tidied(attributes: unknown): unknown {
  if (!isRecord(attributes)) return attributes;
  return Object.fromEntries(
    Object.entries(attributes).map(([name, attribute]) => {
      if (!isRecord(attribute)) return [name, attribute];
      const { default: byDefault, targetField, ...rest } = attribute;
      const isGone =
        attribute.type === "uid" && targetField !== undefined && !Object.hasOwn(attributes, String(targetField));
      const kept = {
        ...(byDefault === "" || byDefault === undefined ? {} : { default: byDefault }),
        ...(isGone || targetField === undefined ? {} : { targetField }),
      };
      return [name, { ...rest, ...kept }];
    }),
  );
}
