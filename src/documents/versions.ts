/**
 * Publishing and its opposite: one version of a document is replaced by a copy of the other, with new rows for the
 * version and its components, as in the reference. Links are copied so that each version links to its own kind.
 *
 * A link whose target has no such version yet is kept as it is. Nobody sees it, since reads choose versions, and it is
 * led to the right row as soon as that exists. So a published document shows a target from the moment it is published.
 */
import { mediaFields } from "../query/file-users.ts";
import type { Status } from "../query/read-context.ts";
import { type ContentType, contentType, type RelationAttribute, type Schema } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { DocumentsContext } from "./context.ts";
import { copyPart, copyRow } from "./copy-row.ts";
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
import { type EdgesBelow, edgesBelow, isPartAttribute, linkPart, listedPartsOf } from "./parts.ts";
import { PendingEdges } from "./pending-edges.ts";

/** One row of a document. */
export interface VersionRow {
  readonly id: number;
  readonly documentId: string;
  readonly locale: string | null;
  readonly status: Status;
}

/** The row that takes the place of a version. */
interface Copy {
  readonly id: number;
  readonly status: Status;
  /** Links of the document to itself, which are made last. */
  readonly loops: Edge[];
}

/** A version that is being replaced by a copy of the other one. */
export interface Replacement {
  /** The row of the version that goes; undefined where there is none. */
  readonly old: number | undefined;
  readonly removeOld: () => void;
  /** Returns the id of the new row, as the reference answers it: other rows do not link to it yet. */
  readonly copy: () => number;
  /** Links of the document to itself, and one-way links of others to it, lead to the new row. */
  readonly settle: (id: number) => void;
}

const isLink = (attribute: { kind: string }): attribute is LinkAttribute =>
  attribute.kind === "relation" || attribute.kind === "media";

