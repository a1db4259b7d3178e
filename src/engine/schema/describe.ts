/** Describes content-types and components in the content-type-builder's shapes, for tools that generate code and sites. */
import { CREATOR } from "./builtin/creator.ts";
import { FILE } from "./builtin/index.ts";
import type { RawComponent, RawContentType } from "./definition.ts";

type Json = Readonly<Record<string, unknown>>;
type Definition = RawContentType["definition"] | RawComponent["definition"];

/** Attributes of every type, which are not listed. */
const IMPLIED = new Set(["id", "documentId", "publishedAt", "createdAt", "updatedAt"]);
/** The i18n plugin replaces those of types that declare them. */
const IMPLIED_OF_TYPES = new Set([...IMPLIED, "locale", "localizations"]);

/** `hasAllFlags`: `required` and `private` are listed where they are not set. */
export function describeAttribute(attribute: Json, hasAllFlags = true): Json {
  const { configurable, pluginOptions } = attribute;
  const readFlag = (name: string) => (hasAllFlags ? attribute[name] === true : attribute[name]);
  const flags = { required: readFlag("required"), private: readFlag("private") };
  const fixed = { configurable: configurable === false ? false : undefined };
  if (attribute.type === "media") {
    const { type, allowedTypes } = attribute;
    return { type, multiple: attribute.multiple === true, ...flags, ...fixed, allowedTypes, pluginOptions };
  }
  if (attribute.type === "relation") {
    return { ...attribute, targetAttribute: attribute.inversedBy ?? attribute.mappedBy ?? null, ...fixed, ...flags };
  }
  return attribute;
}

const describeAttributes = ({ attributes }: Definition, implied: ReadonlySet<string>): Json =>
  Object.fromEntries(
    Object.entries(attributes)
      .filter(([name, { visible }]) => visible !== false && !implied.has(name))
      .map(([name, attribute]) => [name, describeAttribute(attribute as unknown as Json)]),
  );

/** Hidden types are listed, but cannot be requested individually. */
export function isVisible({ definition }: RawContentType): boolean {
  const builder = definition.pluginOptions?.["content-type-builder"] as { visible?: boolean } | undefined;
  return builder?.visible !== false;
}

/** Of Strapi's schema of an administrator: the relations that have no attribute there. */
const ONE_SIDED = ["oneWay", "manyWay"];

/** The kinds of relations that other types may have to a type; null: all of them. */
export function relationsAllowedTo(type: RawContentType): readonly string[] | null {
  if (type.uid === CREATOR) return ONE_SIDED;
  return type.uid === FILE || !isVisible(type) ? [] : null;
}

/** The plugin that a type belongs to: the administration is one. */
export const parsePlugin = (uid: string): string | undefined =>
  uid.startsWith("admin::") ? "admin" : /^plugin::(.*)\./.exec(uid)?.[1];

export function describeType(type: RawContentType): Json {
  const { uid, folder, definition } = type;
  const { info, options, pluginOptions, kind = "collectionType", collectionName } = definition;
  return {
    uid,
    plugin: parsePlugin(uid),
    apiID: folder,
    schema: {
      draftAndPublish: false,
      ...options,
      displayName: info.displayName,
      singularName: info.singularName,
      pluralName: info.pluralName,
      description: info.description ?? "",
      pluginOptions,
      kind,
      collectionName,
      attributes: describeAttributes(definition, IMPLIED_OF_TYPES),
      visible: isVisible(type),
      restrictRelationsTo: relationsAllowedTo(type),
    },
  };
}

export function describeComponent({ uid, category, definition }: RawComponent): Json {
  const { info = {}, collectionName, pluginOptions } = definition;
  return {
    uid,
    category,
    apiId: uid.slice(category.length + 1),
    schema: {
      displayName: info.displayName,
      description: info.description ?? "",
      icon: info.icon,
      collectionName,
      pluginOptions,
      attributes: describeAttributes(definition, IMPLIED),
    },
  };
}
