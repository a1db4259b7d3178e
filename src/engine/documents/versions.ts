/**
 * Publishes and discards: replaces one version of a document by a copy of the other, with new rows for the version and its
 * components, as in Strapi. Links are copied so that drafts link to drafts, and published rows to published rows.
 *
 * A link whose target has no such version yet keeps its target (a dangling link). Reads do not return it, since they select
 * by version. Once the target's version is created, the link is redirected to it.
 */
import type { Status } from "../query/read-context.ts";
import type { ContentType, RelationAttribute, Schema } from "../schema/model.ts";
import {
  allComponentRowsOf,
  type EdgesBelow,
  edgesBelow,
  holdsComponents,
  isCurrent,
  keyOf,
  linkComponent,
  lists,
} from "./component-rows.ts";
import type { DocumentsContext } from "./context.ts";
import { type Copy, LinkCopier, storedLinks } from "./copied-links.ts";
import { copyComponentRow, copyRow } from "./copy-row.ts";
import { Counterparts } from "./counterparts.ts";
import { deleteRow } from "./delete-row.ts";
import { type Edge, firstByEnd, NO_LINKS, type OwnEdges, ownerKey, targetKey } from "./edges.ts";
import { IncomingEdges } from "./incoming.ts";
import { PendingEdges } from "./pending-edges.ts";
import { allAttributes } from "./removed.ts";
import type { CopyRow, VersionRow } from "./row-store.ts";

export type { VersionRow };

/** The steps that replace a version by a copy of the other one, in order. */
export interface Replacement {
  /** The row to be replaced, if any. */
  readonly old: number | undefined;
  readonly removeOld: () => void;
  /**
   * Returns the id of the new row, by default the table's next one. Other rows do not link to it yet; Strapi's response shows it
   * in this state. Components are copied, too, unless copies are given.
   */
  readonly copy: CopyRow;
  /** Redirects links of the document to itself, and one-way links of others to it, to the new row. */
  readonly relink: (id: number) => void;
}

/** Identifies a list of incoming edges: one field can have several. */
const listKey = (field: number, targetAttribute: string | null | undefined): string =>
  `${field} ${targetAttribute ?? ""}`;

const opposite = (status: Status): Status => (status === "draft" ? "published" : "draft");

export class VersionCopier {
  readonly #context: DocumentsContext;
  readonly #type: ContentType;
  readonly #incoming: IncomingEdges;
  readonly #counterparts: Counterparts;
  readonly #pending: PendingEdges;
  readonly #links: LinkCopier;

  constructor(context: DocumentsContext, type: ContentType) {
    this.#context = context;
    this.#type = type;
    this.#incoming = new IncomingEdges(context, type);
    this.#counterparts = new Counterparts(context);
    this.#pending = new PendingEdges(context);
    this.#links = new LinkCopier(context, type, this.#counterparts, this.#pending);
  }

