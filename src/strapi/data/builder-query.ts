/**
 * Runs what a query builder has collected. Conditions on rows of a content-type are evaluated by the server; those on columns of
 * joined tables, link tables and component tables by Knex.
 */
import type { Knex } from "knex";
import type { Params } from "../../engine/query/parse.ts";
import type { Document } from "../../engine/query/select.ts";
import { snakeCase } from "../../engine/schema/names.ts";
import { isRecord } from "../../lib/is-record.ts";
import { pickBy } from "../../lib/records.ts";
import { insertRows } from "./builder-inserts.ts";
import { type Data, type State, toUniqueList } from "./builder-state.ts";
import type { RowQueries } from "./query-engine.ts";

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

/** Conditions of `strapi.db.queryBuilder` on columns, as those of Knex: for tables without content-type, and joined ones. */
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
function whereColumns(query: Query, conditions: unknown, toColumn: (name: string) => string): Query {
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

export interface BuilderServices {
  readonly table: string;
  /** The names of attributes; undefined: those of columns. */
  readonly attributes: ReadonlySet<string> | undefined;
  /** Undefined for tables that have no content-type. */
  readonly rows: RowQueries | undefined;
  readonly connection: () => Knex;
  readonly transaction: <T>(work: () => Promise<T>) => Promise<T>;
}

export interface BuiltQuery {
  readonly services: BuilderServices;
  /** The builder changes it. */
  readonly state: State;
}

/** Of the table of the query. */
export const ALIAS = "t0";

/** A function that throws an Error with the name of what is not there. */
export const absent = (name: string) => (): never => {
  throw new Error(`${name} of strapi.db.queryBuilder is not supported by Galley; use strapi.db.connection`);
};

/** Rows of Knex with the names of attributes, without other columns. */
function namedRows(found: unknown, attributes: ReadonlySet<string>): unknown {
  if (Array.isArray(found)) return found.map((row) => namedRows(row, attributes));
  if (!isRecord(found)) return null;
  const byColumn = new Map([...attributes, "id"].map((name) => [snakeCase(name), name]));
  return Object.fromEntries(
    Object.entries(found).flatMap(([column, value]) => {
      const name = byColumn.get(column);
      return name === undefined ? [] : [[name, value]];
    }),
  );
}

const isJoined = (name: string): boolean => name.includes(".");
const pickJoined = (where: Params): Params => pickBy(where, (_, name) => isJoined(name));
const withoutJoined = (where: Params): Params => pickBy(where, (_, name) => !isJoined(name));

/** Throws for a table without a content-type. */
export function findRows(built: BuiltQuery): readonly Document[] {
  const { services, state } = built;
  const names = selectedNames(built);
  return services.rows!.find({
    ...ownConditions(built),
    ...(names.length > 0 && !state.select.includes("*") ? { select: names } : {}),
    ...(state.populate ? { populate: state.populate } : {}),
    ...(toUniqueList(state.orderBy).length > 0 ? { orderBy: state.orderBy } : {}),
    ...(state.first ? { limit: 1 } : state.limit === null ? {} : { limit: state.limit }),
    ...(state.offset === null ? {} : { offset: state.offset }),
  });
}

/** The query as one of Knex, of all columns unless some are selected. Throws for inserts and deletions. */
export function knexQuery(built: BuiltQuery): Knex.QueryBuilder {
  const { services, state } = built;
  const { connection, table } = services;
  if (state.type === "insert" || state.type === "delete") throw absent(`getKnexQuery of ${state.type}`)();
  if (state.type === "update") {
    const query = restrict(built, connection()(table));
    for (const [name, amount] of Object.entries(state.increments)) query.increment(snakeCase(name), amount);
    return isRecord(state.data) ? query.update(toColumns(built, state.data)) : query;
  }
  const query = restrict(built, connection()(`${table} as ${ALIAS}`), `${ALIAS}.`);
  joinTables(built, query);
  selectColumns(built, query);
  if (state.groupBy.length > 0) query.groupBy(state.groupBy.map((name) => qualifiedName(built, name)));
  if (state.limit !== null && state.limit > 0) query.limit(state.limit);
  if (state.offset) query.offset(state.offset);
  if (state.first) query.first();
  return query;
}

/** `mapResults`: rows with the names of attributes, instead of columns. */
export async function execute(built: BuiltQuery, mapResults: boolean): Promise<unknown> {
  const { rows, table, connection } = built.services;
  const { type } = built.state;
  if (type === "insert") return insert(built);
  if (type === "update") return update(built);
  if (type === "delete")
    return rows ? rows.delete(ownConditions(built)) : restrict(built, connection()(table)).delete();
  return read(built, mapResults);
}

async function read(built: BuiltQuery, mapResults: boolean): Promise<unknown> {
  const { services, state } = built;
  const { rows, attributes } = services;
  const { type, column, first, groupBy, joins } = state;
  const isPlain = joins.length === 0 && groupBy.length === 0;
  if (rows && isPlain && type === "count" && column === "id") {
    const counted = { count: rows.count(ownConditions(built)) };
    return first ? counted : [counted];
  }
  const isMapped = type === "select" && mapResults && groupBy.length === 0;
  if (!rows || !isPlain || !isMapped || !selectedNames(built).every((name) => typeof name === "string"))
    return isMapped && attributes ? namedRows(await knexQuery(built), attributes) : ((await knexQuery(built)) ?? null);
  const found = findRows(built);
  return first ? (found[0] ?? null) : found;
}

async function update(built: BuiltQuery): Promise<unknown> {
  const { services, state } = built;
  const { table, rows, attributes } = services;
  const { increments, data } = state;
  if (Object.keys(increments).length > 0) return knexQuery(built);
  if (!isRecord(data) || Object.keys(data).length === 0)
    throw new Error(
      `Empty .update() call detected! Update data does not contain any values to update. This will result in a faulty query. Table: ${table}. Columns: .`,
    );
  if (!rows) return knexQuery(built);
  const unknown = Object.keys(data).find((name) => name !== "id" && !attributes?.has(name));
  if (unknown !== undefined) throw new Error(`update ${table} - no such column: ${unknown}`);
  return rows.update(ownConditions(built), data);
}

async function insert({ state, services }: BuiltQuery): Promise<unknown> {
  const items = [state.data].flat();
  if (!items.every(isRecord)) throw new Error(" - The query is empty");
  return services.transaction(() => insertRows(services, items, state));
}

/** An empty object: all rows. */
function ownConditions({ state }: BuiltQuery): Params {
  const { where, filters, search } = state;
  const own = where.map(withoutJoined).filter((conditions) => Object.keys(conditions).length > 0);
  return {
    ...(own.length === 0 ? {} : { where: own.length === 1 ? own[0] : { $and: own } }),
    ...(filters ? { filters } : {}),
    ...(search === null || search === undefined ? {} : { _q: search }),
  };
}

const selectedNames = ({ state }: BuiltQuery): unknown[] => state.select.filter((name) => name !== "*");

const columnName = ({ services }: BuiltQuery, name: string): string =>
  services.rows && name !== "*" ? snakeCase(name) : name;

const qualifiedName = (built: BuiltQuery, name: string): string =>
  isJoined(name) ? name : `${ALIAS}.${columnName(built, name)}`;

const toColumns = (built: BuiltQuery, data: Data): Data =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [columnName(built, name), value]));

