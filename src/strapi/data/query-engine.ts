/** `strapi.db.query(uid)`: reads and writes rows of one type or component, in all versions and locales, with hooks. */
import { deleteLinks } from "../../engine/documents/delete-row.ts";
import type { Data } from "../../engine/documents/rows.ts";
import { checkQuery, unrestricted } from "../../engine/query/check-query.ts";
import type { Params } from "../../engine/query/parse.ts";
import { type ReadContext, runSteadily } from "../../engine/query/reading.ts";
import { countRows, findRows, readingRows } from "../../engine/query/run.ts";
import type { Document } from "../../engine/query/select.ts";
import type { CheckedQuery } from "../../engine/query/tree.ts";
import type { Schema } from "../../engine/schema/model.ts";
import type { AsyncTransactions } from "../../engine/storage/async-transactions.ts";
import { type Budget, unlimited } from "../../lib/budget.ts";
import { splitBudget } from "../../lib/budgeted-params.ts";
import type { Clock } from "../../lib/clock.ts";
import { isRecord } from "../../lib/is-record.ts";
import { pickBy } from "../../lib/records.ts";
import { type MaybePromise, whenReady } from "../../lib/when-ready.ts";
import { deleteBareRows } from "../rows/bare-rows.ts";
import type { RawContext } from "../rows/row-hooks.ts";
import { groupAttributes, groupRows } from "./grouped-rows.ts";
import type { Lifecycles, QueryAction } from "./lifecycles.ts";
import { joins } from "./operands.ts";
import { QueryRows } from "./query-rows.ts";
import { loadFields, loadPage } from "./row-loads.ts";
import { readRowQuery } from "./row-query.ts";
import { keepSelected, selectionIn, withId } from "./selected.ts";

type Stamp = (data: Record<string, unknown>, now: Date) => Record<string, unknown>;

const created: Stamp = (data, now) => ({ createdAt: now, updatedAt: now, ...data });
const updated: Stamp = (data, now) => ({ ...data, updatedAt: now });

const stamps: Readonly<Partial<Record<QueryAction, Stamp>>> = {
  create: created,
  createMany: created,
  update: updated,
};

/** A copy of the parameters, with the times of the write, which Strapi adds to data before hooks run. */
function stamped(action: QueryAction, { ...params }: Params, clock: Clock): Params & Record<string, unknown> {
  const stamp = stamps[action];
  const { data } = params;
  if (!stamp || (!isRecord(data) && !Array.isArray(data))) return params;
  const now = new Date(clock.writeTime());
  const each = (item: unknown): unknown => (isRecord(item) ? stamp(item, now) : item);
  return { ...params, data: Array.isArray(data) ? data.map(each) : each(data) };
}

const anyLocale = { locales: undefined };

const isSomeWhere = (where: unknown): boolean => isRecord(where) && Object.keys(where).length > 0;

export interface QueryServices {
  readonly raw: RawContext;
  readonly transactions: Pick<AsyncTransactions, "run">;
  readonly lifecycles: Lifecycles;
}

/** Reads and writes of rows without hooks. */
export interface RowQueries {
  readonly find: (params: Params) => readonly Document[];
  readonly count: (params: Params) => number;
  /** Resolves with the ids. */
  readonly insert: (items: readonly Data[]) => Promise<number[]>;
  /** Resolves with the number of rows. */
  readonly update: (params: Params, data: Data) => Promise<number>;
  readonly delete: (params: Params) => Promise<number>;
}

export class QueryEngine {
  readonly #services: QueryServices;
  readonly #type: Schema;
  readonly #version: Partial<ReadContext>;
  readonly #writer: QueryRows;

  /** `version`: of rows and of what they populate; by default all versions, which are rows of their own. */
  constructor(services: QueryServices, type: Schema, version: Partial<ReadContext> = {}) {
    this.#services = services;
    this.#type = type;
    this.#version = version;
    this.#writer = new QueryRows(services.raw, type);
  }

  get uid(): string {
    return this.#type.uid;
  }

  async findMany(params: Params = {}): Promise<Document[]> {
    return this.#withHooks("findMany", params, (own, budget) =>
      whenReady(this.#findWithin(budget, own), (rows) => this.#selected(rows, own)),
    );
  }

  async findOne(params: Params = {}): Promise<Document | null> {
    return this.#withHooks("findOne", params, (own, budget) =>
      whenReady(this.#findWithin(budget, { ...own, limit: 1 }), ([row]) => this.#selected(row ?? null, own, true)),
    );
  }

  async findWithCount(params: Params = {}): Promise<[Document[], number]> {
    return Promise.all([this.findMany(params), this.count(params)]);
  }

