/**
 * Publishes and discards: replaces one version of a document by a copy of the other, with new rows for the version and its
 * components, as in Strapi. Links are copied so that drafts link to drafts, and published rows to published rows.
 *
 * A link whose target has no such version yet keeps its target (a dangling link). Reads do not return it, since they select
 * by version. Once the target's version is created, the link is redirected to it.
 */

import type { Status } from "../query/reading.ts";
import type { ContentType, RelationAttribute, Schema } from "../schema/model.ts";
import { recordReplacement } from "../storage/change-log/change-log.ts";
import { INSERT, quote } from "../storage/sql.ts";
import type { Row } from "../storage/storage.ts";
import {
  belowOne,
  componentLink,
  copyComponentRows,
  isCurrent,
  type LinksBelow,
  linksBelow,
  listAllComponentRows,
  lists,
  type PlacedRow,
  rowKey,
} from "./component-rows.ts";
import type { DocumentsContext } from "./context.ts";
import { type Copy, Counterparts, LinkCopier, storedLinks } from "./copied-links.ts";
import { deleteLinked, deleteRow } from "./delete-row.ts";
import { IncomingLinks } from "./incoming-links.ts";
import {
  firstByEnd,
  type LinkRow,
  type OwnLinks,
  ownerKey,
  PendingLinks,
  pickOwnLinks,
  type readOwnLinks,
  targetKey,
} from "./link-rows.ts";
import { findRemoved } from "./removed.ts";
import type { CopyRow, VersionRow } from "./row-store.ts";

export type { VersionRow };

/** The steps that replace a version by a copy of the other one, in order. */
export interface Replacement {
  /** The row to be replaced, if any. */
  readonly old: number | undefined;
  /** The links of the row to copy, and of its components. */
  readonly readLinks: () => LinksBelow;
  readonly removeOld: () => void;
  /**
   * The id of the new row is by default the table's next one. Other rows do not link to it yet; Strapi's response shows it
   * in this state. Components are copied, too, unless copies are given.
   */
  readonly copy: CopyRow;
  /** Redirects links of the document to itself, and one-way links of others to it, to the new row. */
  readonly relink: (id: number) => void;
}

export interface ReplacementOptions {
  /** The row to copy was written by the same write. */
  readonly isOneWrite?: boolean;
  /** No other version is replaced in between. */
  readonly isOnly?: boolean;
  /** No other row links to the row to copy. */
  readonly isUnlinked?: boolean;
  /** A draft gets the links of its published row to documents that have no published version. */
  readonly keepsDangling?: boolean;
  /** All links that the row to copy and its components own. */
  readonly links?: readonly LinkRow[] | undefined;
}

/** Identifies a list of incoming links: one field can have several. */
const listKey = (field: number, targetAttribute: string | null | undefined): string =>
  `${field} ${targetAttribute ?? ""}`;

/** Relations to several types keep the version that they were written with, as in Strapi. */
const isPolymorphic = ({ kind }: LinkRow): boolean => kind !== 0;

const opposite = (status: Status): Status => (status === "draft" ? "published" : "draft");

export class VersionCopier {
  readonly #context: DocumentsContext;
  readonly #type: ContentType;
  readonly #incoming: IncomingLinks;
  readonly #counterparts: Counterparts;
  readonly #pending: PendingLinks;
  readonly #links: LinkCopier;

  constructor(context: DocumentsContext, type: ContentType) {
    this.#context = context;
    this.#type = type;
    this.#incoming = new IncomingLinks(context, type);
    this.#counterparts = new Counterparts(context);
    this.#pending = new PendingLinks(context);
    this.#links = new LinkCopier(context, type, this.#counterparts, this.#pending);
  }

