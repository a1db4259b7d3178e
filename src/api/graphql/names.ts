/** Strapi's names of generated types and fields. */

import type { Attribute, ContentType, Schema } from "../../engine/schema/model.ts";
import { pascalCase } from "../../engine/schema/names.ts";

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const contentTypeName = (type: ContentType, name: string): string =>
  pascalCase(type.namedPlugin ?? "") + pascalCase(name);

/** The object type of a content-type or component; every other name begins with it. */
export const typeName = (schema: Schema): string =>
  schema.modelType === "component"
    ? pascalCase(`component ${schema.uid}`)
    : contentTypeName(schema, schema.singularName);

export const queryName = (type: ContentType): string => lowerFirst(typeName(type));
export const listQueryName = (type: ContentType): string => lowerFirst(contentTypeName(type, type.pluralName));
export const connectionName = (field: string): string => `${field}_connection`;
export const filtersName = (schema: Schema): string => `${typeName(schema)}FiltersInput`;
export const inputName = (schema: Schema): string => `${typeName(schema)}Input`;
export const responseName = (type: ContentType): string => `${typeName(type)}EntityResponse`;
export const collectionName = (type: ContentType): string => `${typeName(type)}EntityResponseCollection`;
export const relationCollectionName = (type: ContentType): string => `${typeName(type)}RelationResponseCollection`;
export const zoneName = (schema: Schema, attribute: Attribute): string =>
  `${typeName(schema)}${pascalCase(attribute.name)}DynamicZone`;

export function enumName(schema: Schema, attribute: Attribute): string {
  const { enumName: declared } = attribute.definition;
  if (typeof declared === "string" && declared !== "") return declared;
  return `ENUM_${typeName(schema).toUpperCase()}_${attribute.name.toUpperCase()}`;
}