  async findPage({ page: given = 1, pageSize: givenSize = 10, ...query }: Params = {}) {
    const page = Number(given);
    const pageSize = Number(givenSize);
    const offset = Math.max(page - 1, 0) * pageSize;
    const [results, total] = await this.findWithCount({ ...query, limit: pageSize, offset });
    return { results, pagination: { page, pageSize, pageCount: Math.ceil(total / pageSize), total } };
  }

  async count(params: Params = {}): Promise<number> {
    return this.#withHooks("count", params, (own) => this.#count(own));
  }

  #count({ where, filters, _q }: Params): number {
    return countRows(this.#readContext(), this.#query({ where, filters, _q }), anyLocale);
  }

  get withoutHooks(): RowQueries {
    const write = <T>(work: () => Promise<T>): Promise<T> => this.#write(work);
    return {
      find: (params) => this.#selected(this.#find(params), params),
      count: (params) => this.#count(params),
      insert: (items) => write(() => this.#insertAll(items)),
      update: (params, data) => write(() => this.#updateAll(params, data)),
      delete: (params) => write(async () => this.#deleteAll(params)),
    };
  }

  /** Loads relations and components of a row. */
  load(row: unknown, field: string | readonly string[], params: Params = {}): Promise<unknown> {
    return loadFields(this, this.#type, row, field, params);
  }

  /** Adds what is behind attributes to a row. */
  async populate(row: Document, populate: unknown): Promise<Document> {
    return { ...row, ...(await this.findOne({ where: { id: row.id }, select: ["id"], populate })) };
  }

  /** Writes only the relations and components in the data of a row. Calls no hooks. */
  async updateRelations(id: number, data: Data): Promise<void> {
    const links = Object.entries(data).filter(([name]) => !this.#isColumn(name));
    await this.#write(async () => this.#writer.update(id, Object.fromEntries(links), new Map()));
  }

  attachRelations(id: number, data: Data): Promise<void> {
    return this.updateRelations(id, data);
  }

  /** Removes the links of a row. */
  async deleteRelations(id: number): Promise<void> {
    await this.#write(async () => deleteLinks(this.#services.raw, this.#type, [id]));
  }

  /** Loads a page of a to-many relation. */
  loadPages(row: unknown, field: string, params: Params = {}) {
    return loadPage(this, this.#type, row, field, params);
  }

  create(params: Params = {}): Promise<Document> {
    return this.#writing("create", params, async ({ data, ...own }) => {
      if (!isRecord(data)) throw new Error("Create expects a data object");
      const id = this.#writer.insert(data, await this.#writer.hashPasswords(data));
      return (await this.#written(id, own))!;
    });
  }

  async createMany(params: Params = {}): Promise<{ count: number; ids: number[] }> {
    return this.#writing("createMany", params, async ({ data }) => {
      if (!Array.isArray(data)) throw new Error("CreateMany expects data to be an array");
      if (data.length === 0) throw new Error("Nothing to insert");
      const ids = await this.#insertAll(data as Data[]);
      return { count: ids.length, ids };
    });
  }

  async #insertAll(items: readonly Data[]): Promise<number[]> {
    const ids: number[] = [];
    for (const item of items.map((each) => this.#columnsIn(each)))
      ids.push(this.#writer.insert(item, await this.#writer.hashPasswords(item)));
    return ids;
  }

  /** Updates the first row that matches. Resolves with null if there is none. */
  update(params: Params = {}): Promise<Document | null> {
    return this.#writing("update", params, async ({ where, data, ...own }) => {
      if (!isRecord(data)) throw new Error("Update requires a data object");
      if (!isSomeWhere(where)) throw new Error("Update requires a where parameter");
      const row = this.#find({ where, select: ["id"], limit: 1 })[0];
      if (!row) return null;
      const id = row.id as number;
      this.#writer.update(id, data, await this.#writer.hashPasswords(data));
      return this.#written(id, own);
    });
  }

  /** Reads a row that was written. */
  #written(id: number, params: Params): Promise<Document | null> {
    return this.findOne({ where: { id }, ...selectionIn(params) });
  }

  async updateMany(params: Params = {}): Promise<{ count: number }> {
    return this.#writing("updateMany", params, async ({ where, data }) => {
      const hasValues = isRecord(data) && Object.keys(data).some((name) => this.#isColumn(name));
      // as in Strapi, relations are not values
      if (!hasValues) throw new Error("Update requires data");
      // as Strapi's query builder, which cannot update what it joins
      if (joins(this.#type, where)) throw new TypeError("Cannot convert undefined or null to object");
      return { count: await this.#updateAll({ where }, data) };
    });
  }

  async #updateAll(params: Params, data: Data): Promise<number> {
    const rows = this.#find(params);
    const columns = this.#columnsIn(data);
    const hashes = await this.#writer.hashPasswords(columns);
    for (const { id } of rows) this.#writer.update(id as number, columns, hashes);
    return rows.length;
  }

  delete(params: Params = {}): Promise<Document | null> {
    return this.#writing("delete", params, async ({ where, select, populate }) => {
      if (!isSomeWhere(where)) throw new Error("Delete requires a where parameter");
      const row = await this.findOne({ where, ...selectionIn({ select: withId(select), populate }) });
      if (row) deleteBareRows(this.#services.raw, this.#type, [row.id as number]);
      return row;
    });
  }

  async deleteMany(params: Params = {}): Promise<{ count: number }> {
    return this.#writing("deleteMany", params, async ({ where, filters, _q }) => ({
      count: this.#deleteAll({ where, filters, _q }),
    }));
  }

  #deleteAll(params: Params): number {
    const rows = this.#find({ ...params, select: ["id"] });
    deleteBareRows(
      this.#services.raw,
      this.#type,
      rows.map(({ id }) => id as number),
    );
    return rows.length;
  }

  /** Queries of several rows write no links, as in Strapi. */
  #columnsIn(data: Data): Data {
    return pickBy(data, (_, name) => this.#isColumn(name));
  }

  #isColumn(name: string): boolean {
    const attribute = this.#type.attributes.get(name);
    if (attribute?.kind === "relation") return attribute.column !== undefined || attribute.relation === "morphToOne";
    return attribute?.kind === "scalar" || name === "id" || name === "documentId" || name === "locale";
  }

  /** Finds rows without calling hooks. */
  #find(params: Params): Document[] {
    const grouped = groupAttributes(this.#type, params.groupBy);
    if (grouped) return this.#findGroups(params, grouped);
    return findRows(this.#readContext(), this.#query(params), anyLocale);
  }

  /** As `#find`, within the limits of a request. */
  #findWithin(budget: Budget, params: Params): MaybePromise<Document[]> {
    if (budget === unlimited || params.groupBy) return this.#find(params);
    const context = this.#readContext();
    const query = { ...this.#query(params), budget };
    return runSteadily(context.storage, budget, (storage) => readingRows({ ...context, storage }, query, anyLocale));
  }

  #findGroups({ groupBy: _, limit, offset, select, ...params }: Params, attributes: readonly string[]): Document[] {
    const isPart = select !== undefined && select !== null && select !== "*";
    const selected = isPart ? { select: [...[select].flat(), ...attributes] } : {};
    const groups = groupRows(this.#find({ ...params, ...selected }), attributes, params.orderBy !== undefined);
    const start = Number(offset ?? 0);
    return groups.slice(start, typeof limit === "number" && limit >= 0 ? start + limit : undefined);
  }

  #query(params: Params): CheckedQuery {
    const { model } = this.#services.raw;
    return checkQuery(model, readRowQuery(model, this.#type, params), unrestricted);
  }

  #selected<T>(rows: T, params: Params, isFirst = false): T {
    return keepSelected(this.#services.raw.model, this.#type, rows, params, isFirst);
  }

  #readContext(): ReadContext {
    const { storage, model } = this.#services.raw;
    return { status: undefined, listsVersions: !this.#version.status, ...this.#version, storage, model };
  }

  async #withHooks<T>(
    action: QueryAction,
    input: Params,
    work: (params: Params, budget: Budget) => MaybePromise<T>,
  ): Promise<T> {
    const { lifecycles } = this.#services;
    const { own: params, budget } = splitBudget(input);
    if (!lifecycles.listens(this.#type, action)) return work(params, budget);
    const event = { action, type: this.#type, params, result: undefined as T };
    await lifecycles.run("before", event);
    const result = work(params, budget);
    event.result = result instanceof Promise ? await result : result;
    await lifecycles.run("after", event);
    return event.result;
  }

  /** Runs a write with its hooks, in one transaction. There is no after-hook for a row that is not there. */
  #writing<T>(action: QueryAction, input: Params, work: (params: Params) => Promise<T>): Promise<T> {
    const { lifecycles, raw } = this.#services;
    const event = { action, type: this.#type, params: stamped(action, input, raw.clock), result: undefined as T };
    return this.#write(async () => {
      await lifecycles.run("before", event);
      event.result = await work(event.params);
      if (event.result !== null) await lifecycles.run("after", event);
      return event.result;
    });
  }

  #write<T>(work: () => Promise<T>): Promise<T> {
    return this.#services.transactions.run(work);
  }
}
