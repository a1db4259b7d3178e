/** Converts schemas to the form in which Strapi exports them. */
import type {
  ComponentDefinition,
  ContentTypeDefinition,
  RawComponent,
  RawContentType,
  RawSchema,
} from "../../engine/schema/definition.ts";
import { componentGlobalId, typeGlobalId } from "../../engine/schema/global-id.ts";
import type { Model, Schema } from "../../engine/schema/model.ts";
import type { Json } from "../archive/shapes.ts";

const creator: Json = {
  type: "relation",
  relation: "oneToOne",
  target: "admin::user",
  configurable: false,
  writable: false,
  visible: false,
  useJoinTable: false,
  private: true,
};

/** Attributes that Strapi adds to content-types when it loads them. */
function systemAttributes(uid: string, table: string, isLocalized: boolean): Json {
  const hidden = { configurable: false, visible: false };
  return {
    createdAt: { type: "datetime" },
    updatedAt: { type: "datetime" },
    publishedAt: { type: "datetime", configurable: false, writable: true, visible: true },
    createdBy: creator,
    updatedBy: creator,
    locale: { writable: true, private: !isLocalized, ...hidden, type: "string" },
    localizations: {
      type: "relation",
      relation: "oneToMany",
      target: uid,
      writable: false,
      private: !isLocalized,
      ...hidden,
      unstable_virtual: true,
      joinColumn: { name: "document_id", referencedColumn: "document_id", referencedTable: table },
    },
  };
}

/** The keys of types and components, in Strapi's order. */
const commonKeys = (
  { info, options = {}, pluginOptions }: ComponentDefinition | ContentTypeDefinition,
  table: string,
): Json => ({
  collectionName: table,
  info,
  options,
  ...(pluginOptions === undefined ? {} : { pluginOptions }),
});

function typeRow({ uid, folder, definition }: RawContentType, { table }: Schema): Json {
  const plugin = uid.startsWith("plugin::") ? uid.slice("plugin::".length, uid.indexOf(".")) : undefined;
  const { attributes, pluginOptions, kind = "collectionType" } = definition;
  const isLocalized = pluginOptions?.i18n?.localized === true;
  return {
    ...commonKeys(definition, table),
    attributes: { ...attributes, ...systemAttributes(uid, table, isLocalized) },
    kind,
    modelType: "contentType",
    modelName: folder,
    uid,
    ...(plugin === undefined ? {} : { plugin }),
    globalId: typeGlobalId(uid),
  };
}

function componentRow({ uid, definition }: RawComponent, { table }: Schema): Json {
  return {
    ...commonKeys(definition, table),
    attributes: definition.attributes,
    modelType: "component",
    modelName: uid.slice(uid.indexOf(".") + 1),
    uid,
    globalId: componentGlobalId(uid),
  };
}

/** Content-types first, as in Strapi. */
export const schemaRows = ({ types, components }: RawSchema, model: Model): Json[] => [
  ...types.flatMap((type) => {
    const schema = model.types.get(type.uid);
    return schema ? [typeRow(type, schema)] : [];
  }),
  ...components.flatMap((item) => {
    const schema = model.components.get(item.uid);
    return schema ? [componentRow(item, schema)] : [];
  }),
];
