/** The rows of components: entries of component and zone attributes, each linked to its owner by an edge. */
import { textOf } from "../../lib/coerce.ts";
import { ApiError } from "../../lib/errors.ts";
import type { Attribute, ComponentAttribute, Schema, ZoneAttribute } from "../schema/model.ts";
import type { DocumentsContext } from "./context.ts";
import { NO_EDGES, type OwnEdges, ownEdgesOf } from "./edges.ts";
import { Links } from "./links.ts";
import { allAttributes, removedOf } from "./removed.ts";

export type ComponentOrZoneAttribute = ComponentAttribute | ZoneAttribute;

export const holdsComponents = (attribute: Attribute): attribute is ComponentOrZoneAttribute =>
  attribute.kind === "component" || attribute.kind === "zone";

/** A row of a component. */
export interface ComponentRow {
  readonly schema: Schema;
  readonly id: number;
}

export const keyOf = ({ schema, id }: ComponentRow): string => `${schema.uid}:${id}`;

export const kindOf = (
  { storage }: Pick<DocumentsContext, "storage">,
  attribute: ComponentOrZoneAttribute,
  schema: Schema,
): number => (attribute.kind === "zone" ? storage.number(schema.table) : 0);

export function lastPosition({ storage }: DocumentsContext, attribute: ComponentOrZoneAttribute, row: number): number {
  return new Links(storage, attribute.link).lastPlace(row);
}

/** Whether the model has the component of a row. */
export const isCurrent = ({ model }: DocumentsContext, { schema }: ComponentRow): boolean =>
  model.components.get(schema.uid)?.table === schema.table;

/** A component row and its place in its attribute. */
export interface PlacedRow extends ComponentRow {
  readonly position: number;
}

/** The component rows of an attribute, in order, with those of removed components. */
export function allComponentRowsOf(
  context: DocumentsContext,
  attribute: ComponentOrZoneAttribute,
  own: OwnEdges,
): PlacedRow[] {
  const edges = own.of(attribute.link.field);
  if (edges.length === 0) return [];
  const removed = removedOf(context);
  return edges.flatMap(({ target, kind, position }) => {
    const schema =
      attribute.kind === "component"
        ? removed.schemaOf(attribute.component)
        : removed.schemaIn(context.storage.nameOf(kind));
    return schema ? [{ schema, id: target, position }] : [];
  });
}

/** The component rows of an attribute, in order. */
export const componentRowsOf = (
  context: DocumentsContext,
  attribute: ComponentOrZoneAttribute,
  own: OwnEdges,
): PlacedRow[] => allComponentRowsOf(context, attribute, own).filter((entry) => isCurrent(context, entry));

/** Whether a zone lists the component of an entry. As in Strapi, others are not published. */
export const lists = (attribute: ComponentOrZoneAttribute, { schema }: ComponentRow): boolean =>
  attribute.kind === "component" || attribute.components.includes(schema.uid);

/** Without entries of components that a zone no longer lists. */
export const listedComponentRowsOf = (
  context: DocumentsContext,
  attribute: ComponentOrZoneAttribute,
  own: OwnEdges,
): ComponentRow[] => componentRowsOf(context, attribute, own).filter((entry) => lists(attribute, entry));

/** Adds a component row to an attribute of its owner, at `position`. */
export function linkComponent(
  context: DocumentsContext,
  attribute: ComponentOrZoneAttribute,
  row: number,
  entry: ComponentRow,
  position: number,
): void {
  const { storage } = context;
  const field = storage.number(attribute.link.field);
  storage.run("INSERT INTO galley_links VALUES (?, ?, ?, ?, ?, 1, NULL)", [
    field,
    row,
    position,
    entry.id,
    kindOf(context, attribute, entry.schema),
  ]);
}

export function unlinkComponents(context: DocumentsContext, attribute: ComponentOrZoneAttribute, row: number): void {
  const { storage } = context;
  // entries of removed components stay, for when they are back
  const removed = attribute.kind === "zone" ? removedOf(context).schemas : [];
  const kinds = removed.map(({ table }) => storage.number(table));
  const others = kinds.length === 0 ? "" : ` AND kind NOT IN (${kinds})`;
  const field = storage.number(attribute.link.field);
  storage.run(`DELETE FROM galley_links WHERE field = ? AND owner = ?${others}`, [field, row]);
}

/** The edges that rows, and all component rows below them, own. */
export interface EdgesBelow {
  readonly of: (schema: Schema, row: number) => OwnEdges;
  /** The rows themselves and those below them. */
  readonly rows: ReadonlyMap<Schema, readonly number[]>;
}

/** Reads level by level, with one statement per component on a level, for any number of entries. */
export function edgesBelow(context: DocumentsContext, roots: ReadonlyMap<Schema, readonly number[]>): EdgesBelow {
  const edges = new Map<Schema, Map<number, OwnEdges>>();
  const rows = new Map<Schema, number[]>();
  for (let level = roots; level.size > 0; ) {
    const next = new Map<Schema, number[]>();
    for (const [schema, ids] of level) {
      const edgesById = edges.getOrInsertComputed(schema, () => new Map());
      // in a damaged database, rows may contain themselves
      const unvisited = ids.filter((id) => !edgesById.has(id));
      const edgesOf = ownEdgesOf(context, schema, unvisited);
      const attributes = allAttributes(context, schema).filter(holdsComponents);
      for (const id of unvisited) {
        const own = edgesOf(id);
        edgesById.set(id, own);
        rows.getOrInsertComputed(schema, () => []).push(id);
        for (const attribute of attributes) {
          for (const entry of allComponentRowsOf(context, attribute, own)) {
            next.getOrInsertComputed(entry.schema, () => []).push(entry.id);
          }
        }
      }
    }
    level = next;
  }
  return { of: (schema, row) => edges.get(schema)?.get(row) ?? NO_EDGES, rows };
}

/** The keys of entries with an id. Throws an error for one that is none of the attribute's `existing` entries. */
export function keptKeys(
  attribute: ComponentOrZoneAttribute,
  entries: readonly Readonly<Record<string, unknown>>[],
  existing: ReadonlySet<string>,
): Set<string> {
  const kept = new Set<string>();
  for (const entry of entries) {
    if (entry.id === undefined) continue;
    const uid = attribute.kind === "zone" ? textOf(entry.__component) : attribute.component;
    const key = `${uid}:${textOf(entry.id)}`;
    if (!existing.has(key)) {
      const kind = attribute.kind === "zone" ? "ForeignEntryError" : "ApplicationError";
      throw new ApiError(kind, `Some of the provided components in ${attribute.name} are not related to the entity`);
    }
    kept.add(key);
  }
  return kept;
}
