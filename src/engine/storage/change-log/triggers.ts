/**
 * The triggers that write the change log. They record what was written as it is, since rows and links are found faster later: a row
 * of a document with its version, a row of a component with its id, and a link with both ends. Every statement is a plain INSERT
 * into a table without constraints: a conflict clause of the statement that fires a trigger, such as OR IGNORE, applies to those
 * of the trigger, too.
 */
import { DEFAULT_LOCALE } from "../core-store.ts";
import type { Layout, Table } from "../layout.ts";
import { quote } from "../sql.ts";
import type { Storage } from "../storage.ts";
import { valuesSql } from "./values.ts";

export const events = {
  insert: 0,
  update: 1,
  delete: 2,
  link: 3,
  /** Any row of a table may have changed; without a table, any answer. */
  all: 4,
  unlink: 5,
  /** These are around what replaces a row by another one of the same version: nobody sees what is in between. */
  replaceBegin: 6,
  replaceEnd: 7,
} as const;

/** To be raised with each change of the triggers or tables. */
export const VERSION = 4;

const PREFIX = "galley_change_";
// SQLite parses all triggers when it opens a database: short statements without SELECT make starts of large projects shorter
const entry = (...values: readonly (string | number)[]): string => `INSERT INTO galley_changes VALUES(NULL,${values});`;
const formatLink = (row: "OLD" | "NEW"): string =>
  entry(
    ...[row === "NEW" ? events.link : events.unlink, `${row}.field`, `${row}.owner`, "NULL,NULL,NULL"],
    ...[`${row}.target`, `${row}.kind`, "NULL"],
  );

type Bodies = Readonly<Partial<Record<"insert" | "update" | "delete", string>>>;

const formatVersion = (row: "OLD" | "NEW"): string => `${row}.document_id,${row}.locale,${row}.status`;

/**
 * An update records the version and the values that there were: those of the row now can be looked up. Its `target` is the row's earlier
 * id.
 */
const documentBodies = (source: number, table: Table): Bodies => ({
  insert: entry(events.insert, source, "NEW.id", formatVersion("NEW"), "NULL,NULL,NULL"),
  update: entry(events.update, source, "NEW.id", formatVersion("OLD"), "OLD.id,NULL", valuesSql(table, "OLD.")),
  delete: entry(events.delete, source, "OLD.id", formatVersion("OLD"), "NULL,NULL", valuesSql(table, "OLD.")),
});

/** A new row is in a document once a link leads to it, which is recorded. */
const componentBodies = (source: number): Bodies => ({
  update: entry(events.update, source, "NEW.id", "NULL,NULL,NULL", "OLD.id,NULL,NULL"),
  delete: entry(events.delete, source, "OLD.id", "NULL,NULL,NULL", "NULL,NULL,NULL"),
});

const LINK_BODIES: Bodies = {
  insert: formatLink("NEW"),
  update: formatLink("OLD") + formatLink("NEW"),
  delete: formatLink("OLD"),
};

/** Which locale is answered by default is no row of a type. */
function addLocaleTriggers(triggers: Map<string, string>): void {
  const body = `BEGIN INSERT INTO galley_changes (event) VALUES(${events.all}); END`;
  const isLocale = `NEW.key='${DEFAULT_LOCALE}'`;
  for (const [event, condition] of [
    ["insert", isLocale],
    ["update", `${isLocale} AND NEW.value<>OLD.value`],
  ]) {
    const name = `${PREFIX}locale_${event}`;
    triggers.set(name, `CREATE TRIGGER ${name} AFTER ${event!.toUpperCase()} ON galley_meta WHEN ${condition} ${body}`);
  }
}

/** Administrators are no content. */
export const isLogged = ({ uid }: Table): boolean => !uid.startsWith("admin::");

/** The statements of all triggers by their names, which do not change when a table is renamed. */
function createTriggers(storage: Storage, layout: Layout): Map<string, string> {
  const triggers = new Map<string, string>();
  const add = (key: string | number, table: string, bodies: Bodies): void => {
    for (const [event, body] of Object.entries(bodies)) {
      const name = `${PREFIX}${key}_${event}`;
      triggers.set(name, `CREATE TRIGGER ${name} AFTER ${event.toUpperCase()} ON ${quote(table)} BEGIN ${body} END`);
    }
  };
  add("links", "galley_links", LINK_BODIES);
  addLocaleTriggers(triggers);
  for (const [name, table] of Object.entries(layout)) {
    const number = storage.number(name);
    if (!isLogged(table)) continue;
    add(number, name, table.modelType === "contentType" ? documentBodies(number, table) : componentBodies(number));
  }
  return triggers;
}

const storedTriggers = (storage: Storage): [name: string, sql: string][] =>
  storage.all("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name GLOB ?", [`${PREFIX}*`]) as [
    string,
    string,
  ][];

const dropTrigger = (storage: Storage, name: string): unknown => storage.run(`DROP TRIGGER ${name}`);

/** Creates and replaces what differs. Returns the tables of `layout` of which no rows were recorded until now. */
export function syncTriggers(storage: Storage, layout: Layout): string[] {
  const wanted = createTriggers(storage, layout);
  const stored = new Map(storedTriggers(storage));
  for (const [name, sql] of stored) if (wanted.get(name) !== sql) dropTrigger(storage, name);
  for (const [name, sql] of wanted) if (stored.get(name) !== sql) storage.run(sql);
  return Object.keys(layout).filter(
    (table) => isLogged(layout[table]!) && !stored.has(`${PREFIX}${storage.number(table)}_delete`),
  );
}

export function dropTriggers(storage: Storage): void {
  for (const [name] of storedTriggers(storage)) dropTrigger(storage, name);
}
