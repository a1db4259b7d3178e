/** The queries of a type of the administration, as its services call them, and the database of its rows. */
import type { Params } from "../../engine/query/parse.ts";
import type { Model } from "../../engine/schema/model.ts";
import type { Storage } from "../../engine/storage/storage.ts";

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

export interface AdministrationDatabase {
  readonly model: Model;
  /** The queries of a type. */
  readonly query: (uid: string) => object;
  /** Runs statements on the tables. What they write to settings and tokens is stored. */
  readonly run: (isRead: boolean, work: (storage: Storage) => void) => Promise<void>;
}
