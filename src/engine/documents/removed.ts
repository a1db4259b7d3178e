/**
 * What the database has and the model has no longer: columns, links and components of removed attributes, and the tables of removed
 * types. Copies of a row take them along, so that they are in every version once the schema is back.
 */
import { holdsComponents } from "../schema/entries.ts";
import {
  type Attribute,
  type ComponentAttribute,
  isLink,
  type MediaAttribute,
  type Model,
  type RelationAttribute,
  type Schema,
  systemColumns,
  type ZoneAttribute,
} from "../schema/model.ts";
import { HISTORY } from "../storage/catalog.ts";
import { type Layout, type StoredLink, storedLayout, type Table } from "../storage/layout.ts";
import { quote } from "../storage/sql.ts";
import type { Storage } from "../storage/storage.ts";
import { columnNames } from "../storage/tables.ts";

/** A database and its model. */
export interface Linked {
  readonly storage: Storage;
  readonly model: Model;
}

/** An attribute that is stored as links. */
type LinkedAttribute = Exclude<Attribute, { kind: "scalar" }>;

/** A removed attribute, as far as copies and deletions need it. */
function toAttribute({ name, kind, link, many, target, exclusive = false, shared }: StoredLink): LinkedAttribute {
  const base = { name, definition: { type: kind }, required: false, private: true, writable: false, system: false };
  return {
    ...base,
    ...{ kind, link, many, target, exclusive, other: undefined, virtual: undefined },
    ...{ component: target, components: [], localized: !shared },
  } as unknown as LinkedAttribute;
}

/** A removed type or component. */
const toSchema = (table: string, { uid, modelType, draftAndPublish, localized }: Table): Schema =>
  ({
    uid,
    table,
    modelType,
    draftAndPublish,
    localized,
    attributes: new Map(),
    defaultFields: [],
  }) as unknown as Schema;

/** The attributes of a schema that are stored as links, with removed ones. */
interface LinkedAttributes {
  readonly components: readonly (ComponentAttribute | ZoneAttribute)[];
  readonly links: readonly (RelationAttribute | MediaAttribute)[];
}

/** The columns of a table that all copies of a row have. */
interface StoredColumns {
  readonly all: readonly string[];
  /** Those of removed attributes and of earlier types among them. */
  readonly removed: readonly string[];
  /** All of them as a list in SQL, each after a comma, and the same of a row `c`. */
  readonly names: string;
  readonly copied: string;
}

/** The parts of one database that its model does not have. */
class Removed {
  readonly #linked: Linked;
  readonly #history: Layout;
  readonly #byTable = new Map<string, Schema>();
  readonly #byUid = new Map<string, Schema>();
  readonly #attributes = new Map<Schema, readonly Attribute[]>();
  readonly #stored = new Map<Schema, LinkedAttributes>();
  readonly #columns = new Map<string, StoredColumns>();
  readonly #isAffected = new Map<Schema, boolean>();
  readonly #fields = new Set<string>();
  /** The types and components that the model does not have. */
  readonly schemas: readonly Schema[];
  readonly allSchemas: readonly Schema[];

