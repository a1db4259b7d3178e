/** `strapi.db.queryBuilder(uid)`: queries of one type without hooks. */

import { Readable } from "node:stream";
import type { Params } from "../../engine/query/parse.ts";
import { snakeCase } from "../../engine/schema/names.ts";
import { isRecord } from "../../lib/is-record.ts";
import { insideTransaction } from "../packages/transaction-context.ts";
import { ALIAS, absent, type BuilderServices, type BuiltQuery, execute, findRows, knexQuery } from "./builder-query.ts";
import { type Data, initialState, type Join, type State, toUniqueList } from "./builder-state.ts";

/** Methods change the builder and return it, except for `clone`, which copies it. */
export function createQueryBuilder(services: BuilderServices, start: State = initialState) {
  const { connection } = services;
  const state: State = { ...start };
  const built: BuiltQuery = { services, state };
  let aliases = 1;
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
    select: (given: unknown) => set({ type: "select", select: toUniqueList(given) }),
    addSelect: (given: unknown) => set({ select: [...new Set([...state.select, ...toUniqueList(given)])] }),
    where: (where: unknown = {}) => {
      if (!isRecord(where)) throw new Error("Where must be an object");
      return set({ where: [...state.where, where] });
    },
    filters: (filters: unknown): void => void set({ filters }),
    search: (search: unknown) => set({ search }),
    limit: (limit: number) => set({ limit }),
    offset: (offset: number) => set({ offset }),
    orderBy: (orderBy: unknown) => set({ orderBy }),
    groupBy: (groupBy: unknown) => set({ groupBy: toUniqueList(groupBy).map(String) }),
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
    transacting: (transaction: unknown) => set({ transaction }),
    forUpdate: () => builder,
    onConflict: (names: unknown) => set({ onConflict: toUniqueList(names).map(String) }),
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
    getKnexQuery: () => knexQuery(built),
    execute: ({ mapResults = true }: { readonly mapResults?: boolean } = {}): Promise<unknown> =>
      insideTransaction(state.transaction, () => execute(built, mapResults)),
    stream: () => Readable.from(findRows(built)),
  };
  const set = (change: Partial<State>): typeof builder => {
    Object.assign(state, change);
    return builder;
  };
  return builder;
}
