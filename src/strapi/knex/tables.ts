/**
 * Maps Strapi's tables to queries on Galley's tables: columns in snake case, times in milliseconds, and the links of each
 * attribute as a table (`articles_tags_lnk`).
 */

import { mayKeepLinks, withoutKeptLinks } from "../../engine/query/kept-links.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { type ComponentOrZoneAttribute, componentAttributes, componentUids } from "../../engine/schema/entries.ts";
import {
  type ContentType,
  type Model,
  ownsLinks,
  type RelationAttribute,
  type ScalarAttribute,
  type Schema,
} from "../../engine/schema/model.ts";
import { snakeCase } from "../../engine/schema/names.ts";
import { quote } from "../../engine/storage/sql.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { linkNames, linkTableName, ownerColumn } from "./link-names.ts";
import {
  type Bodies,
  linkBodies,
  type MappedColumn,
  mediaBodies,
  PART_KEY,
  partBodies,
  polymorphicBodies,
  rowBodies,
  sqlText,
} from "./write-triggers.ts";

/** Strapi uses it for the names of columns and tables. */

export interface MappedTable {
  readonly name: string;
  /** A query. `main.` distinguishes Galley's tables from common table expressions with the same names. */
  readonly select: (storage: Storage) => string;
  /** The columns of attributes. Others are ids, orders and uids. */
  readonly columns: readonly MappedColumn[];
  /** Of a table of links: its field, and Galley's column of each column. */
  readonly links?: { readonly field: string; readonly columns: readonly (readonly [name: string, own: string])[] };
  /** The columns that identify a row. */
  readonly keys: readonly (readonly string[])[];
  /** How rows are written; undefined for read-only tables. */
  readonly writes: ((storage: Storage) => Bodies) | undefined;
}

const ROW_KEYS = [["id"]];

const TIMES = new Set(["datetime", "timestamp"]);

const toColumn = ({ name, column, type }: ScalarAttribute): MappedColumn => ({
  name: snakeCase(name),
  own: column,
  isTime: TIMES.has(type.name),
  type: type.name,
});

const selected = ({ name, own, isTime }: MappedColumn): string => {
  const column = quote(own);
  const value = isTime ? `CAST(round(unixepoch(${column}, 'subsec') * 1000) AS INTEGER)` : column;
  return `${value} AS ${quote(name)}`;
};

const scalars = (schema: Schema): MappedColumn[] => {
  const columns = [...schema.attributes.values()].filter((item) => item.kind === "scalar").map(toColumn);
  return [
    { name: "id", own: "id", isTime: false, type: "integer" },
    ...columns.filter(({ name }) => name !== "id" && name !== "document_id"),
  ];
};

/** The columns of relations to one row of any type. */
function polymorphicColumns(model: Model, schema: Schema, storage: Storage): string[] {
  return [...schema.attributes.values()].flatMap((attribute) => {
    if (attribute.kind !== "relation" || attribute.relation !== "morphToOne") return [];
    const types = [...model.types.values()].map(
      ({ table, uid }) => `WHEN ${storage.number(table)} THEN ${sqlText(uid)}`,
    );
    const from = `FROM main.galley_links WHERE field = ${storage.number(attribute.link.field)} AND owner = id`;
    return [`(SELECT target ${from}) AS target_id`, `(SELECT CASE kind ${types.join(" ")} END ${from}) AS target_type`];
  });
}

function rowsTable(model: Model, schema: Schema): MappedTable {
  const columns = scalars(schema);
  const { table } = schema;
  if (schema.modelType !== "contentType")
    return {
      name: table,
      select: () => `SELECT ${columns.map(selected).join(", ")} FROM main.${quote(table)}`,
      columns,
      keys: ROW_KEYS,
      writes: (storage) => rowBodies(model, schema, columns, storage),
    };
  const { draftAndPublish, localized } = schema;
  const localeColumn = columns.find(({ name }) => name === "locale");
  const locale = localeColumn ? selected(localeColumn) : "NULL AS locale";
  const [id = "", ...others] = columns.filter((column) => column !== localeColumn).map(selected);
  const list = [id, "document_id", ...others, "created_by_id", "updated_by_id", locale];
  // without rows of versions and locales that the type no longer has
  const rows = [draftAndPublish ? [] : "status = 'published'", localized ? [] : "locale IS NULL"].flat();
  return {
    name: table,
    select: (storage) =>
      `SELECT ${[...list, ...polymorphicColumns(model, schema, storage)].join(", ")} FROM main.${quote(table)} WHERE ${["TRUE", ...rows].join(" AND ")}`,
    columns,
    keys: ROW_KEYS,
    writes: (storage) => rowBodies(model, schema, columns, storage),
  };
}

function linkTable(model: Model, schema: Schema, attribute: RelationAttribute, target: ContentType): MappedTable {
  const { field } = attribute.link;
  const names = linkNames(schema, attribute, target);
  const columns = [
    [names.owner, "owner"],
    [names.target, "target"],
    ...(names.order === undefined ? [] : [[names.order, "position"] as const]),
    ...(names.inverseOrder === undefined ? [] : [[names.inverseOrder, "inverse"] as const]),
  ] as const;
  const list = columns.map(([name, own]) => `${own} AS ${quote(name)}`).join(", ");
  const shown = (storage: Storage): string =>
    mayKeepLinks(undefined, schema, target) ? ` AND ${withoutKeptLinks({ model, storage }, "l", schema, target)}` : "";
  return {
    name: names.table,
    select: (storage) =>
      `SELECT row_number() OVER (ORDER BY owner, position) AS id, ${list} FROM main.galley_links l WHERE field = ${storage.number(field)}${shown(storage)}`,
    columns: [],
    links: { field, columns },
    keys: [[names.owner, names.target]],
    writes: (storage) => linkBodies({ ...names, name: names.table, field }, storage),
  };
}

