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

export class BuilderQuery {
  readonly #services: BuilderServices;
  /** The builder changes it. */
  readonly #state: State;

  constructor(services: BuilderServices, state: State) {
    this.#services = services;
    this.#state = state;
  }

  /** Throws for a table without a content-type. */
  find(): readonly Document[] {
    const state = this.#state;
    const names = this.#names();
    return this.#services.rows!.find({
      ...this.#conditions(),
      ...(names.length > 0 && !state.select.includes("*") ? { select: names } : {}),
      ...(state.populate ? { populate: state.populate } : {}),
      ...(toUniqueList(state.orderBy).length > 0 ? { orderBy: state.orderBy } : {}),
      ...(state.first ? { limit: 1 } : state.limit === null ? {} : { limit: state.limit }),
      ...(state.offset === null ? {} : { offset: state.offset }),
    });
  }

  /** The query as one of Knex, of all columns unless some are selected. Throws for inserts and deletions. */
  knexQuery(): Knex.QueryBuilder {
    const { connection, table } = this.#services;
    const state = this.#state;
    if (state.type === "insert" || state.type === "delete") throw absent(`getKnexQuery of ${state.type}`)();
    if (state.type === "update") {
      const query = this.#restrict(connection()(table));
      for (const [name, amount] of Object.entries(state.increments)) query.increment(snakeCase(name), amount);
      return isRecord(state.data) ? query.update(this.#toColumns(state.data)) : query;
    }
    const query = this.#restrict(connection()(`${table} as ${ALIAS}`), `${ALIAS}.`);
    this.#joinTables(query);
    this.#selectColumns(query);
    if (state.groupBy.length > 0) query.groupBy(state.groupBy.map((name) => this.#qualifiedName(name)));
    if (state.limit !== null && state.limit > 0) query.limit(state.limit);
    if (state.offset) query.offset(state.offset);
    if (state.first) query.first();
    return query;
  }

  /** `mapResults`: rows with the names of attributes, instead of columns. */
  async execute(mapResults: boolean): Promise<unknown> {
    const { rows, table, connection } = this.#services;
    const { type } = this.#state;
    if (type === "insert") return this.#insert();
    if (type === "update") return this.#update();
    if (type === "delete") return rows ? rows.delete(this.#conditions()) : this.#restrict(connection()(table)).delete();
    return this.#read(mapResults);
  }

  async #read(mapResults: boolean): Promise<unknown> {
    const { rows, attributes } = this.#services;
    const { type, column, first, groupBy, joins } = this.#state;
    const isPlain = joins.length === 0 && groupBy.length === 0;
    if (rows && isPlain && type === "count" && column === "id") {
      const counted = { count: rows.count(this.#conditions()) };
      return first ? counted : [counted];
    }
    const isMapped = type === "select" && mapResults && groupBy.length === 0;
    if (!rows || !isPlain || !isMapped || !this.#names().every((name) => typeof name === "string"))
      return isMapped && attributes
        ? namedRows(await this.knexQuery(), attributes)
        : ((await this.knexQuery()) ?? null);
    const found = this.find();
    return first ? (found[0] ?? null) : found;
  }

  async #update(): Promise<unknown> {
    const { table, rows, attributes } = this.#services;
    const { increments, data } = this.#state;
    if (Object.keys(increments).length > 0) return this.knexQuery();
    if (!isRecord(data) || Object.keys(data).length === 0)
      throw new Error(
        `Empty .update() call detected! Update data does not contain any values to update. This will result in a faulty query. Table: ${table}. Columns: .`,
      );
    if (!rows) return this.knexQuery();
    const unknown = Object.keys(data).find((name) => name !== "id" && !attributes?.has(name));
    if (unknown !== undefined) throw new Error(`update ${table} - no such column: ${unknown}`);
    return rows.update(this.#conditions(), data);
  }

  async #insert(): Promise<unknown> {
    const items = [this.#state.data].flat();
    if (!items.every(isRecord)) throw new Error(" - The query is empty");
    return this.#services.transaction(() => insertRows(this.#services, items, this.#state));
  }

  /** An empty object: all rows. */
  #conditions(): Params {
    const { where, filters, search } = this.#state;
    const own = where.map(withoutJoined).filter((conditions) => Object.keys(conditions).length > 0);
    return {
      ...(own.length === 0 ? {} : { where: own.length === 1 ? own[0] : { $and: own } }),
      ...(filters ? { filters } : {}),
      ...(search === null || search === undefined ? {} : { _q: search }),
    };
  }

  #names(): unknown[] {
    return this.#state.select.filter((name) => name !== "*");
  }

  #columnName(name: string): string {
    return this.#services.rows && name !== "*" ? snakeCase(name) : name;
  }

  #qualifiedName(name: string): string {
    return isJoined(name) ? name : `${ALIAS}.${this.#columnName(name)}`;
  }

  #toColumns(data: Data): Data {
    return Object.fromEntries(Object.entries(data).map(([name, value]) => [this.#columnName(name), value]));
  }

  /** Restricts a query of Knex to the rows that match. The ids of documents' rows are one value, since there may be many. */
  #restrict(query: Knex.QueryBuilder, prefix = ""): Knex.QueryBuilder {
    const { rows } = this.#services;
    const named = (name: string): string => (isJoined(name) ? name : `${prefix}${name}`);
    for (const where of this.#state.where) whereColumns(query, rows ? pickJoined(where) : where, named);
    const conditions = this.#conditions();
    if (!rows || Object.keys(conditions).length === 0) return query;
    const ids = rows.find({ ...conditions, select: ["id"] }).map((row) => row.id);
    return query.whereRaw("?? in (select value from json_each(?))", [`${prefix}id`, JSON.stringify(ids)]);
  }

  #joinTables(query: Knex.QueryBuilder): void {
    for (const join of this.#state.joins) {
      const { method = "leftJoin", alias, referencedTable, on = {}, orderBy = {}, ...columns } = join;
      query[method](`${referencedTable} as ${alias}`, (clause) => {
        clause.on(`${columns.rootTable}.${columns.rootColumn}`, `${alias}.${columns.referencedColumn}`);
        for (const [name, value] of Object.entries(on)) clause.onVal(`${alias}.${name}`, value as Knex.Value);
      });
      for (const [name, order] of Object.entries(orderBy)) query.orderBy(`${alias}.${name}`, order);
    }
  }

  #selectColumns(query: Knex.QueryBuilder): void {
    const { type, select } = this.#state;
    const column = this.#qualifiedName(this.#state.column);
    if (type === "count") query.count({ count: column });
    else if (type === "max") query.max({ max: column });
    else if (type === "min") query.min({ min: column });
    else {
      const columns = (select.length === 0 ? ["*"] : select).map((name) =>
        name === "*" ? `${ALIAS}.*` : typeof name === "string" ? this.#qualifiedName(name) : name,
      );
      query.select(...(columns as string[]));
      query.orderBy(this.#orders());
    }
  }

  #orders(): { column: string; order: string }[] {
    return toUniqueList(this.#state.orderBy).flatMap((entry) =>
      isRecord(entry)
        ? Object.entries(entry).map(([name, order]) => ({ column: this.#qualifiedName(name), order: String(order) }))
        : [{ column: this.#qualifiedName(String(entry)), order: "asc" }],
    );
  }
}