  constructor(linked: Linked) {
    this.#linked = linked;
    const { storage, model } = linked;
    this.#history = storedLayout(storage, HISTORY);
    const current: readonly Schema[] = [...model.types.values(), ...model.components.values(), model.creator];
    for (const schema of current) {
      this.#byTable.set(schema.table, schema);
      this.#byUid.set(schema.uid, schema);
      for (const attribute of schema.attributes.values())
        if (attribute.kind !== "scalar" && attribute.link.side === "owner") this.#fields.add(attribute.link.field);
    }
    const gone = Object.entries(this.#history).filter(([table]) => !this.#byTable.has(table));
    this.schemas = gone.map(([name, table]) => toSchema(name, table));
    this.allSchemas = [...model.types.values(), ...model.components.values(), ...this.schemas];
    for (const schema of this.schemas) {
      this.#byTable.set(schema.table, schema);
      this.#byUid.getOrInsert(schema.uid, schema);
    }
    // links know a type by the name that it had
    for (const [name, { earlierUids = [] }] of Object.entries(this.#history))
      for (const uid of earlierUids) this.#byUid.getOrInsert(uid, this.#byTable.get(name)!);
  }

  readonly findSchema = (uid: string): Schema | undefined => this.#byUid.get(uid);
  readonly schemaIn = (table: string | undefined): Schema | undefined => this.#byTable.get(table ?? "");

  listAttributes(schema: Schema): readonly Attribute[] {
    const stored = Object.hasOwn(this.#history, schema.table) ? (this.#history[schema.table]!.links ?? []) : [];
    return this.#attributes.getOrInsertComputed(schema, () => [
      ...schema.attributes.values(),
      ...stored
        .filter(({ link, target }) => !this.#fields.has(link.field) && (!target || this.#byUid.has(target)))
        .map(toAttribute),
    ]);
  }

  listLinked(schema: Schema): LinkedAttributes {
    return this.#stored.getOrInsertComputed(schema, () => {
      const all = this.listAttributes(schema);
      return {
        components: all.filter(holdsComponents),
        links: all.filter(isLink).filter(({ link }) => link.field !== ""),
      };
    });
  }

  listColumns(schema: Schema): StoredColumns {
    return this.#columns.getOrInsertComputed(schema.table, () => {
      const known = new Set<string>(systemColumns);
      for (const attribute of schema.attributes.values()) {
        if (attribute.kind === "scalar") known.add(attribute.column);
        else if (attribute.kind === "relation" && attribute.column !== undefined) known.add(attribute.column);
      }
      const own = new Set(["id", ...(schema.modelType === "contentType" ? ["status", "published_at"] : [])]);
      const all = [...columnNames(this.#linked.storage, schema.table)].filter((name) => !own.has(name));
      const list = (prefix: string): string => all.map((name) => `, ${prefix}${quote(name)}`).join("");
      return { all, removed: all.filter((name) => !known.has(name)), names: list(""), copied: list("c.") };
    });
  }

  /** Whether all locales of a document share the column of a removed attribute. */
  isShared(schema: Schema, column: string): boolean {
    const columns = this.#history[schema.table]?.columns ?? {};
    const [attribute] = column.split("$") as [string];
    return [column, attribute].some((name) => Object.hasOwn(columns, name) && columns[name]!.shared === true);
  }

  /** Whether rows of a schema, or the components below them, may have anything that the model does not have. */
  affects(schema: Schema): boolean {
    return this.#isAffected.getOrInsertComputed(schema, () => this.#findAffected(schema));
  }

  #findAffected(schema: Schema): boolean {
    const below = new Set([schema]);
    // a set also visits what is added meanwhile
    for (const { attributes } of below)
      for (const attribute of attributes.values())
        if (attribute.kind === "component") below.add(this.findSchema(attribute.component)!);
        else if (attribute.kind === "zone") for (const uid of attribute.components) below.add(this.findSchema(uid)!);
    return [...below].some(
      (item) =>
        this.listAttributes(item).length > item.attributes.size ||
        this.listColumns(item).removed.length > 0 ||
        // may still have entries of a removed component
        (this.schemas.length > 0 && [...item.attributes.values()].some(({ kind }) => kind === "zone")),
    );
  }
}

/** By database and model: a changed schema makes a new model. */
const cache = new WeakMap<Storage, WeakMap<Model, Removed>>();

export const findRemoved = ({ storage, model }: Linked): Removed =>
  cache
    .getOrInsertComputed(storage, () => new WeakMap())
    .getOrInsertComputed(model, () => new Removed({ storage, model }));

/** The attributes of a schema, and removed ones that are stored as links. */
export const allAttributes = (context: Linked, schema: Schema): readonly Attribute[] =>
  findRemoved(context).listAttributes(schema);

/** Caches what is found of a schema, by database, since the numbers of fields differ between databases. */
export function cachePerSchema<T>(find: (linked: Linked, schema: Schema) => T): (linked: Linked, schema: Schema) => T {
  const found = new WeakMap<Storage, WeakMap<Schema, T>>();
  return ({ storage, model }, schema) =>
    found
      .getOrInsertComputed(storage, () => new WeakMap())
      .getOrInsertComputed(schema, () => find({ storage, model }, schema));
}
