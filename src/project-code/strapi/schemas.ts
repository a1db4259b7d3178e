/** Content-types and components as code sees them: their files, with the attributes that the server adds. */
import type { Attribute, ContentType, Model, Schema } from "../../schema/model.ts";

export type SchemaView = Record<string, unknown> & { readonly uid: string; attributes: Record<string, unknown> };

const virtualRelations: Readonly<Record<string, string>> = { creator: "oneToOne", localizations: "oneToMany" };

const definitionOf = (attribute: Attribute): Record<string, unknown> => ({
  ...attribute.definition,
  ...(attribute.private ? { private: true } : {}),
  ...(attribute.writable ? {} : { writable: false }),
  ...(attribute.kind === "relation" && attribute.virtual && attribute.virtual in virtualRelations
    ? { relation: virtualRelations[attribute.virtual], target: attribute.target }
    : {}),
});

const definitionOfType = ({ definition, kind, singularName, plugin, uid }: ContentType) => ({
  kind,
  singularName,
  info: { ...definition.info },
  options: { ...definition.options },
  pluginOptions: { ...definition.pluginOptions },
  ...(plugin === undefined ? { apiName: uid.slice("api::".length).split(".")[0] } : { plugin }),
});

const globalIdOf = (uid: string): string =>
  uid.replace(/^\w+::/, "").replace(/(^|[.-])(\w)/g, (_, __, letter: string) => letter.toUpperCase());

function viewOf(schema: Schema): SchemaView {
  let resolved: Record<string, unknown> | undefined;
  const resolve = (): Record<string, unknown> => {
    const ids = { id: { type: "increments" }, documentId: { type: "string" } };
    const own = [...schema.attributes.values()].map((attribute) => [attribute.name, definitionOf(attribute)]);
    return { ...(schema.modelType === "contentType" ? ids : {}), ...Object.fromEntries(own) };
  };
  const view = {
    uid: schema.uid,
    modelType: schema.modelType,
    collectionName: schema.table,
    tableName: schema.table,
    modelName: schema.uid.split(".").at(-1),
    globalId: globalIdOf(schema.uid),
    ...(schema.modelType === "component"
      ? { category: schema.category, info: { displayName: schema.displayName } }
      : definitionOfType(schema)),
  };
  // most types are never looked into
  return Object.defineProperty(view, "attributes", {
    enumerable: true,
    configurable: true,
    get: () => {
      resolved ??= resolve();
      return resolved;
    },
    set: (value: Record<string, unknown>) => {
      resolved = value;
    },
  }) as unknown as SchemaView;
}

export interface Schemas {
  readonly contentTypes: Readonly<Record<string, SchemaView>>;
  readonly components: Readonly<Record<string, SchemaView>>;
  readonly of: (uid: string) => SchemaView | undefined;
}

export function createSchemas(model: Model): Schemas {
  const views = <S extends Schema>(schemas: ReadonlyMap<string, S>): Record<string, SchemaView> =>
    Object.fromEntries([...schemas].map(([uid, schema]) => [uid, viewOf(schema)]));
  const contentTypes = views(model.types);
  const components = views(model.components);
  return { contentTypes, components, of: (uid) => contentTypes[uid] ?? components[uid] };
}
