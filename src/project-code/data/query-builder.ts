/**
 * `strapi.db.queryBuilder(uid)`: queries of one type without hooks. Conditions on rows of a content-type are evaluated by the
 * server; those on columns of joined tables, link tables and component tables by Knex.
 */
import { Readable } from "node:stream";
import type { Knex } from "knex";
import { isRecord } from "../../query/key-check.ts";
import type { Params } from "../../query/parse.ts";
import { type Conflicts, insertRows } from "./builder-inserts.ts";
import { whereColumns } from "./column-conditions.ts";
import type { RowQueries } from "./query-engine.ts";

/** The reference uses it for the names of columns. */
const { snakeCase } = require("lodash") as { snakeCase: (text: string) => string };

type Data = Readonly<Record<string, unknown>>;

/** As in the reference: a table, an alias for it, and the columns that are equal. */
interface Join {
  readonly alias: string;
  readonly referencedTable: string;
  readonly referencedColumn: string;
  readonly rootTable: string;
  readonly rootColumn: string;
  readonly method?: "leftJoin" | "innerJoin" | "rightJoin";
  /** Values of columns of the joined table. */
  readonly on?: Data;
  readonly orderBy?: Readonly<Record<string, string>>;
  readonly targetField?: unknown;
}

interface State extends Conflicts {
  type: "select" | "count" | "max" | "min" | "insert" | "update" | "delete";
  select: readonly unknown[];
  /** The attribute of count, max and min. */
  column: string;
  first: boolean;
  data: unknown;
  where: readonly Params[];
  filters: unknown;
  search: unknown;
  populate: unknown;
  limit: number | null;
  offset: number | null;
  orderBy: unknown;
  groupBy: readonly string[];
  /** Amounts to add, by attribute. */
  increments: Readonly<Record<string, number>>;
  joins: readonly Join[];
}

const initialState: State = {
  type: "select",
  select: [],
  column: "id",
  first: false,
  data: null,
  where: [],
  filters: null,
  search: null,
  populate: null,
  limit: null,
  offset: null,
  orderBy: [],
  groupBy: [],
  increments: {},
  joins: [],
  onConflict: null,
  merge: null,
};

export interface BuilderServices {
  readonly table: string;
  /** The names of attributes; undefined: those of columns. */
  readonly attributes: ReadonlySet<string> | undefined;
  /** Undefined for tables that have no content-type. */
  readonly rows: RowQueries | undefined;
  readonly connection: () => Knex;
  readonly transaction: <T>(work: () => Promise<T>) => Promise<T>;
}

const ALIAS = "t0";

const absent = (name: string) => (): never => {
  throw new Error(`${name} of strapi.db.queryBuilder is not there in Galley; use strapi.db.connection`);
};

const listOf = (names: unknown): unknown[] => [...new Set([names].flat())];

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
const joinedOf = (where: Params): Params =>
  Object.fromEntries(Object.entries(where).filter(([name]) => isJoined(name)));
const withoutJoined = (where: Params): Params =>
  Object.fromEntries(Object.entries(where).filter(([name]) => !isJoined(name)));

