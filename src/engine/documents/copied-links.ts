/**
 * Copies the links of a version's row to the new row of the other version. `versions.ts` says when, and what happens to links
 * of others.
 */
import { mediaFields } from "../query/file-users.ts";
import type { Status } from "../query/reading.ts";
import {
  type ContentType,
  hasVersions,
  type LinkAttribute,
  type RelationAttribute,
  type Schema,
} from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import type { DocumentsContext } from "./context.ts";
import {
  among,
  documentRows,
  firstByEnd,
  type LinkRow,
  type LinksByEnd,
  ownerKey,
  type PendingLinks,
  targetKey,
} from "./link-rows.ts";
import { allAttributes, findRemoved } from "./removed.ts";

/** The type is undefined when it has never been in the model. */
interface LinkTarget {
  readonly uid: string | undefined;
  readonly id: number;
  /** The copied link leads to a row of this status itself: a dangling link, if it is copied from the other version. */
  readonly isDangling: boolean;
  /** The target has no row of this status. */
  readonly isMissing: boolean;
}

export class Counterparts {
  readonly #context: DocumentsContext;

  constructor(context: DocumentsContext) {
    this.#context = context;
  }

  /** The row of the same document and locale with this status; the row itself for types without drafts. */
  of(uid: string, row: number, status: Status): number | undefined {
    return this.ofAll(uid, [row], status).get(row);
  }

