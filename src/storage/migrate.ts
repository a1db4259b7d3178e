/**
 * Brings the tables from the layout of the last start to the one that the schema needs now, in one transaction.
 * Nothing is dropped: what the schema no longer names keeps its columns and rows, and what a new type cannot hold
 * stays in a column beside the new one.
 */
import type { SqlValue } from "../attributes/index.ts";
import { convert } from "./conversions.ts";
import { type Column, type Layout, type Table, versionIndexName } from "./layout.ts";
import { setLinkStatistics, setStatistics } from "./planner-statistics.ts";
import { quote } from "./quote.ts";
import type { Storage } from "./storage.ts";

/** One thing that a schema change did, for the person at the command line. */
export interface Change {
  readonly table: string;
  readonly text: string;
}

export interface Migration {
  readonly changes: readonly Change[];
  /** Types that have drafts from now on: their published rows need a draft each. */
  readonly needDrafts: readonly string[];
}

/** The layout of the last start, and the latest known form of everything that was ever in one. */
const LAYOUT = "layout";
const HISTORY = "layout_history";

const SYSTEM = `
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  document_id TEXT NOT NULL,
  locale TEXT,
  status TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  published_at TEXT`;

const columnSql = (name: string, column: Column): string => `${quote(name)} ${column.affinity}`;

function createTable(storage: Storage, name: string, table: Table): void {
  const own = Object.entries(table.columns).map(([column, definition]) => columnSql(column, definition));
  const system = table.modelType === "contentType" ? SYSTEM : "id INTEGER PRIMARY KEY AUTOINCREMENT";
  storage.run(`CREATE TABLE ${quote(name)} (${[system, ...own].join(", ")})`);
  createIndexes(storage, name, table);
}

function createIndexes(storage: Storage, name: string, table: Table): void {
  if (table.modelType === "component") return;
  storage.run(`CREATE INDEX ${quote(`${name}_document`)} ON ${quote(name)} (document_id, locale, status)`);
  storage.run(`CREATE INDEX ${quote(versionIndexName(name))} ON ${quote(name)} (status, locale)`);
}

/** Indexes are named after their table: those of its old name would be in the way of a new table that has it. */
function renameTable(storage: Storage, from: string, to: string, table: Table): void {
  storage.run(`ALTER TABLE ${quote(from)} RENAME TO ${quote(to)}`);
  const indexes = storage.all("SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?", [to]);
  for (const [index] of indexes) storage.run(`DROP INDEX ${quote(index as string)}`);
  createIndexes(storage, to, table);
}

function syncIndexes(storage: Storage, name: string, table: Table): void {
  for (const [column, { indexed }] of Object.entries(table.columns)) {
    const index = quote(`${name}_${column}_index`);
    if (indexed) storage.run(`CREATE INDEX IF NOT EXISTS ${index} ON ${quote(name)} (${quote(column)})`);
    else storage.run(`DROP INDEX IF EXISTS ${index}`);
  }
}

/** Replaces a column by one of the new type; the old one stays under a name with its type, for what did not convert. */
function changeType(storage: Storage, table: string, column: string, from: Column, to: Column): string {
  const kept = `${column}$${from.type}`;
  const earlier = `${column}$${to.type}`;
  const columns = existingColumns(storage, table);
  for (const index of indexesOf(storage, table, column)) storage.run(`DROP INDEX ${quote(index)}`);
  storage.run(`ALTER TABLE ${quote(table)} RENAME COLUMN ${quote(column)} TO ${quote(kept)}`);
  if (columns.has(earlier))
    storage.run(`ALTER TABLE ${quote(table)} RENAME COLUMN ${quote(earlier)} TO ${quote(column)}`);
  else storage.run(`ALTER TABLE ${quote(table)} ADD COLUMN ${columnSql(column, to)}`);
  const rows = storage.all(`SELECT id, ${quote(kept)} FROM ${quote(table)} WHERE ${quote(kept)} IS NOT NULL`);
  let lost = 0;
  for (const [id, stored] of rows as [number, SqlValue][]) {
    const value = convert(stored, from.type, to.type);
    if (value === undefined) lost++;
    else storage.run(`UPDATE ${quote(table)} SET ${quote(column)} = ? WHERE id = ?`, [value, id]);
  }
  const rest = lost > 0 ? `; ${lost} did not and stay in the column ${kept}` : "";
  return `${column} is ${to.type} instead of ${from.type}: ${rows.length - lost} of ${rows.length} values converted${rest}`;
}

