/** Deletes rows with their components and links, and changes the ids of rows without. */
import { type ComponentOrZoneAttribute, holdsComponents } from "../schema/entries.ts";
import { type ContentType, hasVersions, isLink, mayHold, ownsLinks, type Schema } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import {
  type ComponentRow,
  isCurrent,
  type LinksBelow,
  linkKind,
  linksBelow,
  listAllComponentRows,
} from "./component-rows.ts";
import type { DocumentsContext } from "./context.ts";
import { among, isOwnLink, NO_OWN_LINKS, ownFields, readOwnLinks } from "./link-rows.ts";
import { allAttributes, cachePerSchema, findRemoved, type Linked } from "./removed.ts";

/** Deletes a row with its components and every link from or to it. */
export function deleteRow(context: DocumentsContext, schema: Schema, id: number): void {
  deleteLinked(context, linksBelow(context, new Map([[schema, [id]]])));
}

/** Deletes the rows that links were read of. `isLinked`: others may link to them. `kept`: fields whose links stay. */
export function deleteLinked(
  context: DocumentsContext,
  below: LinksBelow,
  isLinked = true,
  kept?: ReadonlySet<number>,
): void {
  for (const [schema, ids] of below.rows) {
    if (ids.some((id) => below.of(schema, id) !== NO_OWN_LINKS)) deleteOwnLinks(context, schema, ids, kept);
    if (isLinked) deleteLinksTo(context, schema, ids);
    deleteRows(context, schema, ids);
  }
}

/** Deletes rows without their components and links. */
export function deleteRows({ storage }: DocumentsContext, schema: Schema, ids: readonly number[]): void {
  const [those, param] = among(ids);
  storage.run(`DELETE FROM ${quote(schema.table)} WHERE id ${those}`, [param]);
}

/** Deletes entries of a component or zone attribute. */
export function deleteComponents(
  context: DocumentsContext,
  attribute: ComponentOrZoneAttribute,
  row: number,
  entries: readonly ComponentRow[],
): void {
  const { storage } = context;
  const field = storage.number(attribute.link.field);
  const bySchema = Map.groupBy(entries, ({ schema }) => schema);
  const roots = new Map([...bySchema].map(([schema, rows]) => [schema, rows.map(({ id }) => id)]));
  for (const [schema, ids] of roots) {
    const [targets, param] = among(ids);
    storage.run(`DELETE FROM galley_links WHERE field = ? AND owner = ? AND target ${targets} AND kind = ?`, [
      field,
      row,
      param,
      linkKind(context, attribute, schema),
    ]);
  }
  deleteLinked(context, linksBelow(context, roots));
}

/** Deletes the entries of a row that the model does not have any more; not through the `RowStore`. */
export function deleteRemovedComponents(context: DocumentsContext, schema: Schema, id: number): void {
  if (!findRemoved(context).affects(schema)) return;
  const own = readOwnLinks(context, schema, [id])(id);
  for (const attribute of allAttributes(context, schema)) {
    if (!holdsComponents(attribute)) continue;
    const isRemoved = schema.attributes.get(attribute.name) !== attribute;
    const entries = listAllComponentRows(context, attribute, own);
    deleteComponents(context, attribute, id, isRemoved ? entries : entries.filter((row) => !isCurrent(context, row)));
  }
}

/** Deletes the links from and to rows. */
export function deleteLinks(context: DocumentsContext, schema: Schema, ids: readonly number[]): void {
  deleteOwnLinks(context, schema, ids);
  deleteLinksTo(context, schema, ids);
}

function deleteOwnLinks(
  context: DocumentsContext,
  schema: Schema,
  ids: readonly number[],
  kept?: ReadonlySet<number>,
): void {
  const isOwn = isOwnLink(context, schema, kept);
  const [those, param] = among(ids);
  if (isOwn !== undefined) context.storage.run(`DELETE FROM galley_links WHERE owner ${those} AND ${isOwn}`, [param]);
}

function deleteLinksTo(context: DocumentsContext, schema: Schema, ids: readonly number[]): void {
  const fields = fieldsTo(context, schema);
  if (fields.length === 0) return;
  const [those, param] = among(ids);
  const list = fields.map(([field]) => field).join(", ");
  // the targets of a field are of one type, with kind 0, or of several
  const kinds = [...new Set(fields.map(([, kind]) => kind))].join(", ");
  context.storage.run(`DELETE FROM galley_links WHERE field IN (${list}) AND target ${those} AND kind IN (${kinds})`, [
    param,
  ]);
}

/** The link fields that can lead to rows of a type, with the kind of such links. */
export const fieldsTo = cachePerSchema((linked, schema): readonly (readonly [field: number, kind: number])[] => {
  const { storage } = linked;
  const fields: [number, number][] = [];
  // components are no targets of relations
  const owners = schema.modelType === "component" ? [] : findRemoved(linked).allSchemas;
  for (const owner of owners) {
    for (const attribute of allAttributes(linked, owner)) {
      if (!isLink(attribute) || !ownsLinks(attribute)) continue;
      if (attribute.target === schema.uid) fields.push([storage.number(attribute.link.field), 0]);
      else if (!attribute.target) fields.push([storage.number(attribute.link.field), storage.number(schema.table)]);
    }
  }
  return fields;
});

/** Whether a schema's rows may be without versions: those of a type without drafts, and of a component that such a type may hold. */
function mayLackVersions(linked: Linked, schema: Schema, seen = new Set<Schema>()): boolean {
  if (schema.modelType !== "component") return !hasVersions(schema);
  if (seen.has(schema)) return false;
  seen.add(schema);
  return findRemoved(linked).allSchemas.some(
    (parent) =>
      allAttributes(linked, parent).some((attribute) => mayHold(attribute, schema)) &&
      mayLackVersions(linked, parent, seen),
  );
}

/** The fields of one-way relations to a type, of rows that may be without versions. */
export const oneWayFieldsTo = cachePerSchema((linked, schema): readonly number[] =>
  findRemoved(linked)
    .allSchemas.filter((owner) => mayLackVersions(linked, owner))
    .flatMap((owner) =>
      allAttributes(linked, owner).flatMap((attribute) => {
        const isOneWay = attribute.kind === "relation" && attribute.link.side === "owner" && !attribute.other;
        if (!isOneWay || attribute.virtual || attribute.target !== schema.uid) return [];
        return [linked.storage.number(attribute.link.field)];
      }),
    ),
);

/**
 * Returns the new id. Throws an Error if the row has links or components, which foreign keys protect in Strapi, and
 * SQLite's error if another row has the id.
 */
export function changeRowId(context: DocumentsContext, type: ContentType, from: number, to: number): number {
  if (from === to) return to;
  const { storage } = context;
  const linked = [
    ...ownFields(context, type).map((field) => storage.first(OWNED, [field, from])),
    ...fieldsTo(context, type).map(([field, kind]) => storage.first(TARGETED, [field, from, kind])),
  ];
  if (linked.some((row) => row !== undefined))
    throw new Error(`${type.uid}: the id of a row with links or components cannot be changed`);
  storage.run(`UPDATE ${quote(type.table)} SET id = ? WHERE id = ?`, [to, from]);
  return to;
}

const OWNED = "SELECT 1 FROM galley_links WHERE field = ? AND owner = ? LIMIT 1";
const TARGETED = "SELECT 1 FROM galley_links WHERE field = ? AND target = ? AND kind = ? LIMIT 1";