  /** As `of`, for several rows of a type, in one statement. */
  ofAll(uid: string, rows: readonly number[], status: Status): ReadonlyMap<number, number> {
    const type = findRemoved(this.#context).findSchema(uid);
    if (!type) throw new Error(`The content-type ${uid} does not exist`);
    return this.#ofType(type, rows, status);
  }

  #ofType(type: Schema, rows: readonly number[], status: Status): ReadonlyMap<number, number> {
    if (!hasVersions(type) || rows.length === 0) return new Map(rows.map((row) => [row, row]));
    const table = quote(type.table);
    const [those, param] = among(rows);
    const sql = `SELECT t.id, o.id FROM ${table} t JOIN ${table} o ON o.document_id = t.document_id AND o.locale IS t.locale
      WHERE t.id ${those} AND o.status = +?`;
    return new Map(this.#context.storage.all(sql, [param, status]) as [number, number][]);
  }

  /** The targets of copied links: the `status` version of each target, or the same row if there is none. */
  targets(status: Status, attribute: LinkAttribute, links: readonly LinkRow[]): ReadonlyMap<LinkRow, LinkTarget> {
    const targets = new Map<LinkRow, LinkTarget>();
    for (const [kind, linksOfKind] of Map.groupBy(links, (link) => link.kind)) {
      const type = this.#targetType(attribute, kind);
      const ids = linksOfKind.map(({ target }) => target);
      const counterparts = type && this.#ofType(type, ids, status);
      for (const link of linksOfKind) {
        const id = counterparts?.get(link.target);
        const isDangling = hasVersions(type) && id === link.target;
        const isMissing = hasVersions(type) && id === undefined;
        targets.set(link, { uid: type?.uid, id: id ?? link.target, isDangling, isMissing });
      }
    }
    return targets;
  }

  /** The type of a link's target; polymorphic links have it as their kind. */
  #targetType(attribute: LinkAttribute, kind: number): Schema | undefined {
    const removed = findRemoved(this.#context);
    if (attribute.target) return removed.findSchema(attribute.target);
    return removed.schemaIn(this.#context.storage.findName(kind));
  }
}

/** The new row of a version. */
export interface Copy {
  readonly id: number;
  readonly status: Status;
  /** Links of the document to itself, which are inserted last. */
  readonly selfLinks: LinkRow[];
  /** A draft gets links to documents that have no published version. */
  readonly keepsDangling: boolean;
}

/** The relations and files of a schema that are stored as links, with those of removed attributes. */
export const storedLinks = (context: DocumentsContext, schema: Schema): readonly LinkAttribute[] =>
  findRemoved(context).listLinked(schema).links;

/** What Strapi shows, and copies: each target of a relation to several types once, one file, and of a relation to one the oldest row. */
function shownOf({ kind, link, many }: LinkAttribute, links: readonly LinkRow[]): readonly LinkRow[] {
  if (link.polymorphic) return [...firstByEnd(links, targetKey).values()];
  if (many || links.length < 2) return links;
  return kind === "media"
    ? links.slice(0, 1)
    : [links.reduce((one, other) => (other.target < one.target ? other : one))];
}

export class LinkCopier {
  readonly #context: DocumentsContext;
  readonly #type: ContentType;
  readonly #counterparts: Counterparts;
  readonly #pending: PendingLinks;

  constructor(context: DocumentsContext, type: ContentType, counterparts: Counterparts, pending: PendingLinks) {
    this.#context = context;
    this.#type = type;
    this.#counterparts = counterparts;
    this.#pending = pending;
  }

  get #storage() {
    return this.#context.storage;
  }

  /** Links that a row owns. `old`: those of the row that it replaces, if there is one. */
  copyOwned(attribute: LinkAttribute, links: readonly LinkRow[], to: number, copy: Copy, old?: LinksByEnd): void {
    if (links.length === 0) return;
    const field = this.#storage.number(attribute.link.field);
    const copied = shownOf(attribute, links);
    const targets = this.#counterparts.targets(copy.status, attribute, copied);
    const ends = new Set<string>();
    for (const [index, link] of copied.entries()) {
      const { uid, id: target, isDangling, isMissing } = targets.get(link)!;
      // of links to both versions of a document, the first one is copied
      const end = targetKey({ ...link, target });
      if (ends.has(end)) continue;
      ends.add(end);
      // what was not shown as published does not come back to the draft
      if (isDangling && copy.status === "draft" && !copy.keepsDangling) continue;
      // the target is copied with it, unless the draft has lost it by then
      if (isMissing && attribute.kind === "relation" && attribute.other !== undefined) continue;
      if (attribute.kind === "relation" && attribute.exclusive) this.#releaseTarget(attribute, field, target, copy);
      if (target === copy.id && uid === this.#type.uid) {
        // links from a component to its own document are dropped: Strapi copies components before the document
        if (allAttributes(this.#context, this.#type).includes(attribute))
          copy.selfLinks.push({ ...link, owner: to, target });
        continue;
      }
      const before = old?.get(targetKey({ field, target, kind: link.kind }));
      const order = attribute.link.polymorphic
        ? { position: index + 1, inverse: index + 1, targetAttribute: null }
        : attribute.kind === "media"
          ? { position: index + 1, inverse: this.#lastInverse(this.#fileFields, target) + 1 }
          : {
              inverse: this.#keepsCopiedOrder(attribute, old)
                ? link.inverse
                : (before?.inverse ?? this.#lastInverse([field], target) + 1),
            };
      this.#pending.insert({ ...link, owner: to, target, ...order });
    }
  }

  /**
   * Whether the links that a row would own as a copy are those of the row that it replaces, so that these may stay. Files have the rows
   * that use them in the order of their last write, and a relation to several types has positions of its own in each copy.
   */
  staysSame(attribute: LinkAttribute, links: readonly LinkRow[], status: Status, old: readonly LinkRow[]): boolean {
    if (attribute.kind === "media" || attribute.exclusive || attribute.link.polymorphic) return false;
    if (attribute.target === this.#type.uid || links.length === 0 || links.length !== old.length) return false;
    if (!attribute.many && links.length > 1) return false;
    const targets = this.#counterparts.targets(status, attribute, links);
    return links.every((link, index) => {
      const { id, isDangling } = targets.get(link)!;
      const { target, position } = old[index]!;
      return id === target && !isDangling && link.position === position;
    });
  }

  /** Gives the row `to` the links of `fields` that `from` owns. */
  moveOwned(fields: ReadonlySet<number>, from: number, to: number): void {
    // as inserted links, if a damaged database has them already
    const sql = `UPDATE OR IGNORE galley_links SET owner = +? WHERE owner = +? AND field IN (${[...fields].join(", ")})`;
    this.#pending.links.run(sql, [to, from]);
  }

  /** Links of a bidirectional relation that others own: they are copied from the source version to the new one. */
  copyInverse(
    attribute: RelationAttribute,
    from: number,
    to: number,
    status: Status,
    old: number | undefined,
    incoming: LinksByEnd,
  ): void {
    const field = this.#storage.number(attribute.link.field);
    const { polymorphic, targetAttribute = null } = attribute.link;
    const kind = polymorphic ? this.#storage.number(this.#type.table) : 0;
    const links = this.#pending
      .read("field = ? AND target = ? AND kind = ? ORDER BY inverse", [field, from, kind])
      .filter((link) => link.targetAttribute === targetAttribute);
    const ids = links.map(({ owner }) => owner);
    const owners = this.#counterparts.ofAll(attribute.target!, ids, status);
    const copied = new Map<number, LinkRow>();
    for (const link of links) {
      const owner = owners.get(link.owner);
      // links of the document to itself are copied from the owning side
      if (owner === undefined || (owner === to && attribute.target === this.#type.uid)) continue;
      // an owner that was published before has a dangling link beside that of its draft, which may have another place by now
      if (!copied.has(owner) || link.owner !== owner) copied.set(owner, link);
    }
    for (const [owner, link] of copied) {
      if (attribute.exclusive) this.#releaseOwner(attribute, field, owner, to, status);
      if (polymorphic) {
        this.#pending.insert({ ...link, owner, target: to });
        continue;
      }
      const before = incoming.get(ownerKey({ field, owner }));
      this.#pending.insert({
        ...link,
        owner,
        target: to,
        position: this.#keepsCopiedOrder(attribute, old)
          ? link.position
          : (before?.position ?? this.#lastPosition(field, owner) + 1),
      });
    }
  }

  /**
   * Whether a row has the places of the copied version in the lists of others. As in Strapi, a row that replaces one (`old`) has the
   * places of that one, and the last ones where that had none, except in the lists of its own type.
   */
  #keepsCopiedOrder({ target }: LinkAttribute, old: unknown): boolean {
    return old === undefined || target === this.#type.uid;
  }

  /**
   * For a target with at most one owner: removes the link of its current owner in this version. A target without versions, which drafts
   * that were cloned have in common, is lost by all other documents.
   */
  #releaseTarget(attribute: RelationAttribute, field: number, target: number, { id, status }: Copy): void {
    const table = quote(this.#type.table);
    const sql = "DELETE FROM galley_links WHERE field = ? AND target = ?";
    if (hasVersions(findRemoved(this.#context).findSchema(attribute.target!)))
      this.#pending.links.run(`${sql} AND owner IN (SELECT id FROM ${table} WHERE status = ?)`, [
        field,
        target,
        status,
      ]);
    else this.#pending.links.run(`${sql} AND owner NOT IN (${documentRows(table)})`, [field, target, id]);
  }

  /** For an owner with at most one target: removes its current link in this version. Other locales of the document keep theirs. */
  #releaseOwner(attribute: RelationAttribute, field: number, owner: number, to: number, status: Status): void {
    const versioned = hasVersions(findRemoved(this.#context).findSchema(attribute.target!));
    const table = quote(this.#type.table);
    const sql = `DELETE FROM galley_links WHERE field = ? AND owner = ? AND target NOT IN (${documentRows(table)})`;
    if (versioned) this.#pending.links.run(sql, [field, owner, to]);
    else
      this.#pending.links.run(`${sql} AND target IN (SELECT id FROM ${table} WHERE status = ?)`, [
        field,
        owner,
        to,
        status,
      ]);
  }

  get #fileFields(): readonly number[] {
    return [...mediaFields(this.#storage, this.#context.model).keys()];
  }

  #lastInverse(fields: readonly number[], target: number): number {
    const sql = `SELECT coalesce(max(inverse), 0) FROM galley_links WHERE field IN (${fields.join(", ")}) AND target = +?`;
    return this.#pending.links.first(sql, [target])![0] as number;
  }

  #lastPosition(field: number, owner: number): number {
    return this.#pending.links.first(
      "SELECT coalesce(max(position), 0) FROM galley_links WHERE field = +? AND owner = +?",
      [field, owner],
    )![0] as number;
  }
}
