/**
 * Copies what the model does not have any more from a row to another one that was written with its data: a clone, or another
 * locale. Copies of other versions are made by `VersionCopier`.
 */
import { type ComponentOrZoneAttribute, holdsComponents } from "../schema/entries.ts";
import { type ContentType, type LinkAttribute, ownsLinks, type Schema } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import {
  componentLink,
  copyComponentRows,
  isCurrent,
  type LinksBelow,
  linksBelow,
  listAllComponentRows,
} from "./component-rows.ts";
import type { DocumentsContext } from "./context.ts";
import { Counterparts } from "./copied-links.ts";
import { PendingLinks } from "./link-rows.ts";
import { allAttributes, findRemoved } from "./removed.ts";
import type { RowIds } from "./rows.ts";

interface Options {
  /** Only what all locales share, of attributes with other names than these. */
  readonly sharedExcept?: ReadonlySet<string>;
}

/** Copies what the model does not have from a row and its components to those of another row, where these have nothing. */
export function copyRemoved(
  context: DocumentsContext,
  type: ContentType,
  source: number,
  { id: target, status }: RowIds,
  options: Options = {},
): void {
  if (source === target || !findRemoved(context).affects(type)) return;
  const counterparts = new Counterparts(context);
  const linksOfSource = linksBelow(context, new Map([[type, [source]]]));
  const linksOfTarget = linksBelow(context, new Map([[type, [target]]]));
  const pending = new PendingLinks(context);

  /** Values that the second row has stay. */
  function copy(schema: Schema, from: number, to: number, { sharedExcept }: Options): void {
    const removed = findRemoved(context);
    const columns = removed
      .listColumns(schema)
      .removed.filter((column) => !sharedExcept || removed.isShared(schema, column))
      .map(quote);
    if (columns.length > 0) {
      const table = quote(schema.table);
      const values = columns.map((column) => `${column} = coalesce(t.${column}, s.${column})`);
      const sql = `UPDATE ${table} AS t SET ${values.join(", ")} FROM ${table} s WHERE s.id = ? AND t.id = ?`;
      context.storage.run(sql, [from, to]);
    }
    for (const attribute of allAttributes(context, schema)) {
      if (attribute.kind === "scalar" || !ownsLinks(attribute)) continue;
      if (sharedExcept && (attribute.localized || sharedExcept.has(attribute.name))) continue;
      const isRemoved = schema.attributes.get(attribute.name) !== attribute;
      if (isRemoved && linksOfTarget.of(schema, to).of(attribute.link.field).length > 0) continue;
      if (holdsComponents(attribute)) copyEntries(attribute, schema, from, to, isRemoved);
      else if (isRemoved) copyLinks(attribute, schema, from, to);
    }
    pending.flush();
  }

  function copyLinks(attribute: LinkAttribute, schema: Schema, from: number, to: number): void {
    const links = linksOfSource.of(schema, from).of(attribute.link.field);
    const targets = counterparts.targets(status, attribute, links);
    for (const link of links) pending.insert({ ...link, owner: to, target: targets.get(link)!.id });
  }

  function copyEntries(
    attribute: ComponentOrZoneAttribute,
    schema: Schema,
    from: number,
    to: number,
    isRemoved: boolean,
  ): void {
    const listRows = (below: LinksBelow, row: number) =>
      listAllComponentRows(context, attribute, below.of(schema, row));
    const copies = listRows(linksOfTarget, to).filter((entry) => isCurrent(context, entry));
    const hasHidden = copies.length < listRows(linksOfTarget, to).length;
    let index = 0;
    for (const entry of listRows(linksOfSource, from)) {
      if (isRemoved || !isCurrent(context, entry)) {
        if (hasHidden) continue;
        const [id] = copyComponentRows(context, entry.schema, [entry.id]) as [number];
        pending.insert(componentLink(context, attribute, to, { schema: entry.schema, id }, entry.position));
        copyBelow(entry.schema, entry.id, id);
        continue;
      }
      const there = copies[index++];
      if (there && there.schema === entry.schema) copy(entry.schema, entry.id, there.id, {});
    }
  }

  /** Everything that a removed component has. */
  function copyBelow(schema: Schema, from: number, to: number): void {
    for (const attribute of allAttributes(context, schema)) {
      if (attribute.kind === "scalar" || !ownsLinks(attribute)) continue;
      if (holdsComponents(attribute)) copyEntries(attribute, schema, from, to, true);
      else copyLinks(attribute, schema, from, to);
    }
  }

  copy(type, source, target, options);
}