/** The names of all indexes that a column is part of. */
function indexesOf(storage: Storage, table: string, column: string): string[] {
  const sql = `SELECT DISTINCT m.name FROM sqlite_schema m, pragma_index_info(m.name) i
    WHERE m.type = 'index' AND m.sql IS NOT NULL AND m.tbl_name = ? AND i.name = ?`;
  return storage.all(sql, [table, column]).map(([name]) => name as string);
}

function existingColumns(storage: Storage, table: string): Set<string> {
  return new Set(storage.all(`SELECT name FROM pragma_table_info(?)`, [table]).map(([name]) => name as string));
}

/** The new name of each table that only changed its name: the same kind, the same columns, and no other candidate. */
function renames(old: Layout, next: Layout): Map<string, string> {
  const shape = (table: Table) =>
    JSON.stringify([
      table.modelType,
      Object.entries(table.columns)
        .map(([name, { type }]) => [name, type])
        .sort(),
    ]);
  const gone = Object.keys(old).filter((name) => !next[name]);
  const added = Object.keys(next).filter((name) => !old[name]);
  const found = new Map<string, string>();
  for (const from of gone) {
    const same = (name: string, layout: Layout) => shape(layout[name]!) === shape(old[from]!);
    const candidates = added.filter((name) => same(name, next));
    const rivals = gone.filter((name) => same(name, old));
    if (candidates.length === 1 && rivals.length === 1 && Object.keys(old[from]!.columns).length > 0) {
      found.set(from, candidates[0]!);
    }
  }
  return found;
}

/** Names of link fields hold the names of tables; they follow a rename. */
function renameFields(storage: Storage, from: string, to: string): void {
  for (const [id, name] of storage.all("SELECT id, name FROM galley_names") as [number, string][]) {
    let renamed = name === from ? to : name;
    if (renamed.startsWith(`${from}.`)) renamed = to + renamed.slice(from.length);
    if (renamed.endsWith(`>${from}`)) renamed = renamed.slice(0, -from.length) + to;
    if (renamed !== name) storage.run("UPDATE OR IGNORE galley_names SET name = ? WHERE id = ?", [renamed, id]);
  }
}

function syncNames(storage: Storage, next: Layout): void {
  const names = [...Object.keys(next), ...Object.values(next).flatMap(({ fields }) => fields)];
  for (const name of names) storage.run("INSERT OR IGNORE INTO galley_names (name) VALUES (?)", [name]);
}

function createBase(storage: Storage): void {
  storage.run("CREATE TABLE IF NOT EXISTS galley_names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)");
  // clustered by owner, so that all that a row owns is read and written in one place
  storage.run(`CREATE TABLE IF NOT EXISTS galley_links (
    field INTEGER NOT NULL, owner INTEGER NOT NULL, position INTEGER NOT NULL, target INTEGER NOT NULL,
    kind INTEGER NOT NULL, inverse INTEGER NOT NULL,
    PRIMARY KEY (owner, field, position, target, kind)) WITHOUT ROWID`);
  storage.run("CREATE INDEX IF NOT EXISTS galley_links_target ON galley_links (field, target, inverse)");
}

