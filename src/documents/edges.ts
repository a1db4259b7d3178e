/** Edges as they are stored, read for a row as a whole: one statement for all of its attributes. */
import type { Schema } from "../schema/model.ts";
import type { Row, Storage } from "../storage/storage.ts";
import type { DocumentsContext } from "./context.ts";

export interface Edge {
  readonly field: number;
  readonly owner: number;
  readonly position: number;
  readonly target: number;
  readonly kind: number;
  readonly inverse: number;
}

const toEdge = ([field, owner, position, target, kind, inverse]: Row): Edge =>
  ({ field, owner, position, target, kind, inverse }) as Edge;

/** `where` may end with an order. */
export const readEdges = (storage: Storage, where: string, params: readonly (string | number)[]): Edge[] =>
  storage
    .all(`SELECT field, owner, position, target, kind, inverse FROM galley_links WHERE ${where}`, params)
    .map(toEdge);

/** "?, ?, ?" for as many values. */
export const placeholders = (values: readonly unknown[]): string => Array(values.length).fill("?").join(", ");

/** What a row owns: links, and places of components. */
export interface OwnEdges {
  /** In order. `field`: the name in an attribute's `link`. */
  readonly of: (field: string) => readonly Edge[];
}

export const NO_EDGES: OwnEdges = { of: () => [] };

/** By database, since the numbers of fields are its own. */
const known = new WeakMap<Storage, Map<Schema, readonly number[]>>();

/** The fields whose edges begin at rows of a type or component. */
export function ownFields(storage: Storage, schema: Schema): readonly number[] {
  const schemas = known.get(storage) ?? new Map<Schema, readonly number[]>();
  known.set(storage, schemas);
  return schemas.getOrInsertComputed(schema, () =>
    [...schema.attributes.values()].flatMap((attribute) =>
      attribute.kind !== "scalar" && attribute.link.field !== "" && attribute.link.side === "owner"
        ? [storage.number(attribute.link.field)]
        : [],
    ),
  );
}

export function ownEdges({ storage }: DocumentsContext, schema: Schema, row: number): OwnEdges {
  const fields = ownFields(storage, schema);
  if (fields.length === 0) return NO_EDGES;
  const where = `field IN (${placeholders(fields)}) AND owner = ? ORDER BY field, position`;
  const byField = Map.groupBy(readEdges(storage, where, [...fields, row]), ({ field }) => field);
  return { of: (field) => byField.get(storage.number(field)) ?? [] };
}
