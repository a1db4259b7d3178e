/** Removes rows with everything below them. */
import type { Schema } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { Storage } from "../storage/storage.ts";
import type { DocumentsContext } from "./context.ts";
import { among, ownFields, placeholders } from "./edges.ts";
import { type EdgesBelow, edgesBelow, kindOf, type Part, type PartAttribute } from "./parts.ts";

/** Removes a row with its components and every link from or to it. */
export function deleteRow(
  context: DocumentsContext,
  schema: Schema,
  id: number,
  below = edgesBelow(context, new Map([[schema, [id]]])),
): void {
  deleteRows(context, below);
}

/** Removes entries of an attribute of a row. */
export function deleteParts(
  context: DocumentsContext,
  attribute: PartAttribute,
  row: number,
  parts: readonly Part[],
): void {
  const { storage } = context;
  const field = storage.number(attribute.link.field);
  const bySchema = Map.groupBy(parts, ({ schema }) => schema);
  const roots = new Map([...bySchema].map(([schema, alike]) => [schema, alike.map(({ id }) => id)]));
  for (const [schema, ids] of roots) {
    const [targets, param] = among(ids);
    storage.run(`DELETE FROM galley_links WHERE field = ? AND owner = ? AND target ${targets} AND kind = ?`, [
      field,
      row,
      param,
      kindOf(context, attribute, schema),
    ]);
  }
  deleteRows(context, edgesBelow(context, roots));
}

function deleteRows(context: DocumentsContext, { rows }: EdgesBelow): void {
  const { storage } = context;
  for (const [schema, ids] of rows) {
    const [those, param] = among(ids);
    const fields = ownFields(storage, schema);
    if (fields.length > 0) {
      const where = `field IN (${placeholders(fields)}) AND owner ${those}`;
      storage.run(`DELETE FROM galley_links WHERE ${where}`, [...fields, param]);
    }
    for (const [field, kind] of fieldsTo(context, schema)) {
      storage.run(`DELETE FROM galley_links WHERE field = ? AND target ${those} AND kind = ?`, [field, param, kind]);
    }
    storage.run(`DELETE FROM ${quote(schema.table)} WHERE id ${those}`, [param]);
  }
}

/** By database, since the numbers of fields are its own. */
const incoming = new WeakMap<Storage, Map<Schema, [number, number][]>>();

/** The fields whose edges can end at rows of a type, with the kind that such edges have. */
export function fieldsTo({ storage, model }: DocumentsContext, schema: Schema): readonly [number, number][] {
  const known = incoming.get(storage) ?? new Map<Schema, [number, number][]>();
  incoming.set(storage, known);
  const found = known.get(schema);
  if (found) return found;
  const fields: [number, number][] = [];
  // no relation leads to a component
  const owners = schema.modelType === "component" ? [] : [...model.types.values(), ...model.components.values()];
  for (const owner of owners) {
    for (const attribute of owner.attributes.values()) {
      if (attribute.kind !== "relation" && attribute.kind !== "media") continue;
      if (attribute.link.field === "" || attribute.link.side !== "owner") continue;
      if (attribute.target === schema.uid) fields.push([storage.number(attribute.link.field), 0]);
      else if (!attribute.target) fields.push([storage.number(attribute.link.field), storage.number(schema.table)]);
    }
  }
  known.set(schema, fields);
  return fields;
}
