/** The queries of a type of the administration, as its services call them. */
import type { Params } from "../../engine/query/parse.ts";

export type Row = Record<string, unknown> & { readonly id: number };

export interface Rows {
  readonly findOne: (params: Params) => Promise<Row | null>;
  readonly findMany: (params: Params) => Promise<Row[]>;
  readonly findPage: (params: Params) => Promise<object>;
  readonly count: (params?: Params) => Promise<number>;
  readonly create: (params: Params) => Promise<Row>;
  readonly update: (params: Params) => Promise<Row | null>;
  readonly delete: (params: Params) => Promise<Row | null>;
  readonly deleteMany: (params: Params) => Promise<unknown>;
}