function componentsTable(model: Model, schema: Schema, attributes: readonly ComponentOrZoneAttribute[]): MappedTable {
  const buildSelect = (storage: Storage, attribute: ComponentOrZoneAttribute): string => {
    const components = componentUids(attribute).flatMap((uid) => model.components.get(uid) ?? []);
    const type =
      attribute.kind === "component"
        ? sqlText(attribute.component)
        : `CASE kind ${components.map(({ table, uid }) => `WHEN ${storage.number(table)} THEN ${sqlText(uid)}`).join(" ")} END`;
    return `SELECT owner AS entity_id, target AS cmp_id, ${components.length === 0 ? "NULL" : type} AS component_type, ${sqlText(attribute.name)} AS field, ${attribute.many ? "position" : "NULL"} AS "order" FROM main.galley_links WHERE field = ${storage.number(attribute.link.field)}`;
  };
  const name = `${snakeCase(schema.table)}_cmps`;
  return {
    name,
    select: (storage) =>
      `SELECT row_number() OVER () AS id, * FROM (${attributes.map((item) => buildSelect(storage, item)).join(" UNION ALL ")})`,
    columns: [],
    keys: [PART_KEY],
    writes: (storage) => partBodies(name, model, attributes, storage),
  };
}

/** The links of a relation to several types: `items_type` has their uids. */
function polymorphicTable(model: Model, schema: Schema, attribute: RelationAttribute): MappedTable {
  const { field } = attribute.link;
  const owner = ownerColumn(schema);
  const target = snakeCase(attribute.name);
  const name = linkTableName(schema, attribute.name, "mph");
  const shownCondition = (storage: Storage, target: ContentType): string =>
    mayKeepLinks(undefined, schema, target) ? ` AND ${withoutKeptLinks({ model, storage }, "l", schema, target)}` : "";
  const buildSelect = (storage: Storage, type: ContentType): string =>
    `SELECT owner AS ${quote(owner)}, target AS ${quote(`${target}_id`)}, ${sqlText(type.uid)} AS ${quote(`${target}_type`)}, target_attribute AS field, position AS "order" FROM main.galley_links l WHERE field = ${storage.number(field)} AND kind = ${storage.number(type.table)}${shownCondition(storage, type)}`;
  return {
    name,
    select: (storage) => {
      const parts = [...model.types.values()].map((type) => buildSelect(storage, type));
      return `SELECT row_number() OVER (ORDER BY ${quote(owner)}, "order") AS id, * FROM (${parts.join(" UNION ALL ")})`;
    },
    columns: [],
    keys: [],
    writes: (storage) => polymorphicBodies({ name, field, owner, target }, model, storage),
  };
}

const MEDIA_TABLE = "files_related_mph";

function mediaTable(model: Model): MappedTable {
  const schemas: readonly Schema[] = [...model.types.values(), ...model.components.values()];
  return {
    name: MEDIA_TABLE,
    select: (storage) => {
      const parts = schemas.flatMap((schema) =>
        [...schema.attributes.values()].flatMap((attribute) =>
          attribute.kind === "media"
            ? [
                `SELECT target AS file_id, owner AS related_id, ${sqlText(schema.uid)} AS related_type, ${sqlText(attribute.name)} AS field, position AS "order" FROM main.galley_links WHERE field = ${storage.number(attribute.link.field)}`,
              ]
            : [],
        ),
      );
      const emptyRow = `SELECT NULL AS file_id, NULL AS related_id, NULL AS related_type, NULL AS field, NULL AS "order" WHERE 0`;
      return `SELECT row_number() OVER () AS id, * FROM (${[...parts, emptyRow].join(" UNION ALL ")})`;
    },
    columns: [],
    keys: [],
    writes: (storage) => mediaBodies(MEDIA_TABLE, schemas, storage),
  };
}

/** By name, in lower case. */
export function mappedTables(model: Model): ReadonlyMap<string, MappedTable> {
  const tables: MappedTable[] = [];
  for (const schema of [...model.types.values(), ...model.components.values()]) {
    tables.push(rowsTable(model, schema));
    const parts = componentAttributes(schema);
    for (const attribute of schema.attributes.values()) {
      if (attribute.kind !== "relation" || !ownsLinks(attribute)) continue;
      const target = attribute.target === undefined ? undefined : model.types.get(attribute.target);
      if (attribute.link.polymorphic && attribute.relation === "morphToMany")
        tables.push(polymorphicTable(model, schema, attribute));
      else if (target) tables.push(linkTable(model, schema, attribute, target));
    }
    if (parts.length > 0) tables.push(componentsTable(model, schema, parts));
  }
  if (model.types.has(FILE)) tables.push(mediaTable(model));
  return new Map(tables.map((table) => [table.name.toLowerCase(), table]));
}
