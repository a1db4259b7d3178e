/** `strapi.entityService`: the deprecated API for documents by row id. */
import type { Params } from "../../engine/query/parse.ts";
import type { Document } from "../../engine/query/select.ts";
import type { Model } from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";
import { strapiUtils } from "../packages/utils.ts";
import { placeIn, queryParams } from "./document-params.ts";
import type { DocumentActions } from "./documents.ts";
import type { QueryEngine } from "./query-engine.ts";

type Method = (this: Implementation, ...args: unknown[]) => unknown;

type Implementation = Record<string, Method>;

interface Wrapping {
  /** The position of the parameters after the uid; without one they are not passed to `wrapParams`. */
  readonly params?: number;
  /** The member of the result that is passed to `wrapResult`; without one, all of it. */
  readonly member?: string;
  readonly keepsResult?: true;
}

/** What each method passes to `wrapParams` and `wrapResult`. */
const WRAPPINGS: Readonly<Record<string, Wrapping>> = {
  findMany: { params: 0 },
  findPage: { params: 0 },
  findOne: { params: 1 },
  create: { params: 0 },
  update: { params: 1 },
  delete: { params: 1 },
  count: { params: 0, keepsResult: true },
  load: {},
  loadPages: { member: "results" },
};

type Plain = (uid: string, ...args: never[]) => unknown;

function wrapped(name: string, run: Plain, isSingle: (uid: string) => boolean): Method {
  const { params, member, keepsResult } = WRAPPINGS[name] ?? {};
  return async function (uid, ...args) {
    const type = uid as string;
    if (params !== undefined) args[params] = await this.wrapParams?.(args[params], { uid, action: name });
    const result = await run(type, ...(args as never[]));
    if (keepsResult) return result;
    const action = name === "loadPages" ? "load" : name === "findPage" ? "findMany" : name;
    const about = {
      uid,
      ...(action === "load" ? { field: args[1] } : {}),
      action: name === "findMany" && isSingle(type) ? "findOne" : action,
    };
    if (member === undefined || !isRecord(result)) return this.wrapResult?.(result, about);
    return { ...result, [member]: await this.wrapResult?.(result[member], about) };
  };
}

/** `decorate`: code replaces methods, and the hooks that transform parameters and results of all. Methods of `service` call the current ones. */
function decoratedService<T extends object>(methods: T, isSingle: (uid: string) => boolean) {
  const wrappers: Implementation = {
    wrapParams: async (options = {}) => options,
    wrapResult: async (result = {}) => result,
  };
  const own = Object.entries(methods).map(([name, run]) => [name, wrapped(name, run as Plain, isSingle)]);
  const service = {
    implementation: { ...wrappers, ...(Object.fromEntries(own) as Implementation) },
    decorate(decorator: unknown) {
      if (typeof decorator !== "function")
        throw new Error(`Decorator must be a function, received ${typeof decorator}`);
      service.implementation = { ...service.implementation, ...decorator(service.implementation) };
      return service;
    },
  };
  const delegates = Object.keys(service.implementation).map((name) => [
    name,
    (...args: unknown[]) => service.implementation[name]?.(...args),
  ]);
  return Object.assign(service, Object.fromEntries(delegates) as T & Pick<Implementation, "wrapParams" | "wrapResult">);
}

interface EntityServices {
  readonly model: Model;
  readonly documents: (uid: string) => DocumentActions;
  readonly query: (uid: string) => QueryEngine;
}

/** Throws for invalid values, and for both kinds of pagination at once. */
function readPaging({ page, pageSize, start, limit }: Params): Params {
  const { createTransformer } = strapiUtils().queryParams;
  const paging = { page, pageSize, start, limit } as Record<string, number | undefined>;
  return { ...createTransformer({ getModel: () => undefined }).transformQueryParams("", paging) };
}

const versionFilters: Readonly<Record<string, object>> = { draft: { $null: true }, published: { $notNull: true } };

export function createEntityService({ model, documents, query }: EntityServices) {
  const isSingle = (uid: string): boolean => model.types.get(uid)?.kind === "singleType";
  const find = async (uid: string, id: unknown): Promise<Document | null> =>
    id === null ? null : query(uid).findOne({ where: { id } });
  /** The status of a row. The `status` parameter is ignored. */
  const readStatus = ({ publishedAt }: Partial<Document>): Params => ({
    status: publishedAt === null ? "draft" : "published",
  });
  const methods = {
    findMany: (uid: string, params: Params = {}) =>
      isSingle(uid) ? documents(uid).findFirst(params) : documents(uid).findMany(params),
    findOne: async (uid: string, id: unknown, params: Params = {}) => {
      const row = await find(uid, id);
      return row && documents(uid).findOne({ ...params, documentId: row.documentId });
    },
    /** Rows of all versions, unless `status` is set. They always have their ids. */
    findPage: (uid: string, { status, ...params }: Params = {}) => {
      const versions = model.types.get(uid)?.draftAndPublish ? versionFilters[String(status)] : undefined;
      return query(uid).findPage({
        ...queryParams(params, placeIn(model, uid)),
        ...readPaging(params),
        ...(versions ? { where: { publishedAt: versions } } : {}),
      });
    },
    create: async (uid: string, params: Params = {}) => {
      const { data } = params;
      if (data === undefined || data === null) throw new Error("cannot create");
      return documents(uid).create({ ...params, ...(isRecord(data) ? readStatus(data) : {}) });
    },
    update: async (uid: string, id: unknown, params: Params = {}) => {
      const row = await find(uid, id);
      return row && documents(uid).update({ ...params, ...readStatus(row), documentId: row.documentId });
    },
    /** Returns the row before the deletion. */
    delete: async (uid: string, id: unknown, params: Params = {}) => {
      const row = await find(uid, id);
      if (row) await documents(uid).delete({ ...params, documentId: row.documentId });
      return row;
    },
    count: (uid: string, params: Params = {}) => documents(uid).count(params),
    load: async (uid: string, row: unknown, field: string, params: Params = {}) => {
      if (typeof field !== "string") throw new Error(`Invalid load. Expected "${String(field)}" to be a string`);
      return query(uid).load(row, field, queryParams(params, placeIn(model, uid, field)));
    },
    loadPages: (uid: string, row: unknown, field: string, params: Params = {}, page: Params = {}) =>
      query(uid).loadPages(row, field, { ...queryParams(params, placeIn(model, uid, field)), ...page }),
  };
  return decoratedService(methods, isSingle);
}
