/**
 * Publishes and discards: replaces one version of a document by a copy of the other, with new rows for the version and its
 * components, as in the reference. Links are copied so that drafts link to drafts, and published rows to published rows.
 *
 * A link whose target has no such version yet keeps its target (a dangling link). Reads do not return it, since they select
 * by version. Once the target's version is created, the link is redirected to it.
 */
import { mediaFields } from "../query/file-users.ts";
import type { Status } from "../query/read-context.ts";
import { type ContentType, contentType, type RelationAttribute, type Schema } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import {
  type EdgesBelow,
  edgesBelow,
  holdsComponents,
  linkComponent,
  listedComponentRowsOf,
} from "./component-rows.ts";
import type { DocumentsContext } from "./context.ts";
import { copyComponentRow, copyRow } from "./copy-row.ts";
import { Counterparts, type LinkAttribute } from "./counterparts.ts";
import { deleteRow } from "./delete-row.ts";
import {
  type Edge,
  type EdgesByEnd,
  firstByEnd,
  NO_LINKS,
  type OwnEdges,
  ownerKey,
  placeholders,
  targetKey,
} from "./edges.ts";
import { IncomingEdges } from "./incoming.ts";
import { PendingEdges } from "./pending-edges.ts";

/** One row of a document. */
export interface VersionRow {
  readonly id: number;
  readonly documentId: string;
  readonly locale: string | null;
  readonly status: Status;
}

/** The new row of a version. */
interface Copy {
  readonly id: number;
  readonly status: Status;
  /** Links of the document to itself, which are inserted last. */
  readonly selfLinks: Edge[];
}

/** The steps that replace a version by a copy of the other one, in order. */
export interface Replacement {
  /** The row to be replaced, if any. */
  readonly old: number | undefined;
  readonly removeOld: () => void;
  /**
   * Returns the id of the new row, by default the table's next one. Other rows do not link to it yet; the reference's response
   * shows it in this state.
   */
  readonly copy: (newId?: number) => number;
  /** Redirects links of the document to itself, and one-way links of others to it, to the new row. */
  readonly relink: (id: number) => void;
}

const isLink = (attribute: { kind: string }): attribute is LinkAttribute =>
  attribute.kind === "relation" || attribute.kind === "media";

const storedLinks = (schema: Schema): LinkAttribute[] =>
  [...schema.attributes.values()].filter(
    (attribute): attribute is LinkAttribute => isLink(attribute) && attribute.link.field !== "",
  );

/** Identifies a list of incoming edges: one field can have several. */
const listKey = (field: number, targetAttribute: string | null | undefined): string =>
  `${field} ${targetAttribute ?? ""}`;

/** As in the reference, copies of a relation to several types have each target once. */
const distinct = ({ link }: LinkAttribute, edges: readonly Edge[]): readonly Edge[] =>
  link.polymorphic ? [...firstByEnd(edges, targetKey).values()].sort((a, b) => a.position - b.position) : edges;

const opposite = (status: Status): Status => (status === "draft" ? "published" : "draft");

export class VersionCopier {
  readonly #context: DocumentsContext;
  readonly #type: ContentType;
  readonly #incoming: IncomingEdges;
  readonly #counterparts: Counterparts;
  readonly #pending: PendingEdges;