/** `history` knows the columns that earlier schemas had, `old` those of the last one. */
function tableChanges(storage: Storage, name: string, history: Table, old: Table, next: Table): string[] {
  const texts: string[] = [];
  for (const [column, definition] of Object.entries(next.columns)) {
    const before = history.columns[column];
    if (!before) {
      storage.run(`ALTER TABLE ${quote(name)} ADD COLUMN ${columnSql(column, definition)}`);
      texts.push(`${column} is new`);
      continue;
    }
    if (before.type !== definition.type) texts.push(changeType(storage, name, column, before, definition));
    if (!old.columns[column]) texts.push(`${column} is back, with the values it had`);
  }
  for (const column of Object.keys(old.columns)) {
    if (!next.columns[column]) texts.push(`${column} is gone from the schema; its column and values are kept`);
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

/** Localized rows need a locale, others have none; rows that fit neither are kept and not shown. */
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

/** Without drafts, a document that was never published would vanish: its draft becomes the one version. */
function dropDrafts(storage: Storage, name: string): string {
  const table = quote(name);
  const { changes } = storage.run(
    `UPDATE ${table} SET status = 'published', published_at = updated_at WHERE status = 'draft' AND NOT EXISTS
     (SELECT 1 FROM ${table} p WHERE p.document_id = ${table}.document_id AND p.locale IS ${table}.locale AND p.status = 'published')`,
  );
  const rest = storage.first(`SELECT count(*) FROM ${table} WHERE status = 'draft'`)![0] as number;
  return `has no drafts any more: ${changes} unpublished rows are the documents now, ${rest} drafts are kept but not shown`;
}

/**
 * Applies the difference between the stored layout and `next`. `finish` runs in the same transaction, after the tables
 * are right; when it throws, or a statement fails, the database is as it was.
 */
export function migrate(
  storage: Storage,
  next: Layout,
  defaultLocale: string,
  finish: (migration: Migration) => void = () => {},
): Migration {
  const wanted = JSON.stringify(next);
  const stored = storage.meta(LAYOUT);
  if (stored === wanted) {
    storage.loadNumbers();
    return { changes: [], needDrafts: [] };
  }
  return storage.transaction(() => {
    createBase(storage);
    const changes: Change[] = [];
    const needDrafts: string[] = [];
    const say = (table: string, text: string): void => void changes.push({ table, text });
    const old: Record<string, Table> = stored ? { ...(JSON.parse(stored) as Layout) } : {};
    const history: Record<string, Table> = { ...(JSON.parse(storage.meta(HISTORY) ?? "{}") as Layout) };
    for (const [from, to] of renames(old, next)) {
      renameTable(storage, from, to, old[from]!);
      renameFields(storage, from, to);
      old[to] = { ...old[from]!, fields: old[from]!.fields.map((field) => field.replace(`${from}.`, `${to}.`)) };
      history[to] = history[from]!;
      delete old[from];
      delete history[from];
      say(to, `was called ${from}; its content moved along`);
    }
    for (const [name, table] of Object.entries(next)) {
      const before = old[name];
      const known = history[name];
      if (!known) createTable(storage, name, table);
      if (known && !before) say(name, "is back, with the rows it had");
      if (known) for (const text of tableChanges(storage, name, known, before ?? known, table)) say(name, text);
      else if (stored) say(name, "is new");
      history[name] = { ...table, columns: { ...known?.columns, ...table.columns } };
      if (known && table.modelType === "contentType") {
        for (const text of syncLocale(storage, name, known, table, defaultLocale)) say(name, text);
        if (known.draftAndPublish && !table.draftAndPublish) say(name, dropDrafts(storage, name));
        if (!known.draftAndPublish && table.draftAndPublish) needDrafts.push(table.uid);
      }
      syncIndexes(storage, name, table);
    }
    for (const name of Object.keys(old)) {
      if (!next[name]) say(name, "is gone from the schema; its table and rows are kept");
    }
    setLinkStatistics(storage);
    setStatistics(storage, Object.keys(next));
    syncNames(storage, next);
    storage.setMeta(LAYOUT, wanted);
    storage.setMeta(HISTORY, JSON.stringify(history));
    storage.loadNumbers();
    const migration = { changes, needDrafts };
    finish(migration);
    return migration;
  });
}
