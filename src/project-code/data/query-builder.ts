/** `strapi.db.queryBuilder(uid)`: queries of one type without hooks. */
import { Readable } from "node:stream";
import type { Knex } from "knex";
import { isRecord } from "../../query/key-check.ts";
import type { Params } from "../../query/parse.ts";
import type { ContentType } from "../../schema/model.ts";
import type { RowQueries } from "./query-engine.ts";

/** The reference uses it for the names of columns. */
const { snakeCase } = require("lodash") as { snakeCase: (text: string) => string };

type Data = Readonly<Record<string, unknown>>;

interface State {
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
};

export interface BuilderServices {
  readonly type: ContentType;
  readonly rows: RowQueries;
  readonly connection: () => Knex;
}

const ALIAS = "t0";

const absent = (name: string) => (): never => {
  throw new Error(`${name}() of strapi.db.queryBuilder is not there in Galley; use strapi.db.connection`);
};

const listOf = (names: unknown): unknown[] => [...new Set([names].flat())];

/** Methods change the builder and return it, except for `clone`, which copies it. */
export function createQueryBuilder(services: BuilderServices, start: State = initialState) {
  const { type, rows, connection } = services;
  const state: State = { ...start };
  let aliases = 1;

  /** The conditions; undefined: all rows. */
  const conditions = (): Params => {
    const own = state.where.filter((where) => Object.keys(where).length > 0);
    return {
      ...(own.length === 0 ? {} : { where: own.length === 1 ? own[0] : { $and: own } }),
      ...(state.filters ? { filters: state.filters } : {}),
      ...(state.search === null || state.search === undefined ? {} : { _q: state.search }),
    };
  };
  const hasConditions = (): boolean => Object.keys(conditions()).length > 0;
  const names = (): unknown[] => state.select.filter((name) => name !== "*");
  const columnOf = (name: string): string => (name.includes(".") ? name : `${ALIAS}.${snakeCase(name)}`);

  const find = () =>
    rows.find({
      ...conditions(),
      ...(names().length > 0 && !state.select.includes("*") ? { select: names() } : {}),
      ...(state.populate ? { populate: state.populate } : {}),
      ...(listOf(state.orderBy).length > 0 ? { orderBy: state.orderBy } : {}),
      ...(state.first ? { limit: 1 } : state.limit === null ? {} : { limit: state.limit }),
      ...(state.offset === null ? {} : { offset: state.offset }),
    });

  /** Restricts a query of knex to the rows that match. Their ids are one value, since there may be many. */
  const restrict = (query: Knex.QueryBuilder, id: string): Knex.QueryBuilder => {
    if (!hasConditions()) return query;
    const ids = rows.find({ ...conditions(), select: ["id"] }).map((row) => row.id);
    return query.whereRaw("?? in (select value from json_each(?))", [id, JSON.stringify(ids)]);
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
      const query = restrict(connection()(type.table), "id");
      for (const [name, amount] of Object.entries(state.increments)) query.increment(snakeCase(name), amount);
      return isRecord(state.data) ? query.update(columnsOf(state.data)) : query;
    }
    const query = restrict(connection()(`${type.table} as ${ALIAS}`), `${ALIAS}.id`);
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
    Object.fromEntries(Object.entries(data).map(([name, value]) => [snakeCase(name), value]));

  async function update(): Promise<unknown> {
    if (Object.keys(state.increments).length > 0) return knexQuery();
    if (!isRecord(state.data) || Object.keys(state.data).length === 0)
      throw new Error(
        `Empty .update() call detected! Update data does not contain any values to update. This will result in a faulty query. Table: ${type.table}. Columns: .`,
      );
    const unknown = Object.keys(state.data).find((name) => name !== "id" && !type.attributes.has(name));
    if (unknown !== undefined) throw new Error(`update ${type.table} - no such column: ${unknown}`);
    return rows.update(conditions(), state.data);
  }

  async function insert(): Promise<unknown> {
    const items = [state.data].flat();
    if (!items.every(isRecord)) throw new Error(" - The query is empty");
    // as in the reference, a row that does not say so is not published
    const ids = await rows.insert(items.map((item) => ({ publishedAt: null, ...item })));
    return ids.map((id) => ({ id }));
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
    onConflict: absent("onConflict"),
    merge: absent("merge"),
    ignore: absent("ignore"),
    join: absent("join"),
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
      if (state.type === "delete") return rows.delete(conditions());
      if (state.type === "count" && state.column === "id" && state.groupBy.length === 0) {
        const counted = { count: rows.count(conditions()) };
        return state.first ? counted : [counted];
      }
      const isMapped = state.type === "select" && mapResults && state.groupBy.length === 0;
      if (!isMapped || !names().every((name) => typeof name === "string"))
        return (await builder.getKnexQuery()) ?? null;
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
