/** Reads rows of content-types as entities of an archive, with components nested in them. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { canDecode, createSelection, type Document } from "../../engine/query/select.ts";
import { FILE, FOLDER, LOCALE, PERMISSION, ROLE, USER } from "../../engine/schema/builtin/index.ts";
import { type ComponentOrZoneAttribute, componentAttributes } from "../../engine/schema/entries.ts";
import {
  apiTypes,
  type ContentType,
  type Model,
  type ScalarAttribute,
  type Schema,
} from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import type { Row, Storage } from "../../engine/storage/storage.ts";
import type { Entity } from "../archive/shapes.ts";
import type { ComponentIds } from "../selection.ts";

/** Rows per batch: one statement for the rows, and one for each level and type of their components. */
const PAGE = 500;

/** In Strapi's order. The project's own types follow, sorted by uid. */
const PLUGIN_TYPES = [FILE, FOLDER, LOCALE, PERMISSION, ROLE, USER];

/** The types whose rows are exported. */
export const exportedTypes = (model: Model): ContentType[] => [
  ...PLUGIN_TYPES.flatMap((uid) => model.types.get(uid) ?? []),
  ...apiTypes(model).toSorted((a, b) => (a.uid < b.uid ? -1 : 1)),
];

const listScalars = (schema: Schema): ScalarAttribute[] =>
  [...schema.attributes.values()].filter((item): item is ScalarAttribute => item.kind === "scalar" && !item.system);

/** How the rows of a schema are read; computed once per schema. */
interface Reader {
  readonly columns: string;
  readonly mapRow: (row: Row, at: number) => Document;
  readonly parts: readonly ComponentOrZoneAttribute[];
}

/** Excludes rows of versions and locales that the type no longer has. */
export const visibleRows = ({ draftAndPublish, localized }: ContentType, alias: string): string =>
  [draftAndPublish ? "1" : `${alias}.status = 'published'`, ...(localized ? [] : [`${alias}.locale IS NULL`])].join(
    " AND ",
  );

/** Is told of a stored value that cannot be read, which the entity has as null. */
export type OnUnreadable = (schema: Schema, rowId: number, attribute: string) => void;

interface EntityReaderOptions {
  /** Gets the components of all rows that are read. */
  readonly components?: ComponentIds | undefined;
  readonly onUnreadable?: OnUnreadable;
}

export class EntityReader {
  readonly #storage: Storage;
  readonly #model: Model;
  readonly #options: EntityReaderOptions;
  readonly #readers = new Map<Schema, Reader>();

  constructor({ storage, model }: Pick<DocumentsContext, "storage" | "model">, options: EntityReaderOptions = {}) {
    this.#storage = storage;
    this.#model = model;
    this.#options = options;
  }

  #reader(schema: Schema): Reader {
    return this.#readers.getOrInsertComputed(schema, () => {
      const scalars = listScalars(schema);
      const { columns, mapRow } = createSelection(schema, scalars);
      const mapped = (row: Row, at: number): Document => mapRow(row, at).document;
      const checked = (row: Row, at: number): Document => {
        const document = mapped(row, at);
        this.#checkNulls(schema, scalars, document, row);
        return document;
      };
      return { columns, mapRow: this.#options.onUnreadable ? checked : mapped, parts: componentAttributes(schema) };
    });
  }

  #checkNulls(schema: Schema, scalars: readonly ScalarAttribute[], document: Document, row: Row): void {
    // the columns of the attributes are the last ones
    const first = row.length - scalars.length;
    for (const [index, { name, type }] of scalars.entries())
      if (document[name] === null && row[first + index] !== null && !canDecode(type, row[first + index]!))
        this.#options.onUnreadable!(schema, document.id as number, name);
  }

  /** Yields all rows of a type, sorted by id. */
  *rows(type: ContentType): Generator<Entity> {
    for (let last = 0; ; ) {
      const entities = this.#select(type, `t.id > ? ORDER BY t.id LIMIT ${PAGE}`, last);
      yield* entities;
      if (entities.length < PAGE) return;
      last = entities.at(-1)!.id;
    }
  }

  /** All rows of these documents, sorted by id. */
  readRows(type: ContentType, documentIds: readonly string[]): Entity[] {
    const where = "t.document_id IN (SELECT value FROM json_each(?)) ORDER BY t.id";
    return this.#select(type, where, JSON.stringify(documentIds));
  }

  #select(type: ContentType, where: string, param: string | number): Entity[] {
    const { columns, mapRow } = this.#reader(type);
    const system = "t.id, t.locale, t.created_at, t.updated_at, t.published_at";
    const sql = `SELECT ${system}, ${columns} FROM ${quote(type.table)} t WHERE ${visibleRows(type, "t")} AND ${where}`;
    const documents = this.#storage.all(sql, [param]).map((row) => {
      const [, locale, createdAt, updatedAt, publishedAt] = row;
      return { ...mapRow(row, 5), createdAt, updatedAt, publishedAt, locale } as Document;
    });
    this.#addParts(type, documents);
    return documents.map(({ id, ...data }) => ({ type: type.uid, id: id as number, data }));
  }

  #addParts(schema: Schema, owners: readonly Document[]): void {
    const ids = JSON.stringify(owners.map(({ id }) => id));
    for (const attribute of this.#reader(schema).parts) {
      const links = this.#storage.all(
        `SELECT owner, target, kind FROM galley_links WHERE field = ? AND owner IN (SELECT value FROM json_each(?)) ORDER BY owner, position`,
        [this.#storage.number(attribute.link.field), ids],
      ) as [number, number, number][];
      const found = this.#partRows(attribute, links);
      const byOwner = Map.groupBy(links, ([owner]) => owner);
      for (const owner of owners) {
        const parts = (byOwner.get(owner.id as number) ?? []).flatMap(([, id, kind]) => found.get(kind)?.get(id) ?? []);
        owner[attribute.name] = attribute.many ? parts : (parts[0] ?? null);
      }
    }
  }

  /** Component rows by kind and id. */
  #partRows(
    attribute: ComponentOrZoneAttribute,
    links: readonly [number, number, number][],
  ): Map<number, Map<number, Document>> {
    const rows = new Map<number, Map<number, Document>>();
    for (const [kind, of] of Map.groupBy(links, ([, , number]) => number)) {
      const schema = this.#component(attribute, kind);
      if (!schema) continue;
      const { columns, mapRow } = this.#reader(schema);
      const sql = `SELECT ${columns} FROM ${quote(schema.table)} t WHERE t.id IN (SELECT value FROM json_each(?))`;
      const parts = this.#storage.all(sql, [JSON.stringify(of.map(([, id]) => id))]).map((row) => mapRow(row, 0));
      const read = this.#options.components?.getOrInsertComputed(schema.uid, () => new Set());
      for (const { id } of parts) read?.add(id as number);
      this.#addParts(schema, parts);
      if (attribute.kind === "zone") for (const part of parts) part.__component = schema.uid;
      rows.set(kind, new Map(parts.map((part) => [part.id as number, part])));
    }
    return rows;
  }

  #component(attribute: ComponentOrZoneAttribute, kind: number): Schema | undefined {
    if (attribute.kind === "component") return this.#model.components.get(attribute.component);
    const table = this.#storage.findName(kind);
    return [...this.#model.components.values()].find((schema) => schema.table === table);
  }
}
