/** Building blocks of SQL: quoted identifiers, limits, bound values, and chains of AND and OR. */
import type { SqlValue } from "../attributes/index.ts";

/** Quotes an identifier for SQL. Values are never quoted, but bound. */
export const quote = (identifier: string): string =>
  /["\0]/.test(identifier) ? `"${identifier.replaceAll('"', '""').replaceAll("\0", "")}"` : `"${identifier}"`;

/**
 * For rows of content and links, which have triggers where changes are recorded. By default, SQLite keeps a journal of a statement with triggers, to
 * take it back alone, which doubles what these cost; after an error, the transaction takes back everything.
 */
export const INSERT = "INSERT OR FAIL INTO";
export const UPDATE = "UPDATE OR FAIL";

/**
 * LIMIT with a placeholder. For a bare placeholder, SQLite plans the statement again with each bound value, which takes
 * longer than most statements; an expression avoids that.
 */
export const rowLimit = (placeholder = "?"): string => `LIMIT ${placeholder} + 0`;

/** Binds a value and returns its placeholder. */
export type Bind = (value: SqlValue) => string;

/** The values of a statement in the order of their placeholders. */
export class Parameters {
  readonly params: SqlValue[] = [];

  /**
   * With a sign, which changes nothing: SQLite compares bare placeholders with other terms when it plans an ORDER BY or a join, and
   * then plans the statement again for each bound value, which takes longer than most statements.
   */
  readonly bind: Bind = (value) => {
    this.params.push(value);
    return "+?";
  };

  /** A column is one of the values. A list is bound as one JSON value, so that the SQL text does not depend on its length. */
  oneOf(column: string, values: readonly unknown[]): string {
    if (values.length === 1) return `${column} = ${this.bind(values[0] as SqlValue)}`;
    return `${column} IN (SELECT value FROM json_each(${this.bind(JSON.stringify(values))}))`;
  }
}

/** At most `most` lists of values that follow each other. */
export function inGroups<T>(values: readonly T[], most: number): T[][] {
  const size = Math.ceil(values.length / most);
  return Array.from({ length: Math.ceil(values.length / size) }, (_, at) => values.slice(at * size, (at + 1) * size));
}

/** SQLite refuses expressions of more than 1,000 levels, and a chain of ANDs or ORs has one per part. */
const LONGEST_CHAIN = 100;

/** Joins at least one part. */
export function joined(parts: readonly string[], word: "AND" | "OR" | "+"): string {
  if (parts.length <= LONGEST_CHAIN) return parts.join(` ${word} `);
  const groups = inGroups(parts, LONGEST_CHAIN);
  return groups.map((group) => `(${joined(group, word)})`).join(` ${word} `);
}
