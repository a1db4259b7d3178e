/**
 * SQL that writes Galley's tables when a view of Strapi's columns is written. Each row that a statement writes is recorded in
 * `WRITTEN`, since SQLite counts neither the rows of views nor knows their ids.
 */

import { fieldsTo } from "../../engine/documents/delete-row.ts";
import { ownFields } from "../../engine/documents/link-rows.ts";
import type { Attribute, Model, Schema } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { listHolders } from "../rows/bare-rows.ts";
import type { LinkNames } from "./link-names.ts";

/** A column of Strapi, and Galley's column for it. */
export interface MappedColumn {
  readonly name: string;
  readonly own: string;
  readonly isTime: boolean;
  /** The attribute's type. */
  readonly type: string;
}

/** A temporary table with the ids of the rows that a statement has written; null for links. */
export const WRITTEN = "galley_knex_written";

export type Bodies = Readonly<Record<"INSERT" | "UPDATE" | "DELETE", string>>;

const written = (id: string): string => `INSERT INTO ${WRITTEN} VALUES (${id});`;

/** Converts milliseconds or a string to a time as Galley stores it. */
const asStoredTime = (column: string): string =>
  `CASE WHEN typeof(${column}) IN ('integer', 'real') THEN strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch') ELSE ${column} END`;

const newValue = ({ name, isTime }: MappedColumn): string =>
  isTime ? asStoredTime(`NEW.${quote(name)}`) : `NEW.${quote(name)}`;

/** Galley's columns of a content-type that attributes do not have, with their values. */
function systemValues(schema: Schema): (readonly [column: string, value: string])[] {
  if (schema.modelType === "component") return [];
  const { draftAndPublish, localized } = schema;
  return [
    ["document_id", "coalesce(NEW.document_id, lower(hex(randomblob(12))))"],
    ["locale", localized ? "NEW.locale" : "NULL"],
    ["created_by_id", "NEW.created_by_id"],
    ["updated_by_id", "NEW.updated_by_id"],
    [
      "status",
      draftAndPublish ? "CASE WHEN NEW.published_at IS NULL THEN 'draft' ELSE 'published' END" : "'published'",
    ],
  ];
}

const REQUIRED_TIMES = new Set(["created_at", "updated_at"]);
const NOW = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";

function rowValues(schema: Schema, columns: readonly MappedColumn[]): (readonly [column: string, value: string])[] {
  const system = systemValues(schema);
  const names = new Set(["id", ...system.map(([column]) => column)]);
  const own = columns.filter((column) => !names.has(column.own));
  return [
    ...own.map(
      (column) =>
        [
          column.own,
          REQUIRED_TIMES.has(column.own) ? `coalesce(${newValue(column)}, ${NOW})` : newValue(column),
        ] as const,
    ),
    ...system,
  ];
}

/** As foreign keys do in Strapi, deleting a row deletes its links. */
function deleteLinks(model: Model, schema: Schema, storage: Storage): string {
  const own = ownFields({ storage, model }, schema);
  const targeted = [
    ...fieldsTo({ storage, model }, schema),
    ...(schema.modelType === "component" ? listHolders({ storage, model }, schema) : []),
  ];
  return [
    ...(own.length === 0 ? [] : [`DELETE FROM galley_links WHERE field IN (${own.join(", ")}) AND owner = OLD.id;`]),
    ...targeted.map(
      ([field, kind]) => `DELETE FROM galley_links WHERE field = ${field} AND target = OLD.id AND kind = ${kind};`,
    ),
  ].join(" ");
}

export function rowBodies(model: Model, schema: Schema, columns: readonly MappedColumn[], storage: Storage): Bodies {
  const table = quote(schema.table);
  const values = rowValues(schema, columns);
  const names = ["id", ...values.map(([column]) => quote(column))].join(", ");
  const set = values.map(([column, value]) => `${quote(column)} = ${value}`).join(", ");
  return {
    INSERT: `INSERT INTO ${table} (${names}) VALUES (NEW.id, ${values.map(([, value]) => value).join(", ")}); ${written("last_insert_rowid()")}`,
    UPDATE: `UPDATE ${table} SET ${set} WHERE id = OLD.id; ${written("OLD.id")}`,
    DELETE: `${deleteLinks(model, schema, storage)} DELETE FROM ${table} WHERE id = OLD.id; ${written("OLD.id")}`,
  };
}

/** The expressions for a link, of the columns of `NEW` or `OLD`. */
type ReadLink = (row: "OLD" | "NEW") => {
  readonly field: string;
  readonly owner: string;
  readonly target: string;
  readonly kind: string;
  /** The positions in the lists of both ends. Null: for new links the last one. */
  readonly position?: string;
  readonly inverse?: string;
  readonly targetAttribute?: string;
};

const raise = (message: string, condition: string): string =>
  `SELECT RAISE(ABORT, ${sqlText(message)}) WHERE ${condition};`;

