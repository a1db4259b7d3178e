/** Writes entities of an archive as rows, and their components as separate rows with links. */
import type { SqlValue } from "../../engine/attributes/index.ts";
import { restoreValue } from "../../engine/attributes/restore.ts";
import { type ComponentOrZoneAttribute, holdsComponents } from "../../engine/schema/entries.ts";
import type { ContentType, ScalarAttribute, Schema } from "../../engine/schema/model.ts";
import { SYSTEM_ATTRIBUTES } from "../../engine/schema/system-attribute-names.ts";
import { quote } from "../../engine/storage/sql.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { MAX_DEPTH, measureDepth } from "../../lib/depth.ts";
import { findErrorCode } from "../../lib/error-code.ts";
import { ApiError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import {
  MAX_COMPONENT_DEPTH,
  MAX_KEY_LENGTH,
  MAX_REPEATED_COMPONENTS,
  MAX_REPEATED_LENGTH,
} from "../archive/limits.ts";
import { type Entity, isId, type Json } from "../archive/shapes.ts";
import type { ComponentIds } from "../selection.ts";
import type { ImportWork } from "./scope.ts";

/** How rows of a schema are written; computed once per schema. */
interface RowPlan {
  readonly schema: Schema;
  readonly insert: string;
  /** `missingValue`: the stored value for rows without the attribute, as from before it was added: its default, as in Strapi. */
  readonly scalars: readonly { readonly attribute: ScalarAttribute; readonly missingValue: SqlValue }[];
  readonly parts: readonly { readonly attribute: ComponentOrZoneAttribute; readonly field: number }[];
}

/** The position of a component in its owner. */
interface PartLocation {
  readonly field: number;
  readonly owner: number;
  readonly position: number;
  /** Nesting depth; 1 for components of a document. */
  readonly depth: number;
}

interface Part {
  readonly schema: Schema;
  /** Kind of its link: the number of its table in zones, 0 elsewhere. */
  readonly kind: number;
  readonly location: PartLocation;
  /** Id in the archive. */
  readonly id: number;
  readonly data: Json;
}

/** A row that cannot be stored. */
export class EntityProblem extends Error {}

/** A row with the id of an earlier one. */
class RepeatedId extends EntityProblem {}

const SYSTEM_COLUMNS = ["document_id", "locale", "status", "created_at", "updated_at", "published_at"];

/** The value of a system column; null if missing. Throws an EntityProblem for an invalid value. */
function systemText(uid: string, data: Json, key: string, isValid: (text: string) => boolean): string | null {
  const value = data[key];
  if (value === undefined || value === null || value === "") return null;
  if (typeof value === "string" && isValid(value)) return value;
  throw new EntityProblem(`${uid}: ${key} has a value that is not valid`);
}

/** Keys of rows and components besides attributes. */
export const KEYS_WITHOUT_ATTRIBUTE: ReadonlySet<string> = new Set([
  ...SYSTEM_ATTRIBUTES,
  "id",
  "documentId",
  "__component",
]);

const isKey = (text: string): boolean => text.length <= MAX_KEY_LENGTH && !/\p{Cc}/u.test(text);
const isTime = (text: string): boolean => text.length <= MAX_TIME_LENGTH && !Number.isNaN(Date.parse(text));
const MAX_TIME_LENGTH = 40;

function storedValue(schema: Schema, name: string, read: () => SqlValue): SqlValue {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause;
    throw new EntityProblem(`${schema.uid}: ${name} ${cause.message}`, { cause });
  }
}

