/**
 * A model without anything private, passwords included, for callers who see everything: the administrator and a project's
 * own code. What clients may see is decided where their answers are made.
 */
import type { Attribute, Model, ScalarAttribute, Schema } from "./model.ts";

function rawSchema<S extends Schema>(schema: S): S {
  let resolved: Pick<Schema, "attributes" | "answered"> | undefined;
  const resolve = () => {
    if (resolved) return resolved;
    const attributes = new Map<string, Attribute>(
      [...schema.attributes].map(([name, attribute]) => [name, { ...attribute, private: false }]),
    );
    const answered = [...attributes.values()].filter(({ kind }) => kind === "scalar") as ScalarAttribute[];
    resolved = { attributes, answered };
    return resolved;
  };
  // the originals are resolved as late as these
  return Object.freeze(
    Object.defineProperties({} as S, {
      ...Object.getOwnPropertyDescriptors(schema),
      attributes: { get: () => resolve().attributes, enumerable: true },
      answered: { get: () => resolve().answered, enumerable: true },
    }),
  );
}

const rawSchemas = <S extends Schema>(schemas: ReadonlyMap<string, S>): ReadonlyMap<string, S> =>
  new Map([...schemas].map(([uid, schema]) => [uid, rawSchema(schema)]));

export const rawModel = (model: Model): Model =>
  Object.freeze({
    types: rawSchemas(model.types),
    components: rawSchemas(model.components),
    creator: rawSchema(model.creator),
  });
