/** Content-types and components for code: the definitions of their files, with system attributes. */
import { LOCALE } from "../../engine/schema/builtin/index.ts";
import { componentGlobalId, typeGlobalId } from "../../engine/schema/global-id.ts";
import type { Attribute, Component, ContentType, Model, Schema } from "../../engine/schema/model.ts";
import { once } from "../../lib/once.ts";
import { administrationType, visibleUids } from "./administration-types.ts";

export type SchemaView = Record<string, unknown> & { readonly uid: string; attributes: Record<string, unknown> };

const virtualRelations: Readonly<Record<string, string>> = { creator: "oneToOne", localizations: "oneToMany" };

/** Private ones say so instead. */
const HIDDEN = { configurable: false, visible: false, private: false };

/** Strapi's options of system attributes, in its order. Other options come from the model. */
const systemAttributes: Readonly<Record<string, Record<string, unknown>>> = {
  createdAt: { type: "datetime" },
  updatedAt: { type: "datetime" },
  publishedAt: { type: "datetime", configurable: false, writable: true, visible: true, default: () => new Date() },
  createdBy: { ...HIDDEN, writable: false, useJoinTable: false },
  updatedBy: { ...HIDDEN, writable: false, useJoinTable: false },
  locale: { ...HIDDEN, writable: true },
  localizations: { ...HIDDEN, writable: false, unstable_virtual: true },
};

const createDefinition = (attribute: Attribute): Record<string, unknown> => ({
  ...attribute.definition,
  // code sees custom fields with the type that they store
  ...(attribute.kind === "scalar" && attribute.definition.type === "customField" ? { type: attribute.type.name } : {}),
  ...(attribute.private ? { private: true } : {}),
  ...(attribute.writable ? {} : { writable: false }),
  ...(attribute.kind === "relation" && attribute.virtual && attribute.virtual in virtualRelations
    ? { relation: virtualRelations[attribute.virtual], target: attribute.target }
    : {}),
});

/** The definition of an attribute. System attributes have Strapi's options, but keep `private`. */
const withSystemOptions = (definition: Record<string, unknown>, systemOptions: Record<string, unknown> | undefined) => {
  if (!systemOptions) return definition;
  const { type, relation, target } = definition;
  const isPrivate = definition.private === true;
  return { type, ...(relation ? { relation, target } : {}), ...systemOptions, ...(isPrivate ? { private: true } : {}) };
};

/** The name of an api or plugin, which a uid begins with. */
const parseOwner = (uid: string): string => uid.slice(uid.indexOf("::") + 2).split(".")[0]!;

const ownership = ({ uid, namedPlugin }: ContentType): Record<string, unknown> => {
  if (uid.startsWith("api::")) return { apiName: parseOwner(uid), actions: {}, lifecycles: {} };
  const plugin = uid.startsWith("admin::") ? "admin" : namedPlugin;
  return { plugin, actions: undefined, lifecycles: undefined };
};

/** Attributes of Strapi's own types that its admin does not show. */
const hiddenAttributes: Readonly<Record<string, readonly string[]>> = {
  "plugin::users-permissions.user": ["resetPasswordToken", "confirmationToken", "provider"],
  "admin::user": ["resetPasswordToken", "registrationToken"],
};

function configOf({ uid, definition }: ContentType): object {
  const { config } = definition as { readonly config?: object };
  const hidden = hiddenAttributes[uid];
  if (!hidden) return config ? { config } : {};
  return { config: { attributes: Object.fromEntries(hidden.map((name) => [name, { hidden: true }])), ...config } };
}

const definitionOfType = (type: ContentType): Record<string, unknown> => {
  const { definition, kind, table } = type;
  const { pluginOptions } = definition;
  return {
    kind,
    info: { ...definition.info },
    options: { draftAndPublish: false, ...definition.options },
    ...(pluginOptions ? { pluginOptions: { ...pluginOptions } } : {}),
    ...configOf(type),
    ...ownership(type),
    __schema__: { collectionName: table, kind, ...definition },
  };
};

/** What its file says besides attributes. */
function definitionOfComponent({ definition, displayName, table, uid }: Component): Record<string, unknown> {
  const { attributes: _, collectionName: __, ...more } = definition;
  const name = uid.split(".").at(-1);
  const info = { displayName, ...definition.info };
  return { ...more, info, __filename__: `${name}.json`, __schema__: { collectionName: table, ...definition, info } };
}

const createGlobalId = ({ uid, modelType }: Schema): string =>
  modelType === "component" ? componentGlobalId(uid) : typeGlobalId(uid);

/** Localizations are rows with the same document id. */
const createJoinColumn = ({ table }: Schema) => ({
  name: "document_id",
  referencedColumn: "document_id",
  referencedTable: table,
});

