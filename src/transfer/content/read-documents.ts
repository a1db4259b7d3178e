/** Reads documents as content files: the same content is always the same file. */

import { lists } from "../../engine/documents/component-rows.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { type ComponentOrZoneAttribute, entrySchema, holdsComponents } from "../../engine/schema/entries.ts";
import type { ContentType, Schema } from "../../engine/schema/model.ts";
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

/** Documents per batch, whose number of statements depends on the type, and not on the documents. */
const BATCH = 500;

/** What reading the documents of a type has in common. */
interface Reading {
  readonly context: DocumentsContext;
  readonly type: ContentType;
  readonly reader: EntityReader;
  readonly ownLinks: OwnLinks;
  /** Keys of values in the batch that is read. */
  readonly unreadable: Set<string>;
  readonly onUnreadable: OnUnreadable;
}

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
  const unreadable = new Set<string>();
  const reader = new EntityReader(context, {
    onUnreadable: ({ uid }, id, name) => unreadable.add(`${uid} ${id} ${name}`),
  });
  const reading: Reading = { context, type, reader, ownLinks: new OwnLinks(context, names), unreadable, onUnreadable };
  const files = new Map<string, ContentFile>();
  const all = ids ?? documentIds(context, type);
  for (let start = 0; start < all.length; start += BATCH)
    for (const [id, file] of readBatch(reading, all.slice(start, start + BATCH))) files.set(id, file);
  return files;
}

const documentIds = ({ storage }: DocumentsContext, type: ContentType): string[] =>
  storage
    .all(`SELECT DISTINCT document_id FROM ${quote(type.table)} t WHERE ${visibleRows(type, "t")} ORDER BY document_id`)
    .map(([id]) => id as string);

function* readBatch(reading: Reading, ids: readonly string[]): Generator<[string, ContentFile]> {
  const { context, unreadable, reader, type, ownLinks } = reading;
  unreadable.clear();
  const entities = reader.readRows(type, ids);
  const rows = new Map<Schema, number[]>();
  for (const { id, data } of entities) collect(reading, type, id, data, rows);
  ownLinks.load(rows);
  const documents = Map.groupBy(entities, ({ data }) => data.documentId as string);
  for (const id of new Set(ids)) {
    const versions = documents.get(id);
    if (versions) yield [id, fileOfStates(type, id, states(reading, versions), context.defaultLocale())];
  }
}

/** Adds a row and the components in it. */
function collect(reading: Reading, schema: Schema, id: number, data: Json, rows: Map<Schema, number[]>): void {
  rows.getOrInsertComputed(schema, () => []).push(id);
  for (const attribute of schema.attributes.values()) {
    if (!holdsComponents(attribute)) continue;
    for (const part of listParts(reading, attribute, data[attribute.name]))
      collect(reading, part.schema, part.data.id as number, part.data, rows);
  }
}

/** Without entries of components that a zone no longer lists: a published version has none either. */
function listParts({ context: { model } }: Reading, attribute: ComponentOrZoneAttribute, value: unknown): Part[] {
  const parts = (Array.isArray(value) ? value : value ? [value] : []) as Json[];
  return parts.flatMap((data) => {
    const schema = entrySchema(model, attribute, data);
    return schema && lists(attribute, { schema, id: data.id as number }) ? [{ schema, data }] : [];
  });
}

function states(reading: Reading, versions: readonly Entity[]): LocaleState[] {
  const { type } = reading;
  const isDraft = ({ data }: Entity): boolean => type.draftAndPublish && data.publishedAt === null;
  return [...Map.groupBy(versions, ({ data }) => data.locale as string | null)].map(([locale, rows]) => {
    const published = rows.find((row) => !isDraft(row));
    const draft = rows.find(isDraft) ?? published!;
    return {
      locale,
      draft: readAttributes(reading, draft, isDraft(draft) ? "draft" : "published"),
      draftTimes: readTimes(draft, !type.draftAndPublish),
      ...(type.draftAndPublish && published
        ? { published: readAttributes(reading, published, "published"), publishedTimes: readTimes(published, true) }
        : { published: undefined, publishedTimes: undefined }),
    };
  });
}

function readAttributes(reading: Reading, { id, data }: Entity, status: "draft" | "published"): Json {
  const { type } = reading;
  const owner = { type, documentId: data.documentId as string, locale: data.locale as string | null, status };
  return attributesOf(reading, type, id, data, owner, []);
}

function attributesOf(reading: Reading, schema: Schema, id: number, data: Json, owner: LinkOwner, path: Path): Json {
  const { unreadable, onUnreadable, ownLinks } = reading;
  const out: Record<string, unknown> = {};
  for (const attribute of schema.attributes.values()) {
    const { name } = attribute;
    const value = data[name];
    if (attribute.kind === "scalar") {
      if (attribute.system || attribute.type.isSecret) continue;
      if (value !== null) out[name] = value;
      else if (unreadable.has(`${schema.uid} ${id} ${name}`)) onUnreadable({ ...owner, path: [...path, name] });
      else if (hasDefault(attribute)) out[name] = null;
    } else if (holdsComponents(attribute)) {
      const parts = listParts(reading, attribute, value).map((part, index) =>
        readPart(reading, attribute, part, owner, [...path, name, ...(attribute.many ? [index] : [])]),
      );
      if (parts.length > 0) out[name] = attribute.many ? parts : parts[0];
    } else if (isOwnLink(attribute)) {
      const links = ownLinks.value(attribute, id, owner);
      if (links !== undefined) out[name] = links;
    }
  }
  return out;
}

function readPart(
  reading: Reading,
  attribute: ComponentOrZoneAttribute,
  { schema, data }: Part,
  owner: LinkOwner,
  path: Path,
): Json {
  const attributes = attributesOf(reading, schema, data.id as number, data, owner, path);
  return attribute.kind === "zone" ? { __component: schema.uid, ...attributes } : attributes;
}

const readTimes = ({ data }: Entity, isPublished: boolean): VersionTimes => ({
  createdAt: (data.createdAt as string | null) ?? undefined,
  updatedAt: (data.updatedAt as string | null) ?? undefined,
  publishedAt: isPublished ? ((data.publishedAt as string | null) ?? undefined) : undefined,
});
