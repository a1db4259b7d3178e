/** Converts documents of REST responses to rows and links of an archive. */

import { FILE } from "../../../engine/schema/builtin/index.ts";
import {
  type ContentType,
  isLink,
  type MediaAttribute,
  type Model,
  type RelationAttribute,
  type Schema,
} from "../../../engine/schema/model.ts";
import { isRecord } from "../../../lib/is-record.ts";
import { pickBy } from "../../../lib/records.ts";
import { isId, type Json, type LinkEnd, type LinkRow } from "../../archive/shapes.ts";

/** The version that is being read. */
export interface RestVersion {
  readonly type: ContentType;
  readonly status: "draft" | "published";
  readonly locale: string | null;
}

interface ReadVersion extends RestVersion {
  /** False when rows without drafts are read again for their links to drafts. */
  readonly isFirst: boolean;
}

/** A linked document or file of a response. */
interface LinkedItem extends Json {
  readonly id: number;
  readonly documentId: string;
}

/** Receives links and media files. */
export interface RowSink {
  readonly link: (row: LinkRow) => void;
  /** The position of a document in the list of its target. */
  readonly order: (row: LinkRow) => void;
  /** A media file that a document uses. */
  readonly file: (record: Json) => void;
}

/** An invalid row, such as from a server that is not a Strapi. */
export class RestProblem extends Error {}

function describeInvalid({ uid }: ContentType, { id, documentId, attributes }: Json): string {
  if (!isId(id)) return `sent no row of ${uid}`;
  return documentId === undefined && isRecord(attributes)
    ? "is a Strapi 4: its content is copied with a transfer token, or by galley import from the archive of its strapi export"
    : `sent a row of ${uid} without a document id: ${id}`;
}

/** Polymorphic relations keep the version that they were written with, independent of the requested status. */
const ownVersion = ({ draftAndPublish }: ContentType, { publishedAt }: Json): Partial<Pick<RestVersion, "status">> =>
  draftAndPublish && publishedAt !== undefined ? { status: publishedAt === null ? "draft" : "published" } : {};

export class RestRows {
  readonly #model: Model;
  readonly #defaultLocale: string;
  readonly #sink: RowSink;
  /** Last positions in lists of targets. Documents come in the order of their creation. */
  readonly #inverse = new Map<string, number>();

  constructor(model: Model, defaultLocale: string, sink: RowSink) {
    this.#model = model;
    this.#defaultLocale = defaultLocale;
    this.#sink = sink;
  }

  /** The row of a document; its links go to the sink. Throws a RestProblem. */
  entity(version: RestVersion, row: Json, linksOnly = false): { type: string; id: number; data: Json } {
    const { type, status } = version;
    const locale = version.locale ?? (type.localized && typeof row.locale === "string" ? row.locale : null);
    if (!isId(row.id) || typeof row.documentId !== "string") throw new RestProblem(describeInvalid(type, row));
    const data = this.#dataOf(type, row, { ...version, locale, isFirst: !linksOnly });
    const { documentId, createdAt, updatedAt } = row;
    const publishedAt = status === "draft" ? null : (row.publishedAt ?? createdAt);
    return {
      type: type.uid,
      id: row.id,
      data: { ...data, documentId, createdAt, updatedAt, publishedAt, locale },
    };
  }

  #dataOf(schema: Schema, row: Json, version: ReadVersion): Json {
    // the import counts what the project does not have
    const out: Record<string, unknown> = pickBy(row, (_, name) => !schema.attributes.has(name));
    for (const attribute of schema.attributes.values()) {
      const value = row[attribute.name];
      if (attribute.kind === "scalar") {
        if (!attribute.system) out[attribute.name] = value ?? null;
        continue;
      }
      if (value === undefined || value === null) continue;
      const items = Array.isArray(value) ? value : [value];
      if (isLink(attribute))
        for (const [index, item] of items.entries())
          this.#link(
            attribute,
            { type: schema.uid, ref: row.id as number, field: attribute.name },
            index + 1,
            item,
            version,
          );
      else {
        const found = items.flatMap((item) => {
          const uid = attribute.kind === "component" ? attribute.component : isRecord(item) ? item.__component : "";
          const part = this.#model.components.get(String(uid));
          if (!isRecord(item)) return [];
          const zone = attribute.kind === "zone" ? { __component: uid } : {};
          return [{ ...(part && this.#dataOf(part, item, version)), id: item.id, ...zone }];
        });
        out[attribute.name] = Array.isArray(value) ? found : found[0];
      }
    }
    return out;
  }

  #link(
    attribute: RelationAttribute | MediaAttribute,
    owner: LinkEnd,
    position: number,
    item: unknown,
    version: ReadVersion,
  ): void {
    if (!isRecord(item) || !isId(item.id) || typeof item.documentId !== "string") return;
    const found = { ...item, id: item.id, documentId: item.documentId };
    if (attribute.kind === "relation") return this.#relation(attribute, owner, position, found, version);
    if (!version.isFirst) return;
    this.#sink.file(item);
    this.#sink.link({
      kind: "relation.morph",
      relation: "morphToMany",
      left: { type: FILE, ref: found.id, field: "related", documentId: found.documentId },
      right: { ...owner, pos: position },
    });
  }

  #relation(
    { link, relation, target, other }: RelationAttribute,
    owner: LinkEnd,
    position: number,
    item: LinkedItem,
    version: ReadVersion,
  ): void {
    const right = this.#targetEnd(target, item, version);
    if (!right) return;
    if (link.side === "inverse") {
      // the other side stores the link; this side has the position in the list, and which links are in it
      if (!link.polymorphic || link.targetAttribute !== undefined)
        this.#sink.order({ kind: "relation.order", relation, left: owner, right: { ...right, pos: position } });
      return;
    }
    if (target === undefined) {
      this.#sink.link({ kind: "relation.morph", relation, left: owner, right: { ...right, pos: position } });
      return;
    }
    this.#sink.link({
      kind: right.type === owner.type ? "relation.circular" : "relation.basic",
      relation,
      left: { ...owner, pos: position },
      right: { ...right, pos: this.#inversePosition(link.field, right, other !== undefined) },
    });
  }

  /** Undefined for what another reading has, and for types that the project does not have. */
  #targetEnd(uid: string | undefined, item: LinkedItem, version: ReadVersion): LinkEnd | undefined {
    const target = this.#model.types.get(String(uid ?? item.__type));
    // links of the document itself do not depend on the status that its targets are read in
    if (!target || (!version.isFirst && (uid === undefined || !target.draftAndPublish))) return undefined;
    const expected = target.localized ? (version.locale ?? this.#defaultLocale) : null;
    return {
      type: target.uid,
      ref: item.id,
      documentId: item.documentId,
      status: target.draftAndPublish ? version.status : "published",
      ...(uid === undefined ? ownVersion(target, item) : {}),
      locale: target.localized && typeof item.locale === "string" ? item.locale : expected,
    };
  }

  /** `isListed`: whether the target has such a list. */
  #inversePosition(field: string, { documentId, status, locale }: LinkEnd, isListed: boolean): number {
    const list = `${field} ${documentId} ${status} ${locale}`;
    const position = (this.#inverse.get(list) ?? 0) + 1;
    if (isListed) this.#inverse.set(list, position);
    return position;
  }
}
