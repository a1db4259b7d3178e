/**
 * Copies what the model does not have any more from a row to another one that was written with its data: a clone, or another
 * locale. Copies of other versions are made by `VersionCopier`.
 */

import type { Status } from "../query/reading.ts";
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

class RemovedValues {
  readonly #context: DocumentsContext;
  readonly #from: LinksBelow;
  readonly #to: LinksBelow;
  readonly #pending: PendingLinks;
  readonly #counterparts: Counterparts;
  readonly #status: Status;

  constructor(context: DocumentsContext, type: ContentType, from: number, { id: to, status }: RowIds) {
    this.#context = context;
    this.#status = status;
    this.#counterparts = new Counterparts(context);
    this.#from = linksBelow(context, new Map([[type, [from]]]));
    this.#to = linksBelow(context, new Map([[type, [to]]]));
    this.#pending = new PendingLinks(context);
  }

  /** Values that the second row has stay. */
  copy(schema: Schema, from: number, to: number, { sharedExcept }: Options): void {
    const removed = findRemoved(this.#context);
    const columns = removed
      .listColumns(schema)
      .removed.filter((column) => !sharedExcept || removed.isShared(schema, column))
      .map(quote);
    if (columns.length > 0) {
      const table = quote(schema.table);
      const values = columns.map((column) => `${column} = coalesce(t.${column}, s.${column})`);
      this.#context.storage.run(
        `UPDATE ${table} AS t SET ${values.join(", ")} FROM ${table} s WHERE s.id = ? AND t.id = ?`,
        [from, to],
      );
    }
    for (const attribute of allAttributes(this.#context, schema)) {
      if (attribute.kind === "scalar" || !ownsLinks(attribute)) continue;
      if (sharedExcept && (attribute.localized || sharedExcept.has(attribute.name))) continue;
      const isRemoved = schema.attributes.get(attribute.name) !== attribute;
      if (isRemoved && this.#to.of(schema, to).of(attribute.link.field).length > 0) continue;
      if (holdsComponents(attribute)) this.#copyEntries(attribute, schema, from, to, isRemoved);
      else if (isRemoved) this.#copyLinks(attribute, schema, from, to);
    }
    this.#pending.flush();
  }

  #copyLinks(attribute: LinkAttribute, schema: Schema, from: number, to: number): void {
    const links = this.#from.of(schema, from).of(attribute.link.field);
    const targets = this.#counterparts.targets(this.#status, attribute, links);
    for (const link of links) this.#pending.insert({ ...link, owner: to, target: targets.get(link)!.id });
  }

  #copyEntries(
    attribute: ComponentOrZoneAttribute,
    schema: Schema,
    from: number,
    to: number,
    isRemoved: boolean,
  ): void {
    const context = this.#context;
    const listRows = (below: LinksBelow, row: number) =>
      listAllComponentRows(context, attribute, below.of(schema, row));
    const copies = listRows(this.#to, to).filter((entry) => isCurrent(context, entry));
    const hasHidden = copies.length < listRows(this.#to, to).length;
    let index = 0;
    for (const entry of listRows(this.#from, from)) {
      if (isRemoved || !isCurrent(context, entry)) {
        if (hasHidden) continue;
        const [id] = copyComponentRows(context, entry.schema, [entry.id]) as [number];
        this.#pending.insert(componentLink(context, attribute, to, { schema: entry.schema, id }, entry.position));
        this.#copyBelow(entry.schema, entry.id, id);
        continue;
      }
      const copy = copies[index++];
      if (copy && copy.schema === entry.schema) this.copy(entry.schema, entry.id, copy.id, {});
    }
  }

  /** Everything that a removed component has. */
  #copyBelow(schema: Schema, from: number, to: number): void {
    for (const attribute of allAttributes(this.#context, schema)) {
      if (attribute.kind === "scalar" || !ownsLinks(attribute)) continue;
      if (holdsComponents(attribute)) this.#copyEntries(attribute, schema, from, to, true);
      else this.#copyLinks(attribute, schema, from, to);
    }
  }
}

/** Copies what the model does not have from a row and its components to those of another row, where these have nothing. */
export function copyRemoved(
  context: DocumentsContext,
  type: ContentType,
  from: number,
  to: RowIds,
  options: Options = {},
): void {
  if (from === to.id || !findRemoved(context).affects(type)) return;
  new RemovedValues(context, type, from, to).copy(type, from, to.id, options);
}