  get #storage() {
    return this.#context.storage;
  }

  /** Replaces the `status` version of the document by a copy of `from`. */
  replace(from: VersionRow, status: Status): void {
    const replacement = this.prepare(from, status);
    replacement.removeOld();
    replacement.relink(replacement.copy());
  }

  /** Callers validate the document, and read the copy, between the steps. */
  prepare(from: VersionRow, status: Status): Replacement {
    const old = this.#counterparts.of(this.#type.uid, from.id, status);
    const incoming = old === undefined ? [] : this.#incoming.of(old);
    const owned = old === undefined ? undefined : this.#below(old);
    const own = storedLinks(this.#context, this.#type).flatMap(
      ({ link }) => owned?.of(this.#type, old!).of(link.field) ?? [],
    );
    const selfLinks: Edge[] = [];
    return {
      old,
      removeOld: () => {
        if (old !== undefined) deleteRow(this.#context, this.#type, old, owned);
      },
      copy: (newId, components) => {
        const id = copyRow(this.#context, this.#type, from.id, status, newId);
        const below = this.#below(from.id);
        const edges = below.of(this.#type, from.id);
        const copy: Copy = { id, status, selfLinks };
        this.#copyComponents(this.#type, edges, id, copy, below, components);
        const before = firstByEnd(own, targetKey);
        const owners = firstByEnd(incoming, ownerKey);
        for (const attribute of storedLinks(this.#context, this.#type)) {
          const { field, side } = attribute.link;
          if (side === "owner") this.#links.copyOwned(attribute, edges.of(field), id, copy, before);
          else this.#links.copyInverse(attribute as RelationAttribute, from.id, id, status, old, owners);
        }
        this.#pending.flush();
        return id;
      },
      relink: (id) => {
        for (const edge of selfLinks) this.#pending.insert(edge);
        this.#reattach(incoming, old, id);
        this.#pending.flush();
        if (old === undefined) this.#attachFirst(from.id, id, status);
        this.#pending.flush();
      },
    };
  }

  #below(row: number): EdgesBelow {
    return edgesBelow(this.#context, new Map([[this.#type, [row]]]));
  }

  /** `copies`: of components that are copied and linked already, by their keys. */
  #copyComponents(
    schema: Schema,
    own: OwnEdges,
    to: number,
    copy: Copy,
    below: EdgesBelow,
    copies?: ReadonlyMap<string, number>,
  ): void {
    for (const attribute of allAttributes(this.#context, schema)) {
      if (!holdsComponents(attribute)) continue;
      const isRemoved = schema.attributes.get(attribute.name) !== attribute;
      for (const entry of allComponentRowsOf(this.#context, attribute, own)) {
        const copied = copies?.get(keyOf(entry));
        if (!isRemoved && isCurrent(this.#context, entry) && (copies ? copied === undefined : !lists(attribute, entry)))
          continue;
        const id = copied ?? copyComponentRow(this.#context, entry.schema, entry.id);
        if (copied === undefined)
          linkComponent(this.#context, attribute, to, { schema: entry.schema, id }, entry.position);
        const edges = below.of(entry.schema, entry.id);
        // nothing below is copied yet if the entry was not
        this.#copyComponents(entry.schema, edges, id, copy, below, copied === undefined ? undefined : copies);
        for (const link of storedLinks(this.#context, entry.schema))
          this.#links.copyOwned(link, edges.of(link.link.field), id, copy, NO_LINKS);
      }
    }
  }

  /** Redirects one-way links from the old row to the new one. Bidirectional links were copied with the row. */
  #reattach(incoming: readonly Edge[], old: number | undefined, id: number): void {
    const twoSided = new Set(
      storedLinks(this.#context, this.#type).flatMap(({ link }) =>
        link.side === "inverse" ? [listKey(this.#storage.number(link.field), link.targetAttribute)] : [],
      ),
    );
    for (const edge of incoming) {
      if (twoSided.has(listKey(edge.field, edge.targetAttribute)) || !this.#incoming.ownerExists(edge)) continue;
      this.#pending.insert({ ...edge, target: old === edge.target ? id : edge.target });
    }
  }

  /**
   * For the first `status` version of a document: links to its other version are redirected to it if their owner has the
   * same status, and duplicated if the owner has no versions.
   */
  #attachFirst(from: number, id: number, status: Status): void {
    for (const edge of this.#incoming.edges(from, id, "owner, position")) {
      const { field, kind } = edge;
      const owner = this.#incoming.ownerVersion(field, edge.owner);
      if (owner === opposite(status)) continue;
      if (owner === status) {
        this.#pending.links.run("DELETE FROM galley_links WHERE field = ? AND owner = ? AND target = ? AND kind = ?", [
          field,
          edge.owner,
          from,
          kind,
        ]);
      }
      const existing = this.#pending.read("field = ? AND owner = ? AND target = ? AND kind = ?", [
        field,
        edge.owner,
        id,
        kind,
      ]);
      if (existing.length === 0) this.#pending.insert({ ...edge, target: id });
    }
  }

  /** Redirects links as for a new version, for an existing row `id`: others link to it instead of `from`. */
  attach(from: number, id: number, status: Status): void {
    this.#attachFirst(from, id, status);
    this.#pending.flush();
  }

  /**
   * Deletes a version with `remove`. Links of other published rows are kept as dangling links to the draft until it is published
   * again.
   */
  withdraw(row: VersionRow, remove: () => void): void {
    const draft = this.#counterparts.of(this.#type.uid, row.id, opposite(row.status));
    const incoming = this.#incoming.of(row.id);
    remove();
    if (draft === undefined) return;
    for (const edge of incoming) {
      if (!this.#incoming.ownerExists(edge)) continue;
      if (this.#incoming.ownerVersion(edge.field, edge.owner) === row.status)
        this.#pending.insert({ ...edge, target: draft });
    }
    this.#pending.flush();
  }
}
