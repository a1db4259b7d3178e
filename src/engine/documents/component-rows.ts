/** The rows of components: entries of component and zone attributes, each linked to its owner. */
import { toText } from "../../lib/coerce.ts";
import { ApiError } from "../../lib/errors.ts";
import { type ComponentOrZoneAttribute, entryUid } from "../schema/entries.ts";
import type { Schema } from "../schema/model.ts";
import { INSERT, quote } from "../storage/sql.ts";
import type { DocumentsContext } from "./context.ts";
import { type LinkRow, listed, NO_OWN_LINKS, type OwnLinks, readOwnLinks } from "./link-rows.ts";
import { findRemoved } from "./removed.ts";

export interface ComponentRow {
  readonly schema: Schema;
  readonly id: number;
}

export const rowKey = ({ schema, id }: ComponentRow): string => `${schema.uid}:${id}`;

export const linkKind = (
  { storage }: Pick<DocumentsContext, "storage">,
  attribute: ComponentOrZoneAttribute,
  schema: Schema,
): number => (attribute.kind === "zone" ? storage.number(schema.table) : 0);

/** Whether the model has the component of a row. */
export const isCurrent = ({ model }: DocumentsContext, { schema }: ComponentRow): boolean =>
  model.components.get(schema.uid)?.table === schema.table;

/** A component row and its place in its attribute. */
export interface PlacedRow extends ComponentRow {
  readonly position: number;
}

/** The component rows of an attribute, in order, with those of removed components. */
export function listAllComponentRows(
  context: DocumentsContext,
  attribute: ComponentOrZoneAttribute,
  own: OwnLinks,
): PlacedRow[] {
  const links = own.of(attribute.link.field);
  if (links.length === 0) return [];
  const removed = findRemoved(context);
  return links.flatMap(({ target, kind, position }) => {
    const schema =
      attribute.kind === "component"
        ? removed.findSchema(attribute.component)
        : removed.schemaIn(context.storage.findName(kind));
    return schema ? [{ schema, id: target, position }] : [];
  });
}

/** The component rows of an attribute, in order. */
export const listComponentRows = (
  context: DocumentsContext,
  attribute: ComponentOrZoneAttribute,
  own: OwnLinks,
): PlacedRow[] => listAllComponentRows(context, attribute, own).filter((entry) => isCurrent(context, entry));

/** Whether a zone lists the component of an entry. As in Strapi, others are not published. */
export const lists = (attribute: ComponentOrZoneAttribute, { schema }: ComponentRow): boolean =>
  attribute.kind === "component" || attribute.components.includes(schema.uid);

/** Without entries of components that a zone no longer lists. */
export const listShownComponentRows = (
  context: DocumentsContext,
  attribute: ComponentOrZoneAttribute,
  own: OwnLinks,
): ComponentRow[] => listComponentRows(context, attribute, own).filter((entry) => lists(attribute, entry));

/** The link of a component row to an attribute of its owner, at `position`. */
export const componentLink = (
  context: DocumentsContext,
  attribute: ComponentOrZoneAttribute,
  owner: number,
  { schema, id: target }: ComponentRow,
  position: number,
): LinkRow => ({
  field: context.storage.number(attribute.link.field),
  owner,
  position,
  target,
  kind: linkKind(context, attribute, schema),
  inverse: 1,
  targetAttribute: null,
});

export function unlinkComponents(context: DocumentsContext, attribute: ComponentOrZoneAttribute, row: number): void {
  const { storage } = context;
  // entries of removed components stay, for when they are back
  const removed = attribute.kind === "zone" ? findRemoved(context).schemas : [];
  const kinds = removed.map(({ table }) => storage.number(table));
  const others = kinds.length === 0 ? "" : ` AND kind NOT IN (${kinds})`;
  const field = storage.number(attribute.link.field);
  storage.run(`DELETE FROM galley_links WHERE field = ? AND owner = ?${others}`, [field, row]);
}

/** The links that rows, and all component rows below them, own. */
export interface LinksBelow {
  readonly of: (schema: Schema, row: number) => OwnLinks;
  /** The rows themselves and those below them. */
  readonly rows: ReadonlyMap<Schema, readonly number[]>;
}

/** Reads level by level, with one statement per component on a level, for any number of entries. */
export function linksBelow(
  context: DocumentsContext,
  roots: ReadonlyMap<Schema, readonly number[]>,
  read = readOwnLinks,
): LinksBelow {
  const links = new Map<Schema, Map<number, OwnLinks>>();
  const rows = new Map<Schema, number[]>();
  for (let level = roots; level.size > 0; ) {
    const next = new Map<Schema, number[]>();
    for (const [schema, ids] of level) {
      const linksById = links.getOrInsertComputed(schema, () => new Map());
      // in a damaged database, rows may contain themselves
      const unvisited = ids.filter((id) => !linksById.has(id));
      const readOwn = read(context, schema, unvisited);
      const attributes = findRemoved(context).listLinked(schema).components;
      for (const id of unvisited) {
        const own = readOwn(id);
        linksById.set(id, own);
        rows.getOrInsertComputed(schema, () => []).push(id);
        for (const attribute of attributes) {
          for (const entry of listAllComponentRows(context, attribute, own)) {
            next.getOrInsertComputed(entry.schema, () => []).push(entry.id);
          }
        }
      }
    }
    level = next;
  }
  return { of: (schema, row) => links.get(schema)?.get(row) ?? NO_OWN_LINKS, rows };
}

/** Of links that were read of several rows, those of one of them. */
export function belowOne(context: DocumentsContext, { of }: LinksBelow, schema: Schema, id: number): LinksBelow {
  const rows = new Map<Schema, Set<number>>();
  const add = (at: Schema, row: number): void => {
    const ids = rows.getOrInsertComputed(at, () => new Set());
    if (ids.has(row)) return;
    ids.add(row);
    const own = of(at, row);
    if (own === NO_OWN_LINKS) return;
    for (const attribute of findRemoved(context).listLinked(at).components)
      for (const entry of listAllComponentRows(context, attribute, own)) add(entry.schema, entry.id);
  };
  add(schema, id);
  return { of, rows: new Map([...rows].map(([at, ids]) => [at, [...ids]])) };
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
    const key = `${entryUid(attribute, entry)}:${toText(entry.id)}`;
    if (!existing.has(key)) {
      const kind = attribute.kind === "zone" ? "ForeignEntryError" : "ApplicationError";
      throw new ApiError(kind, `Some of the provided components in ${attribute.name} are not related to the entity`);
    }
    kept.add(key);
  }
  return kept;
}

/** Copies rows of a component. Returns the new ids. */
export function copyComponentRows(context: DocumentsContext, schema: Schema, ids: readonly number[]): number[] {
  const { storage } = context;
  const { names, copied } = findRemoved(context).listColumns(schema);
  const table = quote(schema.table);
  const [list, param] = listed(ids);
  // a new id also for a row that is missing in a damaged database
  const from = `FROM ${list} e LEFT JOIN ${table} c ON c.id = e.value${ids.length > 1 ? " ORDER BY e.key" : ""}`;
  const { id: last } = storage.run(`${INSERT} ${table} (id${names}) SELECT NULL${copied} ${from}`, [param]);
  return ids.map((_, index) => last - ids.length + 1 + index);
}