/** Null where a schema file has a default that cannot be stored. */
function storedDefault({ type, definition }: ScalarAttribute): SqlValue {
  if (definition.default === undefined || type.isSecret) return null;
  try {
    return restoreValue(type, definition.default);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

const repeatedIdProblem = (uid: string, id: unknown, cause?: unknown): EntityProblem =>
  new RepeatedId(`the archive has the ${uid} with id ${id} twice`, { cause });

function planRow(storage: Storage, schema: Schema): RowPlan {
  const all = [...schema.attributes.values()];
  const scalars = all
    .filter((item): item is ScalarAttribute => item.kind === "scalar" && !item.system)
    .map((attribute) => ({ attribute, missingValue: storedDefault(attribute) }));
  const parts = all
    .filter(holdsComponents)
    .map((attribute) => ({ attribute, field: storage.number(attribute.link.field) }));
  const system = schema.modelType === "contentType" ? SYSTEM_COLUMNS : [];
  const columns = ["id", ...system, ...scalars.map(({ attribute }) => attribute.column)];
  const insert = `INSERT INTO ${quote(schema.table)} (${columns.map(quote).join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
  return { schema, insert, scalars, parts };
}

export class EntityWriter {
  readonly #work: ImportWork;
  /** Gets the ids in the archive of all components that are written. */
  readonly #components: ComponentIds | undefined;
  /** Used for missing times. */
  readonly #now: string;
  readonly #plans = new Map<Schema, RowPlan>();
  readonly #drafts = new Map<ContentType, number[]>();
  #repeatedParts: Part[] = [];
  #repeatedCount = 0;
  #repeatedLength = 0;

  constructor(work: ImportWork, components: ComponentIds | undefined) {
    this.#work = work;
    this.#components = components;
    this.#now = work.context.clock.writeTime();
  }

  /** Ids of drafts of types that have none here. */
  get drafts(): ReadonlyMap<ContentType, readonly number[]> {
    return this.#drafts;
  }

  #planFor(schema: Schema): RowPlan {
    return this.#plans.getOrInsertComputed(schema, () => planRow(this.#work.context.storage, schema));
  }

  /** Writes a row with its components. Throws an EntityProblem. */
  write(type: ContentType, { id: archiveId, data }: Entity): void {
    const { context, scope } = this.#work;
    const plan = this.#planFor(type);
    const id = scope.newId(type, archiveId);
    if (id === undefined) throw repeatedIdProblem(type.uid, archiveId);
    const time = (key: string): string | null => systemText(type.uid, data, key, isTime);
    const created = time("createdAt") ?? this.#now;
    const published = time("publishedAt");
    const isDraft = type.draftAndPublish && published === null;
    if (!type.draftAndPublish && data.publishedAt === null) this.#drafts.getOrInsertComputed(type, () => []).push(id);
    this.#insert(plan, data, [
      id,
      systemText(type.uid, data, "documentId", isKey) ?? context.ids.documentId(),
      systemText(type.uid, data, "locale", isKey) ?? (type.localized ? context.defaultLocale() : null),
      isDraft ? "draft" : "published",
      created,
      time("updatedAt") ?? created,
      isDraft ? null : (published ?? created),
    ]);
    this.#writeParts(plan, id, data, 1);
  }

  #insert({ schema, insert, scalars }: RowPlan, data: Json, values: SqlValue[]): void {
    const { context, leftOut } = this.#work;
    for (const name in data)
      if (!schema.attributes.has(name) && !KEYS_WITHOUT_ATTRIBUTE.has(name) && data[name] !== null)
        leftOut.add("values", `${schema.uid}.${name}`);
    for (const { attribute, missingValue } of scalars) {
      const { name, type } = attribute;
      const value = data[name];
      values.push(value === undefined ? missingValue : storedValue(schema, name, () => restoreValue(type, value)));
    }
    try {
      context.storage.run(insert, values);
    } catch (cause) {
      if (findErrorCode(cause).startsWith("SQLITE_CONSTRAINT")) throw repeatedIdProblem(schema.uid, values[0], cause);
      throw cause;
    }
  }

  #writeParts({ schema, parts }: RowPlan, owner: number, data: Json, depth: number): void {
    if (depth > MAX_COMPONENT_DEPTH) throw new EntityProblem(`components are more than ${MAX_COMPONENT_DEPTH} deep`);
    for (const { attribute, field } of parts) {
      const value = data[attribute.name];
      if (value === undefined || value === null) continue;
      const entries = Array.isArray(value) ? value : [value];
      if (entries.length > 1 && !attribute.many)
        throw new EntityProblem(`${attribute.name} of ${schema.uid} holds more than one component`);
      for (const [index, entry] of entries.entries()) {
        if (!isRecord(entry))
          throw new EntityProblem(`${attribute.name} of ${schema.uid} holds something that is not a component`);
        this.#writePart(schema, attribute, { field, owner, position: index + 1, depth }, entry);
      }
    }
  }

  #writePart(
    { uid: ownerUid }: Schema,
    attribute: ComponentOrZoneAttribute,
    location: PartLocation,
    entry: Json,
  ): void {
    const { context, scope, leftOut } = this.#work;
    const uid = attribute.kind === "component" ? attribute.component : entry.__component;
    const schema = typeof uid === "string" ? context.model.components.get(uid) : undefined;
    if (!schema)
      return leftOut.add(
        "components",
        `${ownerUid}.${attribute.name}: ${typeof uid === "string" ? uid : "without a name"}`,
      );
    if (!isId(entry.id)) throw new EntityProblem(`a component ${uid} has no id`);
    const kind = attribute.kind === "zone" ? context.storage.number(schema.table) : 0;
    const part = { schema, kind, location, id: entry.id, data: entry };
    try {
      this.#insertPart(part, entry.id + scope.findOffset(schema));
    } catch (error) {
      if (!(error instanceof RepeatedId)) throw error;
      // `JSON.stringify` fails for deeper values
      this.#repeatedLength += measureDepth(entry) > MAX_DEPTH ? Number.POSITIVE_INFINITY : JSON.stringify(entry).length;
      const isTooMuch = this.#repeatedLength > MAX_REPEATED_LENGTH || ++this.#repeatedCount > MAX_REPEATED_COMPONENTS;
      if (isTooMuch) throw error;
      this.#repeatedParts.push(part);
    }
  }

  #insertPart({ schema, kind, location, id: archiveId, data }: Part, id: number): void {
    const plan = this.#planFor(schema);
    this.#insert(plan, data, [id]);
    this.#components?.getOrInsertComputed(schema.uid, () => new Set()).add(archiveId);
    this.#work.inserter.add(location.field, location.owner, location.position, id, kind, 1);
    this.#writeParts(plan, id, data, location.depth + 1);
  }

  /**
   * Called after all entities, and before links. A component that several documents share becomes a row for each of them; links
   * from its id belong to the last one, as in Strapi.
   */
  finish(): void {
    const { scope } = this.#work;
    while (this.#repeatedParts.length > 0) {
      const parts = this.#repeatedParts;
      this.#repeatedParts = [];
      for (const part of parts) {
        const id = scope.nextId(part.schema);
        scope.setAlias(part.schema, part.id, id);
        this.#insertPart(part, id);
      }
    }
  }
}
