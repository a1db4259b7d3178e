/** Content-types and components as code sees them: their files, with the attributes that the server adds. */
import type { Attribute, ContentType, Model, Schema } from "../../schema/model.ts";

export type SchemaView = Record<string, unknown> & { readonly uid: string; attributes: Record<string, unknown> };

const virtualRelations: Readonly<Record<string, string>> = { creator: "oneToOne", localizations: "oneToMany" };

const HIDDEN = { configurable: false, visible: false };

/** What the reference says of the attributes that it adds, in its order; what they are otherwise is said by the model. */
const added: Readonly<Record<string, Record<string, unknown>>> = {
  createdAt: { type: "datetime" },
  updatedAt: { type: "datetime" },
  publishedAt: { type: "datetime", configurable: false, writable: true, visible: true },
  createdBy: { ...HIDDEN, writable: false, useJoinTable: false },
  updatedBy: { ...HIDDEN, writable: false, useJoinTable: false },
  locale: { ...HIDDEN, writable: true },
  localizations: { ...HIDDEN, writable: false, unstable_virtual: true },
};

const definitionOf = (attribute: Attribute): Record<string, unknown> => ({
  ...attribute.definition,
  ...(attribute.private ? { private: true } : {}),
  ...(attribute.writable ? {} : { writable: false }),
  ...(attribute.kind === "relation" && attribute.virtual && attribute.virtual in virtualRelations
    ? { relation: virtualRelations[attribute.virtual], target: attribute.target }
    : {}),
});

/** Attributes that the reference adds are as it says, but for who may see them. */
const addedOr = (definition: Record<string, unknown>, fixed: Record<string, unknown> | undefined) => {
  if (!fixed) return definition;
  const { type, relation, target } = definition;
  const isPrivate = definition.private === true;
  return { type, ...(relation ? { relation, target } : {}), ...fixed, ...(isPrivate ? { private: true } : {}) };
};

const definitionOfType = ({ definition, kind, singularName, plugin, uid }: ContentType) => ({
  kind,
  singularName,
  info: { ...definition.info },
  options: { ...definition.options },
  pluginOptions: { ...definition.pluginOptions },
  ...(plugin === undefined ? { apiName: uid.slice("api::".length).split(".")[0] } : { plugin }),
});

const inPascalCase = (name: string): string =>
  name.replace(/(^|[._-])(\w)/g, (_, __, letter: string) => letter.toUpperCase());

/** A name among all models, which types of apis have without their api. */
const globalIdOf = ({ uid, modelType }: Schema): string => {
  if (modelType === "component") return inPascalCase(`component.${uid}`);
  const [owner = "", name = ""] = uid.replace(/^\w+::/, "").split(".");
  return inPascalCase(uid.startsWith("api::") ? name : `${owner}.${name}`);
};

function viewOf(schema: Schema): SchemaView {
  let resolved: Record<string, unknown> | undefined;
  const resolve = (): Record<string, unknown> => {
    const all = [...schema.attributes.values()];
    if (schema.modelType === "component")
      return Object.fromEntries(all.map((attribute) => [attribute.name, definitionOf(attribute)]));
    const own = all.filter(({ name }) => !Object.hasOwn(added, name)).map(({ name }) => name);
    return Object.fromEntries(
      [...own, ...Object.keys(added)].flatMap((name) => {
        const attribute = schema.attributes.get(name);
        return attribute ? [[name, addedOr(definitionOf(attribute), added[name])] as const] : [];
      }),
    );
  };
  const view = {
    uid: schema.uid,
    modelType: schema.modelType,
    collectionName: schema.table,
    tableName: schema.table,
    modelName: schema.uid.split(".").at(-1),
    globalId: globalIdOf(schema),
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
