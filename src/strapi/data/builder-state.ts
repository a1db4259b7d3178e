/** What has been asked of `strapi.db.queryBuilder(uid)` so far. */
import type { Params } from "../../engine/query/parse.ts";
import type { Conflicts } from "./builder-inserts.ts";

export type Data = Readonly<Record<string, unknown>>;

/** As in Strapi: a table, an alias for it, and the columns that are equal. */
export interface Join {
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

export interface State extends Conflicts {
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
  /** One of Knex that the query runs in. */
  transaction: unknown;
}

export const initialState: State = {
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
  transaction: null,
  onConflict: null,
  merge: null,
};

export const toUniqueList = (names: unknown): unknown[] => [...new Set([names].flat())];