/** Restricts a query of Knex to the rows that match. The ids of documents' rows are one value, since there may be many. */
function restrict(built: BuiltQuery, query: Knex.QueryBuilder, prefix = ""): Knex.QueryBuilder {
  const { services, state } = built;
  const { rows } = services;
  const named = (name: string): string => (isJoined(name) ? name : `${prefix}${name}`);
  for (const where of state.where) whereColumns(query, rows ? pickJoined(where) : where, named);
  const conditions = ownConditions(built);
  if (!rows || Object.keys(conditions).length === 0) return query;
  const ids = rows.find({ ...conditions, select: ["id"] }).map((row) => row.id);
  return query.whereRaw("?? in (select value from json_each(?))", [`${prefix}id`, JSON.stringify(ids)]);
}

function joinTables({ state }: BuiltQuery, query: Knex.QueryBuilder): void {
  for (const join of state.joins) {
    const { method = "leftJoin", alias, referencedTable, on = {}, orderBy = {}, ...columns } = join;
    query[method](`${referencedTable} as ${alias}`, (clause) => {
      clause.on(`${columns.rootTable}.${columns.rootColumn}`, `${alias}.${columns.referencedColumn}`);
      for (const [name, value] of Object.entries(on)) clause.onVal(`${alias}.${name}`, value as Knex.Value);
    });
    for (const [name, order] of Object.entries(orderBy)) query.orderBy(`${alias}.${name}`, order);
  }
}

function selectColumns(built: BuiltQuery, query: Knex.QueryBuilder): void {
  const { state } = built;
  const { type, select } = state;
  const column = qualifiedName(built, state.column);
  if (type === "count") query.count({ count: column });
  else if (type === "max") query.max({ max: column });
  else if (type === "min") query.min({ min: column });
  else {
    const columns = (select.length === 0 ? ["*"] : select).map((name) =>
      name === "*" ? `${ALIAS}.*` : typeof name === "string" ? qualifiedName(built, name) : name,
    );
    query.select(...(columns as string[]));
    query.orderBy(listOrders(built));
  }
}

function listOrders(built: BuiltQuery): { column: string; order: string }[] {
  return toUniqueList(built.state.orderBy).flatMap((entry) =>
    isRecord(entry)
      ? Object.entries(entry).map(([name, order]) => ({ column: qualifiedName(built, name), order: String(order) }))
      : [{ column: qualifiedName(built, String(entry)), order: "asc" }],
  );
}
