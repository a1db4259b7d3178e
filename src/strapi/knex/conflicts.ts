/**
 * `ON CONFLICT` of inserts. SQLite knows no conflicts of views, so that rows are inserted through a second view, whose trigger
 * updates or ignores rows that exist.
 */
import { quote } from "../../engine/storage/sql.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { SqliteError } from "../packages/database-errors.ts";
import type { MappedTable } from "./tables.ts";

export type Value = string | number | bigint | Uint8Array | null;

export interface Conflicts {
  /** What identifies a row; empty: any of the table's keys. */
  readonly columns: readonly string[];
  /** The assignments, with a condition if there is one; undefined: rows that exist stay as they are. */
  readonly change: { readonly set: string; readonly where: string | undefined } | undefined;
  /** Of the parameters of the assignments, then of those of the condition. */
  readonly values: readonly Value[];
}

const CONFLICT = /\son\s+conflict\s*(?:\(([^)]*)\))?\s+do\s+(?:nothing|update\s+set\s+(.*?)(?:\s+where\s+(.*))?)\s*$/is;
const COLUMNS = /^\s*\(([^)]*)\)/;
/** String literals and quoted names, which may contain question marks, and placeholders. */
const PLACEHOLDER = /'(?:[^']|'')*'|"[^"]*"|`[^`]*`|\?/g;

const namesIn = (list: string): string[] =>
  list.split(",").map((name) => name.trim().replaceAll(/^["`[]|["`\]]$/g, ""));

const placeholdersIn = (sql: string): number => sql.match(PLACEHOLDER)?.filter((token) => token === "?").length ?? 0;

/** Has the values of the last statement's conflicts: triggers have no parameters. */
const VALUES = "galley_knex_values";

/** `first`: the position of the first placeholder's value. */
function withValues(sql: string, first = 0): string {
  let position = first;
  return sql.replace(PLACEHOLDER, (token) =>
    token === "?" ? `(SELECT value FROM ${VALUES} WHERE position = ${position++})` : token,
  );
}

/** Replaces the name of a table before columns, outside of string literals. `to`: SQL. */
function renamed(sql: string, name: string, to: string): string {
  const qualifier = new RegExp(`'(?:[^']|'')*'|["\`[]?\\b${name}\\b["\`\\]]?\\s*\\.`, "gi");
  return sql.replace(qualifier, (token) => (token.startsWith("'") ? token : `${to}.`));
}

export interface Insert {
  /** The statement after the table's name, without its conflicts. */
  readonly rest: string;
  readonly values: readonly Value[];
  readonly conflicts: Conflicts | undefined;
}

/** Reads and removes the conflicts of an insert. `rest`: the statement after the table's name. */
export function readConflicts(rest: string, values: readonly Value[]): Insert {
  const found = CONFLICT.exec(rest);
  if (!found) return { rest, values, conflicts: undefined };
  const [clause, columns, set, where] = found;
  const own = values.length - placeholdersIn(clause);
  const change =
    set === undefined ? undefined : { set: withValues(set), where: where && withValues(where, placeholdersIn(set)) };
  return {
    rest: rest.slice(0, found.index),
    values: values.slice(0, own),
    conflicts: {
      columns: columns === undefined ? [] : namesIn(columns),
      change,
      values: values.slice(own),
    },
  };
}

/** The body of the trigger, for a view on a table's `view`. Throws a SqliteError for columns that are no key. */
function conflictBody(table: MappedTable, view: string, rest: string, { columns, change }: Conflicts): string {
  const keys =
    columns.length === 0 ? table.keys : table.keys.filter((key) => Bun.deepEquals(key.toSorted(), columns.toSorted()));
  if (keys.length === 0)
    throw new SqliteError("ON CONFLICT clause does not match any PRIMARY KEY or UNIQUE constraint");
  const inserted = namesIn(COLUMNS.exec(rest)?.[1] ?? "");
  const isSame = keys
    .map((key) => `(${key.map((column) => `${quote(view)}.${quote(column)} = NEW.${quote(column)}`).join(" AND ")})`)
    .join(" OR ");
  const own = (sql: string): string => renamed(renamed(sql, "excluded", "NEW"), table.name, quote(view));
  const condition = change?.where === undefined ? "" : ` AND (${own(change.where)})`;
  const update = change ? `UPDATE ${quote(view)} SET ${own(change.set)} WHERE (${isSame})${condition};` : "";
  const list = inserted.map(quote).join(", ");
  const added = inserted.map((column) => `NEW.${quote(column)}`).join(", ");
  return `${update} INSERT INTO ${quote(view)} (${list}) SELECT ${added} WHERE NOT EXISTS (SELECT 1 FROM ${quote(view)} WHERE ${isSame});`;
}

/**
 * Creates a view of `view` whose inserted rows may conflict with existing ones, and returns its name. There is one for each view, as
 * the texts of statements may differ without limit. Throws a SqliteError for columns that are no key.
 */
export function conflictView(
  table: MappedTable,
  view: string,
  rest: string,
  conflicts: Conflicts,
  storage: Storage,
): string {
  const { db } = storage;
  const body = conflictBody(table, view, rest, conflicts);
  const name = `${view}_conflicts`;
  const trigger = `${name}_${Bun.hash(body).toString(36)}`;
  db.run(`CREATE TEMP TABLE IF NOT EXISTS ${VALUES} (position INTEGER PRIMARY KEY, value)`);
  db.run(`DELETE FROM ${VALUES}`);
  for (const [position, value] of conflicts.values.entries())
    db.run(`INSERT INTO ${VALUES} VALUES (?, ?)`, [position, value]);
  if (!db.query("SELECT 1 FROM sqlite_temp_schema WHERE name = ?").get(trigger)) {
    db.run(`DROP VIEW IF EXISTS ${quote(name)}`);
    db.run(`CREATE TEMP VIEW ${quote(name)} AS SELECT * FROM ${quote(view)}`);
    db.run(`CREATE TEMP TRIGGER ${quote(trigger)} INSTEAD OF INSERT ON ${quote(name)} BEGIN ${body} END`);
  }
  return name;
}
