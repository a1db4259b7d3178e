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
import { countRecorded, recordedColumns, valueColumns } from "./values.ts";

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
export const VERSION = 6;

const PREFIX = "galley_change_";
/**
 * SQLite parses all triggers when it opens a database: short statements without SELECT make starts of large projects shorter. None gives
 * the sequence, which could exist: for each deletion, SQLite would keep a journal of its own, as for what may fail halfway.
 */
const entry = (values: Readonly<Record<string, string | number>>): string =>
  `INSERT INTO galley_changes(${Object.keys(values)}) VALUES(${Object.values(values)});`;

const formatLink = (row: "OLD" | "NEW"): string =>
  entry({
    ...{ event: row === "NEW" ? events.link : events.unlink, source: `${row}.field`, row: `${row}.owner` },
    ...{ target: `${row}.target`, kind: `${row}.kind` },
  });

type Bodies = Readonly<Partial<Record<"insert" | "update" | "delete", string>>>;

const versionOf = (row: "OLD" | "NEW"): Record<string, string> => ({
  ...{ document: `${row}.document_id`, locale: `${row}.locale`, status: `${row}.status` },
});

function valuesBefore(table: Table): Record<string, string | number> {
  const { short } = valueColumns(table);
  const values = recordedColumns(short.length).map((name, index) => [name, `OLD.${quote(short[index]!)}`]);
  return { recorded: short.length, ...Object.fromEntries(values) };
}

/**
 * An update records the version and the values that there were: those of the row now can be looked up. Its `target` is the row's earlier
 * id.
 */
function documentBodies(source: number, table: Table): Bodies {
  const before = { source, ...versionOf("OLD"), ...valuesBefore(table) };
  return {
    insert: entry({ event: events.insert, source, row: "NEW.id", ...versionOf("NEW") }),
    update: entry({ event: events.update, row: "NEW.id", target: "OLD.id", ...before }),
    delete: entry({ event: events.delete, row: "OLD.id", ...before }),
  };
}

/** A new row is in a document once a link leads to it, which is recorded. */
const componentBodies = (source: number): Bodies => ({
  update: entry({ event: events.update, source, row: "NEW.id", target: "OLD.id" }),
  delete: entry({ event: events.delete, source, row: "OLD.id" }),
});

/**
 * A link whose owner alone is set belongs to the row that replaces its owner as the same version, which entries of these two rows say.
 * Whoever gives a link to another document sets another column as well.
 */
const LINK_UPDATE = "UPDATE OF field, position, target, kind, inverse, target_attribute";

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
  const add = (key: string | number, table: string, bodies: Bodies, update = "UPDATE"): void => {
    for (const [event, body] of Object.entries(bodies)) {
      const name = `${PREFIX}${key}_${event}`;
      const when = event === "update" ? update : event.toUpperCase();
      triggers.set(name, `CREATE TRIGGER ${name} AFTER ${when} ON ${quote(table)} BEGIN ${body} END`);
    }
  };
  add("links", "galley_links", LINK_BODIES, LINK_UPDATE);
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

/** How many columns of entries are for values. */
export const countValueColumns = (storage: Storage): number =>
  storage.first("SELECT count(*) FROM pragma_table_info('galley_changes') WHERE name GLOB 'v[0-9]*'")![0] as number;

/** Adds the columns that entries of tables need which were added. */
function addValueColumns(storage: Storage, layout: Layout): void {
  for (const name of recordedColumns(countRecorded(layout)).slice(countValueColumns(storage)))
    storage.run(`ALTER TABLE galley_changes ADD COLUMN ${name}`);
}

const dropTrigger = (storage: Storage, name: string): unknown => storage.run(`DROP TRIGGER ${name}`);

/** Creates and replaces what differs. Returns the tables of `layout` of which no rows were recorded until now. */
export function syncTriggers(storage: Storage, layout: Layout): string[] {
  addValueColumns(storage, layout);
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
