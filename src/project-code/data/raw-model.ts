/**
 * The model as a project's own code sees it: nothing is private, and passwords are read as their hashes. What clients may
 * see is taken out of answers later (`sanitize.ts`).
 */
import type { DocumentsContext } from "../../documents/context.ts";
import type { RowHooks } from "../../documents/own-code.ts";
import type { Attribute, Model, ScalarAttribute, Schema } from "../../schema/model.ts";
import type { AsyncTransactions } from "../../storage/async-transactions.ts";

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

/** The same database and settings without the caller's view; each row that is written passes the hooks. */
export function rawContext(
  context: DocumentsContext,
  transactions: AsyncTransactions,
  rowHooks: RowHooks,
): DocumentsContext {
  const { clock, strictRelations, strictParams, defaultLocale } = context;
  return {
    get storage() {
      return transactions.storage;
    },
    model: rawModel(context.model),
    clock,
    strictRelations,
    strictParams,
    defaultLocale,
    rowHooks,
  };
}
