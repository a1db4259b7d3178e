/**
 * A model in which no attribute is private, not even passwords, for callers who may read everything. What clients may see is
 * decided when responses are created.
 */
import type { Attribute, Model, ScalarAttribute, Schema } from "./model.ts";

interface RawOptions {
  /** Whether `_q` searches private attributes; default: true. */
  readonly searchesPrivate?: boolean;
}

function rawAttribute(attribute: Attribute, { searchesPrivate = true }: RawOptions): Attribute {
  const raw = { ...attribute, private: false };
  return raw.kind === "scalar" && attribute.private && !searchesPrivate ? { ...raw, searchable: false } : raw;
}

function rawSchema<S extends Schema>(schema: S, options: RawOptions): S {
  let resolved: Pick<Schema, "attributes" | "defaultFields"> | undefined;
  const resolve = () => {
    if (resolved) return resolved;
    const attributes = new Map<string, Attribute>(
      [...schema.attributes].map(([name, attribute]) => [name, rawAttribute(attribute, options)]),
    );
    const defaultFields = [...attributes.values()].filter(({ kind }) => kind === "scalar") as ScalarAttribute[];
    resolved = { attributes, defaultFields };
    return resolved;
  };
  // lazy, since the original schema is resolved lazily as well
  return Object.freeze(
    Object.defineProperties({} as S, {
      ...Object.getOwnPropertyDescriptors(schema),
      attributes: { get: () => resolve().attributes, enumerable: true },
      defaultFields: { get: () => resolve().defaultFields, enumerable: true },
    }),
  );
}

const rawSchemas = <S extends Schema>(schemas: ReadonlyMap<string, S>, options: RawOptions): ReadonlyMap<string, S> =>
  new Map([...schemas].map(([uid, schema]) => [uid, rawSchema(schema, options)]));

export const rawModel = (model: Model, options: RawOptions = {}): Model =>
  Object.freeze({
    types: rawSchemas(model.types, options),
    components: rawSchemas(model.components, options),
    creator: rawSchema(model.creator, options),
  });
