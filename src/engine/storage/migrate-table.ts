/** One table's part of a migration: columns, the default locale, drafts and indexes. */
import { ProjectError } from "../../lib/errors.ts";
import { systemColumns } from "../schema/model.ts";
import { type Column, mergedLinks, type Table } from "./layout.ts";
import { quote } from "./sql.ts";
import type { Storage } from "./storage.ts";
import { getOwn } from "./table-sources.ts";
import { addColumn, columnNames, createTable, renameColumn, syncIndexes } from "./tables.ts";

/** Columns that no schema file declares. */
const SYSTEM_COLUMNS: ReadonlySet<string> = new Set(systemColumns);

/** SQLite's own limit for the columns of a table. */
const MAX_COLUMNS = 2000;

export interface TableStep {
  readonly name: string;
  readonly next: Table;
  /** In the layout of the last start; undefined if the table was not in it. */
  readonly last: Table | undefined;
  /** With the columns of all earlier layouts; undefined for a table that has never existed. */
  readonly history: Table | undefined;
  readonly defaultLocale: string;
}

/** SQLite's column names are case-insensitive: renames columns whose attribute's name changed in case only. */
function alignCase(storage: Storage, name: string, history: Table, next: Table): Table {
  const wanted = new Map(Object.keys(next.columns).map((column) => [column.toLowerCase(), column]));
  const columns = Object.entries(history.columns).map(([column, definition]) => {
    const now = wanted.get(column.toLowerCase());
    if (now === undefined || now === column) return [column, definition] as const;
    // including the columns of earlier types
    for (const old of columnNames(storage, name))
      if (old === column || old.startsWith(`${column}$`))
        renameColumn(storage, name, old, now + old.slice(column.length));
    return [now, definition] as const;
  });
  return { ...history, columns: Object.fromEntries(columns) };
}

const earlierUids = (known: Table | undefined, { uid }: Table): string[] =>
  [...new Set([...(known?.earlierUids ?? []), ...(known ? [known.uid] : [])])].filter((earlier) => earlier !== uid);

/** `history` has the columns of all earlier layouts, `old` those of the last one. */
function tableChanges(storage: Storage, name: string, history: Table, old: Table, next: Table): string[] {
  const texts: string[] = [];
  for (const [column, definition] of Object.entries(next.columns)) {
    const before: Column | undefined = getOwn(history.columns, column);
    if (!before) {
      addColumn(storage, name, column, definition);
      if (!SYSTEM_COLUMNS.has(column)) texts.push(`${column} is new`);
      continue;
    }
    if (before.type !== definition.type) {
      // loaded when needed: most changes convert nothing
      const { changeType } = require("./change-type.ts") as typeof import("./change-type.ts");
      texts.push(changeType(storage, name, column, before, definition));
    }
    if (!getOwn(old.columns, column)) texts.push(`${column} is back, with the values it had`);
  }
  for (const column of Object.keys(old.columns)) {
    if (!getOwn(next.columns, column)) texts.push(`${column} is gone from the schema; its column and values are kept`);
  }
  const had = new Set(old.fields.map((field) => field.slice(0, field.lastIndexOf(">"))));
  for (const field of old.fields) {
    if (!next.fields.includes(field))
      texts.push(`${field.slice(name.length + 1)} is gone or changed; its links are kept`);
  }
  for (const field of next.fields) {
    if (!had.has(field.slice(0, field.lastIndexOf(">"))))
      texts.push(`${field.slice(name.length + 1, field.lastIndexOf(">"))} is new`);
  }
  return texts;
}

/** Adds or removes the default locale. Rows in other locales are kept but not shown. */
function syncLocale(storage: Storage, name: string, old: Table, next: Table, defaultLocale: string): string[] {
  if (old.localized === next.localized) return [];
  const [from, to] = next.localized ? [null, defaultLocale] : [defaultLocale, null];
  const { changes } = storage.run(`UPDATE ${quote(name)} SET locale = ? WHERE locale IS ?`, [to, from]);
  const rest = storage.first(`SELECT count(*) FROM ${quote(name)} WHERE locale IS NOT ?`, [to])![0] as number;
  const kept = !next.localized && rest > 0 ? `; ${rest} rows in other locales are kept but not shown` : "";
  return [
    next.localized ? `is localized now: ${changes} rows are in ${defaultLocale}` : `is no longer localized${kept}`,
  ];
}

