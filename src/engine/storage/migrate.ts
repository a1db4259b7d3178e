/**
 * Migrates the tables from the layout of the last start to that of the current schema, in one transaction. No data is
 * dropped: removed attributes and types keep their columns and rows, and values that cannot be converted to a new type
 * stay in a second column.
 */
import { ProjectError } from "../../lib/errors.ts";
import { applyRenames } from "./attribute-renames.ts";
import { CHANGE_LOG, HISTORY, LAYOUT } from "./catalog.ts";
import { FORMAT, readFormat, SET_FORMAT } from "./format.ts";
import { type Layout, storedLayout } from "./layout.ts";
import { migrateTable } from "./migrate-table.ts";
import { setLinkStatistics, setStatistics } from "./planner-statistics.ts";
import { renameTables } from "./rename-tables.ts";
import { dropSearchIndexes } from "./search-index.ts";
import type { Storage } from "./storage.ts";
import { getOwn, tableSources } from "./table-sources.ts";
import { dropIndexes, dropIndexesCalled, indexNames } from "./tables.ts";

/** One effect of a schema change, for the command line. */
export interface Change {
  readonly table: string;
  readonly text: string;
}

export interface Migration {
  readonly changes: readonly Change[];
  /** Types that now have drafts: each published row needs one. */
  readonly needDrafts: readonly string[];
}

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
  storage.run("CREATE INDEX IF NOT EXISTS galley_links_target ON galley_links (field, target, inverse)");
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
  if (stored === wanted && readFormat(storage.db) === FORMAT) {
    storage.loadNumbers();
    return { changes: [], needDrafts: [] };
  }
  checkNames(next);
  return storage.transaction(() => {
    createBase(storage);
    const before = storedLayout(storage, LAYOUT);
    dropSearchIndexes(storage, (table) => !Bun.deepEquals(getOwn(before, table), getOwn(next, table)));
    const { history, ...migration } = migrateTables(storage, next, stored, defaultLocale);
    setLinkStatistics(storage);
    setStatistics(storage, Object.keys(next));
    syncNames(storage, next);
    storage.run(SET_FORMAT);
    storage.setLayout(wanted);
    storage.setMeta(HISTORY, JSON.stringify(history));
    storage.loadNumbers();
    if (storage.meta(CHANGE_LOG) !== undefined) {
      const { followMigration } = require("./change-log/change-log.ts") as typeof import("./change-log/change-log.ts");
      followMigration(storage, before, next);
    }
    finish(migration);
    return migration;
  });
}

/** `stored`: the layout of the last start, as JSON; undefined at the first start, which reports no new tables. */
function migrateTables(storage: Storage, next: Layout, stored: string | undefined, defaultLocale: string) {
  const changes: Change[] = [];
  const needDrafts: string[] = [];
  const report = (table: string, text: string): void => {
    // the type of administrators is internal
    if (!getOwn(next, table)?.uid.startsWith("admin::")) changes.push({ table, text });
  };
  const layouts = { current: storedLayout(storage, LAYOUT), history: storedLayout(storage, HISTORY) };
  const { texts: renames, ...renamed } = applyRenames(storage, layouts, next);
  for (const [table, text] of renames) report(table, text);
  dropIndexesCalled(storage, Object.keys(next));
  const sources = tableSources(renamed.current, renamed.history, next);
  const { current, history, kept } = renameTables(storage, renamed, sources, next);
  for (const name of Object.keys(history)) if (!getOwn(next, name)) dropIndexes(storage, name);
  for (const to of kept.values()) dropIndexes(storage, to);
  for (const [from, to] of kept) report(to, `holds the rows that ${from} had before`);
  for (const [name, table] of Object.entries(next)) {
    const source = sources.get(name);
    if (source !== undefined && source !== name) report(name, `was called ${source}; its content moved along`);
    const before = { last: getOwn(current, name), history: getOwn(history, name) };
    const { merged, texts, needsDrafts } = migrateTable(storage, { name, next: table, ...before, defaultLocale });
    if (before.history || stored) for (const text of texts) report(name, text);
    if (needsDrafts) needDrafts.push(table.uid);
    history[name] = merged;
  }
  for (const name of Object.keys(current)) {
    if (!getOwn(next, name)) report(name, "is gone from the schema; its table and rows are kept");
  }
  return { changes, needDrafts, history };
}
