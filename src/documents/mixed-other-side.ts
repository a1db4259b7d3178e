/** Writes morphOne and morphMany: links to a row, from the row that shows them. */
import { hasVersions, type RelationAttribute, type Schema } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { DocumentsContext } from "./context.ts";
import { among } from "./edges.ts";
import { type Change, idOf, type LinkedRow } from "./link-change.ts";
import { addMixedEdges, addSingleEdge } from "./mixed-edges.ts";

const idsOf = (targets: readonly unknown[]): number[] => [...new Set(targets.map(idOf))];

/** As in the reference, new rows take `set` only, and a change by `connect` goes behind all links of the row. */
export function writeOtherSide(
  context: DocumentsContext,
  schema: Schema,
  attribute: RelationAttribute,
  row: LinkedRow,
  change: Change,
): void {
  if (attribute.link.targetAttribute === undefined) return writeOwner(context, schema, attribute, row, change);
  const { storage } = context;
  const { field, targetAttribute } = attribute.link;
  const own = [storage.number(field), row.id, storage.number(schema.table)] as const;
  const remove = "DELETE FROM galley_links WHERE field = ? AND target = ? AND kind = ? AND target_attribute = ?";
  const add = (owners: readonly number[], start: number): void => {
    const edges = owners.map((owner, index) => ({
      owner,
      order: start + index + 1,
      target: row.id,
      kind: own[2],
      targetAttribute,
    }));
    addMixedEdges(storage, own[0], edges);
  };
  if ("set" in change) {
    if (!row.isNew) storage.run(remove, [...own, targetAttribute]);
    return add(idsOf(change.set), 0);
  }
  if (row.isNew) return;
  const [those, param] = among(idsOf([...change.connect, ...change.disconnect]));
  storage.run(`${remove} AND owner ${those}`, [...own, targetAttribute, param]);
  if (change.connect.length === 0) return;
  const last = "SELECT coalesce(max(inverse), 0) FROM galley_links WHERE field = ? AND target = ? AND kind = ?";
  add(idsOf(change.connect), storage.first(last, [...own])![0] as number);
}

/**
 * The other side of a morphToOne relation, which has room for one link. As in the reference, it takes the first document that
 * is set, and any other change leaves it empty.
 */
function writeOwner(
  { storage }: DocumentsContext,
  schema: Schema,
  { link }: RelationAttribute,
  row: LinkedRow,
  change: Change,
): void {
  const field = storage.number(link.field);
  const kind = storage.number(schema.table);
  if (!row.isNew)
    storage.run("DELETE FROM galley_links WHERE field = ? AND target = ? AND kind = ?", [field, row.id, kind]);
  const [owner] = "set" in change ? idsOf(change.set.slice(0, 1)) : [];
  if (owner === undefined) return;
  // both versions of a document may have the link
  const table = quote(schema.table);
  const versions = hasVersions(schema)
    ? ` AND NOT (kind = ? AND target IN (SELECT id FROM ${table} WHERE document_id = (SELECT document_id FROM ${table} WHERE id = ?)))`
    : "";
  storage.run(`DELETE FROM galley_links WHERE field = ? AND owner = ?${versions}`, [
    field,
    owner,
    ...(versions ? [kind, row.id] : []),
  ]);
  addSingleEdge(storage, field, { owner, target: row.id, kind });
}