/** `onRead` is called when the attributes are first read. */
export function createView(schema: Schema, onRead: () => void = () => {}): SchemaView {
  let resolved: Record<string, unknown> | undefined;
  const resolve = (): Record<string, unknown> => {
    onRead();
    const all = [...schema.attributes.values()];
    if (schema.modelType === "component")
      return Object.fromEntries(all.map((attribute) => [attribute.name, createDefinition(attribute)]));
    const own = all.filter(({ name }) => !Object.hasOwn(systemAttributes, name)).map(({ name }) => name);
    return Object.fromEntries(
      [...own, ...Object.keys(systemAttributes)].flatMap((name) => {
        const attribute = schema.attributes.get(name);
        if (!attribute) return [];
        const view = withSystemOptions(createDefinition(attribute), systemAttributes[name]);
        return [[name, name === "localizations" ? { ...view, joinColumn: createJoinColumn(schema) } : view] as const];
      }),
    );
  };
  const view = {
    uid: schema.uid,
    modelType: schema.modelType,
    collectionName: schema.table,
    modelName: schema.uid.split(/\.|::/).at(-1),
    globalId: createGlobalId(schema),
    ...(schema.modelType === "component"
      ? { category: schema.category, ...definitionOfComponent(schema) }
      : definitionOfType(schema)),
  };
  // computed on first access, since code uses few types
  return Object.defineProperty(view, "attributes", {
    enumerable: true,
    configurable: true,
    get: () => {
      resolved ??= resolve();
      return resolved;
    },
    set: (value: Record<string, unknown>) => {
      onRead();
      resolved = value;
    },
  }) as unknown as SchemaView;
}

/** Adds the types that Galley has no tables for. Created on first access, since code uses few. */
function withAdministration(views: Record<string, SchemaView>): Record<string, SchemaView> {
  for (const uid of visibleUids) {
    const get = once(() => createView(administrationType(uid)!));
    Object.defineProperty(views, uid, { get, enumerable: true, configurable: true });
  }
  return views;
}

const RELEASES = "plugin::content-releases.";

/** In the order of Strapi: plugins, with those that Galley has no tables for, then the project, then the administration. */
function inOrder(views: Record<string, SchemaView>): Record<string, SchemaView> {
  const {
    plugins = [],
    releases = [],
    others = [],
  } = Object.groupBy(Object.keys(views), (uid) =>
    uid.startsWith(RELEASES) ? "releases" : uid.startsWith("plugin::") ? "plugins" : "others",
  );
  const uids = plugins.toSpliced(plugins.indexOf(LOCALE) + 1, 0, ...releases).concat(others);
  const descriptors = uids.map((uid) => [uid, Object.getOwnPropertyDescriptor(views, uid)!] as const);
  return Object.defineProperties({}, Object.fromEntries(descriptors));
}

export type Schemas = Readonly<ReturnType<typeof createSchemas>>;

export function createSchemas(model: Model) {
  const read = new Set<string>();
  const views = <S extends Schema>(schemas: ReadonlyMap<string, S>): Record<string, SchemaView> =>
    Object.fromEntries([...schemas].map(([uid, schema]) => [uid, createView(schema, () => read.add(uid))]));
  const contentTypes = inOrder(withAdministration(views(model.types)));
  const components = views(model.components);
  return {
    contentTypes,
    components,
    of: (uid: string): SchemaView | undefined => contentTypes[uid] ?? components[uid],
    /** Whether code has read the attributes of a schema, which it may have changed. */
    isRead: (uid: string): boolean => read.has(uid),
  };
}

/** The attributes of a view that differ from those of the model. */
function changedAttributes(view: SchemaView, fresh: SchemaView, { attributes }: Schema): string[] {
  const names = new Set([...Object.keys(view.attributes), ...Object.keys(fresh.attributes)]);
  return [...names].filter((name) => {
    const own = view.attributes[name];
    if (own === undefined && attributes.get(name)?.system) return false;
    return !Bun.deepEquals(own, fresh.attributes[name]) && !Bun.deepEquals(own, attributes.get(name)?.definition);
  });
}

/** The function returns sentences about changes since its last call, which are not followed. */
export function watchSchemas(model: Model, { contentTypes, components, isRead }: Schemas): () => string[] {
  const reported = new Set<string>();
  const schemas: ReadonlyMap<string, Schema> = new Map<string, Schema>([...model.types, ...model.components]);
  return () => {
    const texts = [...Object.keys(contentTypes), ...Object.keys(components)].flatMap((uid) => {
      if (visibleUids.includes(uid)) return [];
      const schema = schemas.get(uid);
      if (!schema) return [`adds the type ${uid}`];
      if (!isRead(uid)) return [];
      const view = contentTypes[uid] ?? components[uid]!;
      const changed = changedAttributes(view, createView(schema), schema);
      return changed.length === 0 ? [] : [`changes ${changed.join(", ")} of ${uid}`];
    });
    const news = texts.filter((text) => !reported.has(text));
    for (const text of news) reported.add(text);
    return news;
  };
}
