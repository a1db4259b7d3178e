/**
 * Migrates the tables from the layout of the last start to that of the current schema, in one transaction. No data is
 * dropped: removed attributes and types keep their columns and rows, and values that cannot be converted to a new type
 * stay in a second column.
 */
import { ProjectError } from "../errors.ts";
import { systemColumns } from "../schema/model.ts";
import { applyRenames } from "./attribute-renames.ts";
import type { Column, Layout, Table } from "./layout.ts";
import { setLinkStatistics, setStatistics } from "./planner-statistics.ts";
import { quote } from "./quote.ts";
import { renameTables } from "./rename-tables.ts";
import { FORMAT, LAYOUT, type Storage } from "./storage.ts";
import { getOwn, tableSources } from "./table-sources.ts";
import {
  addColumn,
  columnNames,
  createTable,
  dropIndexes,
  dropIndexesCalled,
  indexNames,
  renameColumn,
  syncIndexes,
} from "./tables.ts";

/** One effect of a schema change, for the command line. */
export interface Change {
  readonly table: string;
  readonly text: string;
}

export interface Migration {
  readonly changes: readonly Change[];
  /** Types that now have drafts: each published row needs one. */
  readonly needDrafts: readonly string[];
  /** The database is of a Galley that did not store which attribute shows the links of morphToMany relations. */
  readonly needTargetAttributes: boolean;
}

/** The key of the history: the last layout of every table that ever existed. */
const HISTORY = "layout_history";

/** Columns that no schema file declares. */
const SYSTEM_COLUMNS: ReadonlySet<string> = new Set(systemColumns);

/** SQLite's own limit for the columns of a table. */
const MAX_COLUMNS = 2000;

function syncNames(storage: Storage, next: Layout): void {
  const names = [...Object.keys(next), ...Object.values(next).flatMap(({ fields }) => fields)];
  const values = "SELECT value FROM json_each(?) ORDER BY key";
  storage.run(`INSERT OR IGNORE INTO galley_names (name) ${values}`, [JSON.stringify(names)]);
}

function createBase(storage: Storage): void {
  storage.run("CREATE TABLE IF NOT EXISTS galley_names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)");
  // clustered by owner, so that all links of a row are stored together
  storage.run(`CREATE TABLE IF NOT EXISTS galley_links (
    field INTEGER NOT NULL, owner INTEGER NOT NULL, position INTEGER NOT NULL, target INTEGER NOT NULL,
    kind INTEGER NOT NULL, inverse INTEGER NOT NULL, target_attribute TEXT,
    PRIMARY KEY (owner, field, position, target, kind)) WITHOUT ROWID`);
  if (!columnNames(storage, "galley_links").has("target_attribute"))
    storage.run("ALTER TABLE galley_links ADD COLUMN target_attribute TEXT");
  storage.run("CREATE INDEX IF NOT EXISTS galley_links_target ON galley_links (field, target, inverse)");
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
function linkPublished(storage: Storage, name: string): void {
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

/** Tables and indexes share a namespace. Throws a ProjectError for a table with the name of an index. */
function checkNames(next: Layout): void {
  const tables = new Map(Object.entries(next).map(([name, { uid }]) => [name.toLowerCase(), { name, uid }]));
  for (const [name, table] of Object.entries(next)) {
    for (const index of indexNames(name, table)) {
      const taken = tables.get(index.toLowerCase());
      if (taken)
        throw new ProjectError(taken.uid, "collectionName", `"${taken.name}" is the name of an index of "${name}"`);
    }
  }
}

/** Throws a ProjectError for a table with too many columns, including those of removed attributes. */
function checkColumns(storage: Storage, name: string, table: Table, isNew: boolean): void {
  const columns = isNew ? new Set<string>() : columnNames(storage, name);
  for (const column of Object.keys(table.columns)) columns.add(column);
  if (columns.size + 10 <= MAX_COLUMNS) return;
  const reason = `${columns.size} columns are more than a table can have (${MAX_COLUMNS - 10}); removed attributes count as long as their values are kept`;
  throw new ProjectError(table.uid, "attributes", reason);
}

const parse = (layout: string | undefined): Record<string, Table> => (layout ? JSON.parse(layout) : {});

/**
 * Applies the difference between the stored layout and `next`. `finish` runs in the same transaction after the tables were
 * changed. If it throws, or a statement fails, everything is rolled back.
 */
export function migrate(
  storage: Storage,
  next: Layout,
  defaultLocale: string,
  finish: (migration: Migration) => void = () => {},
): Migration {
  const wanted = JSON.stringify(next);
  const stored = storage.meta(LAYOUT);
  const format = storage.format();
  if (stored === wanted && format === FORMAT) {
    storage.loadNumbers();
    return { changes: [], needDrafts: [], needTargetAttributes: false };
  }
  checkNames(next);
  return storage.transaction(() => {
    createBase(storage);
    const changes: Change[] = [];
    const needDrafts: string[] = [];
    const report = (table: string, text: string): void => {
      // the type of administrators is internal
      if (!getOwn(next, table)?.uid.startsWith("admin::")) changes.push({ table, text });
    };
    const layouts = { current: parse(stored), history: parse(storage.meta(HISTORY)) };
    const { texts, ...before } = applyRenames(storage, layouts, next);
    for (const [table, text] of texts) report(table, text);
    dropIndexesCalled(storage, Object.keys(next));
    const sources = tableSources(before.current, before.history, next);
    const { current, history, kept } = renameTables(storage, before, sources, next);
    for (const name of Object.keys(history)) if (!getOwn(next, name)) dropIndexes(storage, name);
    for (const [from, to] of kept) report(to, `holds the rows that ${from} had before`);
    for (const [name, table] of Object.entries(next)) {
      const source = sources.get(name);
      const last = getOwn(current, name);
      const had = getOwn(history, name);
      checkColumns(storage, name, table, !had);
      const known = had && alignCase(storage, name, had, table);
      if (source !== undefined && source !== name) report(name, `was called ${source}; its content moved along`);
      if (known && !last) report(name, "is back, with the rows it had");
      if (known) for (const text of tableChanges(storage, name, known, last ?? known, table)) report(name, text);
      else {
        createTable(storage, name, table);
        if (stored) report(name, "is new");
      }
      history[name] = {
        ...table,
        columns: { ...known?.columns, ...table.columns },
        earlierUids: earlierUids(known, table),
      };
      if (known && table.modelType === "contentType") {
        for (const text of syncLocale(storage, name, known, table, defaultLocale)) report(name, text);
        if (known.draftAndPublish && !table.draftAndPublish) report(name, dropDrafts(storage, name));
        if (!known.draftAndPublish && table.draftAndPublish) needDrafts.push(table.uid);
      }
      syncIndexes(storage, name, table, !known);
    }
    for (const name of Object.keys(current)) {
      if (!getOwn(next, name)) report(name, "is gone from the schema; its table and rows are kept");
    }
    setLinkStatistics(storage);
    setStatistics(storage, Object.keys(next));
    syncNames(storage, next);
    storage.setFormat();
    storage.setLayout(wanted);
    storage.setMeta(HISTORY, JSON.stringify(history));
    storage.loadNumbers();
    const migration = { changes, needDrafts, needTargetAttributes: stored !== undefined && format < FORMAT };
    finish(migration);
    return migration;
  });
}
