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

/** Polymorphic relations keep the version that they were written with, independent of the requested status. */
const ownVersion = ({ draftAndPublish }: ContentType, { publishedAt }: Json): Partial<Pick<RestVersion, "status">> =>
  draftAndPublish && publishedAt !== undefined ? { status: publishedAt === null ? "draft" : "published" } : {};

export function createRestRows(model: Model, defaultLocale: string, sink: RowSink) {
  /** Last positions in lists of targets. Documents come in the order of their creation. */
  const inverse = new Map<string, number>();

  /** The row of a document; its links go to the sink. Throws a RestProblem. */
  function entity(version: RestVersion, row: Json, linksOnly = false): { type: string; id: number; data: Json } {
    const { type, status } = version;
    const locale = version.locale ?? (type.localized && typeof row.locale === "string" ? row.locale : null);
    if (!isId(row.id) || typeof row.documentId !== "string") throw new RestProblem(`sent no row of ${type.uid}`);
    const data = dataOf(type, row, { ...version, locale, isFirst: !linksOnly });
    const { documentId, createdAt, updatedAt } = row;
    const publishedAt = status === "draft" ? null : (row.publishedAt ?? createdAt);
    return {
      type: type.uid,
      id: row.id,
      data: { ...data, documentId, createdAt, updatedAt, publishedAt, locale },
    };
  }

  function dataOf(schema: Schema, row: Json, version: ReadVersion): Json {
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
          link(attribute, { type: schema.uid, ref: row.id as number, field: attribute.name }, index + 1, item, version);
      else {
        const found = items.flatMap((item) => {
          const uid = attribute.kind === "component" ? attribute.component : isRecord(item) ? item.__component : "";
          const part = model.components.get(String(uid));
          if (!isRecord(item)) return [];
          const zone = attribute.kind === "zone" ? { __component: uid } : {};
          return [{ ...(part && dataOf(part, item, version)), id: item.id, ...zone }];
        });
        out[attribute.name] = Array.isArray(value) ? found : found[0];
      }
    }
    return out;
  }

  function link(
    attribute: RelationAttribute | MediaAttribute,
    owner: LinkEnd,
    position: number,
    item: unknown,
    version: ReadVersion,
  ): void {
    if (!isRecord(item) || !isId(item.id) || typeof item.documentId !== "string") return;
    if (attribute.kind === "media") {
      if (!version.isFirst) return;
      sink.file(item);
      const file = { type: FILE, ref: item.id, field: "related", documentId: item.documentId };
      return sink.link({
        kind: "relation.morph",
        relation: "morphToMany",
        left: file,
        right: { ...owner, pos: position },
      });
    }
    const uid = attribute.target ?? item.__type;
    const target = typeof uid === "string" ? model.types.get(uid) : undefined;
    const isPolymorphic = attribute.target === undefined;
    // links of the document itself do not depend on the status that its targets are read in
    if (!target || (!version.isFirst && (isPolymorphic || !target.draftAndPublish))) return;
    const expected = {
      status: target.draftAndPublish ? version.status : "published",
      locale: target.localized ? (version.locale ?? defaultLocale) : null,
      ...(isPolymorphic ? ownVersion(target, item) : {}),
    };
    const locale = target.localized && typeof item.locale === "string" ? item.locale : expected.locale;
    const right: LinkEnd = {
      type: target.uid,
      ref: item.id,
      documentId: item.documentId,
      status: expected.status,
      locale,
    };
    if (attribute.link.side === "inverse") {
      // the other side stores the link; this side has the position in the list, and which links are in it
      if (!attribute.link.polymorphic || attribute.link.targetAttribute !== undefined)
        sink.order({
          kind: "relation.order",
          relation: attribute.relation,
          left: owner,
          right: { ...right, pos: position },
        });
      return;
    }
    const list = `${attribute.link.field} ${item.documentId} ${expected.status} ${locale}`;
    const inversePosition = (inverse.get(list) ?? 0) + 1;
    if (attribute.other !== undefined) inverse.set(list, inversePosition);
    sink.link(
      isPolymorphic
        ? { kind: "relation.morph", relation: attribute.relation, left: owner, right: { ...right, pos: position } }
        : {
            kind: target.uid === owner.type ? "relation.circular" : "relation.basic",
            relation: attribute.relation,
            left: { ...owner, pos: position },
            right: { ...right, pos: inversePosition },
          },
    );
  }

  return { entity };
}

export type RestRows = ReturnType<typeof createRestRows>;
