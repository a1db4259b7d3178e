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

/** A condition for some ids, and its one parameter; one id is looked for without a list. */
export const among = (ids: readonly number[]): readonly [condition: string, param: string | number] =>
  ids.length === 1 ? ["= ?", ids[0]!] : ["IN (SELECT value FROM json_each(?))", JSON.stringify(ids)];

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

/** What each of the rows of one type or component owns, in one statement. */
export function ownEdgesOf(
  { storage }: DocumentsContext,
  schema: Schema,
  rows: readonly number[],
): (row: number) => OwnEdges {
  const fields = ownFields(storage, schema);
  if (fields.length === 0 || rows.length === 0) return () => NO_EDGES;
  const [owners, param] = among(rows);
  const where = `field IN (${placeholders(fields)}) AND owner ${owners} ORDER BY owner, field, position`;
  const byOwner = Map.groupBy(readEdges(storage, where, [...fields, param]), ({ owner }) => owner);
  return (row) => {
    const byField = Map.groupBy(byOwner.get(row) ?? [], ({ field }) => field);
    return { of: (field) => byField.get(storage.number(field)) ?? [] };
  };
}

export const ownEdges = (context: DocumentsContext, schema: Schema, row: number): OwnEdges =>
  ownEdgesOf(context, schema, [row])(row);

/** Edges by their field and what is at the other end: there may be thousands. */
export type EdgesByEnd = ReadonlyMap<string, Edge>;
export const NO_LINKS: EdgesByEnd = new Map();
export const targetKey = ({ field, target, kind }: Pick<Edge, "field" | "target" | "kind">): string =>
  `${field} ${target} ${kind}`;
export const ownerKey = ({ field, owner }: Pick<Edge, "field" | "owner">): string => `${field} ${owner}`;

export const firstByEnd = (edges: readonly Edge[], keyOf: (edge: Edge) => string): EdgesByEnd =>
  new Map(edges.toReversed().map((edge) => [keyOf(edge), edge]));