/** Methods change the builder and return it, except for `clone`, which copies it. */
export function createQueryBuilder(services: BuilderServices, start: State = initialState) {
  const { table, attributes, rows, connection, transaction } = services;
  const state: State = { ...start };
  let aliases = 1;

  /** The conditions; undefined: all rows. */
  const conditions = (): Params => {
    const own = state.where.map(withoutJoined).filter((where) => Object.keys(where).length > 0);
    return {
      ...(own.length === 0 ? {} : { where: own.length === 1 ? own[0] : { $and: own } }),
      ...(state.filters ? { filters: state.filters } : {}),
      ...(state.search === null || state.search === undefined ? {} : { _q: state.search }),
    };
  };
  const hasConditions = (): boolean => Object.keys(conditions()).length > 0;
  const names = (): unknown[] => state.select.filter((name) => name !== "*");
  const nameOf = (name: string): string => (rows && name !== "*" ? snakeCase(name) : name);
  const columnOf = (name: string): string => (name.includes(".") ? name : `${ALIAS}.${nameOf(name)}`);

  const find = () =>
    rows!.find({
      ...conditions(),
      ...(names().length > 0 && !state.select.includes("*") ? { select: names() } : {}),
      ...(state.populate ? { populate: state.populate } : {}),
      ...(listOf(state.orderBy).length > 0 ? { orderBy: state.orderBy } : {}),
      ...(state.first ? { limit: 1 } : state.limit === null ? {} : { limit: state.limit }),
      ...(state.offset === null ? {} : { offset: state.offset }),
    });

  /** Restricts a query of knex to the rows that match. The ids of documents' rows are one value, since there may be many. */
  const restrict = (query: Knex.QueryBuilder, prefix = ""): Knex.QueryBuilder => {
    const named = (name: string): string => (name.includes(".") ? name : `${prefix}${name}`);
    for (const where of state.where) whereColumns(query, rows ? joinedOf(where) : where, named);
    if (!rows || !hasConditions()) return query;
    const ids = rows.find({ ...conditions(), select: ["id"] }).map((row) => row.id);
    return query.whereRaw("?? in (select value from json_each(?))", [`${prefix}id`, JSON.stringify(ids)]);
  };

  const joinTables = (query: Knex.QueryBuilder): void => {
    for (const { method = "leftJoin", alias, referencedTable, on = {}, orderBy = {}, ...columns } of state.joins) {
      query[method](`${referencedTable} as ${alias}`, (clause) => {
        clause.on(`${columns.rootTable}.${columns.rootColumn}`, `${alias}.${columns.referencedColumn}`);
        for (const [name, value] of Object.entries(on)) clause.onVal(`${alias}.${name}`, value as Knex.Value);
      });
      for (const [name, order] of Object.entries(orderBy)) query.orderBy(`${alias}.${name}`, order);
    }
  };

  const orders = (): { column: string; order: string }[] =>
    listOf(state.orderBy).flatMap((entry) =>
      isRecord(entry)
        ? Object.entries(entry).map(([name, order]) => ({ column: columnOf(name), order: String(order) }))
        : [{ column: columnOf(String(entry)), order: "asc" }],
    );

  function knexQuery(): Knex.QueryBuilder {
    if (state.type === "insert" || state.type === "delete") throw absent(`getKnexQuery of ${state.type}`)();
    if (state.type === "update") {
      const query = restrict(connection()(table));
      for (const [name, amount] of Object.entries(state.increments)) query.increment(snakeCase(name), amount);
      return isRecord(state.data) ? query.update(columnsOf(state.data)) : query;
    }
    const query = restrict(connection()(`${table} as ${ALIAS}`), `${ALIAS}.`);
    joinTables(query);
    const column = columnOf(state.column);
    if (state.type === "count") query.count({ count: column });
    else if (state.type === "max") query.max({ max: column });
    else if (state.type === "min") query.min({ min: column });
    else {
      const columns = state.select.map((name) =>
        name === "*" ? `${ALIAS}.*` : typeof name === "string" ? columnOf(name) : name,
      );
      query.select(...(columns as string[]));
      query.orderBy(orders());
    }
    if (state.groupBy.length > 0) query.groupBy(state.groupBy.map(columnOf));
    if (state.limit !== null && state.limit > 0) query.limit(state.limit);
    if (state.offset) query.offset(state.offset);
    if (state.first) query.first();
    return query;
  }

  const columnsOf = (data: Data): Data =>
    Object.fromEntries(Object.entries(data).map(([name, value]) => [nameOf(name), value]));

  async function update(): Promise<unknown> {
    if (Object.keys(state.increments).length > 0) return knexQuery();
    if (!isRecord(state.data) || Object.keys(state.data).length === 0)
      throw new Error(
        `Empty .update() call detected! Update data does not contain any values to update. This will result in a faulty query. Table: ${table}. Columns: .`,
      );
    if (!rows) return knexQuery();
    const unknown = Object.keys(state.data).find((name) => name !== "id" && !attributes?.has(name));
    if (unknown !== undefined) throw new Error(`update ${table} - no such column: ${unknown}`);
    return rows.update(conditions(), state.data);
  }

  async function insert(): Promise<unknown> {
    const items = [state.data].flat();
    if (!items.every(isRecord)) throw new Error(" - The query is empty");
    return transaction(() => insertRows(services, items, state));
  }

  const builder = {
    alias: ALIAS,
    state,
    getAlias: () => `t${aliases++}`,
    mustUseAlias: () => state.type === "select" || state.type === "count",
    aliasColumn: (name: unknown, alias = builder.mustUseAlias() ? ALIAS : undefined): unknown =>
      typeof name !== "string" || name.includes(".") || alias === undefined ? name : `${alias}.${name}`,
    raw: (...args: unknown[]) => (connection().raw as (...own: unknown[]) => unknown)(...args),
    ref: (name: string) => connection().ref(snakeCase(name)),
    clone: () => createQueryBuilder(services, state),
    select: (given: unknown) => set({ type: "select", select: listOf(given) }),
    addSelect: (given: unknown) => set({ select: [...new Set([...state.select, ...listOf(given)])] }),
    where: (where: unknown = {}) => {
      if (!isRecord(where)) throw new Error("Where must be an object");
      return set({ where: [...state.where, where] });
    },
    filters: (filters: unknown): void => void set({ filters }),
    search: (search: unknown) => set({ search }),
    limit: (limit: number) => set({ limit }),
    offset: (offset: number) => set({ offset }),
    orderBy: (orderBy: unknown) => set({ orderBy }),
    groupBy: (groupBy: unknown) => set({ groupBy: listOf(groupBy).map(String) }),
    populate: (populate: unknown) => set({ populate }),
    count: (column = "id") => set({ type: "count", column }),
    max: (column: string) => set({ type: "max", column }),
    min: (column: string) => set({ type: "min", column }),
    insert: (data: unknown) => set({ type: "insert", data }),
    update: (data: unknown) => set({ type: "update", data }),
    delete: () => set({ type: "delete" }),
    increment: (name: string, amount = 1) =>
      set({ type: "update", increments: { ...state.increments, [name]: (state.increments[name] ?? 0) + amount } }),
    decrement: (name: string, amount = 1) => builder.increment(name, -amount),
    first: () => set({ first: true }),
    // code inside a transaction is part of it
    transacting: () => builder,
    forUpdate: () => builder,
    onConflict: (names: unknown) => set({ onConflict: listOf(names).map(String) }),
    merge: (change: true | string | readonly string[] | Data = true) =>
      set({ merge: typeof change === "string" ? [change] : change }),
    ignore: () => set({ merge: null }),
    join: (join: Join) =>
      join.targetField ? absent("join() by targetField")() : set({ joins: [...state.joins, join] }),
    init: (params: Params = {}) => {
      const { _q: search, filters, where, select = "*", limit, offset, orderBy, groupBy, populate } = params;
      if (isRecord(where)) builder.where(where);
      const given = { search, filters, limit, offset, orderBy, populate };
      const own = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
      if (groupBy !== undefined && groupBy !== null) builder.groupBy(groupBy);
      Object.assign(state, Object.fromEntries(own));
      return builder.select(select);
    },
    getKnexQuery: () => {
      if (state.type === "select" && state.select.length === 0) builder.select("*");
      return knexQuery();
    },
    async execute({ mapResults = true }: { readonly mapResults?: boolean } = {}): Promise<unknown> {
      if (state.type === "insert") return insert();
      if (state.type === "update") return update();
      if (state.type === "delete") return rows ? rows.delete(conditions()) : restrict(connection()(table)).delete();
      if (
        rows &&
        state.joins.length === 0 &&
        state.type === "count" &&
        state.column === "id" &&
        state.groupBy.length === 0
      ) {
        const counted = { count: rows.count(conditions()) };
        return state.first ? counted : [counted];
      }
      const isMapped = state.type === "select" && mapResults && state.groupBy.length === 0;
      if (!rows || state.joins.length > 0 || !isMapped || !names().every((name) => typeof name === "string"))
        return isMapped && attributes
          ? namedRows(await builder.getKnexQuery(), attributes)
          : ((await builder.getKnexQuery()) ?? null);
      const found = find();
      return state.first ? (found[0] ?? null) : found;
    },
    stream: () => Readable.from(find()),
  };
  const set = (change: Partial<State>): typeof builder => {
    Object.assign(state, change);
    return builder;
  };
  return builder;
}
