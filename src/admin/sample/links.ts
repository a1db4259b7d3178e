/** Link targets for sample documents: existing documents and files. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { contentType, type MediaAttribute, type RelationAttribute } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { editedStatus } from "../read-rows.ts";
import type { Random } from "./random.ts";

/** Candidates: the newest entries of a type. */
const MAX_CHOICES = 200;
const MAX_LINKS = 3;

/** LIKE patterns of media types by name in `allowedTypes`; other names match any file. */
const MEDIA: Readonly<Record<string, string>> = { images: "image/%", videos: "video/%", audios: "audio/%" };

export class LinkChoices {
  readonly #context: DocumentsContext;
  readonly #locale: string | undefined;

  constructor(context: DocumentsContext, locale: string | undefined) {
    this.#context = context;
    this.#locale = locale;
  }

  /** Undefined without a possible target. Links of other documents are never taken over. */
  relation(random: Random, attribute: RelationAttribute): unknown {
    const target = attribute.target === undefined ? undefined : this.#context.model.types.get(attribute.target);
    if (!target || attribute.virtual) return undefined;
    const { storage } = this.#context;
    const { field, side } = attribute.link;
    const otherColumn = side === "owner" ? "target" : "owner";
    const isFree = `NOT EXISTS (SELECT 1 FROM galley_links l WHERE l.field = ? AND l.${otherColumn} = t.id)`;
    const sql = `SELECT t.document_id FROM ${quote(target.table)} t WHERE t.status = ? AND t.locale IS ?
      ${attribute.exclusive ? `AND ${isFree}` : ""} ORDER BY t.id DESC LIMIT ${MAX_CHOICES}`;
    const locale = target.localized ? (this.#locale ?? this.#context.defaultLocale()) : null;
    const params = [editedStatus(target), locale, ...(attribute.exclusive ? [storage.number(field)] : [])];
    const found = storage.all(sql, params).map(([documentId]) => documentId as string);
    return this.#choose(random, found, attribute);
  }

  media(random: Random, attribute: MediaAttribute): unknown {
    const { storage, model } = this.#context;
    const { allowedTypes } = attribute.definition;
    const kinds = Array.isArray(allowedTypes) ? allowedTypes.map((kind) => MEDIA[String(kind)] ?? "%") : ["%"];
    const sql = `SELECT id FROM ${quote(contentType(model, FILE).table)} WHERE ${kinds.map(() => "mime LIKE ?").join(" OR ") || "1"}
      ORDER BY id DESC LIMIT ${MAX_CHOICES}`;
    const found = storage.all(sql, kinds).map(([id]) => id as number);
    return this.#choose(random, found, attribute);
  }

  #choose(random: Random, found: readonly unknown[], { many }: RelationAttribute | MediaAttribute): unknown {
    if (found.length === 0) return undefined;
    return many ? random.sample(found, random.between(1, MAX_LINKS)) : random.pick(found);
  }
}
