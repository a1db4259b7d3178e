/** Component rows: the entries of components and zones below a row, each linked to its place by an edge. */
import {
  type Attribute,
  type ComponentAttribute,
  component,
  type Schema,
  type ZoneAttribute,
} from "../schema/model.ts";
import type { DocumentsContext } from "./context.ts";
import { NO_EDGES, type OwnEdges, ownEdgesOf } from "./edges.ts";
import { Links } from "./links.ts";

export type PartAttribute = ComponentAttribute | ZoneAttribute;

export const isPartAttribute = (attribute: Attribute): attribute is PartAttribute =>
  attribute.kind === "component" || attribute.kind === "zone";

/** A component's row below its owner. */
export interface Part {
  readonly schema: Schema;
  readonly id: number;
}

export const keyOf = ({ schema, id }: Part): string => `${schema.uid}:${id}`;

export const kindOf = ({ storage }: DocumentsContext, attribute: PartAttribute, schema: Schema): number =>
  attribute.kind === "zone" ? storage.number(schema.table) : 0;

export function lastPosition({ storage }: DocumentsContext, attribute: PartAttribute, row: number): number {
  return new Links(storage, attribute.link).lastPlace(row);
}

/** The component rows of an attribute, in order. */
export function partsOf({ storage, model }: DocumentsContext, attribute: PartAttribute, own: OwnEdges): Part[] {
  const edges = own.of(attribute.link.field);
  if (edges.length === 0) return [];
  if (attribute.kind === "component") {
    const schema = component(model, attribute.component);
    return edges.map(({ target }) => ({ schema, id: target }));
  }
  const tables = new Map([...model.components.values()].map((schema) => [schema.table, schema]));
  return edges.flatMap(({ target, kind }) => {
    const schema = tables.get(storage.nameOf(kind) ?? "");
    return schema ? [{ schema, id: target }] : [];
  });
}

/** The component rows that another version takes along: a zone's entry of a component that the zone does not list stays behind. */
export const listedPartsOf = (context: DocumentsContext, attribute: PartAttribute, own: OwnEdges): Part[] =>
  partsOf(context, attribute, own).filter(
    ({ schema }) => attribute.kind === "component" || attribute.components.includes(schema.uid),
  );

/** Makes a component row the entry at `place` of an owner's attribute. */
export function linkPart(
  context: DocumentsContext,
  attribute: PartAttribute,
  row: number,
  part: Part,
  place: number,
): void {
  const { storage } = context;
  const field = storage.number(attribute.link.field);
  storage.run("INSERT INTO galley_links VALUES (?, ?, ?, ?, ?, 1)", [
    field,
    row,
    place,
    part.id,
    kindOf(context, attribute, part.schema),
  ]);
}

export function unlinkParts({ storage }: DocumentsContext, attribute: PartAttribute, row: number): void {
  storage.run("DELETE FROM galley_links WHERE field = ? AND owner = ?", [storage.number(attribute.link.field), row]);
}

/** What rows and all component rows below them own. */
export interface EdgesBelow {
  readonly of: (schema: Schema, row: number) => OwnEdges;
  /** The rows themselves and those below them. */
  readonly rows: ReadonlyMap<Schema, readonly number[]>;
}

/** Reads a level at a time: a statement for each component that occurs in it, however many entries there are. */
export function edgesBelow(context: DocumentsContext, roots: ReadonlyMap<Schema, readonly number[]>): EdgesBelow {
  const found = new Map<Schema, Map<number, OwnEdges>>();
  const rows = new Map<Schema, number[]>();
  for (let level = roots; level.size > 0; ) {
    const next = new Map<Schema, number[]>();
    for (const [schema, ids] of level) {
      const known = found.getOrInsertComputed(schema, () => new Map());
      // rows of a damaged database may contain themselves
      const fresh = ids.filter((id) => !known.has(id));
      const edgesOf = ownEdgesOf(context, schema, fresh);
      const parts = [...schema.attributes.values()].filter(isPartAttribute);
      for (const id of fresh) {
        const own = edgesOf(id);
        known.set(id, own);
        rows.getOrInsertComputed(schema, () => []).push(id);
        for (const attribute of parts) {
          for (const part of partsOf(context, attribute, own)) {
            next.getOrInsertComputed(part.schema, () => []).push(part.id);
          }
        }
      }
    }
    level = next;
  }
  return { of: (schema, row) => found.get(schema)?.get(row) ?? NO_EDGES, rows };
}
