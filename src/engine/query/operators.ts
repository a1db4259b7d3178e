/** The table of filter operators: the operand and the SQL of each. A new operator is one row. */
import type { SqlValue } from "../attributes/index.ts";
import type { Bind } from "../storage/sql.ts";
import { contains, endsWith, type Folding, sameText, startsWith } from "./text-match.ts";

export interface Operator {
  /**
   * The operand: `value` is one value, or a list of alternatives; `list` a list; `pair` two bounds; `truth` a boolean;
   * `text` a string. All but the last two are cast to the attribute's type.
   */
  readonly takes: "value" | "list" | "pair" | "truth" | "text";
  readonly sql: (column: string, operand: never, bind: Bind) => string;
  /** A null operand tests for null (`is`) or not null (`is not`). */
  readonly withNull?: "is" | "is not";
  /** The column contains the operand, so that an index can find the rows (see `trigrams.ts`). */
  readonly contained?: Folding;
}

const compare =
  (sign: string): Operator["sql"] =>
  (column, operand: SqlValue, bind) =>
    `${column} ${sign} ${bind(operand)}`;
const among =
  (word: string): Operator["sql"] =>
  (column, operand: readonly SqlValue[], bind) =>
    `${column} ${word} (${operand.map(bind).join(", ")})`;
const presence =
  (present: boolean): Operator["sql"] =>
  (column, operand: boolean) =>
    `${column} IS ${operand === present ? "NOT " : ""}NULL`;
const negated =
  (match: (column: string, text: string, bind: Bind) => string): Operator["sql"] =>
  (column, operand: string, bind) =>
    `NOT (${match(column, operand, bind)})`;
const text = (match: (column: string, text: string, bind: Bind) => string): Operator => ({
  takes: "text",
  sql: match,
});

export const comparisons = {
  $eq: { takes: "value", sql: compare("="), withNull: "is" },
  $ne: { takes: "value", sql: compare("<>"), withNull: "is not" },
  $lt: { takes: "value", sql: compare("<") },
  $lte: { takes: "value", sql: compare("<=") },
  $gt: { takes: "value", sql: compare(">") },
  $gte: { takes: "value", sql: compare(">=") },
  $in: { takes: "list", sql: among("IN") },
  $notIn: { takes: "list", sql: among("NOT IN") },
  $between: {
    takes: "pair",
    sql: (column, [from, to]: readonly [SqlValue, SqlValue], bind) => `${column} BETWEEN ${bind(from)} AND ${bind(to)}`,
  },
  $null: { takes: "truth", sql: presence(false) },
  $notNull: { takes: "truth", sql: presence(true) },
  $eqi: { ...text(sameText), withNull: "is", contained: "folded" },
  $nei: { takes: "text", sql: negated(sameText), withNull: "is not" },
  $contains: { ...text(contains("exact")), contained: "exact" },
  $notContains: { takes: "text", sql: negated(contains("exact")) },
  $containsi: { ...text(contains("folded")), contained: "folded" },
  $notContainsi: { takes: "text", sql: negated(contains("folded")) },
  $startsWith: text(startsWith("exact")),
  $startsWithi: { ...text(startsWith("folded")), contained: "folded" },
  $endsWith: { ...text(endsWith("exact")), contained: "exact" },
  $endsWithi: { ...text(endsWith("folded")), contained: "folded" },
} as const satisfies Record<string, Operator>;

export type ComparisonName = keyof typeof comparisons;

const groups: ReadonlySet<string> = new Set(["$and", "$or", "$not"]);

export const isComparison = (key: string): key is ComparisonName => Object.hasOwn(comparisons, key);
export const isGroup = (key: string): boolean => groups.has(key);
export const isOperator = (key: string): boolean => isComparison(key) || isGroup(key);