/** Adds links to published rows wherever drafts of this type are linked, since drafts are no longer shown. */
export function linkPublished(storage: Storage, name: string): void {
  const table = quote(name);
  storage.run(
    `INSERT OR IGNORE INTO galley_links (field, owner, position, target, kind, inverse, target_attribute)
     SELECT l.field, l.owner, l.position, p.id, l.kind, l.inverse, l.target_attribute
     FROM galley_links l
     JOIN ${table} d ON d.id = l.target AND d.status = 'draft'
     JOIN ${table} p ON p.document_id = d.document_id AND p.locale IS d.locale AND p.status = 'published'
     WHERE (l.field IN (SELECT id FROM galley_names WHERE substr(name, -length(?1)) = ?1)
       OR l.kind IN (SELECT id FROM galley_names WHERE name = ?2))
     AND NOT EXISTS (SELECT 1 FROM galley_links o
       WHERE o.owner = l.owner AND o.field = l.field AND o.target = p.id AND o.kind = l.kind)`,
    [`>${name}`, name],
  );
}

/** When a type loses drafts, the draft of a document that was never published becomes its only version. */
function dropDrafts(storage: Storage, name: string): string {
  const table = quote(name);
  linkPublished(storage, name);
  const { changes } = storage.run(
    `UPDATE ${table} SET status = 'published', published_at = updated_at WHERE status = 'draft' AND NOT EXISTS
     (SELECT 1 FROM ${table} p WHERE p.document_id = ${table}.document_id AND p.locale IS ${table}.locale AND p.status = 'published')`,
  );
  const rest = storage.first(`SELECT count(*) FROM ${table} WHERE status = 'draft'`)![0] as number;
  return `has no drafts any more: ${changes} unpublished rows are the documents now, ${rest} drafts are kept but not shown`;
}

/** Throws a ProjectError for a table with too many columns, including those of removed attributes. */
function checkColumns(storage: Storage, name: string, table: Table, isNew: boolean): void {
  const columns = isNew ? new Set<string>() : columnNames(storage, name);
  for (const column of Object.keys(table.columns)) columns.add(column);
  if (columns.size + 10 <= MAX_COLUMNS) return;
  const reason = `${columns.size} columns are more than a table can have (${MAX_COLUMNS - 10}); removed attributes count as long as their values are kept`;
  throw new ProjectError(table.uid, "attributes", reason);
}

/** Throws a ProjectError for a table with too many columns. */
export function migrateTable(storage: Storage, step: TableStep) {
  const { name, next, last, history } = step;
  checkColumns(storage, name, next, !history);
  const known = history && alignCase(storage, name, history, next);
  const texts: string[] = [];
  if (known) {
    if (!last) texts.push("is back, with the rows it had");
    texts.push(...tableChanges(storage, name, known, last ?? known, next));
    if (next.modelType === "contentType") texts.push(...versionChanges(storage, known, step));
  } else {
    createTable(storage, name, next);
    texts.push("is new");
  }
  syncIndexes(storage, name, next, known);
  return {
    /** The table with the columns of all layouts. */
    merged: {
      ...next,
      columns: { ...known?.columns, ...next.columns },
      links: mergedLinks(known?.links ?? [], next.links ?? []),
      earlierUids: earlierUids(known, next),
    },
    /** The effects, for the command line. */
    texts,
    /** The type has drafts now: each published row needs one. */
    needsDrafts:
      next.modelType === "contentType" && known !== undefined && !known.draftAndPublish && next.draftAndPublish,
  };
}

/** Changes of which versions there are: locales and drafts. */
function versionChanges(storage: Storage, known: Table, { name, next, defaultLocale }: TableStep): string[] {
  const texts = syncLocale(storage, name, known, next, defaultLocale);
  if (known.draftAndPublish && !next.draftAndPublish) texts.push(dropDrafts(storage, name));
  return texts;
}