  get #storage() {
    return this.#context.storage;
  }

  /** Creates the missing `status` version of the document as a copy of `from`. */
  create(from: VersionRow, status: Status): void {
    const replacement = this.prepare(from, status, undefined, { keepsDangling: true });
    replacement.removeOld();
    replacement.relink(replacement.copy()[0]);
  }

  /** Callers validate the document, and read the copy, between the steps. `old`: the row to be replaced, if any. */
  prepare(
    from: VersionRow,
    status: Status,
    old: number | undefined,
    { isOneWrite = false, isOnly = false, isUnlinked = false, keepsDangling = false, links }: ReplacementOptions = {},
  ): Replacement {
    const { links: incoming, oneWay } =
      old === undefined ? { links: [], oneWay: [] } : this.#incoming.ofVersions(old, from.id);
    // links to the old row are deleted with it, possibly some of the row to copy
    const isUnchanged = old !== undefined && isOnly && incoming.length === 0 && !this.#context.rows;
    const both = isUnchanged ? this.#below([old, from.id]) : undefined;
    const readOwned = (row: number): LinksBelow =>
      both ? belowOne(this.#context, both, this.#type, row) : this.#below([row]);
    const owned = old === undefined ? undefined : readOwned(old);
    const own = storedLinks(this.#context, this.#type).flatMap(
      ({ link }) => owned?.of(this.#type, old!).of(link.field) ?? [],
    );
    const kept = both && this.#findKept(both.of(this.#type, old!), both.of(this.#type, from.id), status);
    const selfLinks: LinkRow[] = [];
    // code that takes part may write other documents in between
    const isBracketed = old !== undefined && !this.#context.rows;
    let stored = both && belowOne(this.#context, both, this.#type, from.id);
    if (links && old === undefined) stored = this.#below([from.id], pickOwnLinks(links));
    // they may change after the validation
    const readLinks = (): LinksBelow => {
      if (this.#context.rows) return this.#below([from.id]);
      stored ??= this.#below([from.id]);
      return stored;
    };
    return {
      old,
      readLinks,
      removeOld: () => {
        if (old === undefined || !owned) return;
        if (isBracketed) recordReplacement(this.#storage, this.#type.table, "replaceBegin");
        // another store may have linked it meanwhile
        if (this.#context.rows) deleteRow(this.#context, this.#type, old);
        else deleteLinked(this.#context, owned, incoming.length > 0, kept);
      },
      copy: (newId, components, columns = "") => {
        const row = copyRow(this.#context, this.#type, from.id, { id: newId ?? null, status, isOneWrite }, columns);
        const [id] = row;
        // before others are pending, which would be written first
        if (kept) this.#links.moveOwned(kept, old!, id);
        const below = readLinks();
        const links = below.of(this.#type, from.id);
        const copy: Copy = { id, status, selfLinks, keepsDangling };
        this.#copyComponents(this.#type, links, id, copy, below, components);
        const before = old === undefined ? undefined : firstByEnd(own, targetKey);
        const owners = firstByEnd(incoming, ownerKey);
        for (const attribute of storedLinks(this.#context, this.#type)) {
          const { field, side } = attribute.link;
          if (kept?.has(this.#storage.number(field))) continue;
          if (side === "owner") this.#links.copyOwned(attribute, links.of(field), id, copy, before);
          else this.#links.copyInverse(attribute as RelationAttribute, from.id, id, status, old, owners);
        }
        this.#pending.flush();
        return row;
      },
      relink: (id) => {
        for (const link of selfLinks) this.#pending.insert(link);
        this.#reattach(incoming, old, id);
        this.#pending.flush();
        if (old === undefined && !isUnlinked) this.#attachFirst(from.id, id, status);
        else if (old !== undefined) this.#attachToBoth(oneWay, incoming, id);
        this.#pending.flush();
        if (isBracketed) recordReplacement(this.#storage, this.#type.table, "replaceEnd");
      },
    };
  }

  #below(rows: readonly number[], read?: typeof readOwnLinks): LinksBelow {
    return linksBelow(this.#context, new Map([[this.#type, rows]]), read);
  }

  /** The fields whose links are the same in both versions; undefined if there are none. */
  #findKept(old: OwnLinks, from: OwnLinks, status: Status): ReadonlySet<number> | undefined {
    const same = storedLinks(this.#context, this.#type).filter(
      (attribute) =>
        attribute.link.side === "owner" &&
        this.#links.staysSame(attribute, from.of(attribute.link.field), status, old.of(attribute.link.field)),
    );
    return same.length > 0 ? new Set(same.map(({ link }) => this.#storage.number(link.field))) : undefined;
  }

  /** `copies`: of components that are copied and linked already, by their keys. */
  #copyComponents(
    schema: Schema,
    own: OwnLinks,
    to: number,
    copy: Copy,
    below: LinksBelow,
    copies?: ReadonlyMap<string, number>,
  ): void {
    for (const attribute of findRemoved(this.#context).listLinked(schema).components) {
      const isRemoved = schema.attributes.get(attribute.name) !== attribute;
      const entries = listAllComponentRows(this.#context, attribute, own).filter(
        (entry) =>
          isRemoved ||
          !isCurrent(this.#context, entry) ||
          (copies ? copies.has(rowKey(entry)) : lists(attribute, entry)),
      );
      const created = this.#copyRows(entries.filter((entry) => !copies?.has(rowKey(entry))));
      for (const entry of entries) {
        const copied = copies?.get(rowKey(entry));
        const id = copied ?? created.get(entry)!;
        if (copied === undefined)
          this.#pending.insert(
            componentLink(this.#context, attribute, to, { schema: entry.schema, id }, entry.position),
          );
        const links = below.of(entry.schema, entry.id);
        // nothing below is copied yet if the entry was not
        this.#copyComponents(entry.schema, links, id, copy, below, copied === undefined ? undefined : copies);
        for (const link of storedLinks(this.#context, entry.schema))
          this.#links.copyOwned(link, links.of(link.link.field), id, copy);
      }
    }
  }

  /** Copies the rows of components, with a statement for each component. Returns the new ids. */
  #copyRows(entries: readonly PlacedRow[]): ReadonlyMap<PlacedRow, number> {
    const created = new Map<PlacedRow, number>();
    for (const [schema, rows] of Map.groupBy(entries, (entry) => entry.schema)) {
      const ids = copyComponentRows(
        this.#context,
        schema,
        rows.map(({ id }) => id),
      );
      for (const [index, row] of rows.entries()) created.set(row, ids[index]!);
    }
    return created;
  }

  /** The lists of others that a row is copied with, since it is the other side of their relations. */
  #copiedLists(): ReadonlySet<string> {
    return new Set(
      storedLinks(this.#context, this.#type).flatMap(({ link }) =>
        link.side === "inverse" ? [listKey(this.#storage.number(link.field), link.targetAttribute)] : [],
      ),
    );
  }

  /** Redirects one-way links from the old row to the new one. */
  #reattach(incoming: readonly LinkRow[], old: number | undefined, id: number): void {
    const copied = this.#copiedLists();
    for (const link of incoming) {
      if (copied.has(listKey(link.field, link.targetAttribute)) || !this.#incoming.ownerExists(link)) continue;
      this.#pending.insert({ ...link, target: old === link.target ? id : link.target });
    }
  }

  /**
   * For the first `status` version of a document: links to its other version are redirected to it if their owner has the
   * same status, and duplicated if the owner has no versions.
   */
  #attachFirst(from: number, id: number, status: Status): void {
    for (const link of this.#incoming.links(from, id, "owner, position")) {
      const { field, kind } = link;
      const owner = this.#incoming.ownerVersion(field, link.owner);
      if (owner === opposite(status) || (owner === undefined && isPolymorphic(link))) continue;
      if (owner === status) {
        this.#pending.links.run("DELETE FROM galley_links WHERE field = ? AND owner = ? AND target = ? AND kind = ?", [
          field,
          link.owner,
          from,
          kind,
        ]);
      }
      const existing = this.#pending.read("field = ? AND owner = ? AND target = ? AND kind = ?", [
        field,
        link.owner,
        id,
        kind,
      ]);
      if (existing.length === 0) this.#pending.insert({ ...link, target: id });
    }
  }

  /** Of one-way links to the copied row, those of rows without versions lead to the copy, too, unless the row led to the replaced one. */
  #attachToBoth(links: readonly LinkRow[], incoming: readonly LinkRow[], id: number): void {
    const attached = firstByEnd(incoming, ownerKey);
    for (const link of links) {
      if (attached.has(ownerKey(link)) || !this.#incoming.ownerExists(link)) continue;
      if (!isPolymorphic(link) && this.#incoming.ownerVersion(link.field, link.owner) === undefined)
        this.#pending.insert({ ...link, target: id });
    }
  }

  /** Redirects links as for a new version, for an existing row `id`: others link to it instead of `from`. */
  attach(from: number, id: number, status: Status): void {
    this.#attachFirst(from, id, status);
    this.#pending.flush();
  }

  /**
   * Deletes a version with `remove`. One-way links of other published rows are kept as dangling links to the draft until it is
   * published again.
   */
  withdraw(row: VersionRow, remove: () => void): void {
    const draft = this.#counterparts.of(this.#type.uid, row.id, opposite(row.status));
    const incoming = this.#incoming.links(row.id, row.id, "inverse");
    remove();
    if (draft === undefined) return;
    const copied = this.#copiedLists();
    for (const link of incoming) {
      if (copied.has(listKey(link.field, link.targetAttribute)) || !this.#incoming.ownerExists(link)) continue;
      if (this.#incoming.ownerVersion(link.field, link.owner) === row.status)
        this.#pending.insert({ ...link, target: draft });
    }
    this.#pending.flush();
  }
}

/** `id` null: the table's next one. `isOneWrite`: the row was written by the same write, whose time is that of the publication, too. */
interface NewRow {
  readonly id: number | null;
  readonly status: Status;
  readonly isOneWrite: boolean;
}

/** Copies a document's row as a version of it. Returns the new id, and the values of `columns`, as `CopyRow` does. */
function copyRow(
  context: DocumentsContext,
  type: ContentType,
  from: number,
  { id, status, isOneWrite }: NewRow,
  columns: string,
): Row & [id: number] {
  const { storage, clock } = context;
  const { names, copied } = findRemoved(context).listColumns(type);
  const table = quote(type.table);
  const published = status === "published" && !isOneWrite ? clock.writeTime() : null;
  const sql = `${INSERT} ${table} (id${names}, status, published_at)
    SELECT ?${copied}, ?, ${isOneWrite ? "coalesce(?, updated_at)" : "?"} FROM ${table} c WHERE id = ?
    RETURNING id${columns}`;
  return storage.returning(sql, [id, status, published, from])[0] as Row & [id: number];
}
