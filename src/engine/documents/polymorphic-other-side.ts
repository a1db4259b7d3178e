/** Writes morphOne and morphMany relations: links whose target is the row itself. */
import { hasVersions, type RelationAttribute, type Schema } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import type { DocumentsContext } from "./context.ts";
import { among, documentRows } from "./link-rows.ts";
import { addPolymorphicLinks, addSingleLink } from "./polymorphic-links.ts";
import { type Change, type LinkedRow, parseId } from "./relation-input.ts";

const parseIds = (targets: readonly unknown[]): number[] => [...new Set(targets.map(parseId))];

/** As in Strapi, new rows accept only `set`, and `connect` appends after all links of the row. */
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
  const linkKey = [storage.number(field), row.id, storage.number(schema.table)] as const;
  const remove = "DELETE FROM galley_links WHERE field = ? AND target = ? AND kind = ? AND target_attribute = ?";
  const add = (owners: readonly number[], start: number): void => {
    const links = owners.map((owner, index) => ({
      owner,
      order: start + index + 1,
      target: row.id,
      kind: linkKey[2],
      targetAttribute,
    }));
    addPolymorphicLinks(storage, linkKey[0], links);
  };
  if ("set" in change) {
    if (!row.isNew) storage.run(remove, [...linkKey, targetAttribute]);
    return add(parseIds(change.set), 0);
  }
  if (row.isNew) return;
  const [inList, param] = among(parseIds([...change.connect, ...change.disconnect]));
  storage.run(`${remove} AND owner ${inList}`, [...linkKey, targetAttribute, param]);
  if (change.connect.length === 0) return;
  const last = "SELECT coalesce(max(inverse), 0) FROM galley_links WHERE field = +? AND target = +? AND kind = +?";
  add(parseIds(change.connect), storage.first(last, [...linkKey])![0] as number);
}

/**
 * Writes the other side of a morphToOne relation, which has at most one link: as in Strapi, to the first document of
 * `set`. Any other change removes the link.
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
  const [owner] = "set" in change ? parseIds(change.set.slice(0, 1)) : [];
  if (owner === undefined) return;
  // both versions of a document may have the link
  const versions = hasVersions(schema)
    ? ` AND NOT (kind = ? AND target IN (${documentRows(quote(schema.table))}))`
    : "";
  storage.run(`DELETE FROM galley_links WHERE field = ? AND owner = ?${versions}`, [
    field,
    owner,
    ...(versions ? [kind, row.id] : []),
  ]);
  addSingleLink(storage, field, { owner, target: row.id, kind });
}