const stored = (schema: Schema): LinkAttribute[] =>
  [...schema.attributes.values()].filter(
    (attribute): attribute is LinkAttribute => isLink(attribute) && attribute.link.field !== "",
  );

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
    const replacement = this.begin(from, status);
    replacement.removeOld();
    replacement.settle(replacement.copy());
  }

  /** The steps of a replacement, in order. Callers check the document, and read its copy, between them. */
  begin(from: VersionRow, status: Status): Replacement {
    const old = this.#counterparts.of(this.#type.uid, from.id, status);
    const incoming = old === undefined ? [] : this.#incoming.of(old);
    const owned = old === undefined ? undefined : this.#below(old);
    const own = stored(this.#type).flatMap(({ link }) => owned?.of(this.#type, old!).of(link.field) ?? []);
    const loops: Edge[] = [];
    return {
      old,
      removeOld: () => {
        if (old !== undefined) deleteRow(this.#context, this.#type, old, owned);
      },
      copy: () => {
        const id = copyRow(this.#context, this.#type, from.id, status);
        const below = this.#below(from.id);
        const edges = below.of(this.#type, from.id);
        const copy: Copy = { id, status, loops };
        this.#copyParts(this.#type, edges, id, copy, below);
        const before = firstByEnd(own, targetKey);
        const owners = firstByEnd(incoming, ownerKey);
        for (const attribute of stored(this.#type)) {
          const { field, side } = attribute.link;
          if (side === "owner") this.#copyOwned(attribute, edges.of(field), id, copy, before);
          else this.#copyInverse(attribute as RelationAttribute, from.id, id, status, old, owners);
        }
        this.#pending.flush();
        return id;
      },
      settle: (id) => {
        for (const edge of loops) this.#pending.insert(edge);
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

  #copyParts(schema: Schema, own: OwnEdges, to: number, copy: Copy, below: EdgesBelow): void {
    for (const attribute of schema.attributes.values()) {
      if (!isPartAttribute(attribute)) continue;
      for (const [index, part] of listedPartsOf(this.#context, attribute, own).entries()) {
        const id = copyPart(this.#context, part.schema, part.id);
        linkPart(this.#context, attribute, to, { schema: part.schema, id }, index + 1);
        const edges = below.of(part.schema, part.id);
        this.#copyParts(part.schema, edges, id, copy, below);
        for (const link of stored(part.schema)) this.#copyOwned(link, edges.of(link.link.field), id, copy, NO_LINKS);
      }
    }
  }

  /** Links that a row owns. */
  #copyOwned(attribute: LinkAttribute, edges: readonly Edge[], to: number, copy: Copy, old: EdgesByEnd): void {
    const field = this.#storage.number(attribute.link.field);
    const copied = attribute.kind === "media" && !attribute.many ? edges.slice(0, 1) : edges;
    const targets = this.#counterparts.targets(copy.status, attribute, copied);
    for (const [index, edge] of copied.entries()) {
      const { uid, id: target } = targets.get(edge)!;
      if (attribute.kind === "relation" && attribute.exclusive) this.#releaseTarget(field, target, copy.status);
      if (target === copy.id && uid === this.#type.uid) {
        // components do not lead to the document that they are in: it is not there yet when the reference copies them
        if (this.#type.attributes.get(attribute.name) === attribute) copy.loops.push({ ...edge, owner: to, target });
        continue;
      }
      const before = old.get(targetKey({ field, target, kind: edge.kind }));
      const place =
        attribute.kind === "media"
          ? { position: index + 1, inverse: this.#lastInverse(this.#fileFields, target) + 1 }
          : { inverse: before?.inverse ?? (old.size > 0 ? this.#lastInverse([field], target) + 1 : edge.inverse) };
      this.#pending.insert({ ...edge, owner: to, target, ...place });
    }
  }

  /** A target with one owner at most is taken from the owner that it has in this version. */
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

  /** Links that others own, of a relation with two sides: the new version is linked as the version that it copies. */
  #copyInverse(
    attribute: RelationAttribute,
    from: number,
    to: number,
    status: Status,
    old: number | undefined,
    incoming: EdgesByEnd,
  ): void {
    const field = this.#storage.number(attribute.link.field);
    const kind = attribute.link.polymorphic ? this.#storage.number(this.#type.table) : 0;
    const edges = this.#pending.read("field = ? AND target = ? AND kind = ? ORDER BY inverse", [field, from, kind]);
    const ids = edges.map(({ owner }) => owner);
    const owners = this.#counterparts.ofAll(attribute.target!, ids, status);
    for (const edge of edges) {
      const owner = owners.get(edge.owner);
      // a link of the document to itself was made from its other side
      if (owner === undefined || (owner === to && attribute.target === this.#type.uid)) continue;
      if (attribute.exclusive) this.#releaseOwner(attribute, field, owner, status);
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

  /** An owner with one target at most loses the one it has in this version. */
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

  /** One-way links to the old version lead to the new one; those with two sides were copied with it. */
  #reattach(incoming: readonly Edge[], old: number | undefined, id: number): void {
    const twoSided = this.#twoSidedFields();
    for (const edge of incoming) {
      if (twoSided.has(edge.field) || !this.#incoming.ownerExists(edge)) continue;
      this.#pending.insert({ ...edge, target: old === edge.target ? id : edge.target });
    }
  }

  #twoSidedFields(): Set<number> {
    const inverse = stored(this.#type).filter(({ link }) => link.side === "inverse");
    return new Set(inverse.map(({ link }) => this.#storage.number(link.field)));
  }

  /**
   * The first `status` version of a document: links to its other version are led to it where their owner belongs to
   * `status`, and doubled where the owner has no versions.
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
      const there = this.#pending.read("field = ? AND owner = ? AND target = ? AND kind = ?", [
        field,
        edge.owner,
        id,
        kind,
      ]);
      if (there.length === 0) this.#pending.insert({ ...edge, target: id });
    }
  }

  /** As for a first version of its status, for one that was there before: others link to `id` in the place of `from`. */
  attach(from: number, id: number, status: Status): void {
    this.#attachFirst(from, id, status);
    this.#pending.flush();
  }

  /** Removes a version; links of other published rows wait at the draft until there is a published version again. */
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
