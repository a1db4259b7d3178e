/** Conditions of `strapi.db.queryBuilder` on columns, as those of Knex: for tables without content-type, and joined ones. */
import type { Knex } from "knex";
import { isRecord } from "../../lib/is-record.ts";

type Query = Knex.QueryBuilder;
type Apply = (query: Query, column: string, value: unknown) => Query;

const like =
  (pattern: (text: string) => string): Apply =>
  (query, column, value) =>
    query.whereRaw("?? like ? escape '\\'", [column, pattern(String(value).replace(/[\\%_]/g, "\\$&"))]);

const compare =
  (operator: string): Apply =>
  (query, column, value) =>
    query.where(column, operator, value as Knex.Value);

const isOneOf: Apply = (query, column, value) => query.whereIn(column, [value].flat() as Knex.Value[]);
const isNull: Apply = (query, column, value) => (value ? query.whereNull(column) : query.whereNotNull(column));

const operators: Readonly<Record<string, Apply>> = {
  $eq: (query, column, value) => (value === null ? query.whereNull(column) : query.where(column, value as Knex.Value)),
  $ne: (query, column, value) =>
    value === null ? query.whereNotNull(column) : query.whereNot(column, value as Knex.Value),
  $gt: compare(">"),
  $gte: compare(">="),
  $lt: compare("<"),
  $lte: compare("<="),
  $in: isOneOf,
  $notIn: (query, column, value) => query.whereNotIn(column, [value].flat() as Knex.Value[]),
  $null: isNull,
  $notNull: (query, column, value) => isNull(query, column, !value),
  $between: (query, column, value) => query.whereBetween(column, value as [Knex.Value, Knex.Value]),
  $contains: like((text) => `%${text}%`),
  $startsWith: like((text) => `${text}%`),
  $endsWith: like((text) => `%${text}`),
};

/** Throws for unknown operators. `toColumn`: the column of a name. */
export function whereColumns(query: Query, conditions: unknown, toColumn: (name: string) => string): Query {
  if (!isRecord(conditions)) throw new Error("Where must be an object");
  for (const [key, value] of Object.entries(conditions)) {
    if (key === "$and" || key === "$or") {
      const parts = [value].flat();
      query.where((group) => {
        for (const part of parts)
          group[key === "$and" ? "andWhere" : "orWhere"]((own) => void whereColumns(own, part, toColumn));
      });
    } else if (key === "$not") query.whereNot((group) => void whereColumns(group, value, toColumn));
    else whereColumn(query, toColumn(key), value);
  }
  return query;
}

function whereColumn(query: Query, column: string, value: unknown): void {
  if (Array.isArray(value)) isOneOf(query, column, value);
  else if (!isRecord(value)) operators.$eq!(query, column, value);
  else
    for (const [name, operand] of Object.entries(value)) {
      const apply = operators[name];
      if (!apply) throw new Error(`Undefined attribute level operator ${name}`);
      apply(query, column, operand);
    }
}
