/** `strapi.db.metadata`: the types and components as Strapi's database has them. */

import { randomIds } from "../../engine/documents/context.ts";
import type { Model, Schema } from "../../engine/schema/model.ts";
import { snakeCase } from "../../engine/schema/names.ts";
import { administrationType } from "../data/administration-types.ts";
import type { Schemas, SchemaView } from "../data/schemas.ts";
import { linkedAttribute } from "./metadata-relations.ts";

type View = Readonly<Record<string, unknown>>;

const CREATORS = ["created_by_id", "updated_by_id"];

/** What Strapi creates, besides the indexes of the schema file. */
function describeIndexes(schema: Schema): View {
  if (schema.modelType === "component") return { indexes: [], foreignKeys: [] };
  const { table } = schema;
  const own = (schema.definition as { readonly indexes?: unknown }).indexes;
  const indexes = Array.isArray(own) ? own : [];
  const names = CREATORS.map((column) => ({ name: `${table}_${column}_fk`, columns: [column] }));
  const documents = { name: `${table}_documents_idx`, columns: ["document_id", "locale", "published_at"] };
  const foreignKey = { referencedTable: "admin_users", referencedColumns: ["id"], onDelete: "SET NULL" };
  return {
    indexes: [...indexes, documents, ...names],
    foreignKeys: names.map((name) => ({ ...name, ...foreignKey })),
  };
}

/** Ids are attributes; attributes know their columns, or their join tables. */
function withColumns(model: Model, schema: Schema, view: SchemaView): object {
  const ids = {
    id: { type: "increments" },
    ...(schema.modelType === "component"
      ? {}
      : { documentId: { type: "string", default: () => randomIds.documentId() } }),
  };
  const attributes = Object.entries({ ...ids, ...view.attributes }).map(([name, value]) => {
    const attribute = schema.attributes.get(name);
    if (attribute && attribute.kind !== "scalar")
      return [name, linkedAttribute(model, schema, attribute, value)] as const;
    return [name, { ...(value as View), columnName: snakeCase(name) }] as const;
  });
  const columns = attributes.map(([name, { columnName }]: readonly [string, View]) => [columnName ?? name, name]);
  return {
    uid: schema.uid,
    singularName: schema.modelType === "component" ? schema.uid.split(".").at(-1) : schema.singularName,
    tableName: schema.table,
    lifecycles: {},
    ...describeIndexes(schema),
    columnToAttribute: Object.fromEntries(columns),
    attributes: Object.fromEntries(attributes),
  };
}

/** A map; `get` throws for unknown types. */
export function createMetadata(
  model: Model,
  { contentTypes, components, of }: Pick<Schemas, "contentTypes" | "components" | "of">,
) {
  const uids = () => [...Object.keys(contentTypes), ...Object.keys(components)];
  const get = (uid: string): object => {
    const view = of(uid);
    const schema = model.types.get(uid) ?? model.components.get(uid) ?? administrationType(uid);
    if (!view || !schema) throw new Error(`Metadata for "${uid}" not found`);
    return withColumns(model, schema, view);
  };
  const entries = () => uids().map((uid) => [uid, get(uid)] as const);
  return {
    get,
    has: (uid: string) => of(uid) !== undefined,
    keys: () => uids().values(),
    values: () =>
      entries()
        .map(([, schema]) => schema)
        .values(),
    entries: () => entries().values(),
    forEach: (work: (schema: object, uid: string) => void) => {
      for (const [uid, schema] of entries()) work(schema, uid);
    },
    get size() {
      return uids().length;
    },
    [Symbol.iterator]: () => entries().values(),
  };
}
