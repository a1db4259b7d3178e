/** The core service of a content-type, whose methods code may override. */
import { paginationMeta, readListPages } from "../../engine/query/list-params.ts";
import type { Params } from "../../engine/query/parse.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import type { Runtime } from "../runtime.ts";

type Result = Promise<unknown>;

export interface CoreService {
  getFetchParams(params?: Params): Params;
  find(params?: Params): Result;
  findOne(documentId: string, params?: Params): Result;
  create(params?: Params): Result;
  update(documentId: string, params?: Params): Result;
  delete(documentId: string | Params, params?: Params): Result;
  createOrUpdate(params?: Params): Result;
}

const withStatus = (params: Params = {}): Params => ({ status: "published", ...params });

const count = (deleted: unknown) => ({ deletedEntries: (deleted as { entries: unknown[] }).entries.length });

function collectionService(runtime: Runtime, type: ContentType) {
  const documents = () => runtime.documents.of(type.uid);
  return {
    contentType: runtime.findSchema(type.uid),
    getFetchParams: withStatus,
    async find(params: Params = {}) {
      const query = this.getFetchParams(params);
      const pagination = readListPages({ pagination: query.pagination }, runtime.settings.rest);
      const { start, limit, withCount } = pagination;
      const results = await documents().findMany({ ...query, start, limit });
      const total = withCount ? ((await documents().count({ ...query, start, limit })) as number) : undefined;
      return { results, pagination: paginationMeta(pagination, total) };
    },
    async findOne(documentId: string, params: Params = {}) {
      return documents().findOne({ ...this.getFetchParams(params), documentId });
    },
    async create(params: Params = {}) {
      return documents().create(this.getFetchParams(params));
    },
    async update(documentId: string, params: Params = {}) {
      return documents().update({ ...this.getFetchParams(params), documentId });
    },
    async delete(documentId: string, params: Params = {}) {
      return count(await documents().delete({ ...this.getFetchParams(params), documentId }));
    },
  };
}

function singleService(runtime: Runtime, type: ContentType) {
  const documents = () => runtime.documents.of(type.uid);
  const findId = async (): Promise<unknown> => (await runtime.query(type.uid).findOne())?.documentId;
  return {
    contentType: runtime.findSchema(type.uid),
    getFetchParams: withStatus,
    async find(params: Params = {}) {
      return documents().findFirst(this.getFetchParams(params));
    },
    async createOrUpdate(params: Params = {}) {
      const documentId = await findId();
      const query = this.getFetchParams(params);
      return documentId ? documents().update({ ...query, documentId }) : documents().create(query);
    },
    async delete(params: Params = {}) {
      const documentId = await findId();
      if (!documentId) return { deletedEntries: 0 };
      return count(await documents().delete({ ...this.getFetchParams(params), documentId }));
    },
  };
}

/** `createCore` uses it as a prototype, so that overrides can call `super.find()`. */
export const createCoreService = (runtime: Runtime, type: ContentType): CoreService =>
  (type.kind === "singleType"
    ? singleService(runtime, type)
    : collectionService(runtime, type)) as unknown as CoreService;