/** `unique`: the columns whose values only one row may have together; empty: all may be equal. `name`: of the table. */
function storedLinkBodies(readLink: ReadLink, name: string, unique: readonly string[] = []): Bodies {
  const added = readLink("NEW");
  const removed = readLink("OLD");
  const { position = "NULL", inverse = "NULL", targetAttribute = "NULL" } = added;
  const last = (order: string, end: string): string =>
    `(SELECT coalesce(max(${order}), 0) + 1 FROM galley_links WHERE field = ${added.field} AND ${end})`;
  const isLink = ({ field, owner, target, kind }: ReturnType<ReadLink>): string =>
    `field = ${field} AND owner = ${owner} AND target = ${target} AND kind = ${kind}`;
  const insert = `${raise(`${name}: no attribute has such links`, `${added.field} IS NULL OR ${added.kind} IS NULL`)}
    INSERT INTO galley_links (field, owner, position, target, kind, inverse, target_attribute)
    SELECT ${added.field}, ${added.owner}, coalesce(${position}, ${last("position", `owner = ${added.owner}`)}), ${added.target}, ${added.kind},
    coalesce(${inverse}, ${last("inverse", `target = ${added.target}`)}), ${targetAttribute};`;
  const exists = `EXISTS (SELECT 1 FROM galley_links WHERE ${isLink(added)})`;
  const message = `UNIQUE constraint failed: ${unique.map((column) => `${name}.${column}`).join(", ")}`;
  const refuse = unique.length === 0 ? "" : raise(message, exists);
  const at = removed.position ? ` AND position = coalesce(${removed.position}, position)` : "";
  const remove = `DELETE FROM galley_links WHERE ${isLink(removed)}${at};`;
  const record = written("NULL");
  return {
    INSERT: `${refuse} ${insert} ${record}`,
    UPDATE: `${remove} ${refuse} ${insert} ${record}`,
    DELETE: `${remove} ${record}`,
  };
}

interface LinkTable extends Omit<LinkNames, "table"> {
  readonly name: string;
  readonly field: string;
}

export function linkBodies({ name, field, owner, target, order, inverseOrder }: LinkTable, storage: Storage): Bodies {
  const formatColumn = (row: string, column: string | undefined): string =>
    column === undefined ? "NULL" : `${row}.${quote(column)}`;
  const readLink: ReadLink = (row) => ({
    field: String(storage.number(field)),
    owner: formatColumn(row, owner),
    target: formatColumn(row, target),
    kind: "0",
    position: formatColumn(row, order),
    inverse: formatColumn(row, inverseOrder),
  });
  return storedLinkBodies(readLink, name, [owner, target]);
}

type PartAttribute = Extract<Attribute, { kind: "component" | "zone" }>;

export const sqlText = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** `cases`: a value and its result. */
const buildCase = (column: string, cases: readonly (readonly [value: string, result: string])[]): string =>
  cases.length === 0
    ? "NULL"
    : `CASE ${column} ${cases.map(([value, result]) => `WHEN ${sqlText(value)} THEN ${result}`).join(" ")} END`;

/** The columns whose values only one row of `partBodies` has together. */
export const PART_KEY = ["entity_id", "cmp_id", "field", "component_type"];

/** Of the table that links rows to those of their components. */
export function partBodies(name: string, model: Model, attributes: readonly PartAttribute[], storage: Storage): Bodies {
  const tables = [...model.components.values()].map(({ uid, table }) => [uid, String(storage.number(table))] as const);
  const readLink: ReadLink = (row) => ({
    field: buildCase(
      `${row}.field`,
      attributes.map(({ name: attribute, link }) => [attribute, String(storage.number(link.field))]),
    ),
    owner: `${row}.entity_id`,
    target: `${row}.cmp_id`,
    kind: buildCase(
      `${row}.field`,
      attributes.map(({ name: attribute, kind }) => [
        attribute,
        kind === "zone" ? buildCase(`${row}.component_type`, tables) : "0",
      ]),
    ),
    position: `${row}."order"`,
  });
  return storedLinkBodies(readLink, name, PART_KEY);
}

/** Of the table that links files to media attributes, which may link a file several times. */
export function mediaBodies(name: string, schemas: readonly Schema[], storage: Storage): Bodies {
  const fields = schemas.flatMap((schema) =>
    [...schema.attributes.values()].flatMap((attribute) =>
      attribute.kind === "media"
        ? [[`${schema.uid} ${attribute.name}`, String(storage.number(attribute.link.field))] as const]
        : [],
    ),
  );
  const readLink: ReadLink = (row) => ({
    field: buildCase(`${row}.related_type || ' ' || ${row}.field`, fields),
    owner: `${row}.related_id`,
    target: `${row}.file_id`,
    kind: "0",
    position: `${row}."order"`,
  });
  return storedLinkBodies(readLink, name);
}

interface PolymorphicTable extends Pick<LinkTable, "name" | "field" | "owner"> {
  /** The beginning of the names of the target's columns. */
  readonly target: string;
}

/** Of the table with the links of a relation to several types. */
export function polymorphicBodies(
  { name, field, owner, target }: PolymorphicTable,
  model: Model,
  storage: Storage,
): Bodies {
  const tables = [...model.types.values()].map(({ uid, table }) => [uid, String(storage.number(table))] as const);
  const readLink: ReadLink = (row) => ({
    field: String(storage.number(field)),
    owner: `${row}.${quote(owner)}`,
    target: `${row}.${quote(`${target}_id`)}`,
    kind: buildCase(`${row}.${quote(`${target}_type`)}`, tables),
    position: `${row}."order"`,
    targetAttribute: `${row}.field`,
  });
  return storedLinkBodies(readLink, name);
}
