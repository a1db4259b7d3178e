/** The tables, columns, indexes and link fields of a model, as plain data that can be stored and compared. */
import { isRecord } from "../../lib/is-record.ts";
import { type DeclaredIndex, declaredIndexes } from "../schema/declared-indexes.ts";
import type { Attribute, Component, ContentType, Link, Model, Schema } from "../schema/model.ts";
import { OWN_LOCALE } from "../schema/system-attribute-names.ts";
import { LAYOUT } from "./catalog.ts";
import type { Storage } from "./storage.ts";

export interface Column {
  /** The name of the attribute type. */
  readonly type: string;
  readonly affinity: "TEXT" | "INTEGER" | "REAL";
  readonly indexed: boolean;
  /** All locales of a document share the value. */
  readonly shared?: true;
}

/** What copies of a row need to know of an attribute that is stored as links, also once the attribute is removed. */
export interface StoredLink {
  readonly name: string;
  readonly kind: Exclude<Attribute["kind"], "scalar">;
  readonly link: Link;
  readonly many: boolean;
  readonly exclusive?: boolean;
  /** The uid of the other side; undefined for several. */
  readonly target?: string | undefined;
  /** See `Column`. */
  readonly shared?: true;
}

export interface Table {
  readonly uid: string;
  readonly modelType: "contentType" | "component";
  readonly draftAndPublish: boolean;
  readonly localized: boolean;
  /** By column name. */
  readonly columns: Readonly<Record<string, Column>>;
  /** Link fields that rows of this table own. */
  readonly fields: readonly string[];
  /** From either side. */
  readonly links?: readonly StoredLink[];
  /** Indexes that the schema file declares. */
  readonly indexes?: readonly DeclaredIndex[];
  /** Types that used the table in earlier layouts. */
  readonly earlierUids?: readonly string[];
}

/** By table name. */
export type Layout = Readonly<Record<string, Table>>;

/** The index of a content-type's table on status and locale, which covers version conditions. */
export const versionIndexName = (table: string): string => `${table}_version`;

/** The id of a row in another table. */
const REFERENCE: Column = { type: "integer", affinity: "INTEGER", indexed: false };

function storedLink(attribute: Exclude<Attribute, { kind: "scalar" }>): StoredLink {
  const { name, kind, link, many } = attribute;
  const target = kind === "component" ? attribute.component : kind === "zone" ? undefined : attribute.target;
  return { name, kind, link, many, target, ...(kind === "relation" && attribute.exclusive ? { exclusive: true } : {}) };
}

/** Removed links of a table that has these links now. */
export const mergedLinks = (earlier: readonly StoredLink[], next: readonly StoredLink[]): StoredLink[] => {
  const buildKey = ({ link: { field, side, targetAttribute } }: StoredLink): string =>
    JSON.stringify([field, side, targetAttribute]);
  return [...new Map([...earlier, ...next].map((link) => [buildKey(link), link])).values()];
};

export function createTable(schema: Schema): Table {
  const columns: [name: string, column: Column][] = [];
  const fields: string[] = [];
  const links: StoredLink[] = [];
  const isLocalized = schema.modelType === "contentType" && schema.localized;
  for (const attribute of schema.attributes.values()) {
    if (attribute.kind === "scalar") {
      if (attribute.system && attribute.column !== OWN_LOCALE) continue;
      const { name, column } = attribute.type;
      const shared = isLocalized && !attribute.localized ? { shared: true as const } : {};
      columns.push([attribute.column, { type: name, affinity: column.affinity, indexed: attribute.unique, ...shared }]);
    } else if (attribute.kind === "relation" && attribute.column !== undefined) {
      columns.push([attribute.column, REFERENCE]);
    } else if (attribute.link.field !== "") {
      if (attribute.link.side === "owner") fields.push(attribute.link.field);
      links.push({ ...storedLink(attribute), ...(isLocalized && !attribute.localized ? { shared: true } : {}) });
    }
  }
  const { uid, modelType } = schema;
  const versions = modelType === "contentType" ? schema : { draftAndPublish: false, localized: false };
  const { draftAndPublish, localized } = versions;
  const indexes = modelType === "contentType" ? declaredIndexes(schema) : undefined;
  const own = indexes ? { indexes } : {};
  return { uid, modelType, draftAndPublish, localized, columns: Object.fromEntries(columns), fields, links, ...own };
}

/** Whether the database has this layout. */
export const hasLayout = (storage: Storage, layout: Layout): boolean => storage.meta(LAYOUT) === JSON.stringify(layout);

const isTable = (value: unknown): boolean =>
  isRecord(value) && typeof value.uid === "string" && isRecord(value.columns) && Array.isArray(value.fields);

/** A layout of `galley_meta`; empty if there is none. Throws a ProjectError if it is damaged. */
export function storedLayout(storage: Storage, key: string): Record<string, Table> {
  const layout = storage.metaJson(key) ?? {};
  if (!isRecord(layout) || !Object.values(layout).every(isTable)) throw storage.damaged(key);
  return layout as Record<string, Table>;
}

export function createLayout(model: Model): Layout {
  const schemas: (ContentType | Component)[] = [...model.types.values(), ...model.components.values(), model.creator];
  return Object.fromEntries(schemas.map((schema) => [schema.table, createTable(schema)]));
}
