/** Reads documents as content files: the same content is always the same file. */

import { lists } from "../../engine/documents/component-rows.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { ComponentAttribute, ContentType, Model, Schema, ZoneAttribute } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import type { Entity, Json } from "../archive/shapes.ts";
import { EntityReader, visibleRows } from "../export/entities.ts";
import type { ContentFile } from "./content-file.ts";
import { isOwnLink, type LinkNames, type LinkOwner, OwnLinks } from "./read-links.ts";
import { fileOfStates, hasDefault, type LocaleState, type VersionTimes } from "./version-states.ts";

/** A stored value that cannot be read, and is left out. */
export interface UnreadableContent {
  readonly type: ContentType;
  readonly documentId: string;
  readonly locale: string | null;
  readonly status: "draft" | "published";
  /** Of the attribute in the version. */
  readonly path: readonly (string | number)[];
}

type OnUnreadable = (value: UnreadableContent) => void;
type Path = readonly (string | number)[];
type PartAttribute = ComponentAttribute | ZoneAttribute;

/** Documents per batch, whose number of statements depends on the type, and not on the documents. */
const BATCH = 500;

/** A component of an entity. */
interface Part {
  readonly schema: Schema;
  readonly data: Json;
}

/**
 * The documents of a type by document id, in the order of `ids`; undefined: all documents of the type, sorted by id. What does not
 * exist is left out.
 */
export function readDocuments(
  context: DocumentsContext,
  type: ContentType,
  ids: readonly string[] | undefined,
  names: LinkNames,
  onUnreadable: OnUnreadable = () => {},
): ReadonlyMap<string, ContentFile> {
  const reader = new DocumentReader(context, type, names, onUnreadable);
  const files = new Map<string, ContentFile>();
  const all = ids ?? documentIds(context, type);
  for (let start = 0; start < all.length; start += BATCH)
    for (const [id, file] of reader.read(all.slice(start, start + BATCH))) files.set(id, file);
  return files;
}

const documentIds = ({ storage }: DocumentsContext, type: ContentType): string[] =>
  storage
    .all(`SELECT DISTINCT document_id FROM ${quote(type.table)} t WHERE ${visibleRows(type, "t")} ORDER BY document_id`)
    .map(([id]) => id as string);

class DocumentReader {
  readonly #model: Model;
  readonly #defaultLocale: string;
  readonly #type: ContentType;
  readonly #entities: EntityReader;
  readonly #links: OwnLinks;
  readonly #onUnreadable: OnUnreadable;
  /** Keys of values in the batch that is read. */
  readonly #unreadable = new Set<string>();

  constructor(context: DocumentsContext, type: ContentType, names: LinkNames, onUnreadable: OnUnreadable) {
    this.#model = context.model;
    this.#defaultLocale = context.defaultLocale();
    this.#type = type;
    this.#entities = new EntityReader(context, {
      onUnreadable: ({ uid }, id, name) => this.#unreadable.add(`${uid} ${id} ${name}`),
    });
    this.#links = new OwnLinks(context, names);
    this.#onUnreadable = onUnreadable;
  }

  *read(ids: readonly string[]): Generator<[string, ContentFile]> {
    this.#unreadable.clear();
    const entities = this.#entities.readRows(this.#type, ids);
    const rows = new Map<Schema, number[]>();
    for (const { id, data } of entities) this.#collect(this.#type, id, data, rows);
    this.#links.load(rows);
    const documents = Map.groupBy(entities, ({ data }) => data.documentId as string);
    for (const id of new Set(ids)) {
      const versions = documents.get(id);
      if (versions) yield [id, fileOfStates(this.#type, id, this.#states(versions), this.#defaultLocale)];
    }
  }

  /** Adds a row and the components in it. */
  #collect(schema: Schema, id: number, data: Json, rows: Map<Schema, number[]>): void {
    rows.getOrInsertComputed(schema, () => []).push(id);
    for (const attribute of schema.attributes.values()) {
      if (attribute.kind !== "component" && attribute.kind !== "zone") continue;
      for (const part of this.#parts(attribute, data[attribute.name]))
        this.#collect(part.schema, part.data.id as number, part.data, rows);
    }
  }

  /** Without entries of components that a zone no longer lists: a published version has none either. */
  #parts(attribute: PartAttribute, value: unknown): Part[] {
    const parts = (Array.isArray(value) ? value : value ? [value] : []) as Json[];
    return parts.flatMap((data) => {
      const uid = attribute.kind === "component" ? attribute.component : String(data.__component);
      const schema = this.#model.components.get(uid);
      return schema && lists(attribute, { schema, id: data.id as number }) ? [{ schema, data }] : [];
    });
  }

  #states(versions: readonly Entity[]): LocaleState[] {
    const isDraft = ({ data }: Entity): boolean => this.#type.draftAndPublish && data.publishedAt === null;
    return [...Map.groupBy(versions, ({ data }) => data.locale as string | null)].map(([locale, rows]) => {
      const published = rows.find((row) => !isDraft(row));
      const draft = rows.find(isDraft) ?? published!;
      return {
        locale,
        draft: this.#readAttributes(draft, isDraft(draft) ? "draft" : "published"),
        draftTimes: readTimes(draft, !this.#type.draftAndPublish),
        ...(this.#type.draftAndPublish && published
          ? { published: this.#readAttributes(published, "published"), publishedTimes: readTimes(published, true) }
          : { published: undefined, publishedTimes: undefined }),
      };
    });
  }

  #readAttributes({ id, data }: Entity, status: "draft" | "published"): Json {
    const owner = {
      type: this.#type,
      documentId: data.documentId as string,
      locale: data.locale as string | null,
      status,
    };
    return this.#attributes(this.#type, id, data, owner, []);
  }

  #attributes(schema: Schema, id: number, data: Json, owner: LinkOwner, path: Path): Json {
    const out: Record<string, unknown> = {};
    for (const attribute of schema.attributes.values()) {
      const { name } = attribute;
      const value = data[name];
      if (attribute.kind === "scalar") {
        if (attribute.system || attribute.type.isSecret) continue;
        if (value !== null) out[name] = value;
        else if (this.#unreadable.has(`${schema.uid} ${id} ${name}`))
          this.#onUnreadable({ ...owner, path: [...path, name] });
        else if (hasDefault(attribute)) out[name] = null;
      } else if (attribute.kind === "component" || attribute.kind === "zone") {
        const parts = this.#parts(attribute, value).map((part, index) =>
          this.#part(attribute, part, owner, [...path, name, ...(attribute.many ? [index] : [])]),
        );
        if (parts.length > 0) out[name] = attribute.many ? parts : parts[0];
      } else if (isOwnLink(attribute)) {
        const links = this.#links.value(attribute, id, owner);
        if (links !== undefined) out[name] = links;
      }
    }
    return out;
  }

  #part(attribute: PartAttribute, { schema, data }: Part, owner: LinkOwner, path: Path): Json {
    const attributes = this.#attributes(schema, data.id as number, data, owner, path);
    return attribute.kind === "zone" ? { __component: schema.uid, ...attributes } : attributes;
  }
}

const readTimes = ({ data }: Entity, isPublished: boolean): VersionTimes => ({
  createdAt: (data.createdAt as string | null) ?? undefined,
  updatedAt: (data.updatedAt as string | null) ?? undefined,
  publishedAt: isPublished ? ((data.publishedAt as string | null) ?? undefined) : undefined,
});
