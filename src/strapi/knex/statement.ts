/** Rewrites SQL with Strapi's table names to run on Galley's tables. */
import { quote } from "../../engine/storage/sql.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { conflictView, type Insert, readConflicts, type Value } from "./conflicts.ts";
import { splitStatement } from "./split-statement.ts";
import type { MappedTable } from "./tables.ts";
import { WRITTEN } from "./write-triggers.ts";

const NAME = '["`[]?([\\w$]+)["`\\]]?';
const CREATE_INDEX = new RegExp(
  `^\\s*(create\\s+(?:unique\\s+)?index\\s+(?:if\\s+not\\s+exists\\s+)?)${NAME}\\s+on\\s+${NAME}\\s*(\\(.*)$`,
  "is",
);
/** String literals, and names with or without quotes. */
const TOKEN = /'(?:[^']|'')*'|["`[]?([A-Za-z_][\w$]*)["`\]]?/g;

/** What an index of a mapped table is created on, and the condition on its rows there: links of all relations are in one table. */
function indexedPart({ name, columns, links }: MappedTable, storage: Storage) {
  if (links)
    return {
      table: "galley_links",
      columns: new Map(links.columns),
      where: `field = ${storage.number(links.field)}`,
    };
  if (columns.length === 0)
    throw new Error(`strapi.db.connection cannot create an index of ${name} in Galley: it is not a table there`);
  return { table: name, columns: new Map(columns.map((column) => [column.name.toLowerCase(), column.own])) };
}

/** Adds a condition to what follows the columns. */
function restricted(rest: string, where: string | undefined): string {
  if (where === undefined) return rest;
  const [, list = "", own] = /^(.*?\))\s*(?:where\s+(.*))?$/is.exec(rest.replace(/;\s*$/, "")) ?? [];
  return `${list} WHERE ${where}${own === undefined ? "" : ` AND (${own})`}`;
}

/**
 * Rewrites `CREATE INDEX`: indexes of the code are kept when the schema changes. Undefined for other statements, and for tables that are
 * not Strapi's. Throws for tables of components in a document.
 */
function indexStatement(sql: string, tables: ReadonlyMap<string, MappedTable>, storage: Storage): string | undefined {
  const [, start = "", name = "", tableName = "", rest = ""] = CREATE_INDEX.exec(sql) ?? [];
  const mapped = tables.get(tableName.toLowerCase());
  if (!mapped) return undefined;
  const { table, columns, where } = indexedPart(mapped, storage);
  const list = rest.replace(TOKEN, (token, word: string | undefined) => {
    const own = word === undefined ? undefined : columns.get(word.toLowerCase());
    return own === undefined ? token : quote(own);
  });
  return `${start}${quote(name)} ON ${quote(table)} ${restricted(list, where)}`;
}

const CHANGED_TABLE = new RegExp(
  `^\\s*(?:(?:create(?:\\s+temp(?:orary)?)?|alter|drop)\\s+table)\\s+(?:if\\s+(?:not\\s+)?exists\\s+)?${NAME}(?:\\s*\\.\\s*${NAME})?`,
  "i",
);
const REFERENCE = new RegExp(`\\breferences\\s+${NAME}`, "gi");

/** Whether only a table of the code is changed, whose foreign keys may refer to rows of mapped tables. */
function changesOwnTable(sql: string, tables: ReadonlyMap<string, MappedTable>): boolean {
  // the name of a database may be in front
  const [, first, second = first] = CHANGED_TABLE.exec(sql) ?? [];
  const name = second?.toLowerCase();
  if (name === undefined || tables.has(name) || /\bselect\b/i.test(sql)) return false;
  return [...sql.matchAll(REFERENCE)].every(
    ([, target = ""]) => tables.get(target.toLowerCase())?.columns.length !== 0,
  );
}

/** By name, in lower case. */
export type Tables = ReadonlyMap<string, MappedTable>;

