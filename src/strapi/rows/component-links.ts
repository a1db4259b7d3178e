/** Links rows to existing rows of components, as queries of a project's code do: the components themselves are not written. */

import {
  type ComponentRow,
  componentLink,
  listComponentRows,
  unlinkComponents,
} from "../../engine/documents/component-rows.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { connectAt } from "../../engine/documents/link-order.ts";
import { PendingLinks, readOwnLinks } from "../../engine/documents/link-rows.ts";
import type { Placed } from "../../engine/documents/link-slots.ts";
import { type Change, type LinkedRow, parseId } from "../../engine/documents/relation-input.ts";
import type { Data } from "../../engine/documents/rows.ts";
import { type ComponentOrZoneAttribute, holdsComponents } from "../../engine/schema/entries.ts";
import type { Component, Schema } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { isRecord } from "../../lib/is-record.ts";
import { idOfEntry, listEntries, refuseText, toList } from "./row-entries.ts";

/** The id and the component of a row. */
type RowKey = string;

const buildKey = (id: unknown, uid: string): RowKey => `${String(id)}:::${uid}`;
const idIn = (key: RowKey): number => Number.parseInt(key, 10);
const uidIn = (key: RowKey): string => key.slice(key.indexOf(":::") + 3);

function findComponent({ model }: DocumentsContext, attribute: ComponentOrZoneAttribute, entry: unknown): Component {
  const given = isRecord(entry) ? entry.__component : undefined;
  const uid = attribute.kind === "component" ? attribute.component : String(given);
  const found = model.components.get(uid);
  if (!found) throw new Error(`Metadata for "${uid}" not found`);
  return found;
}

const existing = ({ storage }: DocumentsContext, { table }: Component, ids: readonly number[]): Set<unknown> => {
  const sql = `SELECT id FROM ${quote(table)} WHERE id IN (SELECT value FROM json_each(?))`;
  return new Set(storage.all(sql, [JSON.stringify(ids)]).map(([id]) => id));
};

/** Without rows that do not exist. */
function toRows(context: DocumentsContext, keys: readonly RowKey[]): ComponentRow[] {
  const rows = [...new Set(keys)].map((key) => ({ schema: context.model.components.get(uidIn(key))!, id: idIn(key) }));
  const ids = new Map(
    [...Map.groupBy(rows, ({ schema }) => schema)].map(([schema, of]) => [
      schema,
      existing(
        context,
        schema,
        of.map(({ id }) => id),
      ),
    ]),
  );
  return rows.filter(({ schema, id }) => ids.get(schema)!.has(id));
}

function nextKeys(
  context: DocumentsContext,
  attribute: ComponentOrZoneAttribute,
  current: readonly RowKey[],
  change: Change,
): readonly RowKey[] {
  const keyOfEntry = (entry: unknown): RowKey => buildKey(parseId(entry), findComponent(context, attribute, entry).uid);
  if ("set" in change) return change.set.map(keyOfEntry);
  const dropped = new Set(change.disconnect.map(keyOfEntry));
  const added = change.connect.map((entry): Placed<RowKey> => {
    const position = isRecord(entry) && isRecord(entry.position) ? entry.position : undefined;
    const { uid } = findComponent(context, attribute, entry);
    if (!position) return { key: keyOfEntry(entry) };
    const { before, after } = position;
    const neighbours = {
      ...(before ? { before: buildKey(before, uid) } : {}),
      ...(after ? { after: buildKey(after, uid) } : {}),
    };
    return { key: keyOfEntry(entry), position: { ...position, ...neighbours } };
  });
  if (attribute.many || added.length === 0) return connectAt(current, added, dropped, change.strict);
  return added.map(({ key }) => key);
}

/**
 * Applies a change to a component or zone attribute of a row. An empty set leaves a zone as it is, as in Strapi. Throws an
 * Error for an unknown component.
 */
function linkComponentRows(
  context: DocumentsContext,
  schema: Schema,
  attribute: ComponentOrZoneAttribute,
  row: LinkedRow,
  change: Change,
): void {
  if (attribute.kind === "zone" && "set" in change && change.set.length === 0) return;
  const own = readOwnLinks(context, schema, [row.id])(row.id);
  const current = listComponentRows(context, attribute, own).map((entry) => buildKey(entry.id, entry.schema.uid));
  const next = toRows(context, nextKeys(context, attribute, current, change));
  unlinkComponents(context, attribute, row.id);
  const linked = attribute.many ? next : next.slice(0, 1);
  const pending = new PendingLinks(context);
  for (const [index, entry] of linked.entries())
    pending.insert(componentLink(context, attribute, row.id, entry, index + 1));
  pending.flush();
}

const linkable = (value: unknown): unknown[] => toList(value).filter((entry) => Number.isInteger(idOfEntry(entry)));

/** The rows of components to link; undefined for a value that changes nothing. Throws an Error for an entry without an id. */
function componentChange(attribute: ComponentOrZoneAttribute, value: unknown, isNew: boolean): Change | undefined {
  const entries = value === undefined ? undefined : listEntries(value);
  if (!entries) return undefined;
  const ids = entries.map(idOfEntry);
  // Strapi looks up the component of each entry first
  if (attribute.kind === "component") refuseText(ids, isNew);
  else if (entries.some((entry) => !isRecord(entry) || typeof entry.__component !== "string"))
    throw new Error('Metadata for "undefined" not found');
  if (!isRecord(value) || "id" in value) return { set: linkable(value) };
  if (value.set !== undefined) return { set: linkable(value.set) };
  const isStrict = !(isRecord(value.options) && value.options.strict === false);
  return { connect: linkable(value.connect), disconnect: linkable(value.disconnect), strict: isStrict };
}

/** Links the rows that the component attributes of the data name, by their ids. */
export function linkEntries(context: DocumentsContext, schema: Schema, row: LinkedRow, data: Data): void {
  for (const [name, value] of Object.entries(data)) {
    const attribute = schema.attributes.get(name);
    if (!attribute || !holdsComponents(attribute)) continue;
    const change = componentChange(attribute, value, row.isNew === true);
    if (change) linkComponentRows(context, schema, attribute, row, change);
  }
}
