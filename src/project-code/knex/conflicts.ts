/**
 * `ON CONFLICT` of inserts. SQLite knows no conflicts of views, so that rows are inserted through a second view, whose trigger
 * updates or ignores rows that exist.
 */
import { quote } from "../../storage/quote.ts";
import { SqliteError } from "../data/database-errors.ts";
import type { MappedTable } from "./tables.ts";
import { sqlText } from "./write-triggers.ts";

export type Value = string | number | bigint | Uint8Array | null;

export interface Conflicts {
  /** What identifies a row; empty: any of the table's keys. */
  readonly columns: readonly string[];
  /** The assignments, with a condition if there is one; undefined: rows that exist stay as they are. */
  readonly change: { readonly set: string; readonly where: string | undefined } | undefined;
}

const CONFLICT = /\son\s+conflict\s*(?:\(([^)]*)\))?\s+do\s+(?:nothing|update\s+set\s+(.*?)(?:\s+where\s+(.*))?)\s*$/is;
const COLUMNS = /^\s*\(([^)]*)\)/;
/** String literals and quoted names, which may contain question marks, and placeholders. */
const PLACEHOLDER = /'(?:[^']|'')*'|"[^"]*"|`[^`]*`|\?/g;

const namesIn = (list: string): string[] =>
  list.split(",").map((name) => name.trim().replaceAll(/^["`[]|["`\]]$/g, ""));

const placeholdersIn = (sql: string): number => sql.match(PLACEHOLDER)?.filter((token) => token === "?").length ?? 0;

function literal(value: Value): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return sqlText(value);
  return value instanceof Uint8Array ? `x'${value.toHex()}'` : String(value);
}

/** Triggers have no parameters. */
function withValues(sql: string, values: readonly Value[]): string {
  let at = 0;
  return sql.replace(PLACEHOLDER, (token) => (token === "?" ? literal(values[at++] ?? null) : token));
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
  const bound = values.slice(own);
  const setValues = placeholdersIn(set ?? "");
  return {
    rest: rest.slice(0, found.index),
    values: values.slice(0, own),
    conflicts: {
      columns: columns === undefined ? [] : namesIn(columns),
      change:
        set === undefined
          ? undefined
          : { set: withValues(set, bound), where: where && withValues(where, bound.slice(setValues)) },
    },
  };
}

/** The body of the trigger, for a view on a table's `view`. Throws a SqliteError for columns that are no key. */
export function conflictBody(table: MappedTable, view: string, rest: string, { columns, change }: Conflicts): string {
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
