/** `strapi.db.metadata`: the types and components as the reference's database has them. */
import type { Schemas, SchemaView } from "./schemas.ts";

const { snakeCase } = require("lodash") as { snakeCase: (text: string) => string };

const WITHOUT_COLUMN: ReadonlySet<unknown> = new Set(["relation", "component", "dynamiczone", "media"]);

/** Ids are attributes, and attributes know their columns. */
function withColumns(schema: SchemaView): object {
  const ids = {
    id: { type: "increments" },
    ...(schema.modelType === "component" ? {} : { documentId: { type: "string" } }),
  };
  const attributes = Object.entries({ ...ids, ...schema.attributes }).map(([name, attribute]) => {
    const { type } = attribute as { readonly type?: unknown };
    return [name, WITHOUT_COLUMN.has(type) ? attribute : { ...attribute, columnName: snakeCase(name) }];
  });
  return { ...schema, attributes: Object.fromEntries(attributes) };
}

/** A map; `get` throws for unknown types. */
export function createMetadata({ contentTypes, components, of }: Pick<Schemas, "contentTypes" | "components" | "of">) {
  const uids = () => [...Object.keys(contentTypes), ...Object.keys(components)];
  const get = (uid: string): object => {
    const schema = of(uid);
    if (!schema) throw new Error(`Metadata for "${uid}" not found`);
    return withColumns(schema);
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