  constructor(context: DocumentsContext, type: ContentType) {
    this.#context = context;
    this.#type = type;
    this.#incoming = new IncomingEdges(context, type);
    this.#counterparts = new Counterparts(context);
    this.#pending = new PendingEdges(context);
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
    const own = storedLinks(this.#type).flatMap(({ link }) => owned?.of(this.#type, old!).of(link.field) ?? []);
    const selfLinks: Edge[] = [];
    return {
      old,
      removeOld: () => {
        if (old !== undefined) deleteRow(this.#context, this.#type, old, owned);
      },
      copy: (newId) => {
        const id = copyRow(this.#context, this.#type, from.id, status, newId);
        const below = this.#below(from.id);
        const edges = below.of(this.#type, from.id);
        const copy: Copy = { id, status, selfLinks };
        this.#copyComponents(this.#type, edges, id, copy, below);
        const before = firstByEnd(own, targetKey);
        const owners = firstByEnd(incoming, ownerKey);
        for (const attribute of storedLinks(this.#type)) {
          const { field, side } = attribute.link;
          if (side === "owner") this.#copyOwned(attribute, edges.of(field), id, copy, before);
          else this.#copyInverse(attribute as RelationAttribute, from.id, id, status, old, owners);
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

  #copyComponents(schema: Schema, own: OwnEdges, to: number, copy: Copy, below: EdgesBelow): void {
    for (const attribute of schema.attributes.values()) {
      if (!holdsComponents(attribute)) continue;
      for (const [index, entry] of listedComponentRowsOf(this.#context, attribute, own).entries()) {
        const id = copyComponentRow(this.#context, entry.schema, entry.id);
        linkComponent(this.#context, attribute, to, { schema: entry.schema, id }, index + 1);
        const edges = below.of(entry.schema, entry.id);
        this.#copyComponents(entry.schema, edges, id, copy, below);
        for (const link of storedLinks(entry.schema))
          this.#copyOwned(link, edges.of(link.link.field), id, copy, NO_LINKS);
      }
    }
  }

  /** Links that a row owns. */
  #copyOwned(attribute: LinkAttribute, edges: readonly Edge[], to: number, copy: Copy, old: EdgesByEnd): void {
    const field = this.#storage.number(attribute.link.field);
    const copied = attribute.kind === "media" && !attribute.many ? edges.slice(0, 1) : distinct(attribute, edges);
    const targets = this.#counterparts.targets(copy.status, attribute, copied);
    for (const [index, edge] of copied.entries()) {
      const { uid, id: target, isDangling } = targets.get(edge)!;
      // what was not shown as published does not come back to the draft
      if (isDangling && copy.status === "draft") continue;
      if (attribute.kind === "relation" && attribute.exclusive) this.#releaseTarget(field, target, copy.status);
      if (target === copy.id && uid === this.#type.uid) {
        // links from a component to its own document are dropped: the reference copies components before the document
        if (this.#type.attributes.get(attribute.name) === attribute)
          copy.selfLinks.push({ ...edge, owner: to, target });
        continue;
      }
      const before = old.get(targetKey({ field, target, kind: edge.kind }));
      const order = attribute.link.polymorphic
        ? { position: index + 1, inverse: index + 1, targetAttribute: null }
        : attribute.kind === "media"
          ? { position: index + 1, inverse: this.#lastInverse(this.#fileFields, target) + 1 }
          : { inverse: before?.inverse ?? (old.size > 0 ? this.#lastInverse([field], target) + 1 : edge.inverse) };
      this.#pending.insert({ ...edge, owner: to, target, ...order });
    }
  }

  /** For a target with at most one owner: removes the link of its current owner in this version. */
  #releaseTarget(field: number, target: number, status: Status): void {
    const rows = `SELECT id FROM ${quote(this.#type.table)} WHERE status = ?`;
    this.#pending.links.run(`DELETE FROM galley_links WHERE field = ? AND target = ? AND owner IN (${rows})`, [
      field,
      target,
      status,
    ]);
  }

  get #fileFields(): readonly number[] {
    return [...mediaFields(this.#storage, this.#context.model).keys()];
  }

  #lastInverse(fields: readonly number[], target: number): number {
    const sql = `SELECT coalesce(max(inverse), 0) FROM galley_links WHERE field IN (${placeholders(fields)}) AND target = ?`;
    return this.#pending.links.first(sql, [...fields, target])![0] as number;
  }

  /** Links of a bidirectional relation that others own: they are copied from the source version to the new one. */
  #copyInverse(
    attribute: RelationAttribute,
    from: number,
    to: number,
    status: Status,
    old: number | undefined,
    incoming: EdgesByEnd,
  ): void {
    const field = this.#storage.number(attribute.link.field);
    const { polymorphic, targetAttribute = null } = attribute.link;
    const kind = polymorphic ? this.#storage.number(this.#type.table) : 0;
    const edges = this.#pending
      .read("field = ? AND target = ? AND kind = ? ORDER BY inverse", [field, from, kind])
      .filter((edge) => edge.targetAttribute === targetAttribute);
    const ids = edges.map(({ owner }) => owner);
    const owners = this.#counterparts.ofAll(attribute.target!, ids, status);
    for (const edge of edges) {
      const owner = owners.get(edge.owner);
      // links of the document to itself are copied from the owning side
      if (owner === undefined || (owner === to && attribute.target === this.#type.uid)) continue;
      if (attribute.exclusive) this.#releaseOwner(attribute, field, owner, status);
      if (polymorphic) {
        this.#pending.insert({ ...edge, owner, target: to });
        continue;
      }
      const before = incoming.get(ownerKey({ field, owner }));
      this.#pending.insert({
        ...edge,
        owner,
        target: to,
        position: before?.position ?? (old === undefined ? edge.position : this.#lastPosition(field, owner) + 1),
      });
    }
  }

  #lastPosition(field: number, owner: number): number {
    return this.#pending.links.first(
      "SELECT coalesce(max(position), 0) FROM galley_links WHERE field = ? AND owner = ?",
      [field, owner],
    )![0] as number;
  }

  /** For an owner with at most one target: removes its current link in this version. */
  #releaseOwner(attribute: RelationAttribute, field: number, owner: number, status: Status): void {
    const versioned = contentType(this.#context.model, attribute.target!).draftAndPublish;
    const rows = `SELECT id FROM ${quote(this.#type.table)} WHERE status = ?`;
    if (versioned) this.#pending.links.run("DELETE FROM galley_links WHERE field = ? AND owner = ?", [field, owner]);
    else
      this.#pending.links.run(`DELETE FROM galley_links WHERE field = ? AND owner = ? AND target IN (${rows})`, [
        field,
        owner,
        status,
      ]);
  }

  /** Redirects one-way links from the old row to the new one. Bidirectional links were copied with the row. */
  #reattach(incoming: readonly Edge[], old: number | undefined, id: number): void {
    const twoSided = new Set(
      storedLinks(this.#type).flatMap(({ link }) =>
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

  /** Deletes a version. Links of other published rows are kept as dangling links to the draft until it is published again. */
  withdraw(row: VersionRow): void {
    const draft = this.#counterparts.of(this.#type.uid, row.id, opposite(row.status));
    const incoming = this.#incoming.of(row.id);
    deleteRow(this.#context, this.#type, row.id);
    if (draft === undefined) return;
    for (const edge of incoming) {
      if (!this.#incoming.ownerExists(edge)) continue;
      if (this.#incoming.ownerVersion(edge.field, edge.owner) === row.status)
        this.#pending.insert({ ...edge, target: draft });
    }
    this.#pending.flush();
  }
}