const WRITE =
  /^(\s*(?:update(?:\s+or\s+\w+)?|insert\s+(?:or\s+\w+\s+)?into|replace\s+into|delete\s+from)\s+)(["`[]?)([\w$]+)(["`\]]?)/i;
const SCHEMA = /^\s*(create|drop|alter)\b/i;
const EXPLAIN = /^\s*explain\s+(?:query\s+plan\s+)?/i;
const WITH = /^\s*with\s+(recursive\s+)?/i;

export function namedTables(sql: string, tables: Tables): MappedTable[] {
  const words = new Set(sql.toLowerCase().match(/[a-z_][\w$]*/g));
  return [...words].flatMap((word) => tables.get(word) ?? []);
}

/** Puts a common table expression before the statement for each table that it names. Throws for changes of such tables. */
function withTables(sql: string, tables: Tables, storage: Storage): string {
  const change = SCHEMA.exec(sql)?.[1]?.toLowerCase();
  const [reserved] = (change && /\bgalley_\w+/i.exec(sql)) || [];
  if (reserved) throw new Error(`${reserved} is Galley's own table`);
  if (change && changesOwnTable(sql, tables)) return sql;
  const index = change === "create" ? indexStatement(sql, tables, storage) : undefined;
  if (index !== undefined) return index;
  const named = namedTables(sql, tables);
  if (named.length === 0) return sql;
  if (change) {
    const { name } = named[0]!;
    throw new Error(
      `strapi.db.connection cannot ${change} anything of ${name} in Galley: tables follow the schema files`,
    );
  }
  const list = named.map(({ name, select }) => `${quote(name)} AS NOT MATERIALIZED (${select(storage)})`).join(", ");
  const explained = EXPLAIN.exec(sql)?.[0];
  if (explained) return `${explained}${withTables(sql.slice(explained.length), tables, storage)}`;
  const own = WITH.exec(sql);
  return own ? `WITH ${own[1] ?? ""}${list}, ${sql.slice(own[0].length)}` : `WITH ${list} ${sql}`;
}

/** Creates the view through which a table is written. Throws for a table that only the document service can write. */
function writableView({ name, select: selectOf, writes }: MappedTable, action: string, storage: Storage): string {
  if (!writes)
    throw new Error(`strapi.db.connection cannot ${action} ${name} in Galley: use strapi.db.query or strapi.documents`);
  const select = selectOf(storage).replaceAll("main.", "");
  const bodies = Object.entries(writes(storage));
  // the connection outlives the schema: a view with other columns has another name
  const view = `galley_knex_${name}_${Bun.hash(select + bodies.join()).toString(36)}`;
  storage.db.run(`CREATE TEMP TABLE IF NOT EXISTS ${WRITTEN} (id INTEGER)`);
  storage.db.run(`DELETE FROM temp.${WRITTEN}`);
  storage.db.run(`CREATE TEMP VIEW IF NOT EXISTS ${quote(view)} AS ${select}`);
  for (const [event, body] of bodies)
    storage.db.run(
      `CREATE TEMP TRIGGER IF NOT EXISTS ${quote(`${view}_${event.toLowerCase()}`)} INSTEAD OF ${event} ON ${quote(view)} BEGIN ${body} END`,
    );
  return view;
}

const RETURNING = /\sreturning\s+([^'()]+)$/i;

/** SQLite does not return the ids of rows that are inserted into a view. */
function returnedRows(rest: string, name: string): { readonly rest: string; readonly returning: string | undefined } {
  const returned = RETURNING.exec(rest)?.[1];
  if (returned === undefined) return { rest, returning: undefined };
  const ids = `(SELECT id FROM temp.${WRITTEN})`;
  return {
    rest: rest.replace(RETURNING, ""),
    returning: `SELECT ${returned} FROM ${quote(name)} WHERE id IN ${ids} ORDER BY id`,
  };
}

/**
 * `storage`: the connection that the statement runs on. `values`: of its parameters. `isMapped`: rows are written through a view, and
 * `WRITTEN` has their ids then. `returning`: reads what an insert returns.
 */
export function prepareStatement(sql: string, tables: Tables, storage: Storage, values: readonly Value[]) {
  const { expressions, main } = splitStatement(sql);
  const write = WRITE.exec(main);
  if (!write) return { sql: withTables(sql, tables, storage), isMapped: false, values };
  const [start = "", action = "", , name = ""] = write;
  if (/^(galley_|sqlite_)/i.test(name)) throw new Error(`${name} is Galley's own table`);
  const table = tables.get(name.toLowerCase());
  if (!table) return { sql: withTables(sql, tables, storage), isMapped: false, values };
  const view = writableView(table, action.trim().toLowerCase().replace(/\s+/g, " "), storage);
  const isInsert = /^\s*(insert|replace)/i.test(action);
  const own = main.slice(start.length);
  const { rest: unreturned, returning } = isInsert
    ? returnedRows(own, table.name)
    : { rest: own, returning: undefined };
  const insert: Insert = isInsert ? readConflicts(unreturned, values) : { rest: own, values, conflicts: undefined };
  const written = insert.conflicts ? conflictView(table, view, insert.rest, insert.conflicts, storage) : view;
  return {
    sql: withTables(`${expressions}${action}${quote(written)}${insert.rest}`, tables, storage),
    isMapped: true,
    returning: returning && withTables(returning, tables, storage),
    values: insert.values,
  };
}
