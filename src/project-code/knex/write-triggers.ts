/**
 * SQL that writes Galley's tables when a view of the reference's columns is written. Each row that a statement writes is recorded in
 * `WRITTEN`, since SQLite counts neither the rows of views nor knows their ids.
 */
import { holdersOf } from "../../documents/bare-rows.ts";
import { fieldsTo } from "../../documents/delete-row.ts";
import { ownFields } from "../../documents/edges.ts";
import type { Attribute, Model, Schema } from "../../schema/model.ts";
import { quote } from "../../storage/quote.ts";
import type { Storage } from "../../storage/storage.ts";

/** A column of the reference, and Galley's column for it. */
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

/** As foreign keys do in the reference, deleting a row deletes its links. */
function deleteLinks(model: Model, schema: Schema, storage: Storage): string {
  const own = ownFields(storage, schema);
  const targeted = [
    ...fieldsTo({ storage, model }, schema),
    ...(schema.modelType === "component" ? holdersOf({ storage, model }, schema) : []),
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

/** The expressions for an edge, of the columns of `NEW` or `OLD`. */
type EdgeOf = (row: "OLD" | "NEW") => {
  readonly field: string;
  readonly owner: string;
  readonly target: string;
  readonly kind: string;
};

/** New edges are the last of their lists. */
function edgeBodies(edgeOf: EdgeOf): Bodies {
  const added = edgeOf("NEW");
  const { field, owner, target, kind } = edgeOf("OLD");
  const last = (order: string, end: string): string =>
    `(SELECT coalesce(max(${order}), 0) + 1 FROM galley_links WHERE field = ${added.field} AND ${end})`;
  const insert = `INSERT OR IGNORE INTO galley_links (field, owner, position, target, kind, inverse)
    SELECT ${added.field}, ${added.owner}, ${last("position", `owner = ${added.owner}`)}, ${added.target}, ${added.kind},
    ${last("inverse", `target = ${added.target}`)} WHERE ${added.field} IS NOT NULL AND ${added.kind} IS NOT NULL;`;
  const remove = `DELETE FROM galley_links WHERE field = ${field} AND owner = ${owner} AND target = ${target} AND kind = ${kind};`;
  const record = written("NULL");
  return { INSERT: `${insert} ${record}`, UPDATE: `${remove} ${insert} ${record}`, DELETE: `${remove} ${record}` };
}

/** `owner` and `target`: columns. */
export function linkBodies(
  { field, owner, target }: { readonly field: string; readonly owner: string; readonly target: string },
  storage: Storage,
): Bodies {
  return edgeBodies((row) => ({
    field: String(storage.number(field)),
    owner: `${row}.${quote(owner)}`,
    target: `${row}.${quote(target)}`,
    kind: "0",
  }));
}

type PartAttribute = Extract<Attribute, { kind: "component" | "zone" }>;

export const sqlText = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** `cases`: a value and its result. */
const caseOf = (column: string, cases: readonly (readonly [value: string, result: string])[]): string =>
  cases.length === 0
    ? "NULL"
    : `CASE ${column} ${cases.map(([value, result]) => `WHEN ${sqlText(value)} THEN ${result}`).join(" ")} END`;

/** Of the table that links rows to those of their components. */
export function partBodies(model: Model, attributes: readonly PartAttribute[], storage: Storage): Bodies {
  const tables = [...model.components.values()].map(({ uid, table }) => [uid, String(storage.number(table))] as const);
  return edgeBodies((row) => ({
    field: caseOf(
      `${row}.field`,
      attributes.map(({ name, link }) => [name, String(storage.number(link.field))]),
    ),
    owner: `${row}.entity_id`,
    target: `${row}.cmp_id`,
    kind: caseOf(
      `${row}.field`,
      attributes.map(({ name, kind }) => [name, kind === "zone" ? caseOf(`${row}.component_type`, tables) : "0"]),
    ),
  }));
}
